"""Each method is compared with random selection on the same splits."""

import numpy as np
import pytest

from featsieve.evaluation import Cell, Comparison
from featsieve.evaluation.verdicts import compare_with_random

SIZES = [1, 2, 4]
VALUES = {
    "random": [0.5, 0.6, 0.4, 0.55],
    "all": [0.9, 0.9, 0.9, 0.9],
    "good": [0.7, 0.81, 0.6, 0.76],
    "equal": [0.5, 0.6, 0.4, 0.55],
    "partial": [0.6, 0.7],
    "broken": [],
    "new": [],
}


def make_comparison(values=VALUES, direction="larger", percent=True):
    """Return a comparison with constant curves; the method "broken" failed on every split."""
    cells = []
    for method, levels in values.items():
        for split, level in enumerate(levels):
            result = {"measures": {"nn": [level] * 3}, "n_train": 30, "n_test": 10}
            cells.append(Cell(method=method, split=split, status="ok", result=result))
        if method == "broken":
            cells += [Cell(method=method, split=s, status="failed", error="no luck") for s in range(4)]
    info = {
        "sizes": SIZES,
        "measures": [{"key": "nn", "direction": direction, "main": True, "percent": percent}],
        "methods": {label: {} for label in values},
        "protocol": {"name": "splits", "n_splits": 4},
    }
    return Comparison("run", info, cells)


@pytest.fixture
def table():
    return compare_with_random(make_comparison(), ["nn"]).set_index("method")


def test_gains_are_paired_by_split(table):
    assert table.loc["good", "gain"] == pytest.approx(np.mean([0.2, 0.21, 0.2, 0.21]))
    assert table.loc["good", ["wins", "ties", "losses"]].tolist() == [4, 0, 0]
    assert table.loc["equal", ["wins", "ties", "losses"]].tolist() == [0, 4, 0]
    assert table.loc["equal", "gain"] == 0
    # only the splits that the method finished: not the mean of all splits of random selection
    assert table.loc["partial", "gain"] == pytest.approx(0.1)
    assert table.loc["partial", "splits"] == 2


def test_smaller_is_better_for_such_measures():
    table = compare_with_random(make_comparison(direction="smaller"), ["nn"]).set_index("method")
    assert table.loc["good", "gain"] < 0
    assert table.loc["good", "losses"] == 4


def test_outcomes(table):
    expected = {
        "random": "reference",
        "all": "better",
        "good": "better",
        "equal": "unclear",
        "broken": "failed",
        "new": "missing",
    }
    assert table["outcome"].drop("partial").to_dict() == expected
    assert table.loc["broken", "verdict"] == "failed: no luck"
    assert table.loc["broken", "failed"] == 4
    assert table.loc["new", "verdict"] == "not measured"


def test_baselines_are_not_tested(table):
    assert np.isnan(table.loc[["random", "all"], ["p", "p_wilcoxon", "p_holm"]].to_numpy(dtype=float)).all()
    assert table.loc["good", "p_holm"] >= table.loc["good", "p"] > 0


def test_units_of_verdicts(table):
    fractions = compare_with_random(make_comparison(percent=False), ["nn"]).set_index("method")
    assert "points" in table.loc["good", "verdict"]
    assert "20" in table.loc["good", "verdict"]
    assert "points" not in fractions.loc["good", "verdict"]


def test_no_gain_without_random_selection():
    values = {"random": [], "good": VALUES["good"]}
    table = compare_with_random(make_comparison(values), ["nn"]).set_index("method")
    assert table.loc["good", "verdict"] == "not compared: random selection did not finish"
