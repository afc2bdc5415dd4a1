"""Neighbors are exact with every backend, and ties do not depend on the order of the samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from literal.graphs import knn
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.graphs import nearest_neighbors

ALGORITHMS = ["exact", "scikit-learn", "faiss"]


def skip_without(algorithm):
    if algorithm == "faiss":
        pytest.importorskip("faiss", reason="faiss is not installed")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbors_equal_the_literal_definition(algorithm, d, dtype):
    skip_without(algorithm)
    X = np.random.default_rng(d).standard_normal((150, d)).astype(dtype)
    indices, distances = knn(X.astype(np.float64), 7)
    neighbors = nearest_neighbors(X, 7, algorithm=algorithm)
    assert_array_equal(neighbors.indices, indices)
    assert_allclose(neighbors.distances, distances, rtol=1e-12)
    assert neighbors.recall is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_exact_far_from_the_origin_where_float32_loses_all_digits(algorithm):
    skip_without(algorithm)
    X = np.random.default_rng(0).standard_normal((120, 30)) * 1e-3 + 1e3
    X[60:] += 50
    X[7] += 1e6
    assert_array_equal(nearest_neighbors(X, 5, algorithm=algorithm).indices, knn(X, 5)[0])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_exact_among_many_near_copies(algorithm):
    skip_without(algorithm)
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((4, 30)), 40, axis=0) + 1e-9 * rng.standard_normal((160, 30))
    assert_array_equal(nearest_neighbors(X, 5, algorithm=algorithm).indices, knn(X, 5)[0])


@pytest.mark.parametrize("kind", ["normal", "few values", "near copies", "far from the origin"])
def test_products_and_scikit_learn_find_the_same_neighbors(kind):
    """With enough samples for products in blocks, and for candidates from the minima of groups."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4500, 16))
    if kind == "few values":
        X = rng.integers(0, 3, X.shape).astype(float)
    if kind == "near copies":
        X[3000:] = X[:1500] + 1e-10 * X[3000:]
    if kind == "far from the origin":
        X = (X + 1e8).astype(np.float32)
    neighbors, expected = (nearest_neighbors(X, 3, algorithm=name) for name in ("exact", "scikit-learn"))
    assert_array_equal(neighbors.indices, expected.indices)
    assert_array_equal(neighbors.distances, expected.distances)


def test_sparse_data():
    X = sp.random_array((90, 50), density=0.2, random_state=0, format="csr")
    neighbors = nearest_neighbors(X, 4)
    indices, distances = knn(X.toarray(), 4)
    assert_allclose(neighbors.distances, distances, rtol=1e-12)
    assert_array_equal(neighbors.indices, indices)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("d", [2, 20])
def test_ties_do_not_depend_on_the_order_of_samples(algorithm, d):
    skip_without(algorithm)
    rng = np.random.default_rng(d)
    X = rng.integers(0, 3, (80, d)).astype(float)
    reference = nearest_neighbors(X, 5, algorithm=algorithm)
    assert_allclose(reference.distances, knn(X, 5)[1])
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(80)
        shuffled = nearest_neighbors(X[order], 5, algorithm=algorithm)
        # compared by content, because copies are interchangeable
        assert_array_equal(X[order][shuffled.indices], X[reference.indices][order])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("distinct", [1, 2, 4, 30])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_samples_with_many_copies(form, distinct, k):
    rng = np.random.default_rng(distinct)
    X = rng.integers(0, 4, (distinct, 6)).astype(float)[rng.integers(0, distinct, 90)]
    neighbors = nearest_neighbors(form(X), k)
    assert_allclose(neighbors.distances, knn(X, k)[1])
    assert_allclose(((X[:, None] - X[neighbors.indices]) ** 2).sum(axis=2), neighbors.distances)
    assert np.all(neighbors.indices != np.arange(90)[:, None])
    assert all(len(set(row)) == k for row in neighbors.indices)
    order = rng.permutation(90)
    assert_array_equal(X[order][nearest_neighbors(form(X[order]), k).indices], X[neighbors.indices][order])


def test_all_samples_equal():
    neighbors = nearest_neighbors(np.ones((30, 4)), 5)
    assert_array_equal(neighbors.distances, 0)
    assert np.all(neighbors.indices != np.arange(30)[:, None])


def test_missing_dependency_is_named(monkeypatch):
    from featsieve.graphs import neighbors as module

    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'featsieve\["):
        nearest_neighbors(np.eye(20), 2, algorithm="faiss")


def test_too_many_neighbors_are_rejected():
    with pytest.raises(ValueError, match=r"less than the number of samples \(4\); got 5\."):
        nearest_neighbors(np.eye(4), 5)
