"""The summary of a paper is plain data."""

import json

import numpy as np
import pytest

from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.schema import (
    CellKey,
    Claim,
    Computation,
    Experiment,
    Mark,
    Paper,
    PublishedNumber,
    Row,
    Verdict,
)
from featsieve.reproduction.summary import summarize

KEY = CellKey("A", "x", "nn", "max")
RUNS = (Computation(key="x", dataset=None, function=dict, quick={"n": 1}),)
TABLE = Experiment(
    key="table-1",
    runs=RUNS,
    rows=(
        Row("A", "a", "as printed", ("max",)),
        Row("B", "b", statistics=("dimension",)),
        Row("hidden", "c", statistics=()),
    ),
    measures=("nn",),
    published={
        KEY: PublishedNumber(75.0, Mark("misprint", "evidence")),
        CellKey("B", "x", "nn", "dimension"): PublishedNumber(3.0),
    },
)
HOLDS = Verdict("holds", "1 of 1")
PAPER = Paper(
    key="toy",
    title="Title",
    authors="Author",
    venue="Venue",
    year=2000,
    experiments=(TABLE,),
    claims=(
        Claim(text="A is best", section="1", experiments=("table-1",), check=lambda outcomes: HOLDS),
        Claim(text="other", section="2", experiments=("table-1", "figure-2"), check=lambda outcomes: HOLDS),
    ),
    misprints=("a sign",),
)


@pytest.fixture
def summary():
    curves = {"a": {"nn": np.array([70.0, 71.5])}}
    result = RunResult([1, 2], curves, values={"b": {"dimension": 4.0}}, errors={"c": ["no luck"]})
    return summarize(PAPER, {"table-1": Outcome(TABLE, {"x": result}, {"y": "no file"})}, quick=True)


def test_summary_can_be_stored(summary):
    assert json.loads(json.dumps(summary)) == summary
    assert (summary["key"], summary["year"], summary["form"]) == ("toy", 2000, "quick")
    assert summary["has_quick_form"]
    assert summary["misprints"] == ["a sign"]


def test_cells_of_a_table(summary):
    (experiment,) = summary["experiments"]
    (measure,) = experiment["measures"]
    maximum, dimension = measure["lines"]
    assert (maximum["row"], maximum["statistic"]) == ("A", "maximum")
    assert maximum["cells"][0]["ours"] == 71.5
    assert maximum["cells"][0]["ours_size"] == 2
    assert maximum["cells"][0]["difference"] == -3.5
    assert (dimension["cells"][0]["paper"], dimension["cells"][0]["ours"]) == (3, 4)
    assert isinstance(dimension["cells"][0]["paper"], int)
    assert not dimension["cells"][0]["same"]


def test_marks_readings_and_failures(summary):
    (experiment,) = summary["experiments"]
    assert experiment["readings"] == [{"row": "A", "reading": "as printed"}]
    assert experiment["missing"] == {"y": "no file"}
    assert experiment["errors"] == {"x": {"c": ["no luck"]}}
    (mark,) = experiment["marks"]
    assert (mark["cell"], mark["mark"], mark["paper"]) == ("NN, A, x, max", "misprint", 75.0)


def test_claims_that_need_other_experiments_are_counted(summary):
    assert [claim["claim"] for claim in summary["claims"]] == ["A is best"]
    assert summary["claims"][0]["verdict"] == "holds"
    assert summary["n_unjudged"] == 1
