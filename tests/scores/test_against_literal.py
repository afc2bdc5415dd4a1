"""Every score against its literal version, which is written from the equations alone."""

import numpy as np
import pytest
from literal import graphs as lg
from literal import lle as ll
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import ClassGraph, ConstraintGraph, KNNGraph, RBFGraph, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


def test_variance(data):
    X, _ = data
    assert_allclose(scores.variance_score(X), ls.variance(X), **TIGHT)


def test_pearson_classes(data):
    X, y = data
    assert_allclose(scores.pearson_score(X, y), ls.pearson(X, y), **TIGHT)
    assert_allclose(scores.pearson_score(X, y > 0), ls.pearson(X, y > 0), **TIGHT)


def test_pearson_numeric(data):
    X, y = data
    target = X[:, 0] * y + 0.5
    assert_allclose(scores.pearson_score(X, target), ls.pearson(X, target), **TIGHT)


def test_fisher(data):
    X, y = data
    assert_allclose(scores.fisher_score(X, y), ls.fisher(X, y), **TIGHT)


def test_chi_square(data):
    X, y = data
    assert_allclose(scores.chi_square_score(abs(X), y), ls.chi_square(abs(X), y), **TIGHT)


@pytest.mark.parametrize("n_bins", [2, 10, 13])
@pytest.mark.parametrize("digits", [0, 1, 9], ids=["few values", "tied", "tie-free"])
def test_information_gain(data, n_bins, digits):
    X, y = data
    X = X.round(digits)
    assert_allclose(scores.information_gain_score(X, y, n_bins), ls.information_gain(X, y, n_bins), **TIGHT)


@pytest.mark.parametrize("n_bins", [2, 3, 7, 10])
def test_information_gain_of_cuts_that_are_samples(n_bins):
    # with 91 and 64 samples many quantiles are samples; rounding puts some of them just below themselves
    for n in (64, 91, 106):
        X = np.column_stack([np.arange(n), np.arange(n) // 3 * 3, np.sqrt(np.arange(n))]).astype(float)
        X[63:70, 0] = 63
        y = np.arange(n) // 7 % 3
        expected = ls.information_gain(X, y, n_bins)
        assert_allclose(scores.information_gain_score(X, y, n_bins), expected, **TIGHT)
        # increasing transformations leave the order, and so the bins, as they are
        assert_allclose(scores.information_gain_score(X**3, y, n_bins), expected, **TIGHT)


def test_information_gain_by_hand():
    # 63 is the quantile 7/10 of these 91 values, so that it belongs to the bin 55..63, of 15 values
    f = np.arange(91.0)
    f[63:70] = 63
    p, q = np.array([7, 84]) / 91, np.array([7, 8]) / 15
    expected = -np.sum(p * np.log2(p)) + 15 / 91 * np.sum(q * np.log2(q))
    assert_allclose(scores.information_gain_score(f[:, None], f == 63), expected)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_relieff(data, k):
    X, y = data
    X = np.column_stack([X, np.ones(len(X))])
    y = y.copy()
    y[0] = 7  # a class of one
    assert_allclose(scores.relieff_score(X, y, k), ls.relieff(X, y, k), **TIGHT)


@pytest.mark.parametrize("weights", ["heat", "binary"])
@pytest.mark.parametrize("bandwidth", ["median", 20.0])
@pytest.mark.parametrize("k", [2, 7])
def test_laplacian(data, weights, bandwidth, k):
    X, _ = data
    graph = KNNGraph(k, weights=weights, bandwidth=bandwidth)
    W = lg.knn_graph(X, k, weights=weights, bandwidth=bandwidth)
    assert_allclose(scores.laplacian_score(X, graph), ls.laplacian(X, W), **TIGHT)


def test_laplacian_of_the_class_graph(data):
    X, y = data
    ours = scores.laplacian_score(X, ClassGraph().build(X, y))
    assert_allclose(ours, ls.laplacian(X, lg.class_graph(y)), **TIGHT)
    assert_allclose(ours, 1 / (1 + scores.fisher_score(X, y)), **TIGHT)


@pytest.mark.parametrize("bandwidth", ["median", 100.0])
@pytest.mark.parametrize("k", [1, 4, 10])
def test_lkr(data, k, bandwidth):
    X, _ = data
    ours = scores.lkr_score(X, KNNGraph(k, bandwidth=bandwidth), bandwidth, 0.1)
    assert_allclose(ours, ll.lkr(X, k, bandwidth, 0.1), **TIGHT)


@pytest.mark.parametrize("bandwidth", ["median", 100.0])
def test_lkr_supervised(data, bandwidth):
    X, y = data
    y = y.copy()
    y[0] = 7  # a class of one is predicted by nothing
    ours = scores.lkr_score(X, ClassGraph().build(X, y), bandwidth, 0.3)
    assert_allclose(ours, ll.lkr_supervised(X, y, bandwidth, 0.3), **TIGHT)


def test_lkr_takes_a_matrix_of_weights(data):
    X, _ = data
    built = KNNGraph(4).build(X)
    symmetric = scores.lkr_score(X, built.weights, 20.0)
    neighbors = [np.flatnonzero(row) for row in built.weights.toarray()]
    prediction = np.array([ll.kernel_ridge_weights(X, i, neighbors[i], 20.0, 0.1) for i in range(len(X))])
    expected = ll.prediction_score(X, prediction, built.degree)
    assert_allclose(symmetric, expected, **TIGHT)


@pytest.mark.parametrize("k", [1, 2, 5, 9])  # 9 exceeds the 5 features of the smallest matrix
@pytest.mark.parametrize("reg", [0.0, 0.5])
@pytest.mark.parametrize("normalize", [True, False])
def test_lle_reconstruction(data, k, reg, normalize):
    X, _ = data
    ours = scores.lle_reconstruction_score(X, KNNGraph(k), k, reg, normalize)
    assert_allclose(ours, ll.lle_reconstruction(X, k, reg, normalize), **TIGHT)


@pytest.mark.parametrize("k", [1, 2, 5, 9])
@pytest.mark.parametrize("reg", [1e-5, 0.1])
def test_lle(data, k, reg):
    X, _ = data
    assert_allclose(scores.lle_score(X, KNNGraph(k), k, reg), ll.lle(X, k, reg), **TIGHT)


@pytest.mark.parametrize("n_neighbors", [None, 4])
@pytest.mark.parametrize(("n", "d"), [(30, 5), (40, 9), (35, 40)])
def test_sparsity(n_neighbors, n, d):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d)) * rng.uniform(1, 5, d) + 10
    ours = scores.sparsity_score(X, n_neighbors, 0.1)
    assert_allclose(ours, ll.sparsity(X, n_neighbors, 0.1), **TIGHT)
    raw = scores.sparsity_score(X, n_neighbors, 0.1, normalize=False)
    assert_allclose(raw, ll.sparsity(X, n_neighbors, 0.1, normalize=False), **TIGHT)


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_constraint(data, kind):
    X, y = data
    y = y.copy()
    y[::3] = -1
    must, cannot = lg.pairs_from_labels(y)
    expected = ls.constraint(X, must, cannot, kind, 0.2)
    from_labels = [ConstraintGraph(link).build(X, y) for link in ("must", "cannot")]
    assert_allclose(scores.constraint_score(X, *from_labels, kind, 0.2), expected, **TIGHT)
    from_pairs = [ConstraintGraph("must", pairs=must), ConstraintGraph("cannot", pairs=cannot)]
    assert_allclose(scores.constraint_score(X, *from_pairs, kind, 0.2), expected, **TIGHT)


@pytest.mark.parametrize(("kind", "n_components"), [(1, None), (2, None), (3, None), (3, 2), (3, 6)])
def test_spec(data, kind, n_components):
    X, y = data
    graphs = {
        "rbf": (RBFGraph(50.0).build(X), lg.rbf_graph(X, 50.0)),
        "knn": (KNNGraph(6).build(X), lg.knn_graph(X, 6)),
    }
    for ours, literal in graphs.values():
        expected = ls.spec(X, literal, kind, n_components)
        assert_allclose(scores.spec_score(X, ours, kind, n_components), expected, **TIGHT)
    expected = ls.spec(X, lg.class_graph(y), kind)
    assert_allclose(scores.spec_score(X, ClassGraph().build(X, y), kind), expected, **TIGHT)


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_graph_preserving(data, kind):
    X, _ = data
    rng = np.random.default_rng(1)
    A = rng.standard_normal((len(X), len(X)))
    B = np.cov(rng.standard_normal((len(X), 400)))
    expected = ls.graph_preserving(X, A, B, kind, 0.7)
    assert_allclose(scores.graph_preserving_score(X, A, B, kind, 0.7), expected, **TIGHT)
