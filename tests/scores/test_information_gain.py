import numpy as np
import pytest
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("n_bins", [2, 10, 13])
@pytest.mark.parametrize("digits", [0, 1, 9], ids=["few values", "tied", "tie-free"])
def test_score_matches_literal(data, n_bins, digits):
    X, y = data
    X = X.round(digits)
    assert_allclose(scores.information_gain_score(X, y, n_bins), ls.information_gain(X, y, n_bins), **TIGHT)


@pytest.mark.parametrize("n_bins", [2, 3, 7, 10])
def test_values_equal_to_a_quantile_are_in_the_bin_below(n_bins):
    # with 64 and 91 samples many quantiles equal a sample; rounding moves some of them just below it
    for n in (64, 91, 106):
        X = np.column_stack([np.arange(n), np.arange(n) // 3 * 3, np.sqrt(np.arange(n))]).astype(float)
        X[63:70, 0] = 63
        y = np.arange(n) // 7 % 3
        expected = ls.information_gain(X, y, n_bins)
        assert_allclose(scores.information_gain_score(X, y, n_bins), expected, **TIGHT)
        # increasing transformations do not change the order, and therefore not the bins
        assert_allclose(scores.information_gain_score(X**3, y, n_bins), expected, **TIGHT)


def test_score_matches_calculation_by_hand():
    # 63 is the 0.7 quantile of these 91 values, so it belongs to the bin 55..63 with 15 values
    f = np.arange(91.0)
    f[63:70] = 63
    p, q = np.array([7, 84]) / 91, np.array([7, 8]) / 15
    expected = -np.sum(p * np.log2(p)) + 15 / 91 * np.sum(q * np.log2(q))
    assert_allclose(scores.information_gain_score(f[:, None], f == 63), expected)


def test_numeric_target_is_discretized_as_a_feature():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    y = X[:, 2] ** 2 + 0.1 * rng.standard_normal(200)
    expected = ls.information_gain(X, np.searchsorted(np.quantile(y, np.arange(1, 10) / 10), y), 10)
    assert_allclose(scores.information_gain_score(X, y), expected, **TIGHT)
    assert expected.argmax() == 2
    assert_allclose(scores.information_gain_score(X, np.exp(y)), expected, **TIGHT)


def test_numeric_target_with_a_single_bin_says_nothing():
    y = np.r_[np.linspace(0, 0.1, 21), np.full(279, 0.5)]
    assert_allclose(scores.information_gain_score(y[:, None], y, 2, "numeric"), 0.0)
