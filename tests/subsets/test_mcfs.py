"""MCFS against its definition, and where eigenvectors are not unique."""

import numpy as np
import pytest
import scipy.io
import scipy.linalg
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Lasso, lars_path

from featsieve import ClassGraph, ConstraintGraph, KNNGraph, RBFGraph
from featsieve.graphs import spectrum
from featsieve.solvers import lasso as engine
from featsieve.solvers.lasso import lasso_paths
from featsieve.subsets import MCFS, mcfs_score
from featsieve.subsets._embedding import spectral_embedding


def eigenvectors(W, count):
    """Solve L y = lambda D y with a dense solver and drop the constant eigenvector."""
    W = W.toarray() if sp.issparse(W) else W
    D = np.diag(W.sum(axis=1))
    values, vectors = scipy.linalg.eigh(D - W, D)
    assert np.diff(values[: count + 2]).min() > 1e-6, "the eigenvalues of the test data must be distinct"
    return vectors[:, 1 : count + 1]


def sparse_regression(X, y, n_nonzero):
    """Return the first knot with ``n_nonzero`` coefficients on the lasso path of scikit-learn."""
    X, y = X - X.mean(axis=0), y - y.mean()
    _, _, path = lars_path(X, y / np.linalg.norm(y), method="lasso", max_iter=500)
    path = path * np.linalg.norm(y)
    sizes = (np.abs(path) > 1e-10 * np.abs(path).max()).sum(axis=0)
    return path[:, np.argmax(sizes == n_nonzero)]


def lasso(X, covariance, n_nonzero, gram=True):
    return lasso_paths(X, covariance[None], n_nonzero, gram)[0]


def literal(X, Y, n_nonzero):
    return np.abs([sparse_regression(X, y, n_nonzero) for y in Y.T]).max(axis=0)


def make_clusters(n=60, d=12, seed=0, classes=3):
    """Return correlated features, whose coefficients change sign along the path."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, d)) + 0.7 * rng.standard_normal((n, d))
    return X + np.eye(classes)[y] @ rng.standard_normal((classes, d)), y


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_nonzero", [1, 4, 9])
def test_scores_equal_the_lasso_of_each_eigenvector(seed, n_nonzero):
    X, _ = make_clusters(seed=seed)
    graph = RBFGraph().build(X)
    expected = literal(X, eigenvectors(graph.weights, 4), n_nonzero)
    assert (expected > 0).sum() >= n_nonzero
    assert_allclose(mcfs_score(X, graph, 4, n_nonzero), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.slow
def test_large_sparse_graph_uses_the_sparse_solver(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((1200, 6)).cumsum(axis=1)
    graph = KNNGraph(12, weights="binary").build(X)
    assert sp.csgraph.connected_components(graph.weights)[0] == 1
    expected = literal(X, eigenvectors(graph.weights, 3), 3)
    monkeypatch.setattr(spectrum, "eigh", None)  # fails if the dense solver is support
    assert_allclose(mcfs_score(X, graph, 3, 3), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_regression_follows_the_path_when_features_leave(seed):
    X, _ = make_clusters(seed=seed, n=40, d=15)
    X -= X.mean(axis=0)
    y = X @ np.random.default_rng(seed).standard_normal(15)
    for n_nonzero in range(1, 15):
        expected = sparse_regression(X, y, n_nonzero)
        coefficients = lasso(X, X.T @ y, n_nonzero)
        assert np.count_nonzero(coefficients) == n_nonzero
        assert_allclose(coefficients, expected, rtol=1e-7, atol=1e-10 * np.abs(expected).max())
        assert_allclose(lasso(X, X.T @ y, n_nonzero, gram=False), coefficients, rtol=1e-9, atol=1e-12)
    least_squares = lasso(X, X.T @ y, 15)
    assert_allclose(least_squares, np.linalg.lstsq(X, y, rcond=None)[0], rtol=1e-7)


def test_features_leave_on_some_of_those_paths():
    drops = 0
    for seed in range(20):
        X, _ = make_clusters(seed=seed, n=40, d=15)
        X -= X.mean(axis=0)
        y = X @ np.random.default_rng(seed).standard_normal(15)
        drops += lars_path(X, y / np.linalg.norm(y), method="lasso")[2].shape[1] > 16
    assert drops >= 10


def test_optimality_conditions_with_more_features_than_samples():
    X, _ = make_clusters(n=30, d=200)
    X -= X.mean(axis=0)
    y = eigenvectors(RBFGraph().build(X).weights, 1)[:, 0]
    a = lasso(X, X.T @ y, 12, gram=False)
    c = X.T @ (y - y.mean() - X @ a)
    level = np.abs(c).max()
    support = a != 0
    assert support.sum() == 12
    assert_allclose(c[support], level * np.sign(a[support]), rtol=1e-9)
    # at a knot, the next feature enters
    assert np.sort(np.abs(c[~support]))[-1] == pytest.approx(level, rel=1e-9)
    by_coordinate_descent = Lasso(alpha=level / 30, tol=1e-14, max_iter=100_000).fit(X, y - y.mean())
    assert_allclose(a, by_coordinate_descent.coef_, atol=1e-6 * np.abs(a).max())


def test_supervised_responses_span_the_class_indicators():
    X, y = make_clusters(classes=4)
    F = X - X.mean(axis=0)
    Y = spectral_embedding(F, ClassGraph().build(X, y), 3)
    assert_allclose(Y.T @ Y, np.eye(3), atol=1e-12)
    assert_allclose(Y.sum(axis=0), 0, atol=1e-12)
    for c in range(4):
        assert_allclose(np.ptp(Y[y == c], axis=0), 0, atol=1e-12)
    # the basis follows the principal directions of the class means
    products = F.T @ Y
    gram = products.T @ products
    assert_allclose(gram - np.diag(np.diag(gram)), 0, atol=1e-9 * gram.max())
    assert np.all(np.diff(np.diag(gram)) < 0)


@pytest.mark.parametrize("n_nonzero", [1, 3, 8])
def test_two_classes_need_one_regression(n_nonzero):
    X, y = make_clusters(classes=2)
    response = np.where(y == 0, 1, -1)[:, None] / np.sqrt(60)
    scores = MCFS(n_features_to_select=n_nonzero).fit(X, y).scores_
    assert_allclose(scores, literal(X, response, n_nonzero), rtol=1e-8, atol=1e-12)


def test_numbers_and_several_targets_take_the_place_of_the_embedding():
    X, y = make_clusters(classes=2)
    numbers = X @ np.linspace(0, 1, 12) + np.sin(np.arange(60))
    unit = np.column_stack([(t - t.mean()) / np.linalg.norm(t - t.mean()) for t in (numbers, y * 1.0)])
    scores = MCFS(n_features_to_select=4).fit(X, numbers).scores_
    assert_allclose(scores, literal(X, unit[:, :1], 4), rtol=1e-8, atol=1e-12)
    assert_array_equal(MCFS(n_features_to_select=4).fit(X, numbers[:, None] * [1]).scores_, scores)
    both = MCFS(n_features_to_select=4).fit(X, np.column_stack([numbers, y])).scores_
    assert_allclose(both, literal(X, unit, 4), rtol=1e-8, atol=1e-12)
    # two classes have the same regression, whether they are numbers or not
    assert_allclose(MCFS(target="numeric").fit(X, y).scores_, MCFS().fit(X, y).scores_, rtol=1e-8, atol=1e-12)
    # a graph that needs no labels ignores them
    assert_array_equal(MCFS(graph=KNNGraph()).fit(X, numbers).scores_, MCFS().fit(X).scores_)


def test_labels_make_it_supervised_unless_a_graph_is_given():
    X, y = make_clusters()
    supervised = MCFS().fit(X, y).scores_
    assert_array_equal(supervised, MCFS(graph=ClassGraph()).fit(X, y).scores_)
    assert_array_equal(MCFS().fit(X).scores_, MCFS(5, graph=KNNGraph()).fit(X, y).scores_)
    assert np.abs(supervised - MCFS().fit(X).scores_).max() > 1e-3


def test_scores_do_not_depend_on_the_names_of_classes():
    X, y = make_clusters(classes=4)
    names = np.array(["d", "b", "a", "c"])
    assert_allclose(MCFS().fit(X, names[y]).scores_, MCFS().fit(X, y).scores_, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("far", [[17.0], [17.0, -17.0], [16.0, 30.0, -17.0]])
def test_entries_of_samples_with_tiny_degrees(far):
    """Samples connected by weights such as 1e-40 must satisfy the eigenvalue equation."""
    X, _ = make_clusters()
    X[: len(far)] += np.array(far)[:, None]
    graph = KNNGraph().build(X)
    assert 0 < graph.degree.min() < 1e-30
    Y = spectral_embedding(X - X.mean(axis=0), graph, 4)
    average = (graph.weights @ Y) / graph.degree[:, None]
    regular = graph.degree > 1e-6
    values = (average[regular] * Y[regular]).sum(axis=0) / (Y[regular] ** 2).sum(axis=0)
    assert_allclose(average, Y * values, rtol=1e-6, atol=1e-9)
    permutation = np.random.default_rng(0).permutation(len(X))
    assert_allclose(MCFS().fit(X[permutation]).scores_, MCFS().fit(X).scores_, rtol=1e-7, atol=1e-12)


def test_scores_do_not_depend_on_the_order_of_samples():
    X, y = make_clusters()
    permutation = np.random.default_rng(0).permutation(len(X))
    assert_allclose(MCFS().fit(X[permutation]).scores_, MCFS().fit(X).scores_, rtol=1e-7, atol=1e-12)
    assert_allclose(
        MCFS().fit(X[permutation], y[permutation]).scores_, MCFS().fit(X, y).scores_, rtol=1e-7, atol=1e-12
    )


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_scores_are_inverse_to_the_unit_of_all_features(scale):
    X, _ = make_clusters()
    graph = KNNGraph().build(X)
    assert_allclose(mcfs_score(X * scale, graph, 4, 6) * scale, mcfs_score(X, graph, 4, 6), rtol=1e-8)


def test_graph_passed_as_a_matrix():
    X, _ = make_clusters()
    graph = KNNGraph().build(X)
    expected = mcfs_score(X, graph, 3, 5)
    for W in (graph.weights, graph.weights.tocoo(), graph.weights.toarray()):
        assert_allclose(MCFS(3, graph=W, n_features_to_select=5).fit(X).scores_, expected, rtol=1e-8)


def test_must_link_pairs_as_graph():
    X, y = make_clusters(classes=4)
    Y = spectral_embedding(X - X.mean(axis=0), ConstraintGraph("must").build(X, y), 3)
    assert_allclose([np.ptp(Y[y == c], axis=0) for c in range(4)], 0, atol=1e-9)


def test_samples_without_edges():
    """They have no entry in any response, and their eigenvalues do not replace negative ones."""
    X, _ = make_clusters()
    W = KNNGraph().build(X).weights.toarray()
    isolated = [7, 20, 21]
    W[isolated] = W[:, isolated] = 0
    connected = np.setdiff1d(np.arange(len(X)), isolated)
    Y = np.zeros((len(X), 3))
    Y[connected] = eigenvectors(W[np.ix_(connected, connected)], 3)
    for weights in (W, sp.csr_array(W)):
        assert_allclose(mcfs_score(X, weights, 3, 4), literal(X, Y, 4), rtol=1e-7, atol=1e-12)
    triangle = ConstraintGraph("must", pairs=[(0, 1), (1, 2), (0, 2)])
    assert MCFS(graph=triangle).fit(X).scores_.any()
    with pytest.raises(ValueError, match=r"`n_clusters` must be at most 2.*edges at 3 samples; got 3"):
        MCFS(3, graph=triangle).fit(X)
    with pytest.raises(ValueError, match="two or more samples; got edges at 1"):
        mcfs_score(X, sp.diags_array(np.eye(len(X))[0]), 1, 1)


def test_only_the_first_of_duplicate_features_is_used():
    X, _ = make_clusters()
    graph = KNNGraph().build(X)
    single = mcfs_score(X, graph, 3, 5)
    scores = mcfs_score(np.hstack([X, X]), graph, 3, 5)
    assert_allclose(scores[:12], single, rtol=1e-8, atol=1e-12)
    assert not scores[12:].any()


def test_constant_features_rank_last():
    X, y = make_clusters()
    X[:, [2, 5]] = [0.1, 1e6 + 0.1]
    for labels in (None, y):
        model = MCFS(n_features_to_select=10).fit(X, labels)
        assert_array_equal(model.order_[-2:], [2, 5])
        assert_array_equal(model.scores_[[2, 5]], 0)
        assert (model.scores_ > 0).sum() == 10


def test_all_features_constant():
    _, y = make_clusters()
    X = np.full((60, 4), 0.1)
    for labels in (None, y):
        model = MCFS().fit(X, labels)
        assert_array_equal(model.scores_, 0)
        assert_array_equal(model.order_, range(4))


def test_wide_data_needs_no_gram_matrix():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 30_000))  # the Gram matrix would take 7 GB
    model = MCFS(n_features_to_select=5).fit(X)
    assert 5 <= (model.scores_ > 0).sum() <= 25


def test_no_gram_matrix_if_nearly_as_many_features_as_samples_are_used(monkeypatch):
    X = np.random.default_rng(0).standard_normal((40, 400))
    monkeypatch.setattr(engine, "gram_matrix", None)
    assert (MCFS().fit(X).scores_ > 0).sum() > 39
    with pytest.raises(TypeError):  # the Gram matrix is faster for few features
        MCFS(n_features_to_select=10).fit(X)


def test_scores_do_not_depend_on_the_gram_matrix(monkeypatch):
    X, _ = make_clusters()
    graph = KNNGraph().build(X)
    expected = mcfs_score(X, graph, 3, 6)
    monkeypatch.setattr(engine, "_MAX_GRAM_FEATURES", 0)
    assert_allclose(mcfs_score(X, graph, 3, 6), expected, rtol=1e-9, atol=1e-14)


def test_x_is_not_changed():
    X, _ = make_clusters()
    X.flags.writeable = False
    original = X.copy()
    MCFS().fit(X)
    assert_array_equal(X, original)


X60, Y60 = make_clusters()


@pytest.mark.parametrize(
    ("estimator", "labels", "words"),
    [
        (MCFS(60), None, "`n_clusters` must be at most 59.*60 samples; got 60"),
        (MCFS(4), Y60, r"`n_clusters` must be at most .*classes in y \(3\); got 4"),
        (MCFS(0), None, "n_clusters"),
        (MCFS(2.5), None, "n_clusters"),
        (MCFS(n_features_to_select=13), None, r"`n_features_to_select` must be .*\(12\); got 13"),
        (MCFS(), np.zeros(60), "y must contain at least two classes.*omit y"),
        (MCFS(target="classes"), X60[:, 0], "continuous"),
        (MCFS(), np.full(60, 0.5), "at least two values"),
        (MCFS(graph=ClassGraph()), None, "requires y"),
        (MCFS(graph=KNNGraph().build(X60[:40])), None, "one vertex per sample of X .60.; got 40"),
        (MCFS(graph=np.zeros((60, 60))), None, "`graph` must have edges"),
        (MCFS(graph=KNNGraph(symmetric=False)), None, "`graph` must be symmetric"),
    ],
)
def test_errors_name_the_parameter(estimator, labels, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(X60, labels)


def test_largest_number_of_clusters():
    X, y = make_clusters(n=12, d=4)
    assert np.isfinite(MCFS(11).fit(X).scores_).all()
    assert_array_equal(MCFS(3).fit(X, y).scores_, MCFS(2).fit(X, y).scores_)
    assert MCFS(1).fit(X, y).scores_.max() > 0


def test_two_samples():
    X = np.array([[1.0, 2.0, 5.0, 0.0], [2.0, 2.0, 1.0, 3.0]])
    assert_array_equal(MCFS(graph=KNNGraph(1)).fit(X).order_, [2, 0, 3, 1])


def test_nan_names_the_column():
    X = X60.copy()
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN in column 4"):
        MCFS().fit(X)


def test_coil20_regressions_use_exactly_fifty_features(data_dir):
    X = scipy.io.loadmat(data_dir / "COIL20.mat")["X"].astype(float)
    F = X - X.mean(axis=0)
    Y = spectral_embedding(F, KNNGraph().build(X), 20)
    for y, a in zip(Y.T, lasso_paths(F, Y.T @ F, 50), strict=True):
        c = F.T @ (y - F @ a)
        level = np.abs(c).max()
        assert np.count_nonzero(a) == 50
        assert_allclose(c[a != 0], level * np.sign(a[a != 0]), rtol=1e-7)
