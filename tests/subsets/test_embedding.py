"""Spectral embeddings of disconnected graphs, of equal eigenvalues and of weights of any scale."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from featsieve import KNNGraph, RBFGraph, SPECScore
from featsieve.graphs.graph import Graph
from featsieve.subsets import MCFS, _embedding, mcfs_score
from featsieve.subsets._embedding import spectral_embedding


def make_distant_clusters(n_clusters=6, size=20, d=8, gap=100):
    """Return clusters so far from each other that the neighbor graph is disconnected."""
    rng = np.random.default_rng(1)
    centers = gap * rng.standard_normal((n_clusters, d))
    return np.repeat(centers, size, axis=0) + rng.standard_normal((n_clusters * size, d))


@pytest.mark.parametrize("n_clusters", [1, 3, 5, 8])
def test_disconnected_graph_does_not_depend_on_the_order_of_samples(n_clusters):
    X = make_distant_clusters()
    assert sp.csgraph.connected_components(KNNGraph().build(X).weights)[0] == 6
    expected = MCFS(n_clusters, n_features_to_select=3).fit(X).scores_
    for seed in range(3):
        shuffled = X[np.random.default_rng(seed).permutation(len(X))]
        scores = MCFS(n_clusters, n_features_to_select=3).fit(shuffled).scores_
        assert_allclose(scores, expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("graph", [RBFGraph(bandwidth=4.0), KNNGraph(25, bandwidth=4.0)])
def test_negligible_weights_do_not_connect_components(graph):
    X = make_distant_clusters(gap=8)
    assert sp.csgraph.connected_components(sp.csr_array(graph.build(X).weights))[0] == 1
    expected = MCFS(8, graph=graph, n_features_to_select=3).fit(X).scores_
    for seed in range(3):
        shuffled = X[np.random.default_rng(seed).permutation(len(X))]
        scores = MCFS(8, graph=graph, n_features_to_select=3).fit(shuffled).scores_
        assert_allclose(scores, expected, rtol=1e-7, atol=1e-12)
    with pytest.raises(ValueError, match=r"connected components of the graph \(6\); got 4"):
        SPECScore(graph, kind=3, n_components=4).fit(X)


def test_eigenvectors_of_equal_eigenvalues_follow_the_data():
    X = make_distant_clusters()
    F = X - X.mean(axis=0)
    graph = KNNGraph().build(X)
    assert np.ptp(graph.degree) > 1
    products = F.T @ spectral_embedding(F, graph, 5)
    squares = products.T @ products
    assert_allclose(squares, np.diag(np.diag(squares)), atol=1e-9 * squares.max())
    assert np.all(np.diff(np.diag(squares)) < 0)


def test_every_connected_component_is_found(monkeypatch):
    X = make_distant_clusters(n_clusters=9, size=150)
    graph = KNNGraph().build(X)
    # without Lanczos iterations, which may miss some of several equal eigenvalues
    monkeypatch.setattr(_embedding, "leading_eigenpairs", None)
    Y = spectral_embedding(X - X.mean(axis=0), graph, 8)
    assert_allclose(graph.laplacian @ Y, 0, atol=1e-10)
    assert np.linalg.matrix_rank(Y, tol=1e-8) == 8
    assert_allclose(Y.T @ (graph.degree[:, None] * Y), np.eye(8), atol=1e-10)
    assert_allclose(graph.degree @ Y, 0, atol=1e-8)


@pytest.mark.parametrize("n", [24, 1200])
def test_embedding_of_repeated_eigenvalues_consists_of_eigenvectors(n):
    # a ring: all eigenvalues but the extreme ones are double
    ring = sp.csr_array(np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1))
    X = np.random.default_rng(0).standard_normal((n, 5))
    F = X - X.mean(axis=0)
    graph = Graph(ring)
    expected = 1 - np.cos(2 * np.pi * np.array([1, 1, 2, 2]) / n)
    Y = spectral_embedding(F, graph, 4)
    assert_allclose(graph.laplacian @ Y, graph.degree[:, None] * Y * expected, atol=1e-10)
    assert_allclose(np.abs(spectral_embedding(F, graph, 3)), np.abs(Y[:, :3]), atol=1e-10)
    reversed_order = n - 1 - np.arange(n)  # reversal preserves the ring
    assert_allclose(
        mcfs_score(X[reversed_order], ring, 3, 2), mcfs_score(X, ring, 3, 2), rtol=1e-7, atol=1e-12
    )


def test_eigenvectors_follow_the_data_if_all_eigenvalues_are_equal():
    n = 24
    complete = np.ones((n, n)) - np.eye(n)
    X = np.random.default_rng(0).standard_normal((n, 5))
    left, sizes, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    Y = spectral_embedding(X - X.mean(axis=0), Graph(complete), 2)
    assert_allclose(np.abs(left[:, :2].T @ Y) * np.sqrt(n - 1), np.eye(2), atol=1e-10)
    assert sizes[1] > sizes[2]


@pytest.mark.parametrize("scale", [1e-9, 1e-100, 1e9])
def test_scale_of_dense_weights(scale):
    X = load_iris().data
    W = RBFGraph().build(X).weights
    expected = mcfs_score(X, W, 3, 3)
    assert_allclose(mcfs_score(X, W * scale, 3, 3) * np.sqrt(scale), expected, rtol=1e-8)
