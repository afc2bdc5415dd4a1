"""Graph-preserving score: Table II of Yao et al. 2017 lists the scores that are instances of it."""

import numpy as np
import pytest
import scipy.sparse as sp
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import ConstraintGraph, GraphPreservingScore, KNNGraph, scores
from featsieve.graphs import barycenter_weights, l1_weights
from featsieve.graphs.knn import rows_to_csr

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_score_matches_literal(data, kind):
    X, _ = data
    rng = np.random.default_rng(1)
    A = rng.standard_normal((len(X), len(X)))
    B = np.cov(rng.standard_normal((len(X), 400)))
    expected = ls.graph_preserving(X, A, B, kind, 0.7)
    assert_allclose(scores.graph_preserving_score(X, A, B, kind, 0.7), expected, **TIGHT)


@pytest.fixture
def case(data):
    X, y = data
    n = len(X)
    counts = np.unique(y, return_counts=True)[1]
    same = (y[:, None] == y) / counts[y][:, None]
    return X, y, np.eye(n), np.ones((n, n)) / n, same


def test_variance_score_is_an_instance(case):
    X, _, identity, mean, _ = case
    computed = scores.graph_preserving_score(X, identity, mean, "difference", 1.0)
    assert_allclose(computed, len(X) * scores.variance_score(X), rtol=1e-9)


def test_fisher_score_is_an_instance(case):
    X, y, identity, mean, same = case
    computed = scores.graph_preserving_score(X, same - mean, identity - same)
    assert_allclose(computed, scores.fisher_score(X, y), rtol=1e-9)


def test_laplacian_score_is_an_instance_on_centered_features(case):
    X = case[0]
    graph = KNNGraph(4).build(X)
    degrees = sp.diags_array(graph.degree)
    centered = X - graph.degree @ X / graph.degree.sum()
    expected = scores.laplacian_score(X, graph)
    assert_allclose(scores.graph_preserving_score(centered, graph.laplacian, degrees), expected, rtol=1e-9)
    assert np.all(scores.graph_preserving_score(X, graph.laplacian, degrees) < expected)  # as printed


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_constraint_score_is_an_instance(case, kind):
    X, y = case[:2]
    must, cannot = (ConstraintGraph(link).build(X, y) for link in ("must", "cannot"))
    computed = scores.graph_preserving_score(X, must.laplacian, cannot.laplacian, kind, 0.3)
    assert_allclose(computed, scores.constraint_score(X, must, cannot, kind, 0.3), rtol=1e-8)


def test_sparsity_score_is_an_instance(case):
    X, _, identity, _, _ = case
    X = X[:30] - X[:30].mean(axis=0)
    residual = np.eye(30) - l1_weights(X, 0.1).toarray()
    computed = scores.graph_preserving_score(X, residual.T @ residual, identity[:30, :30] / 30)
    assert_allclose(computed, scores.sparsity_score(X, alpha=0.1), rtol=1e-7)


def test_lle_reconstruction_score_is_an_instance(case):
    X, _, identity, _, _ = case
    indices = KNNGraph(3).build(X).neighbors.indices
    M = rows_to_csr(indices, barycenter_weights(X, indices)).toarray()
    A = identity - M - M.T + M.T @ M
    raw = scores.graph_preserving_score(X, A, identity, "difference", 0.0)
    assert_allclose(raw, scores.lle_reconstruction_score(X, KNNGraph(3), 3, normalize=False), rtol=1e-6)


def test_estimator_accepts_matrices_and_callables(case):
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
def test_scores_do_not_depend_on_storage_and_scale_of_matrices(data, layout, scale):
    X, _ = data
    L = KNNGraph().build(X).laplacian
    B = sp.eye_array(len(X))
    expected = scores.graph_preserving_score(X, L, B)
    same = X.astype(np.float32)
    computed = scores.graph_preserving_score(same, (L * scale).asformat(layout), (B * scale).asformat(layout))
    assert_allclose(computed, expected, rtol=1e-5)
