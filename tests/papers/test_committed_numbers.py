"""The committed numbers: repeated for one small experiment of each paper in the ledger, and consistent."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from featsieve.papers import get_paper
from featsieve.reproduction.ledger import as_markdown, condense
from featsieve.reproduction.session import Session
from featsieve.reproduction.summary import summarize

DOCS = Path(__file__).parents[2] / "docs"


def read(name):
    return json.loads((DOCS / f"{name}.json").read_text(encoding="utf-8"))


COMMITTED, FULL = (
    {paper["key"]: {record["key"]: record for record in paper["experiments"]} for paper in read(name)}
    for name in ("ledger", "ledger-full")
)
# Paper, experiment, run, and tolerance for differences between machines, which is small enough to detect a
# different method. None uses k-means, whose local optima depend on the machine.
SMALL = [
    ("lle", "table-IV", "K=5", 0.02),
    ("takes", "table-2", "Thyroid", 0.005),
    ("lkr", "figure-2", "UMist", 0.05),
    ("iterative", "figure-3", "2 images", 0.05),
    ("leave-one-out", "figure-1", "dermatology", 0.05),
]


def test_every_paper_in_the_ledger_has_a_small_experiment():
    """A paper without committed results is not covered."""
    assert {key for key, *_ in SMALL} == COMMITTED.keys()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "experiment", "run", "tolerance"), SMALL, ids=str)
def test_small_experiments_reproduce_the_committed_numbers(
    data_dir, tmp_path, key, experiment, run, tolerance
):
    paper = get_paper(key)
    complete = paper.experiment(experiment)
    single = replace(complete, runs=tuple(record for record in complete.runs if record.key == run))
    outcome = Session(tmp_path / "store.sqlite", n_jobs=2).run_experiment(single)
    assert not outcome.missing
    computed = condense(summarize(paper, {experiment: outcome}, quick=True))["experiments"][0]
    committed = COMMITTED[key][experiment]
    assert computed["runs"][run]["hash"] == committed["runs"][run]["hash"]
    index = {column: committed["columns"].index(column) for column in computed["columns"]}
    before = {(row["measure"], row["row"], row["statistic"]): row["ours"] for row in committed["rows"]}
    compared = 0
    for row in computed["rows"]:
        for column, now in zip(computed["columns"], row["ours"], strict=True):
            then = before[row["measure"], row["row"], row["statistic"]][index[column]]
            assert (now is None) == (then is None)
            if isinstance(now, float):
                assert now == pytest.approx(then, abs=tolerance)
            elif now is not None:
                assert now == then
            compared += now is not None
    assert compared >= 4


@pytest.mark.parametrize(("form", "other"), [("ledger", "ledger-full"), ("ledger-full", "ledger")])
def test_pages_match_the_committed_results(form, other):
    results, other_form = read(form), read(other)
    assert as_markdown(results, other_form) == (DOCS / f"{form}.md").read_text(encoding="utf-8")
    commands = "featsieve reproduce {}" if form == "ledger" else "featsieve reproduce {} --full"
    assert all(f"`{commands.format(paper['key'])}`" in as_markdown(results, other_form) for paper in results)


@pytest.mark.parametrize("table", ["table-VI", "table-VII"])
def test_unmarked_cells_of_unambiguous_methods_are_reproduced(table):
    compared = 0
    for row in COMMITTED["lle"][table]["rows"]:
        if row["row"] not in ("Variance", "Algorithm 1"):
            continue
        for paper, ours, marked in zip(row["paper"], row["ours"], row["marked"], strict=True):
            if marked:
                continue
            (paper, paper_size), (ours, our_size) = (
                number if isinstance(number, list) else (number, 0) for number in (paper, ours)
            )
            assert ours == pytest.approx(paper, abs=0.02)
            assert our_size == paper_size
            compared += 1
    assert compared >= 38


@pytest.mark.parametrize("table", ["table-VI", "table-VII", "table-IX"])
def test_impossible_maxima_are_below_all_features(table):
    committed = (FULL if table == "table-IX" else COMMITTED)["lle"][
        table
    ]  # only the full form has all digits
    rows, marks, columns = committed["rows"], committed["marks"], committed["columns"]
    all_features = {row["measure"]: row["ours"] for row in rows if row["row"] == "All features"}
    names = {
        "NCM": next(name for name in all_features if "mean" in name),
        "NN": next(n for n in all_features if "NN" in n),
    }
    for mark in marks:
        if mark["mark"] == "impossible":
            measure, _, column, _ = mark["cell"].split(", ")
            reached = all_features[names[measure]][columns.index(column)]
            assert mark["paper"] < reached
            assert f"reach {reached:.2f}" in mark["evidence"]
