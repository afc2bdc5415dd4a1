"""Table II of Yao et al. 2017: the scores as instances of f'Af / f'Bf and f'Af - lambda f'Bf."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from featsieve import ClassGraph, ConstraintGraph, GraphPreservingScore, KNNGraph, scores
from featsieve.graphs import barycenter_weights, l1_weights
from featsieve.graphs.knn import rows_to_csr


@pytest.fixture
def case(data):
    X, y = data
    n = len(X)
    counts = np.unique(y, return_counts=True)[1]
    same = (y[:, None] == y) / counts[y][:, None]
    return X, y, np.eye(n), np.ones((n, n)) / n, same


def test_variance(case):
    X, _, identity, mean, _ = case
    found = scores.graph_preserving_score(X, identity, mean, "difference", 1.0)
    assert_allclose(found, len(X) * scores.variance_score(X), rtol=1e-9)


def test_fisher(case):
    X, y, identity, mean, same = case
    found = scores.graph_preserving_score(X, same - mean, identity - same)
    assert_allclose(found, scores.fisher_score(X, y), rtol=1e-9)


def test_laplacian_on_features_centered_by_degree(case):
    X = case[0]
    graph = KNNGraph(4).build(X)
    degrees = sp.diags_array(graph.degree)
    centered = X - graph.degree @ X / graph.degree.sum()
    expected = scores.laplacian_score(X, graph)
    assert_allclose(scores.graph_preserving_score(centered, graph.laplacian, degrees), expected, rtol=1e-9)
    assert np.all(scores.graph_preserving_score(X, graph.laplacian, degrees) < expected)  # as printed


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_constraint(case, kind):
    X, y = case[:2]
    must, cannot = (ConstraintGraph(link).build(X, y) for link in ("must", "cannot"))
    found = scores.graph_preserving_score(X, must.laplacian, cannot.laplacian, kind, 0.3)
    assert_allclose(found, scores.constraint_score(X, must, cannot, kind, 0.3), rtol=1e-8)


def test_sparsity(case):
    X, _, identity, _, _ = case
    X = X[:30] - X[:30].mean(axis=0)
    residual = np.eye(30) - l1_weights(X, 0.1).toarray()
    found = scores.graph_preserving_score(X, residual.T @ residual, identity[:30, :30] / 30)
    assert_allclose(found, scores.sparsity_score(X, alpha=0.1), rtol=1e-7)


def test_algorithm_1(case):
    X, _, identity, _, _ = case
    indices = KNNGraph(3).build(X).neighbors.indices
    M = rows_to_csr(indices, barycenter_weights(X, indices)).toarray()
    A = identity - M - M.T + M.T @ M
    raw = scores.graph_preserving_score(X, A, identity, "difference", 0.0)
    assert_allclose(raw, scores.lle_reconstruction_score(X, KNNGraph(3), 3, normalize=False), rtol=1e-6)


def test_spec_kind_2_is_the_laplacian_score(case):
    X, y = case[:2]
    for graph in (KNNGraph(5).build(X), ClassGraph().build(X, y)):
        assert_allclose(scores.spec_score(X, graph, 2), scores.laplacian_score(X, graph), rtol=1e-12)


def test_estimator_takes_matrices_and_callables(case):
    X, y, identity, mean, same = case
    given = GraphPreservingScore(same - mean, identity - same).fit(X)
    made = GraphPreservingScore(lambda X, y: same - mean, lambda X, y: identity - same).fit(X, y)
    assert_allclose(given.scores_, scores.fisher_score(X, y), rtol=1e-9)
    assert_allclose(made.scores_, given.scores_)
    with pytest.raises(ValueError, match="`A` and `B` must be given together"):
        GraphPreservingScore(identity).fit(X)
    listed = GraphPreservingScore((same - mean).tolist(), sp.csr_array(identity - same)).fit(X)
    assert_allclose(listed.scores_, given.scores_)
    with pytest.raises(ValueError, match="`B` must be finite"):
        GraphPreservingScore(identity, identity * np.nan).fit(X)
    with pytest.raises(ValueError, match=r"`A` must be a matrix of shape"):
        GraphPreservingScore(identity[:5], identity).fit(X)


@pytest.mark.parametrize("layout", ["coo", "csc", "dok", "lil"])
@pytest.mark.parametrize("scale", [1.0, 1e-50, 1e50])
def test_matrices_of_any_storage_and_size(data, layout, scale):
    X, _ = data
    L = KNNGraph().build(X).laplacian
    B = sp.eye_array(len(X))
    expected = scores.graph_preserving_score(X, L, B)
    same = X.astype(np.float32)
    found = scores.graph_preserving_score(same, (L * scale).asformat(layout), (B * scale).asformat(layout))
    assert_allclose(found, expected, rtol=1e-5)
