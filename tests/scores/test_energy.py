"""Energy and spread: precision, cancellation and range."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import ConstraintGraph, KNNGraph, scores

LABELS = np.repeat([0, 1, 2], 20)


def test_sparse_columns_with_large_mean_are_accurate():
    rng = np.random.default_rng(0)
    X = np.column_stack([1.7e9 + 1e3 * rng.standard_normal(60), rng.standard_normal(60)])
    X = np.column_stack([X, np.where(rng.random(60) < 0.7, 0, 1e7 + rng.standard_normal(60))])
    for call in (
        scores.variance_score,
        lambda Z: scores.laplacian_score(Z, KNNGraph(4).build(X)),
        lambda Z: scores.lle_reconstruction_score(Z, KNNGraph(2).build(X), 2),
        lambda Z: scores.constraint_score(
            Z, ConstraintGraph().build(X, LABELS), ConstraintGraph("cannot").build(X, LABELS)
        ),
    ):
        assert_allclose(call(sp.csr_array(X)), call(X), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("size", [1e25, 1e-25])
def test_float32_squares_do_not_overflow(size):
    X = np.random.default_rng(0).standard_normal((60, 5)).astype(np.float32)
    graph = KNNGraph(4).build(X)
    for call in (
        lambda Z: scores.laplacian_score(Z, graph),
        lambda Z: scores.fisher_score(Z, LABELS),
        lambda Z: scores.pearson_score(Z, LABELS),
    ):
        assert_allclose(call((X * np.float32(size)).astype(np.float32)), call(X), rtol=1e-3)
    assert_allclose(
        scores.variance_score(X * np.float32(size)) / size**2, scores.variance_score(X), rtol=1e-3
    )


@pytest.mark.parametrize("degree", [1e-60, 1e-200, 1e60])
@pytest.mark.parametrize("form", ["numpy", "sparse", "torch"])
def test_degrees_outside_the_range_of_float32(form, degree):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4)).astype(np.float32)
    X[:, 1] = np.arange(40) >= 37  # differs only among samples whose edges have negligible weights
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


def outlier_matrix(n=1000):
    """Three features, and one that is the same for all samples but the first, whose weights vanish."""
    X = np.random.default_rng(0).standard_normal((n, 4))
    X[:, 3] = -1 / 31
    X[0, 3] = 31
    return X


@pytest.mark.parametrize("kind", [1, 2])
def test_feature_that_varies_only_at_a_sample_of_degree_zero_is_constant(kind):
    X = outlier_matrix()
    assert KNNGraph().build(X).degree[0] == 0
    for Z in (X, X[::-1], X.astype(np.float32)):
        computed = scores.spec_score(Z, KNNGraph(), kind=kind)
        assert np.isinf(computed[3])
        assert_allclose(computed[:3], scores.spec_score(X, KNNGraph(), kind=kind)[:3], rtol=1e-3)
    assert np.isinf(scores.lkr_score(X, KNNGraph())[3])


@pytest.mark.parametrize("score", [scores.laplacian_score, scores.lkr_score])
@pytest.mark.parametrize("weak", [0.0, 1e-40])
def test_sparse_columns_that_vary_where_weights_vanish(score, weak):
    rng = np.random.default_rng(0)
    A = rng.random((14, 14))
    W = np.full((30, 30), weak)
    W[16:, 16:] = A + A.T
    X = rng.standard_normal((30, 3))
    X[:16, 1:] = 0
    X[16:, 1:] = 0.3
    X[17, 2] += 0.2
    expected = score(X, W)
    assert np.isinf(expected[1]) == (weak == 0)
    assert_allclose(score(sp.csr_array(X), W), expected, rtol=1e-7)


def test_small_energies_in_float32_are_accurate():
    y = np.arange(200) % 2
    X = np.random.default_rng(0).standard_normal((200, 4)) * [1, 0.5, 0.2, 0.1] + 1000 * y[:, None]
    X = X.astype(np.float32)
    expected = scores.laplacian_score(X.astype(np.float64), KNNGraph())
    assert expected.max() < 1e-6
    for same in (X, sp.csr_array(X)):
        assert_allclose(scores.laplacian_score(same, KNNGraph()), expected, rtol=1e-6)
