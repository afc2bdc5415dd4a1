"""The sparse weights, by the conditions that tell an optimum of the lasso."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context

from featsieve.graphs import l1, l1_weights


def off(X, weights, alpha):
    """How far the weights are from the conditions of the optimum, as a share of the penalty."""
    X = X - X.mean(axis=0)
    weights = weights.toarray()
    assert not weights.diagonal().any()
    inner = X @ X.T
    np.fill_diagonal(inner, 0)
    penalty = alpha * np.abs(inner).max(axis=1, keepdims=True)
    slope = (X - weights @ X) @ X.T
    np.fill_diagonal(slope, 0)
    found = np.where(
        weights, np.abs(slope - penalty * np.sign(weights)), np.maximum(np.abs(slope) - penalty, 0)
    )
    return (found / np.maximum(penalty, np.finfo(float).tiny)).max()


def samples(kind, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(20, 90), rng.integers(5, 60)
    X = rng.normal(size=(n, d))
    return {
        "normal": lambda: X,
        "whole numbers": lambda: rng.integers(0, 3, size=(n, d)).astype(float),
        "copies": lambda: np.concatenate([X, X[::2], X[:1]]),
        "multiples": lambda: np.concatenate([X, 2 * X, -X]),
        "rank 2": lambda: X[:, :2] @ rng.normal(size=(2, d)),
        "one of each": lambda: np.eye(d)[rng.integers(0, d, n)],
        "outlier": lambda: X * np.where(np.arange(n)[:, None] == 0, 1e6, 1),
        "far": lambda: X + 1e4,
    }[kind]()


KINDS = (
    "normal",
    "whole numbers",
    "copies",
    "multiples",
    "rank 2",
    "one of each",
    "outlier",
    "far",
)


@pytest.mark.parametrize("alpha", [0.9, 0.05, 1e-3])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_optimal(kind, alpha):
    for seed in range(10):
        X = samples(kind, seed)
        assert off(X, l1_weights(X, alpha), alpha) < 1e-6


@pytest.mark.parametrize("kind", ["normal", "whole numbers"])
@pytest.mark.parametrize("most", [(3, 6), (3,)])
def test_paths_that_end_too_early_do_not_show(kind, most, monkeypatch):
    X = samples(kind, 1)
    expected = l1_weights(X).toarray()
    monkeypatch.setattr(l1, "MAX_PATH_WEIGHTS", {True: most, False: most})
    assert_allclose(l1_weights(X).toarray(), expected, atol=1e-8)


def test_no_matrix_of_all_pairs_where_memory_is_small(monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 8))
    expected = l1_weights(X).toarray()
    monkeypatch.setattr(l1, "gram_matrix", None)
    with config_context(working_memory=0.25):
        assert_allclose(l1_weights(X).toarray(), expected, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_the_unit_does_not_matter(unit):
    X = np.random.default_rng(0).normal(size=(30, 8))
    assert_allclose(l1_weights(unit * X).toarray(), l1_weights(X).toarray(), atol=1e-10)


def test_samples_that_are_all_the_same_need_no_weights():
    for value, n in ((1.0, 6), (0.1, 9), (1 / 3, 11)):
        assert l1_weights(np.full((n, 4), value)).nnz == 0


def test_few_digits_far_from_zero():
    X = (np.random.default_rng(0).normal(size=(60, 10)) + 1e4).astype(np.float32)
    assert off(X.astype(np.float64), l1_weights(X), 0.05) < 1e-6


def test_few_neighbors_are_the_only_ones_with_weights():
    X = np.random.default_rng(0).normal(size=(12, 5))
    indices = (np.arange(12)[:, None] + [1, 2, 3]) % 12
    rows, columns = l1_weights(X, 0.05, indices).nonzero()
    assert np.isin((columns - rows) % 12, [1, 2, 3]).all()
    assert np.unique(rows).size == 12
