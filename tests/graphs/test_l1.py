"""Lasso weights satisfy the optimality conditions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context

from featsieve.graphs import l1, l1_weights


def optimality_violation(X, weights, alpha):
    """Return the largest violation of the optimality conditions, relative to the penalty."""
    X = X - X.mean(axis=0)
    weights = weights.toarray()
    assert not weights.diagonal().any()
    inner = X @ X.T
    np.fill_diagonal(inner, 0)
    penalty = alpha * np.abs(inner).max(axis=1, keepdims=True)
    slope = (X - weights @ X) @ X.T
    np.fill_diagonal(slope, 0)
    computed = np.where(
        weights, np.abs(slope - penalty * np.sign(weights)), np.maximum(np.abs(slope) - penalty, 0)
    )
    return (computed / np.maximum(penalty, np.finfo(float).tiny)).max()


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


KINDS = ("normal", "whole numbers", "copies", "multiples", "rank 2", "one of each", "outlier", "far")


@pytest.mark.parametrize("alpha", [0.9, 0.05, 1e-3])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_optimal(kind, alpha):
    for seed in range(10):
        X = samples(kind, seed)
        assert optimality_violation(X, l1_weights(X, alpha), alpha) < 1e-6


@pytest.mark.parametrize("kind", ["normal", "whole numbers"])
@pytest.mark.parametrize("most", [(3, 6), (3,)])
def test_weights_do_not_depend_on_the_path_limit(kind, most, monkeypatch):
    X = samples(kind, 1)
    expected = l1_weights(X).toarray()
    monkeypatch.setattr(l1, "MAX_PATH_WEIGHTS", {True: most, False: most})
    assert_allclose(l1_weights(X).toarray(), expected, atol=1e-8)


def test_weights_without_gram_matrix_if_memory_is_small(monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 8))
    expected = l1_weights(X).toarray()
    monkeypatch.setattr(l1, "gram_matrix", None)
    with config_context(working_memory=0.25):
        assert_allclose(l1_weights(X).toarray(), expected, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_weights_do_not_depend_on_the_unit(unit):
    X = np.random.default_rng(0).normal(size=(30, 8))
    assert_allclose(l1_weights(unit * X).toarray(), l1_weights(X).toarray(), atol=1e-10)


def test_identical_samples_have_no_weights():
    for value, n in ((1.0, 6), (0.1, 9), (1 / 3, 11)):
        assert l1_weights(np.full((n, 4), value)).nnz == 0


def test_float32_with_a_large_mean():
    X = (np.random.default_rng(0).normal(size=(60, 10)) + 1e4).astype(np.float32)
    assert optimality_violation(X.astype(np.float64), l1_weights(X), 0.05) < 1e-6


def test_only_the_given_neighbors_have_weights():
    X = np.random.default_rng(0).normal(size=(12, 5))
    indices = (np.arange(12)[:, None] + [1, 2, 3]) % 12
    rows, columns = l1_weights(X, 0.05, indices).nonzero()
    assert np.isin((columns - rows) % 12, [1, 2, 3]).all()
    assert np.unique(rows).size == 12
