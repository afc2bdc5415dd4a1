"""Papers as data: found, consistent, and judged by what was measured."""

import numpy as np
import pytest

from featsieve.papers import get_paper, papers
from featsieve.papers.outcome import Finding, Outcome
from featsieve.papers.schema import Experiment, Mark, Number, Place, Row, Run
from featsieve.papers.session import judge

ALL = [(paper, experiment) for paper in papers() for experiment in paper.experiments]


@pytest.mark.parametrize(("paper", "experiment"), ALL, ids=lambda each: each.key)
def test_published_numbers_have_a_row_a_column_and_a_statistic(paper, experiment):
    rows = {row.name: row for row in experiment.rows}
    columns = {run.key for run in experiment.runs}
    for place, number in experiment.published.items():
        assert place.column in columns
        assert place.measure in experiment.measures
        shown = rows[place.row].statistics
        assert place.statistic in (*shown, *(("argmax",) if "max" in shown else ()))
        if number.mark is not None and number.mark.source is not None:
            assert number.mark.source in experiment.published


@pytest.mark.parametrize(("paper", "experiment"), ALL, ids=lambda each: each.key)
def test_rows_name_methods_of_the_runs(paper, experiment):
    for run in experiment.runs:
        if not isinstance(run, Run):
            continue
        known = {"random", "all", "variance", *run.methods}
        for row in experiment.rows:
            for measure in row.measures or experiment.measures:
                assert row.label_for(measure, run.key) in known
        labels = {row.label_for(m, run.key) for row in experiment.rows for m in experiment.measures}
        if experiment.key != "table-V":  # orders alone
            assert {"random", "all"} <= labels


def test_claims_name_experiments():
    for paper in papers():
        keys = {experiment.key for experiment in paper.experiments}
        for claim in paper.claims:
            assert set(claim.experiments) <= keys
            assert (claim.check is None) == bool(claim.reason)


def test_quick_forms_can_be_made():
    for _, experiment in ALL:
        for run in experiment.runs:
            assert run.quickly().key == run.key


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match=r"choose of .*lle"):
        get_paper("nothing")
    with pytest.raises(ValueError, match="has no table XX"):
        get_paper("lle").experiment("table-XX")


def outcome(curve, published):
    experiment = Experiment(
        "table-1",
        "made up",
        "table",
        (),
        (Row("A", "a"), Row("All features", "all", "", ("mean",))),
        ("nn",),
        published,
    )
    every = {"nn": np.full(len(curve), curve[-1])}
    finding = Finding([1, 2, 3], {"a": {"nn": np.array(curve)}, "all": every})
    return Outcome(experiment, {"x": finding}, {})


def test_a_maximum_reached_twice_agrees_with_either_size():
    place = Place("A", "x", "nn", "argmax")
    for size, same in ((2.0, True), (3.0, True), (1.0, False)):
        assert outcome([50.0, 70.0, 70.0], {place: Number(size)}).cell(place).same is same
    assert outcome([50.0, 70.0, 70.0], {}).cell(place).ours == 2


def test_marked_numbers_are_not_compared_and_carry_the_evidence():
    place = Place("A", "x", "nn", "max")
    cell = outcome([50.0, 60.0, 70.0], {place: Number(65.0, Mark("impossible"))}).cell(place)
    assert cell.same is None
    assert cell.difference == 5.0
    assert "All features reach 70" in cell.evidence
    assert outcome([50.0, 60.0, 70.0], {place: Number(70.01)}).cell(place).same
    assert not outcome([50.0, 60.0, 70.0], {place: Number(70.03)}).cell(place).same


def test_a_claim_without_data_cannot_be_tested():
    paper = get_paper("lle")
    empty = {each.key: Outcome(each, {}, {"p=2": "gone"}) for each in paper.experiments}
    verdicts = {verdict.judgement for _, verdict in judge(paper, empty)}
    assert verdicts == {"cannot be tested"}
    assert judge(paper, {}) == []
