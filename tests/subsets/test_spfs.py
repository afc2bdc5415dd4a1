"""SPFS against brute force over the whole objective, and the regression against its optimality conditions."""

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


def grouped(n=40, d=10, seed=0, classes=3):
    """Features that follow the classes, some of them much alike."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, d)) + np.eye(classes)[y] @ rng.standard_normal((classes, d))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    return X * rng.uniform(0.5, 5, d) + 3, y


def unit(X):
    X = X - X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0)


def dense(W):
    return W @ np.eye(W.shape[0])


def objective(F, chosen, W):
    S = F[:, sorted(chosen)]
    return np.linalg.norm(S @ S.T - W) ** 2


def brute_force(X, W, count):
    """Try every feature at every turn, on the whole objective."""
    F, chosen, gains = unit(X), [], []
    for _ in range(count):
        now = objective(F, chosen, W)
        gain = {j: now - objective(F, [*chosen, j], W) for j in range(X.shape[1]) if j not in chosen}
        best = max(gain, key=gain.get)
        chosen.append(best)
        gains.append(gain[best])
    return chosen, gains


def similarities(X, y):
    yield "rbf", RBFGraph().build(X)
    yield "rbf, small", Graph(dense(RBFGraph().build(X).weights) * 0.1)
    yield "classes", ClassGraph().build(X, y)
    yield "neighbors", KNNGraph().build(X)
    yield "must link", ConstraintGraph("must").build(X, y)
    mixed = unit(X) @ np.random.default_rng(7).standard_normal((X.shape[1], 3))
    yield "kernel with negative entries", Graph(mixed @ mixed.T)


KINDS = [kind for kind, _ in similarities(*grouped())]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_forward_is_brute_force_greedy(kind, seed):
    X, y = grouped(seed=seed)
    graph = dict(similarities(X, y))[kind]
    chosen, gains = brute_force(X, dense(graph.weights), 10)
    for count in (1, 4, 10):
        model = SPFS(similarity=graph, n_features_to_select=count).fit(X)
        assert_array_equal(model.order_[:count], chosen[:count])
        assert_allclose(model.scores_[chosen[:count]], gains[:count], rtol=1e-9, atol=1e-9)


def test_those_not_chosen_are_scored_as_the_next_one():
    X, y = grouped()
    graph = ClassGraph().build(X, y)
    F, W = unit(X), dense(graph.weights)
    model = SPFS(n_features_to_select=4).fit(X, y)
    chosen = list(model.order_[:4])
    for j in model.order_[4:]:
        gain = objective(F, chosen, W) - objective(F, [*chosen, j], W)
        assert model.scores_[j] == pytest.approx(gain, abs=1e-9)
    assert np.all(np.diff(model.scores_[model.order_]) <= 0)


def test_a_longer_search_begins_with_the_shorter_one():
    X, _ = grouped(d=12)
    whole = SPFS(n_features_to_select=12).fit(X).order_
    for count in range(1, 12):
        assert_array_equal(SPFS(n_features_to_select=count).fit(X).order_[:count], whole[:count])


def test_forward_finds_the_features_that_make_the_similarity():
    F = np.linalg.qr(np.random.default_rng(0).standard_normal((30, 9)))[0]
    F = np.linalg.qr(F - F.mean(axis=0))[0]  # orthonormal, centerd
    W = F[:, [2, 5, 7]] @ F[:, [2, 5, 7]].T
    found = SPFS(similarity=Graph(W), n_features_to_select=3).fit(F)
    assert set(found.order_[:3]) == {2, 5, 7}
    best = min(combinations(range(9), 3), key=lambda S: objective(unit(F), S, W))
    assert set(best) == {2, 5, 7}
    l21 = SPFS(similarity=Graph(W), search="l21", n_features_to_select=3).fit(F)
    assert set(l21.order_[:3]) == {2, 5, 7}
    assert (l21.scores_ > 0).sum() == 3


def test_forward_does_not_take_a_copy_where_the_similarity_is_of_its_scale():
    X, y = grouped()
    model = SPFS(n_features_to_select=4).fit(np.hstack([X, X]), y)
    assert np.unique(model.order_[:4] % 10).size == 4
    assert model.order_[0] < 10  # the first of equals


def test_centering_the_similarity_changes_nothing():
    X, _ = grouped()
    W = dense(RBFGraph().build(X).weights)
    H = np.eye(40) - 1 / 40
    for score in (spfs_forward_score, spfs_l21_score):
        assert_allclose(score(X, Graph(H @ W @ H), 5), score(X, W, 5), rtol=1e-6, atol=1e-7)


def conditions(X, Y, rows, alpha):
    """Largest violation of the optimality conditions of the regression, relative to alpha."""
    F = unit(X)
    pull = F.T @ (Y - F @ rows)
    length = np.linalg.norm(rows, axis=1)
    used = length > 0
    inside = np.abs(pull[used] - alpha * rows[used] / length[used, None]).max()
    outside = (np.linalg.norm(pull[~used], axis=1) - alpha).max(initial=0.0)
    return max(inside, outside) / alpha


@pytest.mark.parametrize(("n", "d", "wanted"), [(40, 10, 6), (60, 80, 6), (30, 200, 6), (60, 300, 25)])
@pytest.mark.parametrize("kind", KINDS[:5])
def test_rows_meet_the_optimality_conditions(n, d, wanted, kind):
    X, y = grouped(n, d)
    graph = dict(similarities(X, y))[kind]
    Y = _factor_similarity(graph, wanted)
    F = unit(X)
    top = np.linalg.norm(F.T @ Y, axis=1).max()
    alpha, rows = group_lasso_path(F, Y, top, wanted)
    assert alpha < top
    assert np.count_nonzero(rows.any(axis=1)) >= wanted
    assert conditions(X, Y, rows, alpha) < 1e-6
    assert conditions(X, Y, 1.01 * rows, alpha) > 1e-4  # the check can tell
    # the objective is that of scikit-learn on all features at once
    solver = MultiTaskLasso(alpha=alpha / n, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(F, Y)
    assert_allclose(rows, solver.coef_.T, atol=1e-5 * np.abs(rows).max())


@pytest.mark.parametrize("wanted", [1, 3, 7])
def test_l21_scores_are_row_lengths_then_nearness(wanted):
    X, y = grouped(d=20)
    graph = ClassGraph().build(X, y)
    scores = spfs_l21_score(X, graph, wanted)
    Y, F = _factor_similarity(graph, wanted), unit(X)
    alpha, rows = group_lasso_path(F, Y, np.linalg.norm(F.T @ Y, axis=1).max(), wanted)
    assert (scores > 0).sum() == wanted
    assert_allclose(scores[scores > 0], np.linalg.norm(rows, axis=1)[scores > 0])
    near = np.linalg.norm(F.T @ (Y - F @ rows), axis=1)[scores <= 0] / alpha - 1
    assert_allclose(scores[scores <= 0], near, atol=1e-6)
    assert near.min() > -1


def test_factor_of_the_similarity():
    X, y = grouped()
    H = np.eye(40) - 1 / 40
    classes = ClassGraph().build(X, y)
    Y = _factor_similarity(classes, 1)
    assert Y.shape == (40, 2)
    assert_allclose(Y @ Y.T, H @ dense(classes.weights) @ H, atol=1e-12)
    rbf = RBFGraph().build(X)
    centerd = H @ rbf.weights @ H
    values = np.sort(np.linalg.eigvalsh(centerd))[::-1]
    Y = _factor_similarity(rbf, 3)
    assert Y.shape == (40, 3)
    assert np.linalg.norm(centerd - Y @ Y.T) ** 2 == pytest.approx((values[3:] ** 2).sum())
    Y = _factor_similarity(rbf, 39)
    assert values[: Y.shape[1]].sum() >= 0.99 * values[values > 0].sum() > values[: Y.shape[1] - 1].sum()
    # all of several equal eigenvalues
    assert _factor_similarity(Graph(np.eye(40)), 3).shape == (40, 39)


@pytest.mark.parametrize("search", SEARCHES)
def test_labels_make_it_supervised_unless_a_similarity_is_given(search):
    X, y = grouped()
    supervised = SPFS(search=search).fit(X, y).scores_
    assert_array_equal(supervised, SPFS(search=search, similarity=ClassGraph()).fit(X, y).scores_)
    assert_array_equal(
        SPFS(search=search).fit(X).scores_, SPFS(search=search, similarity=RBFGraph()).fit(X, y).scores_
    )
    assert np.abs(supervised - SPFS(search=search).fit(X).scores_).max() > 1e-3


@pytest.mark.parametrize("search", SEARCHES)
def test_order_of_samples_and_names_of_classes(search):
    X, y = grouped()
    mix = np.random.default_rng(0).permutation(40)
    close = {"rtol": 1e-9, "atol": 1e-9} if search == "forward" else {"atol": 1e-7}
    model = SPFS(search=search, n_features_to_select=4)
    assert_allclose(model.fit(X[mix]).scores_, model.fit(X).scores_, **close)
    names = np.array(["c", "a", "b"])
    assert_allclose(model.fit(X[mix], names[y[mix]]).scores_, model.fit(X, y).scores_, **close)


@pytest.mark.parametrize("search", SEARCHES)
def test_units_of_features_do_not_matter(search):
    X, y = grouped()
    powers = 2.0 ** np.arange(-700, 700, 140)
    model = SPFS(search=search, n_features_to_select=4)
    assert_allclose(model.fit(X * powers, y).scores_, model.fit(X, y).scores_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("search", SEARCHES)
def test_similarity_as_a_matrix(search):
    X, _ = grouped()
    graph = KNNGraph().build(X)
    model = SPFS(search=search, n_features_to_select=4, similarity=graph)
    expected = model.fit(X).scores_
    for W in (graph.weights, graph.weights.tocoo(), graph.weights.toarray()):
        assert_allclose(model.set_params(similarity=W).fit(X).scores_, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("search", SEARCHES)
def test_many_samples_need_no_square_matrix(search):
    rng = np.random.default_rng(0)
    n = 200_000  # squared, 320 GB
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
    X, y = grouped()
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
    X, _ = grouped()
    before = X.copy()
    X.flags.writeable = False
    SPFS(search=search).fit(X)
    assert_array_equal(X, before)


X40, Y40 = grouped()


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("parameters", "labels", "words"),
    [
        ({"n_features_to_select": 11}, None, "n_features_to_select=11 .*10 features"),
        ({}, np.zeros(40), "y must hold at least two classes.*omit y"),
        ({}, X40[:, 0], "continuous"),
        ({"similarity": ClassGraph()}, None, "similarity: ClassGraph needs labels"),
        ({"similarity": KNNGraph().build(X40[:30])}, None, "similarity: .*30 samples but X has 40"),
        ({"similarity": KNNGraph(symmetric=False)}, None, "similarity: .*must be symmetric"),
        ({"similarity": np.full((40, 40), np.nan)}, None, "similarity: .*NaN"),
    ],
)
def test_errors_say_what_to_change(search, parameters, labels, words):
    with pytest.raises(ValueError, match=words):
        SPFS(search=search, **parameters).fit(X40, labels)


def test_unknown_search():
    with pytest.raises(ValueError, match="search"):
        SPFS(search="backward").fit(X40)


@pytest.mark.parametrize(
    "similarity",
    [np.ones((40, 40)), np.full((40, 40), 0.1), -X40 @ X40.T, euclidean_distances(X40, squared=True)],
    ids=["ones", "rounded", "negative", "distances"],
)
def test_a_similarity_without_positive_eigenvalues(similarity):
    with pytest.raises(ValueError, match="similarity must have a positive eigenvalue"):
        SPFS(similarity=similarity, search="l21").fit(X40)


def test_nan_names_the_column():
    X = X40.copy()
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN in column 4"):
        SPFS().fit(X)


@parametrize_with_checks([SPFS(), SPFS(search="l21")])
def test_scikit_learn(estimator, check):
    check(estimator)
