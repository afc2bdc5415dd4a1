"""Statistics against formulas, simulations and published tables."""

import math

import numpy as np
import pytest
from scipy import stats

from featsieve.evaluation import corrected_interval, friedman, holm, log_auc, stability, verdict, wilcoxon_p
from featsieve.evaluation.statistics import Interval, outcome


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_log_auc_is_the_mean_over_log_sizes():
    sizes = np.array([1, 2, 5, 30])
    grid = np.geomspace(1, 30, 200_001)
    values = np.array([0.3, 0.6, 0.5, 0.9])
    dense = np.interp(np.log(grid), np.log(sizes), values)
    assert log_auc(values, sizes) == pytest.approx(dense.mean(), abs=1e-5)
    assert log_auc([values, values + 1], sizes) == pytest.approx(
        [log_auc(values, sizes), log_auc(values, sizes) + 1]
    )
    assert log_auc(np.full(4, 0.7), sizes) == pytest.approx(0.7)
    assert log_auc([0.4], [10]) == 0.4
    with pytest.raises(ValueError, match="2 entries for 3 sizes"):
        log_auc([1, 2], [1, 2, 3])


def test_interval_without_overlap_is_the_t_interval():
    values = np.random.default_rng(0).normal(1, 2, 12)
    interval = corrected_interval(values)
    low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert interval.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_overlap_widens_the_interval_by_the_published_factor():
    values = np.random.default_rng(0).normal(1, 2, 10)
    plain, corrected = corrected_interval(values), corrected_interval(values, test_ratio=1.0)
    assert (corrected.high - corrected.low) / (plain.high - plain.low) == pytest.approx(math.sqrt(1.1 / 0.1))
    assert corrected.p > plain.p


def test_interval_of_one_or_equal_values():
    assert math.isnan(corrected_interval([]).mean)
    one = corrected_interval([0.3])
    assert one.mean == 0.3
    assert math.isnan(one.low)
    assert math.isnan(one.p)
    assert corrected_interval([0.0, 0.0, 0.0]).p == 1
    assert corrected_interval([0.2, 0.2, 0.2]) == Interval(
        pytest.approx(0.2), pytest.approx(0.2), pytest.approx(0.2), 0
    )


def test_wilcoxon():
    differences = np.arange(1, 11) / 10
    assert wilcoxon_p(differences) == pytest.approx(2 / 2**10)
    assert wilcoxon_p(-differences) == wilcoxon_p(differences)
    assert wilcoxon_p(np.zeros(5)) == 1
    assert wilcoxon_p([0.1, -0.1, 0.2, -0.2]) == pytest.approx(1)
    assert math.isnan(wilcoxon_p([]))


def test_holm_step_by_step():
    p = np.array([0.04, 0.001, math.nan, 0.03, 0.5])
    expected = [0.09, 0.004, math.nan, 0.09, 0.5]
    np.testing.assert_allclose(holm(p), expected)
    assert holm([]).size == 0
    assert (holm(np.full(4, 0.9)) == 1).all()


def test_holm_controls_the_familywise_error():
    random = np.random.default_rng(0)
    false_alarms = np.mean([(holm(random.random(20)) < 0.05).any() for _ in range(4000)])
    assert 0.035 < false_alarms < 0.06


def test_friedman_ranks():
    values = np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4], [0.9, 0.9, 0.1], [0.7, 0.6, 0.5]])
    result = friedman(values)
    np.testing.assert_allclose(result.mean_ranks, [1.125, 1.875, 3])
    assert result.p == pytest.approx(stats.friedmanchisquare(*values.T).pvalue)
    np.testing.assert_allclose(friedman(-values, "smaller").mean_ranks, result.mean_ranks)
    assert friedman(np.ones((4, 3))).p == 1


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_difference_has_the_published_constants(k, q):
    result = friedman(np.random.default_rng(0).random((30, k)))
    assert result.critical_difference == pytest.approx(q * math.sqrt(k * (k + 1) / 180), rel=1e-3)


@pytest.mark.parametrize("values", [np.ones((1, 3)), np.ones((3, 2)), np.full((3, 3), np.nan), np.ones(4)])
def test_friedman_of_invalid_values_raises(values):
    with pytest.raises(ValueError, match="at least 2 datasets"):
        friedman(values)


@pytest.mark.parametrize(
    ("gain", "expected", "message"),
    [
        (Interval(4.0, 2.0, 6.0, 0.001), "better", "beats random by 4.0 points (2.0 to 6.0)"),
        (Interval(4.0, 0.004, 8.0, 0.002), "better", "beats random by 4.0 points (0.004 to 8.0)"),
        (Interval(-4.0, -6.0, -2.0, 0.001), "worse", "worse than random by 4.0 points (2.0 to 6.0)"),
        (Interval(4.0, -0.01, 8.0, 0.01), "unclear", "not clearly different from random: +4.0 points (-0.01"),
        (Interval(0.2, -1.0, 1.4, 0.7), "unclear", "not clearly different from random: +0.2"),
        (Interval(3.0, math.nan, math.nan, math.nan), "untested", "too few splits for a verdict: +3.0"),
        (Interval(math.nan, math.nan, math.nan, math.nan), "untested", "not measured"),
    ],
)
def test_verdicts(gain, expected, message):
    """The verdict says which side of 0 the printed interval is on."""
    assert outcome(gain) == expected
    assert verdict(gain).startswith(message)


def test_verdict_without_unit():
    assert verdict(Interval(0.1234, 0.1, 0.15, 0.0), "") == "beats random by 0.123 (0.100 to 0.150)"


def test_corrected_interval_controls_the_error_on_overlapping_splits():
    """For means of halves of the same noise, only the corrected test keeps its level."""
    p_values = []
    for seed in range(300):
        random = np.random.default_rng(seed)
        x = random.standard_normal(40)
        means = [random.permutation(x)[:20].mean() for _ in range(10)]
        p_values.append((corrected_interval(means, 1.0).p, wilcoxon_p(means)))
    corrected, plain = (np.array(p_values) <= 0.05).mean(axis=0)
    assert corrected < 0.08
    assert plain > 0.3


def literal_stability(Z):
    """The formulas of the paper, sum by sum."""
    M, d = Z.shape
    k = [sum(row) for row in Z]
    kbar = sum(k) / M
    p = [sum(Z[i][f] for i in range(M)) / M for f in range(d)]
    chance = (kbar / d) * (1 - kbar / d)
    phi = 1 - sum(M / (M - 1) * q * (1 - q) for q in p) / d / chance
    influence = [
        (
            sum(Z[i][f] * p[f] for f in range(d)) / d
            - k[i] * kbar / d**2
            + phi / 2 * (2 * k[i] * kbar / d**2 - k[i] / d - kbar / d + 1)
        )
        / chance
        for i in range(M)
    ]
    mean = sum(influence) / M
    variance = 4 / M**2 * sum((value - mean) ** 2 for value in influence)
    return phi, variance


def test_stability_is_the_published_index(random):
    Z = random.random((12, 30)) < np.linspace(0.05, 0.95, 30)
    value, variance = literal_stability(Z.astype(int))
    result = stability(Z)
    assert result.value == pytest.approx(value)
    assert result.high - result.low == pytest.approx(2 * 1.959964 * variance**0.5, rel=1e-5)
    assert result.low < result.value < result.high


def test_stability_limits(random):
    same = np.tile([True, False, False, True], (5, 1))
    assert stability(same).value == pytest.approx(1)
    assert stability(np.ones((3, 4))).value == 1
    random_choice = np.array([random.permutation(200) < 40 for _ in range(100)])
    assert abs(stability(random_choice).value) < 0.02


@pytest.mark.parametrize("values", [[[1, 0]], [[1, 2], [0, 1]], [1, 0]])
def test_stability_of_invalid_selections_raises(values):
    with pytest.raises(ValueError, match="selections"):
        stability(values)
