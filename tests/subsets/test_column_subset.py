import numpy as np
import pytest
import scipy.sparse as sp
from literal import greedy
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import ColumnSubset
from featsieve.subsets import column_subset_ranking

from .greedy_data import KINDS, check_equal, make


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_ranking_equals_the_literal_version(kind):
    for seed in range(15):
        X, _, n = make(kind, seed)
        check_equal(column_subset_ranking(X, n), greedy.column_subset(X, n), kind)


def test_scores_are_the_decrease_of_the_residual():
    X, _, _ = make("plain", 3)
    d = X.shape[1]
    scores, order = column_subset_ranking(X, d)
    centered = X - X.mean(axis=0)
    assert_allclose(scores.sum(), np.sum(centered**2))
    chosen = centered[:, order[:2]]
    fit = chosen @ np.linalg.lstsq(chosen, centered, rcond=None)[0]
    assert_allclose(scores[order[:2]].sum(), np.sum(centered**2) - np.sum((centered - fit) ** 2))


def test_long_rankings_keep_their_digits():
    # a spectrum over ten orders of magnitude: without new computations, the updates lose all digits
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((60, 40)))[0]
    V = np.linalg.qr(rng.standard_normal((50, 40)))[0]
    X = U * np.logspace(0, -5, 40) @ V.T
    n = 25
    check_equal(column_subset_ranking(X, n), greedy.column_subset(X, n), "scales")


def test_weights_act_as_scaled_columns():
    X, _, n = make("plain", 5)
    weights = np.random.default_rng(1).random(X.shape[1])
    scores, order = column_subset_ranking(X, n, weights)
    assert not np.array_equal(order, column_subset_ranking(X, n)[1])
    check_equal((scores, order), greedy.column_subset(X * np.sqrt(weights), n), "plain")


def test_all_constant_features_keep_their_order():
    scores, order = column_subset_ranking(np.ones((5, 4)), 2)
    assert_array_equal(order, [0, 1, 2, 3])
    assert_array_equal(scores, 0)


def test_sparse_equals_dense():
    X = sp.random_array((300, 50), density=0.05, random_state=np.random.default_rng(0), format="csr")
    assert_array_equal(ColumnSubset().fit(X).order_, ColumnSubset().fit(X.toarray()).order_)
