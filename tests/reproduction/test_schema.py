"""Records of papers."""

import pytest

from featsieve.reproduction.schema import Computation, Experiment, Paper, Row, Run, Verdict

RUN = Run(key="x", dataset="iris", methods={}, protocol=None, measures=("nn", "ncm"), quick={"draws": 1})
TABLE = Experiment(key="table-VI", runs=(RUN,), rows=(Row("A", {"nn": "a", "ncm": "{column}-b"}),))


def test_measures_are_those_of_the_runs_by_default():
    assert TABLE.measures == ("nn", "ncm")
    assert Experiment(key="table-1", runs=(RUN,), rows=(), measures=("ncm",)).measures == ("ncm",)


def test_names_follow_from_the_key():
    assert (TABLE.name, TABLE.kind) == ("Table VI", "table")
    assert Experiment(key="figure-2", runs=(), rows=()).name == "Figure 2"


def test_tolerance_in_words():
    assert TABLE.tolerance_text == "0.02"
    relative = Experiment(key="table-1", runs=(), rows=(), relative_tolerance=0.2)
    assert relative.tolerance_text == "20% of the printed number"


def test_label_of_a_row_depends_on_measure_and_run():
    row = TABLE.row("A")
    assert (row.label_for("nn", "x"), row.label_for("ncm", "x")) == ("a", "x-b")


def test_quick_forms_replace_fields_and_parameters():
    assert RUN.draws == 2
    assert RUN.quick_form().draws == 1
    assert RUN.quick_form().quick == {}
    computation = Computation(
        key="x", dataset=None, function=dict, parameters={"n": 9, "m": 2}, quick={"n": 1}
    )
    assert computation.quick_form().parameters == {"n": 1, "m": 2}


def test_experiments_are_found_by_key():
    paper = Paper(key="toy", title="", authors="", venue="", year=2000, experiments=(TABLE,))
    assert paper.experiment("TABLE-vi") is TABLE
    with pytest.raises(ValueError, match="toy has no table 1; it has table-VI"):
        paper.experiment("table-1")


def test_verdict_in_words():
    verdict = Verdict("holds", "1 of 1", "; random 0")
    assert verdict.text == "1 of 1; random 0"
    assert verdict.with_details(" (x)").text == "1 of 1 (x); random 0"
