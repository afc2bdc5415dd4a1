"""SPFS against brute force on the objective, and the regression against its optimality conditions."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import MultiTaskLasso
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.estimator_checks import parametrize_with_checks

from featsieve import ClassGraph, ConstraintGraph, KNNGraph, RBFGraph
from featsieve.graphs.graph import Graph
from featsieve.solvers.group_lasso import group_lasso_path
from featsieve.subsets import SPFS, spfs_forward_score, spfs_l21_score
from featsieve.subsets.spfs import _factor_similarity

SEARCHES = ["forward", "l21"]


def make_classes(n=40, d=10, seed=0, classes=3):
    """Return features that follow the classes, some of them nearly equal."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, d)) + np.eye(classes)[y] @ rng.standard_normal((classes, d))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    return X * rng.uniform(0.5, 5, d) + 3, y


def normalize(X):
    X = X - X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0)


def to_dense(W):
    return W @ np.eye(W.shape[0])


def objective(F, chosen, W):
    S = F[:, sorted(chosen)]
    return np.linalg.norm(S @ S.T - W) ** 2


def brute_force(X, W, count):
    """Try all features in each step, on the objective itself."""
    F, chosen, gains = normalize(X), [], []
    for _ in range(count):
        current = objective(F, chosen, W)
        gain = {j: current - objective(F, [*chosen, j], W) for j in range(X.shape[1]) if j not in chosen}
        best = max(gain, key=gain.get)
        chosen.append(best)
        gains.append(gain[best])
    return chosen, gains


def similarities(X, y):
    yield "rbf", RBFGraph().build(X)
    yield "rbf, small", Graph(to_dense(RBFGraph().build(X).weights) * 0.1)
    yield "classes", ClassGraph().build(X, y)
    yield "neighbors", KNNGraph().build(X)
    yield "must link", ConstraintGraph("must").build(X, y)
    mixed = normalize(X) @ np.random.default_rng(7).standard_normal((X.shape[1], 3))
    yield "kernel with negative entries", Graph(mixed @ mixed.T)


KINDS = [kind for kind, _ in similarities(*make_classes())]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_forward_search_equals_brute_force(kind, seed):
    X, y = make_classes(seed=seed)
    graph = dict(similarities(X, y))[kind]
    chosen, gains = brute_force(X, to_dense(graph.weights), 10)
    for count in (1, 4, 10):
        model = SPFS(similarity=graph, n_features_to_select=count).fit(X)
        assert_array_equal(model.order_[:count], chosen[:count])
        assert_allclose(model.scores_[chosen[:count]], gains[:count], rtol=1e-9, atol=1e-9)


def test_other_features_score_their_gain_as_the_next_one():
    X, y = make_classes()
    graph = ClassGraph().build(X, y)
    F, W = normalize(X), to_dense(graph.weights)
    model = SPFS(n_features_to_select=4).fit(X, y)
    chosen = list(model.order_[:4])
    for j in model.order_[4:]:
        gain = objective(F, chosen, W) - objective(F, [*chosen, j], W)
        assert model.scores_[j] == pytest.approx(gain, abs=1e-9)
    assert np.all(np.diff(model.scores_[model.order_]) <= 0)


def test_longer_search_starts_with_the_shorter_one():
    X, _ = make_classes(d=12)
    order = SPFS(n_features_to_select=12).fit(X).order_
    for count in range(1, 12):
        assert_array_equal(SPFS(n_features_to_select=count).fit(X).order_[:count], order[:count])


def test_search_recovers_the_features_of_the_similarity():
    F = np.linalg.qr(np.random.default_rng(0).standard_normal((30, 9)))[0]
    F = np.linalg.qr(F - F.mean(axis=0))[0]  # orthonormal, centered
    W = F[:, [2, 5, 7]] @ F[:, [2, 5, 7]].T
    forward = SPFS(similarity=Graph(W), n_features_to_select=3).fit(F)
    assert set(forward.order_[:3]) == {2, 5, 7}
    best = min(combinations(range(9), 3), key=lambda S: objective(normalize(F), S, W))
    assert set(best) == {2, 5, 7}
    l21 = SPFS(similarity=Graph(W), search="l21", n_features_to_select=3).fit(F)
    assert set(l21.order_[:3]) == {2, 5, 7}
    assert (l21.scores_ > 0).sum() == 3


def test_forward_search_avoids_duplicates():
    X, y = make_classes()
    model = SPFS(n_features_to_select=4).fit(np.hstack([X, X]), y)
    assert np.unique(model.order_[:4] % 10).size == 4
    assert model.order_[0] < 10  # the first of equals


def test_centering_the_similarity_changes_nothing():
    X, _ = make_classes()
    W = to_dense(RBFGraph().build(X).weights)
    H = np.eye(40) - 1 / 40
    for score in (spfs_forward_score, spfs_l21_score):
        assert_allclose(score(X, Graph(H @ W @ H), 5), score(X, W, 5), rtol=1e-6, atol=1e-7)


def conditions(X, Y, rows, alpha):
    """Largest violation of the optimality conditions of the regression, relative to alpha."""
    F = normalize(X)
    correlations = F.T @ (Y - F @ rows)
    norms = np.linalg.norm(rows, axis=1)
    support = norms > 0
    within = np.abs(correlations[support] - alpha * rows[support] / norms[support, None]).max()
    beyond = (np.linalg.norm(correlations[~support], axis=1) - alpha).max(initial=0.0)
    return max(within, beyond) / alpha


@pytest.mark.parametrize(("n", "d", "wanted"), [(40, 10, 6), (60, 80, 6), (30, 200, 6), (60, 300, 25)])
@pytest.mark.parametrize("kind", KINDS[:5])
def test_coefficients_meet_the_optimality_conditions(n, d, wanted, kind):
    X, y = make_classes(n, d)
    graph = dict(similarities(X, y))[kind]
    Y = _factor_similarity(graph, wanted)
    F = normalize(X)
    top = np.linalg.norm(F.T @ Y, axis=1).max()
    alpha, rows = group_lasso_path(F, Y, top, wanted)
    assert alpha < top
    assert np.count_nonzero(rows.any(axis=1)) >= wanted
    assert conditions(X, Y, rows, alpha) < 1e-6
    assert conditions(X, Y, 1.01 * rows, alpha) > 1e-4  # the check detects a violation
    # the same objective as scikit-learn on all features together
    solver = MultiTaskLasso(alpha=alpha / n, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(F, Y)
    assert_allclose(rows, solver.coef_.T, atol=1e-5 * np.abs(rows).max())


@pytest.mark.parametrize("wanted", [1, 3, 7])
def test_l21_scores_are_row_norms_or_margins(wanted):
    X, y = make_classes(d=20)
    graph = ClassGraph().build(X, y)
    scores = spfs_l21_score(X, graph, wanted)
    Y, F = _factor_similarity(graph, wanted), normalize(X)
    alpha, rows = group_lasso_path(F, Y, np.linalg.norm(F.T @ Y, axis=1).max(), wanted)
    assert (scores > 0).sum() == wanted
    assert_allclose(scores[scores > 0], np.linalg.norm(rows, axis=1)[scores > 0])
    margins = np.linalg.norm(F.T @ (Y - F @ rows), axis=1)[scores <= 0] / alpha - 1
    assert_allclose(scores[scores <= 0], margins, atol=1e-6)
    assert margins.min() > -1


def test_factor_of_the_similarity():
    X, y = make_classes()
    H = np.eye(40) - 1 / 40
    classes = ClassGraph().build(X, y)
    Y = _factor_similarity(classes, 1)
    assert Y.shape == (40, 2)
    assert_allclose(Y @ Y.T, H @ to_dense(classes.weights) @ H, atol=1e-12)
    rbf = RBFGraph().build(X)
    centered = H @ rbf.weights @ H
    values = np.sort(np.linalg.eigvalsh(centered))[::-1]
    Y = _factor_similarity(rbf, 3)
    assert Y.shape == (40, 3)
    assert np.linalg.norm(centered - Y @ Y.T) ** 2 == pytest.approx((values[3:] ** 2).sum())
    Y = _factor_similarity(rbf, 39)
    assert values[: Y.shape[1]].sum() >= 0.99 * values[values > 0].sum() > values[: Y.shape[1] - 1].sum()
    # equal eigenvalues are all included
    assert _factor_similarity(Graph(np.eye(40)), 3).shape == (40, 39)


@pytest.mark.parametrize("search", SEARCHES)
def test_labels_make_it_supervised_unless_a_similarity_is_given(search):
    X, y = make_classes()
    supervised = SPFS(search=search).fit(X, y).scores_
    assert_array_equal(supervised, SPFS(search=search, similarity=ClassGraph()).fit(X, y).scores_)
    assert_array_equal(
        SPFS(search=search).fit(X).scores_, SPFS(search=search, similarity=RBFGraph()).fit(X, y).scores_
    )
    assert np.abs(supervised - SPFS(search=search).fit(X).scores_).max() > 1e-3


@pytest.mark.parametrize("search", SEARCHES)
def test_scores_do_not_depend_on_the_order_of_samples_and_names_of_classes(search):
    X, y = make_classes()
    permutation = np.random.default_rng(0).permutation(40)
    tolerance = {"rtol": 1e-9, "atol": 1e-9} if search == "forward" else {"atol": 1e-7}
    model = SPFS(search=search, n_features_to_select=4)
    assert_allclose(model.fit(X[permutation]).scores_, model.fit(X).scores_, **tolerance)
    names = np.array(["c", "a", "b"])
    assert_allclose(
        model.fit(X[permutation], names[y[permutation]]).scores_, model.fit(X, y).scores_, **tolerance
    )


@pytest.mark.parametrize("search", SEARCHES)
def test_scores_do_not_depend_on_the_units_of_features(search):
    X, y = make_classes()
    powers = 2.0 ** np.arange(-700, 700, 140)
    model = SPFS(search=search, n_features_to_select=4)
    assert_allclose(model.fit(X * powers, y).scores_, model.fit(X, y).scores_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("search", SEARCHES)
def test_similarity_passed_as_a_matrix(search):
    X, _ = make_classes()
    graph = KNNGraph().build(X)
    model = SPFS(search=search, n_features_to_select=4, similarity=graph)
    expected = model.fit(X).scores_
    for W in (graph.weights, graph.weights.tocoo(), graph.weights.toarray()):
        assert_allclose(model.set_params(similarity=W).fit(X).scores_, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("search", SEARCHES)
def test_many_samples_need_no_square_matrix(search):
    rng = np.random.default_rng(0)
    n = 200_000  # a square matrix would take 320 GB
    y = rng.integers(0, 4, n)
    X = rng.standard_normal((n, 6))
    X[:, 2] += y
    assert SPFS(search=search, n_features_to_select=1).fit(X, y).order_[0] == 2
    chain = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr")
    X[:, 4] = np.sin(np.arange(n) / n * np.pi)
    if search == "forward":
        assert SPFS(similarity=chain, n_features_to_select=1).fit(X).order_[0] == 4


@pytest.mark.parametrize("search", SEARCHES)
def test_constant_features_rank_last(search):
    X, y = make_classes()
    X[:, [2, 5]] = [0.1, 1e6 + 0.1]
    for labels in (None, y):
        model = SPFS(search=search, n_features_to_select=10).fit(X, labels)
        assert_array_equal(model.order_[-2:], [2, 5])
        assert_array_equal(model.scores_[[2, 5]], -np.inf if search == "forward" else -1)
        assert np.isfinite(np.delete(model.scores_, [2, 5])).all()


@pytest.mark.parametrize("search", SEARCHES)
def test_all_features_constant(search):
    X, y = np.full((40, 4), 0.1), np.arange(40) % 2
    for labels in (None, y):
        model = SPFS(search=search).fit(X, labels)
        assert_array_equal(model.order_, range(4))
        assert not np.isnan(model.scores_).any()


@pytest.mark.parametrize("search", SEARCHES)
def test_x_is_not_changed(search):
    X, _ = make_classes()
    original = X.copy()
    X.flags.writeable = False
    SPFS(search=search).fit(X)
    assert_array_equal(X, original)


X40, Y40 = make_classes()


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("parameters", "labels", "message"),
    [
        ({"n_features_to_select": 11}, None, r"`n_features_to_select` must be .*\(10\); got 11"),
        ({}, np.zeros(40), "y must contain at least two classes.*omit y"),
        ({}, X40[:, 0], "continuous"),
        ({"similarity": ClassGraph()}, None, "y must be given for ClassGraph"),
        (
            {"similarity": KNNGraph().build(X40[:30])},
            None,
            r"`similarity` must have one vertex per sample of X \(40\); got 30",
        ),
        ({"similarity": KNNGraph(symmetric=False)}, None, "`similarity` must be symmetric"),
        ({"similarity": np.full((40, 40), np.nan)}, None, "`similarity` must have finite weights; got NaN"),
    ],
)
def test_errors_name_the_parameter(search, parameters, labels, message):
    with pytest.raises(ValueError, match=message):
        SPFS(search=search, **parameters).fit(X40, labels)


def test_unknown_search_is_rejected():
    with pytest.raises(ValueError, match="search"):
        SPFS(search="backward").fit(X40)


@pytest.mark.parametrize(
    "similarity",
    [np.ones((40, 40)), np.full((40, 40), 0.1), -X40 @ X40.T, euclidean_distances(X40, squared=True)],
    ids=["ones", "rounded", "negative", "distances"],
)
def test_similarity_without_positive_eigenvalues_is_rejected(similarity):
    with pytest.raises(ValueError, match="`similarity` must have a positive eigenvalue"):
        SPFS(similarity=similarity, search="l21").fit(X40)


def test_nan_names_the_column():
    X = X40.copy()
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN in column 4"):
        SPFS().fit(X)


@parametrize_with_checks([SPFS(search="l21")])
def test_scikit_learn(estimator, check):
    check(estimator)
