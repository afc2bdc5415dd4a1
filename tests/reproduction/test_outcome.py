"""Our numbers next to the published ones."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.schema import CellKey, Experiment, Mark, PublishedNumber, Row

TABLE = Experiment(
    key="table-1",
    title="synthetic",
    runs=(),
    rows=(Row("A", "a"), Row("B", "b"), Row("All features", "all", statistics=("mean",))),
    measures=("nn",),
)


def make_outcome(curve, published):
    curves = {"a": {"nn": np.array(curve)}, "all": {"nn": np.full(len(curve), curve[-1])}}
    return Outcome(replace(TABLE, published=published), {"x": RunResult([1, 2, 3], curves)}, {})


def test_position_of_a_maximum_agrees_with_any_size_that_reaches_it():
    key = CellKey("A", "x", "nn", "argmax")
    for size, same in ((2.0, True), (3.0, True), (1.0, False)):
        assert make_outcome([50.0, 70.0, 70.0], {key: PublishedNumber(size)}).cell(key).same is same
    assert make_outcome([50.0, 70.0, 70.0], {}).cell(key).ours == 2


def test_marked_numbers_are_not_compared_and_have_evidence():
    key = CellKey("A", "x", "nn", "max")
    curve, mark = [50.0, 60.0, 70.0], Mark("impossible")
    cell = make_outcome(curve, {key: PublishedNumber(65.0, mark)}).cell(key)
    assert cell.same is None
    assert cell.difference == 5.0
    assert "All features reach 70" in cell.evidence
    for possible in (70.0, 71.0):
        assert make_outcome(curve, {key: PublishedNumber(possible, mark)}).cell(key).mark == ""
    assert make_outcome(curve, {key: PublishedNumber(70.01)}).cell(key).same
    assert not make_outcome(curve, {key: PublishedNumber(70.03)}).cell(key).same


def test_numbers_fixed_by_our_setup_or_from_other_samples_are_not_counted():
    key = CellKey("A", "x", "nn", "mean")
    outcome = make_outcome([50.0, 60.0, 70.0], {key: PublishedNumber(60.0, counted=False)})
    assert outcome.cell(key).difference == 0.0
    assert outcome.cell(key).same is None
    outcome = make_outcome([50.0, 60.0, 70.0], {key: PublishedNumber(60.0)})
    assert outcome.cell(key).same
    outcome.results["x"].info["comparable"] = False
    assert outcome.cell(key).same is None


@pytest.mark.parametrize(
    ("statistic", "ours", "same"), [("cost", 0.05, True), ("cost", 0.06, False), ("dimension", 0.05, False)]
)
def test_relative_tolerance_does_not_apply_to_counts(statistic, ours, same):
    key = CellKey("A", "x", "", statistic)
    experiment = replace(
        TABLE,
        rows=(Row("A", "a", statistics=("cost", "dimension")),),
        measures=("",),
        relative_tolerance=0.2,
        published={key: PublishedNumber(0.045)},
    )
    result = RunResult(values={"a": {statistic: ours}})
    assert Outcome(experiment, {"x": result}, {}).cell(key).same is same


def test_evidence_of_exchanged_numbers_is_the_measurement():
    a, b = (CellKey(name, "x", "nn", "max") for name in "AB")
    published = {
        a: PublishedNumber(60.0, Mark("exchanged", source=b)),
        b: PublishedNumber(70.0, Mark("exchanged", source=a)),
        a._replace(statistic="argmax"): PublishedNumber(1.0),
        b._replace(statistic="argmax"): PublishedNumber(1.0),
    }
    experiment = replace(TABLE, published=published)

    def evidence(sizes, curve_a, curve_b):
        curves = {"a": {"nn": np.array(curve_a)}, "b": {"nn": np.array(curve_b)}}
        return Outcome(experiment, {"x": RunResult(sizes, curves)}, {}).cell(a).evidence

    for value_a, value_b, here, there in (
        (70.0, 60.0, True, True),
        (70.0, 50.0, True, False),
        (50.0, 60.0, False, True),
    ):
        text = evidence([1], [value_a], [value_b])
        assert ("Our measurement is printed for B (70.00)." in text) == here
        assert ("The printed number is our measurement for B." in text) == there
    text = evidence([1, 2], [50.0, 70.0], [60.0, 50.0])
    assert "printed for B (70.00), with a different number of features." in text
    assert "The printed number is our measurement for B." in text


def test_evidence_of_a_copied_number_names_its_source():
    key = CellKey("A", "x", "nn", "mean")
    source = key._replace(measure="ncm")
    published = {key: PublishedNumber(60.0, Mark("copied", source=source)), source: PublishedNumber(60.0)}
    cell = make_outcome([50.0, 60.0, 75.0], published).cell(key)
    assert cell.evidence.startswith("The same number is printed for NCM (60.00).")
