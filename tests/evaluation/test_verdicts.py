"""Each method is compared with random selection on the same splits."""

import numpy as np
import pytest
from scipy import stats

from featsieve.evaluation import Cell, Comparison
from featsieve.evaluation.statistics import corrected_interval
from featsieve.evaluation.verdicts import compare_with_random, simultaneous_interval

SIZES = [1, 2, 4]
VALUES = {
    "random": [0.5, 0.6, 0.4, 0.55, 0.5],
    "all": [0.9, 0.9, 0.9, 0.9, 0.9],
    "good": [0.7, 0.81, 0.6, 0.76, 0.7],
    "equal": [0.5, 0.6, 0.4, 0.55, 0.5],
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
    assert table.loc["good", "gain"] == pytest.approx(np.mean([0.2, 0.21, 0.2, 0.21, 0.2]))
    assert table.loc["good", ["wins", "ties", "losses"]].tolist() == [5, 0, 0]
    assert table.loc["equal", ["wins", "ties", "losses"]].tolist() == [0, 5, 0]
    assert table.loc["equal", "gain"] == 0
    # only the splits that the method finished: not the mean of all splits of random selection
    assert table.loc["partial", "gain"] == pytest.approx(0.1)
    assert table.loc["partial", "splits"] == 2


def test_smaller_is_better_for_such_measures():
    table = compare_with_random(make_comparison(direction="smaller"), ["nn"]).set_index("method")
    assert table.loc["good", "gain"] < 0
    assert table.loc["good", "losses"] == 5


def test_outcomes(table):
    expected = {
        "random": "reference",
        "good": "better",
        "equal": "unclear",
        "broken": "failed",
        "new": "missing",
    }
    assert table["outcome"].to_dict() == expected | {"partial": "untested"}
    assert table.loc["partial", "verdict"].startswith("too few splits for a verdict: +10.0")
    assert table.loc["broken", "verdict"] == "failed: no luck"
    assert table.loc["broken", "failed"] == 4
    assert table.loc["new", "verdict"] == "not measured"


def test_baselines_are_not_tested(table):
    assert np.isnan(table.loc["random", ["p", "p_wilcoxon", "p_corrected"]].to_numpy(dtype=float)).all()
    assert "all" not in table.index
    assert table.loc["good", "p_corrected"] == pytest.approx(table.loc["good", "p"] * 10)


def test_the_verdict_does_not_depend_on_the_other_methods(table):
    alone = compare_with_random(make_comparison({key: VALUES[key] for key in ("random", "good")}), ["nn"])
    alone, beside = alone.set_index("method").loc["good"], table.loc["good"]
    assert alone["verdict"] == beside["verdict"]
    assert alone["gain_low"] == pytest.approx(beside["gain_low"], rel=1e-12)


def test_the_interval_is_that_of_the_verdict():
    """Its confidence is such that the corrected p-value is 5% where the interval ends at 0."""
    random = np.random.default_rng(0)
    for _ in range(200):
        levels = random.normal(random.uniform(0, 0.1), 0.02, 10)
        values = {"random": [0.0] * 10, "a": levels}
        row = compare_with_random(make_comparison(values), ["nn"]).set_index("method").loc["a"]
        better = row["gain_low"] > 0
        assert better == (row["outcome"] == "better") == (row["verdict"].startswith("beats"))
        assert better == (row["gain"] > 0 and row["p_corrected"] <= 0.05)


def test_units_of_verdicts(table):
    fractions = compare_with_random(make_comparison(percent=False), ["nn"]).set_index("method")
    assert "points" in table.loc["good", "verdict"]
    assert "20" in table.loc["good", "verdict"]
    assert "points" not in fractions.loc["good", "verdict"]


def test_no_gain_without_random_selection():
    values = {"random": [], "good": VALUES["good"]}
    table = compare_with_random(make_comparison(values), ["nn"]).set_index("method")
    assert table.loc["good", "verdict"] == "random selection did not finish"


@pytest.mark.parametrize(
    ("n_splits", "ratio", "margin"),
    [
        # the 95% interval of one method
        (20, 1.0, stats.t.ppf(0.975, 19) * np.sqrt(1 / 20 + 1)),
        (40, 1.0, stats.t.ppf(0.975, 39) * np.sqrt(1 / 40 + 1)),
        # 20 methods
        (10, 1.0, stats.t.ppf(0.9975, 9) * np.sqrt(1 / 10 + 1 / 3)),
        (5, 1.0, stats.t.ppf(0.9975, 4) * np.sqrt(1 / 5 + 1 / 3)),
        (10, 1 / 9, stats.t.ppf(0.9975, 9) * np.sqrt(1 / 10 + 1 / 9)),
        (10, 0.0, stats.t.ppf(0.9975, 9) * np.sqrt(1 / 10)),
    ],
)
def test_the_wider_interval_counts(n_splits, ratio, margin):
    gains = np.random.default_rng(0).standard_normal(n_splits)
    half = margin * gains.std(ddof=1)
    centered = gains - gains.mean()
    for mean, low in ((half * 0.999, -1), (half * 1.001, 1)):
        gain = simultaneous_interval(centered + mean, ratio)
        assert gain.high - gain.low == pytest.approx(2 * half)
        assert np.sign(gain.low) == low
        assert (gain.p < 0.05) == (low > 0)
    assert corrected_interval(gains, ratio).p <= simultaneous_interval(gains, ratio).p


@pytest.mark.parametrize("n_splits", [5, 6, 8, 10, 20])
def test_no_method_is_called_better_on_noise(n_splits):
    """20 independent methods whose gains on two random halves have the largest correlation, 1/4."""
    random, n_draws, n_methods = np.random.default_rng(0), 300, 20
    shared = 0.5 * random.standard_normal((n_draws, n_methods, 1))
    gains = shared + np.sqrt(0.75) * random.standard_normal((n_draws, n_methods, n_splits))
    better = [any(simultaneous_interval(method, 1.0).low > 0 for method in draw) for draw in gains]
    assert 0.005 < np.mean(better) <= 0.07  # 5% with an error of 1.3%
