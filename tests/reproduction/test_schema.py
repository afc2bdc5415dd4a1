"""Papers as data: found, consistent, and judged by what was measured."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.papers import get_paper, papers
from featsieve.papers.leave_one_out.experiments import SEEN
from featsieve.reproduction.outcome import Finding, Outcome
from featsieve.reproduction.schema import Experiment, Mark, Number, Place, Row, Run
from featsieve.reproduction.session import judge

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
            for measure in experiment.measures:
                label = row.label_for(measure, run.key)
                # other objectives are not tried with labels seen
                assert label in known or (run.key.endswith(SEEN) and label.startswith("leave one out"))
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
    for possible in (70.0, 71.0):  # then it is no mark
        assert (
            outcome([50.0, 60.0, 70.0], {place: Number(possible, Mark("impossible"))}).cell(place).mark == ""
        )
    assert outcome([50.0, 60.0, 70.0], {place: Number(70.01)}).cell(place).same
    assert not outcome([50.0, 60.0, 70.0], {place: Number(70.03)}).cell(place).same


def test_numbers_that_we_put_in_or_that_come_from_other_samples_are_not_counted():
    place = Place("A", "x", "nn", "mean")
    found = outcome([50.0, 60.0, 70.0], {place: Number(60.0, given=True)})
    assert found.cell(place).difference == 0.0
    assert found.cell(place).same is None
    found = outcome([50.0, 60.0, 70.0], {place: Number(60.0)})
    assert found.cell(place).same
    found.findings["x"].info["comparable"] = False
    assert found.cell(place).same is None


def test_a_tolerance_can_be_a_share_of_the_printed_number_but_not_for_counts():
    experiment = Experiment(
        "table-1", "", "table", (), (Row("A", "a", "", ("cost", "dimension")),), ("",), relative=0.2
    )
    for statistic, ours, same in (("cost", 0.05, True), ("cost", 0.06, False), ("dimension", 0.05, False)):
        place = Place("A", "x", "", statistic)
        known = replace(experiment, published={place: Number(0.045)})
        finding = Finding(values={"a": {statistic: ours}})
        assert Outcome(known, {"x": finding}, {}).cell(place).same is same


def test_evidence_of_an_exchange_is_what_was_measured():
    places = {name: Place(name, "x", "nn", "max") for name in "AB"}
    published = {
        places["A"]: Number(60.0, Mark("exchanged", source=places["B"])),
        places["B"]: Number(70.0, Mark("exchanged", source=places["A"])),
        places["A"]._replace(statistic="argmax"): Number(1.0),
        places["B"]._replace(statistic="argmax"): Number(1.0),
    }
    experiment = Experiment("table-1", "", "table", (), (Row("A", "a"), Row("B", "b")), ("nn",), published)
    for own, other, said in (
        (70.0, 60.0, ["here", "for B"]),
        (70.0, 50.0, ["here"]),
        (50.0, 60.0, ["for B"]),
    ):
        curves = {"a": {"nn": np.array([own])}, "b": {"nn": np.array([other])}}
        evidence = Outcome(experiment, {"x": Finding([1], curves)}, {}).cell(places["A"]).evidence
        assert ("The number measured here stands under B (70.00)." in evidence) == ("here" in said)
        assert ("The printed number is what was measured for B." in evidence) == ("for B" in said)
    curves = {"a": {"nn": np.array([50.0, 70.0])}, "b": {"nn": np.array([60.0, 50.0])}}
    evidence = Outcome(experiment, {"x": Finding([1, 2], curves)}, {}).cell(places["A"]).evidence
    assert "stands under B (70.00), with another number of features." in evidence
    assert "The printed number is what was measured for B." in evidence


@pytest.mark.parametrize("key", [paper.key for paper in papers()])
def test_a_claim_without_data_cannot_be_tested(key):
    paper = get_paper(key)
    empty = {each.key: Outcome(each, {}, {"p=2": "gone"}) for each in paper.experiments}
    verdicts = {verdict.judgment for _, verdict in judge(paper, empty)}
    assert verdicts == {"cannot be tested"}
    assert judge(paper, {}) == []
