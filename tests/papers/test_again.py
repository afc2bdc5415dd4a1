"""One small experiment of each paper, run again: the committed numbers come out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from featsieve.papers import get_paper
from featsieve.papers.ledger import condense
from featsieve.papers.session import Session
from featsieve.papers.summary import summarise

COMMITTED = {
    paper["key"]: {each["key"]: each for each in paper["experiments"]}
    for paper in json.loads((Path(__file__).parents[2] / "docs" / "ledger.json").read_text(encoding="utf-8"))
}
# Paper, experiment, run, and by how much numbers may differ between machines: k-means may end elsewhere.
SMALL = [
    ("lle", "table-IV", "K=5", 0.02),
    ("takes", "table-2", "Thyroid", 0.005),
    ("lkr", "figure-1", "sonar", 2.0),
    ("iterative", "figure-2", "5 people", 3.0),
    ("leave-one-out", "figure-1", "dermatology, clustered", 3.0),
]


@pytest.mark.parametrize(("key", "experiment", "run", "slack"), SMALL, ids=lambda each: str(each))
def test_committed_numbers_come_out_again(data_dir, tmp_path, key, experiment, run, slack):
    paper = get_paper(key)
    whole = paper.experiment(experiment)
    part = replace(whole, runs=tuple(each for each in whole.runs if each.key == run))
    outcome = Session(tmp_path / "store.sqlite", n_jobs=2).carry_out(part)
    assert not outcome.missing
    found = condense(summarise(paper, {experiment: outcome}, quick=True))["experiments"][0]
    known = COMMITTED[key][experiment]
    assert found["runs"][run]["hash"] == known["runs"][run]["hash"]
    place = {column: known["columns"].index(column) for column in found["columns"]}
    before = {(row["measure"], row["row"], row["statistic"]): row["ours"] for row in known["rows"]}
    compared = 0
    for row in found["rows"]:
        for column, now in zip(found["columns"], row["ours"], strict=True):
            then = before[row["measure"], row["row"], row["statistic"]][place[column]]
            assert (now is None) == (then is None)
            if isinstance(now, float):
                assert now == pytest.approx(then, abs=slack)
            elif now is not None:
                assert now == then
            compared += now is not None
    assert compared >= 4
