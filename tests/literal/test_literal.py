"""Identities among the literal versions, and values computed by hand or by scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.feature_selection import chi2
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid, NearestNeighbors

from . import graphs, lle, scores

close = {"rtol": 1e-9, "atol": 1e-12}


@pytest.fixture
def data():
    """Return Gaussian classes of unequal size without ties."""
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], [5, 8, 11])
    return rng.normal(size=(24, 6)) + y[:, None] * [1.5, 0, 0.5, 0, -1, 0] + 3.0, y


def unit(n):
    return np.full((n, n), 1 / n)


def test_knn_agrees_with_scikit_learn(data):
    X, _ = data
    indices, squares = graphs.knn(X, 4)
    distance, expected = NearestNeighbors(n_neighbors=4, algorithm="brute").fit(X).kneighbors()
    assert np.array_equal(indices, expected)
    assert_allclose(squares, distance**2, **close)


def test_knn_resolves_ties_by_index():
    indices, squares = graphs.knn(np.array([[0.0], [1.0], [-1.0], [0.0]]), 2)
    assert indices.tolist() == [[3, 1], [0, 3], [0, 3], [0, 1]]
    assert squares.tolist() == [[0, 1], [1, 1], [1, 1], [0, 1]]


def test_knn_graph_by_hand():
    X = np.array([[0.0], [1.0], [3.0]])  # nearest: 0 -> 1, 1 -> 0, 2 -> 1; squares 1, 1, 4
    a, b = np.exp(-1.0), np.exp(-4.0)
    assert_allclose(graphs.knn_graph(X, 1), [[0, a, 0], [a, 0, b], [0, b, 0]])
    assert_allclose(graphs.knn_graph(X, 1, symmetric=False), [[0, a, 0], [a, 0, 0], [0, b, 0]])
    assert_allclose(graphs.knn_graph(X, 1, weights="binary"), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert_allclose(graphs.knn_graph(X, 1, bandwidth=2.0)[1, 2], np.exp(-2.0))
    assert_allclose(graphs.rbf_graph(X, 2.0)[0], [1, np.exp(-0.5), np.exp(-4.5)])


def test_laplacian_score_of_the_class_graph_follows_from_fisher(data):
    X, y = data
    expected = 1 / (1 + scores.fisher(X, y))
    assert_allclose(scores.laplacian(X, graphs.class_graph(y)), expected, **close)


def test_spec_kind_2_equals_the_laplacian_score(data):
    X, y = data
    for W in (graphs.knn_graph(X, 4), graphs.class_graph(y), graphs.rbf_graph(X, 3.0)):
        assert_allclose(scores.spec(X, W, 2), scores.laplacian(X, W), **close)


def test_spec_kind_1_is_a_quadratic_form(data):
    X, _ = data
    W = graphs.knn_graph(X, 4)
    degree = W.sum(axis=1)
    expected = [f @ (np.diag(degree) - W) @ f / (f @ (degree * f)) for f in X.T]
    assert_allclose(scores.spec(X, W, 1), expected, **close)


def test_spec_kind_3_of_all_components_follows_from_the_other_two(data):
    X, _ = data
    W = graphs.knn_graph(X, 4)
    one, two = scores.spec(X, W, 1), scores.spec(X, W, 2)
    assert_allclose(scores.spec(X, W, 3), 2 * one / two - one, **close)  # one/two = 1 - alpha_1^2
    assert_allclose(scores.spec(X, W, 3, len(X)), scores.spec(X, W, 3), **close)
    assert np.all(scores.spec(X, W, 3, 3) < scores.spec(X, W, 3))
    assert_allclose(scores.spec(X, W, 3, 1), 0)


def test_spec_uses_the_spectrum_of_the_normalized_laplacian(data):
    X, y = data
    W = graphs.class_graph(y)  # three components: the eigenvalue 0 three times
    values, vectors = scores.normalized_spectrum(W)
    assert_allclose(vectors.T @ vectors, np.eye(len(X)), atol=1e-12)
    assert_allclose(vectors @ np.diag(values) @ vectors.T, np.eye(len(X)) - W, atol=1e-12)
    assert_allclose(values, [0, 0, 0] + [1] * 21, atol=1e-12)


def test_table_2_variance(data):
    X, _ = data
    n = len(X)
    framework = scores.graph_preserving(X, np.eye(n), unit(n), "difference", 1.0)
    assert_allclose(framework, n * scores.variance(X), **close)
    assert_allclose(scores.variance(X), X.var(axis=0), **close)


def test_table_2_fisher(data):
    X, y = data
    W = graphs.class_graph(y)
    framework = scores.graph_preserving(X, W - unit(len(X)), np.eye(len(X)) - W)
    assert_allclose(framework, scores.fisher(X, y), **close)


def test_table_2_laplacian_needs_centered_features(data):
    X, _ = data
    W = graphs.knn_graph(X, 4)
    degree = W.sum(axis=1)
    centered = X - degree @ X / degree.sum()
    expected = scores.laplacian(X, W)
    L, D = np.diag(degree) - W, np.diag(degree)
    assert_allclose(scores.graph_preserving(centered, L, D), expected, **close)
    corrected = D - np.outer(degree, degree) / degree.sum()
    assert_allclose(scores.graph_preserving(X, L, corrected), expected, **close)
    assert np.all(scores.graph_preserving(X, L, D) < expected)


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_table_2_constraint(data, kind):
    X, y = data
    y = np.where(np.arange(len(y)) % 4 == 0, -1, y)
    pairs = graphs.pairs_from_labels(y)
    must, cannot = (graphs.pair_graph(len(X), p) for p in pairs)
    A, B = np.diag(must.sum(axis=1)) - must, np.diag(cannot.sum(axis=1)) - cannot
    expected = scores.constraint(X, *pairs, kind, 0.3)
    assert_allclose(scores.graph_preserving(X, A, B, kind, 0.3), expected, **close)


def test_pairs_from_labels_by_hand():
    assert graphs.pairs_from_labels([1, -1, 2, 1]) == ([(0, 3)], [(0, 2), (2, 3)])


def test_table_2_sparsity_has_the_transpose_first(data):
    X, _ = data
    n = len(X)
    S = lle.sparsity_weights(X)
    A = np.eye(n) - S - S.T + S.T @ S
    centered = X - X.mean(axis=0)
    assert_allclose(n * scores.graph_preserving(centered, A, np.eye(n) - unit(n)), lle.sparsity(X), **close)
    assert_allclose(
        scores.graph_preserving(centered, A, A, "difference", 0), lle.sparsity(X, normalize=False), **close
    )


def test_algorithm_1_in_the_framework(data):
    X, _ = data
    n = len(X)
    M = lle.barycenter_weights(X, 5)
    A = np.eye(n) - M - M.T + M.T @ M
    printed = lle.lle_reconstruction(X, 5, normalize=False)
    assert_allclose(scores.graph_preserving(X, A, A, "difference", 0), printed, **close)
    assert_allclose(lle.lle_reconstruction(X, 5), printed / scores.variance(X), **close)


@pytest.mark.parametrize("k", [1, 2, 5, 9])
@pytest.mark.parametrize("gamma", [1e-5, 0.3])
def test_weights_in_one_dimension_have_a_closed_form(k, gamma):
    rng = np.random.default_rng(k)
    z = rng.normal(size=k) + 0.5
    m = lle.constrained_weights(z[:, None], gamma)
    assert_allclose(m, lle.kkt_weights(z[:, None], gamma), rtol=1e-8, atol=1e-9)
    assert_allclose(m, lle.closed_form_weights(z, gamma), rtol=1e-8, atol=1e-10)
    V = np.sum((z - z.mean()) ** 2)
    assert_allclose(np.sum(m**2), 1 / k + z.mean() ** 2 * V / (gamma + V) ** 2, rtol=1e-9)


def test_weights_without_ridge_are_the_limit_of_small_ridges():
    rng = np.random.default_rng(3)
    for Z in (rng.normal(size=(3, 6)), rng.normal(size=(6, 2))):  # unique, and K > d
        m = lle.constrained_weights(Z, 0.0)
        assert_allclose(m, lle.constrained_weights(Z, 1e-12), atol=1e-9)
        assert_allclose(m.sum(), 1)
    assert_allclose(Z.T @ m, 0, atol=1e-12)
    assert_allclose(lle.constrained_weights(np.zeros((4, 3)), 0.0), 0.25)


def test_barycenter_weights_stay_in_the_neighborhood(data):
    X, _ = data
    M = lle.barycenter_weights(X, 4, reg=0.1)
    assert_allclose(M.sum(axis=1), 1)
    for i, near in enumerate(graphs.knn(X, 4)[0]):
        assert set(np.flatnonzero(M[i])) == set(near)


def test_lle_score_of_a_constant_feature_uses_equal_weights(data):
    X, _ = data
    M = lle.barycenter_weights(X, 3)
    Mhat = lle.feature_weights(np.full(len(X), 5.0), 3, 1e-5)
    assert_allclose(np.sort(Mhat, axis=1)[:, -3:], 1 / 3)
    X = np.column_stack([X, np.full(len(X), 5.0)])
    assert_allclose(lle.lle_random_ties(X, M, 3)[-1], np.sum((M - Mhat) ** 2))


def test_lle_score_of_a_single_feature_vanishes_with_equal_regularization(data):
    f = data[0][:, :1]
    M = lle.barycenter_weights(f, 4, reg=1e-5)
    assert_allclose(lle.lle_random_ties(f, M, 4, 1e-5), 0, atol=1e-18)
    assert lle.lle(f, 4)[0] > 1e-12  # the M of the score is not regularized


def test_random_ties_affect_only_tied_features(data):
    X = np.column_stack([data[0][:, 0], np.round(data[0][:, 1])])
    M = lle.barycenter_weights(data[0], 4)
    draws = np.array([lle.lle_random_ties(X, M, 4, 1e-5, np.random.default_rng(s)) for s in range(4)])
    assert np.ptp(draws[:, 0]) == 0
    assert np.ptp(draws[:, 1]) > 1e-3


def test_lkr_predicts_with_kernel_ridge_regression(data):
    X, y = data
    h, ridge = 4.0, 0.1
    error = np.zeros(X.shape[1])
    for i in range(len(X)):
        rest = (y == y[i]) & (np.arange(len(X)) != i)
        model = KernelRidge(alpha=ridge, kernel="rbf", gamma=1 / h).fit(X[rest], X[rest])
        error += (X[i] - model.predict(X[i : i + 1])[0]) ** 2
    assert_allclose(lle.lkr_supervised(X, y, h, ridge), error / (len(X) * X.var(axis=0)), **close)


def test_supervised_lkr_equals_leave_one_out_from_one_inverse(data):
    X, y = data
    y = np.where(np.arange(len(y)) == 23, 9, y)  # a class of one
    h = graphs.class_bandwidth(X, y)
    G = np.zeros((len(X), len(X)))
    for label in np.unique(y):
        at = np.ix_(y == label, y == label)
        G[at] = np.linalg.inv(graphs.rbf_graph(X[y == label], h) + 0.1 * np.eye(np.sum(y == label)))
    error = np.sum((G @ X / np.diag(G)[:, None]) ** 2, axis=0)
    assert_allclose(lle.lkr_supervised(X, y), error / (len(X) * X.var(axis=0)), **close)


def test_lkr_of_one_neighbor_by_hand():
    f = np.array([1.0, 2.0, 4.0])  # nearest: 0 -> 1, 1 -> 0, 2 -> 1
    a, b = np.exp(-1.0), np.exp(-4.0)
    degree = np.array([a, a + b, b])
    error = (f - np.array([a * 2, a * 1, b * 2]) / 1.1) ** 2
    spread = np.sum(degree * (f - degree @ f / degree.sum()) ** 2)
    assert_allclose(lle.lkr(f[:, None], 1, "median"), np.sum(degree * error) / spread)


def test_lasso_is_optimal_and_agrees_with_scikit_learn(data):
    Xc = data[0] - data[0].mean(axis=0)
    n, d = Xc.shape
    S = lle.sparsity_weights(data[0], alpha=0.2)
    assert np.all(np.diag(S) == 0)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        penalty = 0.2 * np.max(np.abs(Xc[others] @ Xc[i])) / d
        slope = Xc[others] @ (Xc[i] - S[i] @ Xc) / d
        on = S[i, others] != 0
        assert_allclose(slope[on], penalty * np.sign(S[i, others][on]), atol=1e-10)
        assert np.all(np.abs(slope) <= penalty + 1e-10)
        peer = Lasso(alpha=penalty, fit_intercept=False, tol=1e-12, max_iter=100_000)
        assert_allclose(S[i] @ Xc, peer.fit(Xc[others].T, Xc[i]).predict(Xc[others].T), atol=1e-6)


def test_sparsity_over_all_other_samples_as_neighbors(data):
    X, _ = data
    assert_allclose(lle.sparsity(X, n_neighbors=len(X) - 1), lle.sparsity(X), rtol=1e-9)
    assert_allclose(lle.sparsity(X, alpha=1.0), len(X), rtol=1e-9)  # nothing is selected
    near = lle.sparsity_weights(X, n_neighbors=3)
    assert np.all(np.sum(near != 0, axis=1) <= 3)


def test_chi_square_agrees_with_scikit_learn(data):
    X, y = data
    X = np.abs(X)
    assert_allclose(scores.chi_square(X, y), chi2(X, y)[0], **close)


def test_pearson(data):
    X, y = data
    assert_allclose(scores.pearson(X, X[:, 0])[1], abs(np.corrcoef(X[:, 1], X[:, 0])[0, 1]), **close)
    two = (y == 1).astype(int)
    assert_allclose(scores.pearson(X, two)[2], abs(np.corrcoef(X[:, 2], two)[0, 1]), **close)
    correlations = [abs(np.corrcoef(X[:, 0], y == c)[0, 1]) for c in range(3)]
    assert_allclose(scores.pearson(X, y)[0], max(correlations), **close)


def test_information_gain_by_hand():
    y = np.array([0, 0, 1, 1])
    X = np.array([[0.0, 0, 0, 1], [0.0, 1, 0, 2], [1.0, 0, 0, 3], [1.0, 1, 1, 4]])
    gain = 1 - 0.75 * scores.entropy(np.array([0, 0, 1]))
    assert_allclose(scores.information_gain(X, y), [1, 0, gain, 1], atol=1e-12)
    assert scores.quantile_bins(np.array([1.0, 2, 3, 4, 5]), 2).tolist() == [0, 0, 0, 1, 1]


def test_relieff_by_hand():
    X = np.array([[0.0, 1.0, 7.0], [1.0, 0.0, 7.0], [4.0, 1.0, 7.0]])
    y = np.array([0, 0, 1])  # the third sample has no hit; k = 1
    hits = np.array([0.25, 1.0, 0.0])  # both samples of the class are hits of each other
    misses = [np.array([1.0, 0, 0]), np.array([0.75, 1, 0]), np.array([1.0, 0, 0])]
    assert_allclose(scores.relieff(X, y, 1), (np.sum(misses, axis=0) - 2 * hits) / 3)


def test_relieff_weights_misses_by_class_frequency():
    X = np.array([[0.0], [0.1], [1.0], [0.6], [0.6]])
    y = np.array(["a", "a", "b", "c", "c"])
    near = [1 / 3 * 1.0 + 2 / 3 * 0.6 - 0.1, 1 / 3 * 0.9 + 2 / 3 * 0.5 - 0.1]
    far = [0.5 * 0.95 + 0.5 * 0.4] + [2 / 3 * 0.55 + 1 / 3 * 0.4] * 2
    assert_allclose(scores.relieff(X, y, 10), np.mean(near[:2] + far), **close)


def test_curves_agree_with_refitting(data):
    X, y = data
    train = np.arange(len(X)) % 2 == 0
    order = [3, 0, 5, 1, 4, 2]
    sets = (X[train], y[train], X[~train], y[~train])
    for curve, model in ((scores.nn_curve, KNeighborsClassifier(1)), (scores.ncm_curve, NearestCentroid())):
        expected = [
            model.fit(X[train][:, order[:m]], y[train]).score(X[~train][:, order[:m]], y[~train])
            for m in range(1, 7)
        ]
        assert_allclose(curve(*sets, order), expected)


def test_zero_spread_is_worst():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(12, 2)), np.full(12, 3.0)])
    y = np.repeat([0, 1], 6)
    W = graphs.knn_graph(X, 3)
    pairs = graphs.pairs_from_labels(y)
    smaller = [
        scores.laplacian(X, W),
        scores.spec(X, W, 1),
        scores.spec(X, W, 2),
        scores.constraint(X, *pairs),
    ]
    smaller += [lle.lkr(X, 3), lle.lkr_supervised(X, y), lle.lle_reconstruction(X, 3), lle.sparsity(X)]
    larger = [scores.variance(X), scores.fisher(X, y), scores.pearson(X, y), scores.spec(X, W, 3)]
    larger += [scores.chi_square(np.abs(X), y), scores.information_gain(X, y)]
    for score in smaller:
        assert score[2] == np.inf
        assert np.all(np.isfinite(score[:2]))
    for score in larger:
        assert abs(score[2]) < 1e-12
        assert np.all(score[:2] > 1e-12)


def test_class_bandwidth_by_hand():
    X, y = np.array([[0.0], [1.0], [4.0], [9.0], [11.0]]), [0, 0, 0, 1, 1]  # squares 1, 9, 16 and 4
    assert graphs.class_bandwidth(X, y) == 6.5
    assert graphs.class_bandwidth(X, y, 3) == 3
