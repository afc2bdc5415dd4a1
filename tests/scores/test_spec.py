import numpy as np
import pytest
import scipy.sparse as sp
from literal import graphs as lg
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import ClassGraph, KNNGraph, RBFGraph, SPECScore, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}

LABELS = np.repeat([0, 1, 2], 20)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n_components"), [(1, None), (2, None), (3, None), (3, 2), (3, 6)])
def test_score_matches_literal(data, kind, n_components):
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


def test_kind_2_is_the_laplacian_score(data):
    X, y = data
    for graph in (KNNGraph(5).build(X), ClassGraph().build(X, y)):
        assert_allclose(scores.spec_score(X, graph, 2), scores.laplacian_score(X, graph), rtol=1e-12)


@pytest.mark.parametrize("n", [60, 1200])
def test_graph_with_several_components(n):
    rng = np.random.default_rng(0)
    part = np.arange(n) % 3
    X = rng.standard_normal((n, 4)) + 100 * part[:, None] * rng.standard_normal(4)
    graph = KNNGraph(5).build(X)
    assert "3 components" in repr(graph)
    with pytest.raises(ValueError, match=r"components of the graph \(3\); got 2"):
        scores.spec_score(X, graph, 3, 2)
    # with as many components as parts, the score is twice what the parts explain of the feature
    computed = scores.spec_score(X, graph, 3, 3)
    D = graph.degree[:, None]
    means = np.array([(D * X)[part == p].sum(axis=0) / D[part == p].sum() for p in range(3)])[part]
    explained = (D * (means - (D * X).sum(axis=0) / D.sum()) ** 2).sum(axis=0)
    assert_allclose(computed, 2 * explained / (D * X**2).sum(axis=0), rtol=1e-8)
    order = rng.permutation(n)
    assert_allclose(
        scores.spec_score(X[order], KNNGraph(5), 3, 6), scores.spec_score(X, graph, 3, 6), rtol=1e-6
    )


def test_class_graph_gives_between_class_scatter():
    X = np.random.default_rng(0).standard_normal((60, 4)) + LABELS[:, None]
    computed = scores.spec_score(X, ClassGraph().build(X, LABELS), 3, 3)
    fisher = scores.fisher_score(X, LABELS)
    share = 1 - len(X) * X.mean(axis=0) ** 2 / (X**2).sum(axis=0)
    assert_allclose(computed, 2 * fisher / (1 + fisher) * share, rtol=1e-8)
    with pytest.raises(ValueError, match="n_components"):
        SPECScore(KNNGraph(), kind=3, n_components=61).fit(X)


@pytest.mark.parametrize("scale", [1e-9, 1e-200])
def test_eigenvectors_do_not_depend_on_the_scale_of_dense_weights(data, scale):
    X, _ = data
    W = RBFGraph().build(X).weights
    expected = scores.spec_score(X, W, kind=3, n_components=3)
    assert_allclose(scores.spec_score(X, W * scale, kind=3, n_components=3), expected, rtol=1e-9)


@pytest.mark.parametrize("n_components", [2, 5])
def test_eigenvectors_with_degrees_outside_the_range_of_float32(n_components):
    rng = np.random.default_rng(0)
    half = np.triu(rng.random((10, 10)), 1)
    W = np.kron(np.diag([1.0, 1e-60]), half + half.T)
    X = rng.standard_normal((20, 3)).astype(np.float32)
    X[:10, 1] = 0.5  # varies where the degrees vanish in float32, about a mean that matters
    X[:10, 2] = 0.0  # lives there alone
    expected = scores.spec_score(X.astype(np.float64), W, kind=3, n_components=n_components)
    assert expected.all()
    assert_allclose(scores.spec_score(X, W, kind=3, n_components=n_components), expected, rtol=1e-4)


@pytest.mark.parametrize("n_components", [4, 10, 40])
def test_repeated_eigenvalues_are_averaged(n_components):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), np.arange(40) % 3
    graph = ClassGraph().build(X, y)
    W = graph.weights @ np.eye(40)
    centered = X - X.mean(axis=0)
    means = np.stack([centered[y == c].mean(axis=0) for c in range(3)])[y]
    rest = (n_components - 3) / 37
    expected = (2 * (means**2).sum(axis=0) + rest * ((centered - means) ** 2).sum(axis=0)) / (X**2).sum(
        axis=0
    )
    for same in (graph, W, sp.csr_array(W)):
        computed = scores.spec_score(X, same, kind=3, n_components=n_components)
        assert_allclose(computed, expected, rtol=1e-9)


def test_all_eigenvectors_with_isolated_samples():
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((13, 3))
        X[0] = 1e4
        assert_allclose(
            scores.spec_score(X, KNNGraph(1), kind=3, n_components=13),
            scores.spec_score(X, KNNGraph(1), kind=3),
            rtol=1e-7,
        )
