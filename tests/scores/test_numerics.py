"""Scores where numbers are large, small, constant within classes, or stored thinly."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import featsieve
from featsieve import (
    ClassGraph,
    ConstraintGraph,
    KNNGraph,
    LLEReconstructionScore,
    RBFGraph,
    SPECScore,
    scores,
)
from featsieve.engines.content import rank_by_content
from featsieve.graphs import barycenter_weights

Y = np.repeat([0, 1, 2], [7, 11, 13])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32], ids=["dense", "sparse", "float32"])
def test_fisher_of_classes_that_are_constant(form):
    X = np.column_stack([np.full(31, 0.1), np.array([0.1, 0.2, 0.7])[Y], np.array([0.0, 0.0, 0.3])[Y]])
    found = scores.fisher_score(form(X), Y)
    assert_array_equal(found, [0, np.inf, np.inf])


def test_fisher_of_large_classes_that_are_constant():
    # 0.1 summed 300 times and divided by 300 is not 0.1
    y = np.repeat([0, 1, 2], [700, 300, 50])
    rng = np.random.default_rng(0)
    X = np.column_stack([0.1 * (y == 1), 0.7 * (y == 2), 0.1 * (rng.random(1050) < 0.2), 1e6 * (y == 0)])
    X[0, 3] = 1e6 + 1
    dense = scores.fisher_score(X, y)
    assert_array_equal(np.isinf(dense), [True, True, False, False])
    assert_allclose(scores.fisher_score(sp.csr_array(X), y), dense, rtol=1e-9)


def test_sparse_columns_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    X = np.column_stack([1.7e9 + 1e3 * rng.standard_normal(60), rng.standard_normal(60)])
    X = np.column_stack([X, np.where(rng.random(60) < 0.7, 0, 1e7 + rng.standard_normal(60))])
    for call in (
        scores.variance_score,
        lambda Z: scores.laplacian_score(Z, KNNGraph(4).build(X)),
        lambda Z: scores.lle_reconstruction_score(Z, KNNGraph(2).build(X), 2),
        lambda Z: scores.constraint_score(
            Z, ConstraintGraph().build(X, YY), ConstraintGraph("cannot").build(X, YY)
        ),
    ):
        assert_allclose(call(sp.csr_array(X)), call(X), rtol=1e-6, atol=1e-12)


YY = np.repeat([0, 1, 2], 20)


@pytest.mark.parametrize("size", [1e25, 1e-25])
def test_float32_whose_squares_overflow(size):
    X = np.random.default_rng(0).standard_normal((60, 5)).astype(np.float32)
    graph = KNNGraph(4).build(X)
    for call in (
        lambda Z: scores.laplacian_score(Z, graph),
        lambda Z: scores.fisher_score(Z, YY),
        lambda Z: scores.pearson_score(Z, YY),
    ):
        assert_allclose(call((X * np.float32(size)).astype(np.float32)), call(X), rtol=1e-3)
    assert_allclose(
        scores.variance_score(X * np.float32(size)) / size**2, scores.variance_score(X), rtol=1e-3
    )


def test_neighbors_that_are_copies_of_each_other():
    X = np.array([[0.0, 0.0], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])
    others = np.array([[j for j in range(6) if j != i] for i in range(6)])
    np.testing.assert_allclose(barycenter_weights(X, others)[0], 0.2)
    # so too where they lie on a line up to rounding, and the sample does not
    X[1:] = np.arange(5)[:, None] * [0.1, 0.3]
    weights = barycenter_weights(np.c_[X, [1e3, 0, 0, 0, 0, 0]], others)[0]
    np.testing.assert_allclose(weights @ X[1:], [0, 0], atol=1e-9)
    assert np.abs(weights).max() < 1


@pytest.mark.parametrize("degree", [1e-60, 1e-200, 1e60])
@pytest.mark.parametrize("form", ["numpy", "sparse", "torch"])
def test_float32_and_degrees_that_leave_its_range(form, degree):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4)).astype(np.float32)
    X[:, 1] = np.arange(40) >= 37  # differs only among samples whose edges weigh next to nothing
    X[:, 2] = np.where(np.arange(40) < 37, 0.1, X[:, 0])
    X[:, 3] = 0.1
    W = np.exp(-((X[:, :1] - X[:, 0]) ** 2).astype(float))
    W[37:] *= degree
    W[:37, 37:] = W[37:, :37].T
    W[37:, 37:] /= max(degree, 1)
    stored = {"numpy": np.asarray, "sparse": sp.csr_array}
    if form == "torch":
        stored[form] = pytest.importorskip("torch").asarray
    for call in (
        lambda Z: scores.laplacian_score(Z, W),
        lambda Z: scores.spec_score(Z, W, 1),
        lambda Z: scores.lkr_score(Z, W, bandwidth=2.0),
    ):
        expected = call(X.astype(np.float64))
        assert_array_equal(np.isinf(expected), [False, False, False, True])
        assert_allclose(np.asarray(call(stored[form](X))), expected, rtol=1e-3)


def test_barycenter_weights_of_badly_scaled_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4)) * [1, 1e3, 1e6, 1] + [0, 0, 1e7, 0]
    neighbors = KNNGraph(5).build(X).neighbors.indices
    weights = barycenter_weights(X, neighbors)
    assert_allclose(weights.sum(axis=1), 1, rtol=1e-9)
    rebuilt = np.einsum("ik,ikd->id", weights, X[neighbors])
    # five neighbors rebuild four features exactly
    assert np.abs((rebuilt - X) / X.std(axis=0)).max() < 1e-6
    assert_array_equal(LLEReconstructionScore(5).fit(X[:, [0, 3]]).scores_, 0)


@pytest.mark.parametrize("n", [60, 1200])
def test_spec_of_a_graph_in_parts(n):
    rng = np.random.default_rng(0)
    part = np.arange(n) % 3
    X = rng.standard_normal((n, 4)) + 100 * part[:, None] * rng.standard_normal(4)
    graph = KNNGraph(5).build(X)
    assert "3 components" in repr(graph)
    with pytest.raises(ValueError, match=r"components of the graph \(3\); got 2"):
        scores.spec_score(X, graph, 3, 2)
    # with as many components as parts, the score is twice what the parts explain of the feature
    found = scores.spec_score(X, graph, 3, 3)
    D = graph.degree[:, None]
    means = np.array([(D * X)[part == p].sum(axis=0) / D[part == p].sum() for p in range(3)])[part]
    explained = (D * (means - (D * X).sum(axis=0) / D.sum()) ** 2).sum(axis=0)
    assert_allclose(found, 2 * explained / (D * X**2).sum(axis=0), rtol=1e-8)
    order = rng.permutation(n)
    assert_allclose(
        scores.spec_score(X[order], KNNGraph(5), 3, 6), scores.spec_score(X, graph, 3, 6), rtol=1e-6
    )


def test_spec_of_the_class_graph_is_between_class_scatter():
    X = np.random.default_rng(0).standard_normal((60, 4)) + YY[:, None]
    found = scores.spec_score(X, ClassGraph().build(X, YY), 3, 3)
    fisher = scores.fisher_score(X, YY)
    share = 1 - len(X) * X.mean(axis=0) ** 2 / (X**2).sum(axis=0)
    assert_allclose(found, 2 * fisher / (1 + fisher) * share, rtol=1e-8)
    with pytest.raises(ValueError, match="n_components"):
        SPECScore(KNNGraph(), kind=3, n_components=61).fit(X)


@pytest.mark.parametrize(
    "call",
    [
        lambda X: scores.constraint_score(X, np.eye(60), np.eye(60), kind="rato"),
        lambda X: scores.graph_preserving_score(X, np.eye(60), np.eye(60), kind="rato"),
        lambda X: scores.spec_score(X, KNNGraph(), kind=4),
        lambda X: scores.pearson_score(X, YY, target="regression"),
        lambda X: featsieve.graphs.nearest_neighbors(X, 3, algorithm="brute"),
    ],
)
def test_misspelt_options(call):
    with pytest.raises(ValueError, match="must be one of"):
        call(np.random.default_rng(0).standard_normal((60, 3)))


def test_fingerprint_is_the_same_in_every_storage():
    X = np.random.default_rng(0).poisson(0.6, (50, 8)).astype(float)
    expected = rank_by_content(X)
    stored = sp.csr_array(X)
    for same in (stored, X.astype(np.float32), np.asfortranarray(X), np.where(X == 0, -0.0, X)):
        assert_array_equal(rank_by_content(same), expected)
    order = np.random.default_rng(1).permutation(50)
    assert_array_equal(X[order][np.argsort(rank_by_content(X[order]))], X[np.argsort(expected)])


THIN = [
    m
    for m in featsieve.methods()
    if "sparse" in m.inputs and m.family in ("statistic", "graph", "reconstruction")
]


@pytest.mark.parametrize("method", THIN, ids=lambda m: m.name)
def test_wide_sparse_data_stays_sparse(method):
    X = sp.random_array((600, 60_000), density=5e-4, random_state=0, format="csr")
    y = np.arange(600) % 3
    tracemalloc.start()
    model = method.estimator().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert np.isfinite(model.scores_[model.order_[0]])
    assert peak < 120  # a dense copy takes 275 MB


@pytest.mark.parametrize("scale", [1e-9, 1e-200])
def test_spec_with_few_eigenvectors_takes_dense_weights_of_any_size(data, scale):
    X, _ = data
    W = RBFGraph().build(X).weights
    expected = scores.spec_score(X, W, kind=3, n_components=3)
    assert_allclose(scores.spec_score(X, W * scale, kind=3, n_components=3), expected, rtol=1e-9)


@pytest.mark.parametrize("n_components", [2, 5])
def test_spec_with_few_eigenvectors_keeps_degrees_that_float32_has_not(n_components):
    rng = np.random.default_rng(0)
    half = np.triu(rng.random((10, 10)), 1)
    W = np.kron(np.diag([1.0, 1e-60]), half + half.T)
    X = rng.standard_normal((20, 3)).astype(np.float32)
    X[:10, 1] = 0.5  # varies where the degrees vanish in float32, about a mean that matters
    X[:10, 2] = 0.0  # lives there alone
    expected = scores.spec_score(X.astype(np.float64), W, kind=3, n_components=n_components)
    assert expected.all()
    assert_allclose(scores.spec_score(X, W, kind=3, n_components=n_components), expected, rtol=1e-4)


def flagged(n=1000):
    """Three features, and one that is the same for all samples but the first, whose weights vanish."""
    X = np.random.default_rng(0).standard_normal((n, 4))
    X[:, 3] = -1 / 31
    X[0, 3] = 31
    return X


@pytest.mark.parametrize("kind", [1, 2])
def test_a_feature_of_an_outlier_alone_is_constant_wherever_it_stands(kind):
    X = flagged()
    assert KNNGraph().build(X).degree[0] == 0
    for Z in (X, X[::-1], X.astype(np.float32)):
        found = scores.spec_score(Z, KNNGraph(), kind=kind)
        assert np.isinf(found[3])
        assert_allclose(found[:3], scores.spec_score(X, KNNGraph(), kind=kind)[:3], rtol=1e-3)
    assert np.isinf(scores.lkr_score(X, KNNGraph())[3])


@pytest.mark.parametrize("score", [scores.laplacian_score, scores.lkr_score])
@pytest.mark.parametrize("faint", [0.0, 1e-40])
def test_zeros_where_there_is_hardly_any_weight(score, faint):
    rng = np.random.default_rng(0)
    A = rng.random((14, 14))
    W = np.full((30, 30), faint)
    W[16:, 16:] = A + A.T
    X = rng.standard_normal((30, 3))
    X[:16, 1:] = 0
    X[16:, 1:] = 0.3
    X[17, 2] += 0.2
    expected = score(X, W)
    assert np.isinf(expected[1]) == (faint == 0)
    assert_allclose(score(sp.csr_array(X), W), expected, rtol=1e-7)


def test_energies_that_float32_would_lose():
    y = np.arange(200) % 2
    X = np.random.default_rng(0).standard_normal((200, 4)) * [1, 0.5, 0.2, 0.1] + 1000 * y[:, None]
    X = X.astype(np.float32)
    expected = scores.laplacian_score(X.astype(np.float64), KNNGraph())
    assert expected.max() < 1e-6
    for same in (X, sp.csr_array(X)):
        assert_allclose(scores.laplacian_score(same, KNNGraph()), expected, rtol=1e-6)


def test_exact_reconstructions_in_float32():
    X = np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32)
    for same in (X, X.astype(np.float64), sp.csr_array(X)):
        assert_array_equal(scores.lle_reconstruction_score(same, KNNGraph()), 0)


@pytest.mark.parametrize("n_components", [4, 10, 40])
def test_spec_takes_equal_eigenvalues_on_average(n_components):
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
        found = scores.spec_score(X, same, kind=3, n_components=n_components)
        assert_allclose(found, expected, rtol=1e-9)


def test_spec_with_all_eigenvectors_of_pairs_and_of_samples_without_edges():
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((13, 3))
        X[0] = 1e4
        assert_allclose(
            scores.spec_score(X, KNNGraph(1), kind=3, n_components=13),
            scores.spec_score(X, KNNGraph(1), kind=3),
            rtol=1e-7,
        )
