"""Neighbors are exact whatever finds them, and ties do not depend on the order of the samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from literal.graphs import knn
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import KNNGraph
from featsieve.engines.distances.selection import partition_smallest
from featsieve.graphs import nearest_neighbors
from featsieve.graphs.search import NeighborSearch

ENGINES = ["exact", "scikit-learn", "faiss"]


def need(algorithm):
    if algorithm == "faiss":
        pytest.importorskip("faiss", reason="faiss is not installed")


@pytest.mark.parametrize("algorithm", ENGINES)
@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_exact(algorithm, d, dtype):
    need(algorithm)
    X = np.random.default_rng(d).standard_normal((150, d)).astype(dtype)
    indices, distances = knn(X.astype(np.float64), 7)
    found = nearest_neighbors(X, 7, algorithm=algorithm)
    assert_array_equal(found.indices, indices)
    assert_allclose(found.distances, distances, rtol=1e-12)
    assert found.recall is None


@pytest.mark.parametrize("algorithm", ENGINES)
def test_exact_far_from_the_origin_where_float32_is_blind(algorithm):
    need(algorithm)
    X = np.random.default_rng(0).standard_normal((120, 30)) * 1e-3 + 1e3
    X[60:] += 50
    X[7] += 1e6
    assert_array_equal(nearest_neighbors(X, 5, algorithm=algorithm).indices, knn(X, 5)[0])


@pytest.mark.parametrize("algorithm", ENGINES)
def test_exact_among_many_near_copies(algorithm):
    need(algorithm)
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((4, 30)), 40, axis=0) + 1e-9 * rng.standard_normal((160, 30))
    assert_array_equal(nearest_neighbors(X, 5, algorithm=algorithm).indices, knn(X, 5)[0])


@pytest.mark.parametrize("kind", ["normal", "few values", "near copies", "far from the origin"])
def test_the_product_finds_what_scikit_learn_finds(kind):
    """With so many samples that the product comes in blocks, and candidates by the minima of groups."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4500, 16))
    if kind == "few values":
        X = rng.integers(0, 3, X.shape).astype(float)
    if kind == "near copies":
        X[3000:] = X[:1500] + 1e-10 * X[3000:]
    if kind == "far from the origin":
        X = (X + 1e8).astype(np.float32)
    found, expected = (nearest_neighbors(X, 3, algorithm=name) for name in ("exact", "scikit-learn"))
    assert_array_equal(found.indices, expected.indices)
    assert_array_equal(found.distances, expected.distances)


@pytest.mark.parametrize("n", [9, 300, 5000])
@pytest.mark.parametrize("levels", [2, 50, 10**6])
def test_least_of_rows(n, levels):
    values = np.random.default_rng(n).integers(0, levels, (20, n)).astype(np.float32)
    places, last = partition_smallest(values, 8)
    found = np.take_along_axis(values, places, axis=1)
    assert_array_equal(np.sort(found, axis=1), np.sort(values, axis=1)[:, :8])
    assert_array_equal(last, found.max(axis=1))
    assert all(len(set(row)) == 8 for row in places.tolist())


def test_sparse_rows():
    X = sp.random_array((90, 50), density=0.2, random_state=0, format="csr")
    found = nearest_neighbors(X, 4)
    indices, distances = knn(X.toarray(), 4)
    assert_allclose(found.distances, distances, rtol=1e-12)
    assert_array_equal(found.indices, indices)


@pytest.mark.parametrize("algorithm", ENGINES)
@pytest.mark.parametrize("d", [2, 20])
def test_ties_follow_the_samples_not_their_order(algorithm, d):
    need(algorithm)
    rng = np.random.default_rng(d)
    X = rng.integers(0, 3, (80, d)).astype(float)
    reference = nearest_neighbors(X, 5, algorithm=algorithm)
    assert_allclose(reference.distances, knn(X, 5)[1])
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(80)
        shuffled = nearest_neighbors(X[order], 5, algorithm=algorithm)
        # the same samples by content, copies being interchangeable
        assert_array_equal(X[order][shuffled.indices], X[reference.indices][order])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("distinct", [1, 2, 4, 30])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_many_copies(form, distinct, k):
    rng = np.random.default_rng(distinct)
    X = rng.integers(0, 4, (distinct, 6)).astype(float)[rng.integers(0, distinct, 90)]
    found = nearest_neighbors(form(X), k)
    assert_allclose(found.distances, knn(X, k)[1])
    assert_allclose(((X[:, None] - X[found.indices]) ** 2).sum(axis=2), found.distances)
    assert np.all(found.indices != np.arange(90)[:, None])
    assert all(len(set(row)) == k for row in found.indices)
    order = rng.permutation(90)
    assert_array_equal(X[order][nearest_neighbors(form(X[order]), k).indices], X[found.indices][order])


def test_all_samples_equal():
    found = nearest_neighbors(np.ones((30, 4)), 5)
    assert_array_equal(found.distances, 0)
    assert np.all(found.indices != np.arange(30)[:, None])


def test_pool_smaller_than_asked_for():
    X = np.arange(6.0)[:, None]
    indices, distances = NeighborSearch(X).nearest(np.arange(6), np.array([0, 1]), 3)
    assert_array_equal(indices[:2], [[1, 0, 0], [0, 1, 1]])  # filled up with itself
    assert_array_equal(distances[:2], [[1, np.inf, np.inf], [1, np.inf, np.inf]])
    assert_array_equal(distances[5], [16, 25, np.inf])


def test_approximate_reports_its_recall():
    pytest.importorskip("pynndescent", reason="pynndescent is not installed")
    X = np.random.default_rng(0).standard_normal((2000, 60))
    graph = KNNGraph(10, algorithm="approximate").build(X)
    truth = nearest_neighbors(X, 10).indices
    measured = np.mean(
        [len(set(a) & set(b)) / 10 for a, b in zip(graph.neighbors.indices, truth, strict=True)]
    )
    assert 0.7 < graph.neighbors.recall <= 1
    assert abs(graph.neighbors.recall - measured) < 0.03  # 500 of the 2000 rows were looked at
    assert f"recall {graph.neighbors.recall:.3f}" in repr(graph)
    assert np.all(graph.neighbors.indices != np.arange(2000)[:, None])
    assert np.all(np.diff(graph.neighbors.distances, axis=1) >= 0)


@pytest.mark.parametrize(("library", "algorithm"), [("faiss", "faiss"), ("pynndescent", "approximate")])
def test_missing_extra_is_named(library, algorithm, monkeypatch):
    from featsieve.graphs import neighbors

    monkeypatch.setattr(neighbors, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'featsieve\["):
        nearest_neighbors(np.eye(20), 2, algorithm=algorithm)


def test_too_many_neighbors():
    with pytest.raises(ValueError, match=r"less than the number of samples \(4\); got 5\."):
        nearest_neighbors(np.eye(4), 5)


def test_absolute_differences_far_from_zero():
    for seed in range(40):
        X = np.random.default_rng(seed).integers(0, 50, (60, 4)) / 8 + 1e6
        scale = 1 / np.ptp(X, axis=0)
        expected = (np.abs(X[:, None] - X) * scale).sum(axis=2)
        np.fill_diagonal(expected, np.inf)
        everyone = np.arange(60)
        found = NeighborSearch(X.astype(np.float32), scale=scale).nearest(everyone, everyone, 3)[1]
        assert_allclose(found, np.sort(expected, axis=1)[:, :3], rtol=1e-9)
