"""L1Path against the definition of the lasso, its literal version, and on hostile data."""

import tracemalloc
import warnings

import numpy as np
import pytest
from literal import greedy as literal
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.linear_model import Lasso, lars_path

from featsieve import L1Path
from featsieve.solvers.lasso import lasso_entries, lasso_paths
from featsieve.subsets import l1_path_ranking


def classes_and_numbers(seed=0, n=40, d=12):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.4 * rng.standard_normal((d, d)))
    X += 0.6 * np.outer(y, rng.standard_normal(d))
    return X, y, X[:, 0] - X[:, 2] + rng.standard_normal(n)


def unit(X):
    X = X - X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0)


def entries_of_lars(X, t):
    alphas, _, path = lars_path(unit(X), unit(t), method="lasso")
    first = np.argmax(path != 0, axis=1)
    return np.where(path.any(axis=1), alphas[np.maximum(first - 1, 0)], 0.0) / alphas[0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "d"), [(40, 12), (15, 30)])
def test_scores_are_the_entries_of_scikit_learn(seed, n, d):
    X, y, numbers = classes_and_numbers(seed, n, d)
    scores, order = l1_path_ranking(X, numbers, d)
    expected = entries_of_lars(X, numbers)
    entered = np.maximum(scores, expected) > 1e-3  # scikit-learn ends some paths early
    assert_allclose(scores[entered], expected[entered], rtol=1e-7)
    assert_array_equal(order[: entered.sum()], np.argsort(-scores, kind="stable")[: entered.sum()])
    of_classes = [entries_of_lars(X, (y == c).astype(float)) for c in range(3)]
    scores = l1_path_ranking(X, y, d)[0]
    expected = np.max(of_classes, axis=0)
    entered = np.maximum(scores, expected) > 1e-3
    assert_allclose(scores[entered], expected[entered], rtol=1e-7)


def test_a_feature_enters_the_lasso_at_its_score():
    X, _, y = classes_and_numbers()
    Z, t = unit(X), unit(y)
    scores, order = l1_path_ranking(X, y, 12)
    largest = np.abs(Z.T @ t).max()
    for j in order[:8]:
        before, after = (
            Lasso(alpha=factor * scores[j] * largest / len(y), tol=1e-14, max_iter=100_000).fit(Z, t).coef_
            for factor in (1 + 1e-6, 1 - 1e-4)
        )
        assert before[j] == 0
        assert after[j] != 0


TRANSFORMATIONS = {
    "plain": lambda X: X,
    "magnitudes 1e-8 to 1e8": lambda X: X * np.logspace(-8, 8, X.shape[1]),
    "times 1e-8": lambda X: X * 1e-8,
    "offset by 1e8": lambda X: X + 1e8,
    "zero-inflated": lambda X: np.where(np.random.default_rng(1).random(X.shape) < 0.7, 0, X),
    "copies": lambda X: np.column_stack([X[:, :6], -3 * X[:, :2] + 7, X[:, 5]]),
    "constants": lambda X: np.column_stack([np.full(len(X), 0.1), X, np.zeros(len(X))]),
    "ties": lambda X: np.round(X),
    "heavy-tailed": lambda X: np.sign(X) * np.abs(X) ** 7,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("target", ["classes", "numeric"])
def test_equals_the_literal_version(name, target):
    X, y, numbers = classes_and_numbers(d=7)
    X, y = TRANSFORMATIONS[name](X), y if target == "classes" else numbers
    expected, expected_order = literal.l1_path(X, y, X.shape[1], target == "classes")
    for n_features in (1, 3, X.shape[1]):
        scores, order = l1_path_ranking(X, y, n_features)
        chosen = order[:n_features]
        assert_array_equal(chosen, expected_order[:n_features])
        assert_allclose(scores[chosen], expected[chosen], rtol=1e-6, atol=1e-9)
    assert_array_equal(order, expected_order)
    assert_allclose(scores, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_choice_does_not_depend_on_where_paths_end(seed):
    X, y, _ = classes_and_numbers(seed, n=30, d=60)
    scores, order = l1_path_ranking(X, y, 60)
    for n_features in (2, 5, 11):
        fewer, shorter = l1_path_ranking(X, y, n_features)
        assert np.count_nonzero(fewer) < np.count_nonzero(scores)
        assert_array_equal(shorter[:n_features], order[:n_features])
        assert_allclose(fewer[shorter[:n_features]], scores[order[:n_features]], rtol=1e-9)


@pytest.mark.parametrize("working_memory", [1024, 0.03], ids=["together", "in several parts"])
@pytest.mark.parametrize("copies", [0, 10])
def test_paths_of_many_targets_end_early(working_memory, copies):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 50))
    X = np.column_stack([X, -2 * X[:, :copies]])
    Y = X @ rng.standard_normal((50 + copies, 12)) + rng.standard_normal((40, 12))
    complete, order = l1_path_ranking(X, Y, 50)
    for n_features in (1, 7, 30):
        with config_context(working_memory=working_memory):
            scores, first = l1_path_ranking(X, Y, n_features)
        assert_array_equal(first[:n_features], order[:n_features])
        assert_allclose(scores[first[:n_features]], complete[order[:n_features]], rtol=1e-9)


@pytest.mark.parametrize("gram", [True, False])
def test_entries_include_features_that_leave_again(gram):
    X, _, y = classes_and_numbers(seed=3, n=20, d=60)
    Z, t = unit(X), unit(y)
    entries = lasso_entries(Z, (Z.T @ t)[None], 60, gram)
    removed = (entries > 0) & (lasso_paths(Z, (Z.T @ t)[None], 19, gram)[0] == 0)
    assert removed.any()
    assert_allclose(entries[removed] / np.abs(Z.T @ t).max(), entries_of_lars(X, y)[removed], rtol=1e-7)


def test_features_that_never_enter_follow_by_correlation():
    X, _, y = classes_and_numbers(n=60)
    _, order = l1_path_ranking(X, y, 3)
    strengths = np.abs(unit(X).T @ unit(y))
    assert_array_equal(order[3:], sorted(order[3:], key=lambda j: -strengths[j]))


def test_copies_follow_all_distinct_features():
    X, y, numbers = classes_and_numbers()
    X = np.column_stack([np.full(len(X), 2.5), X, 1e3 - 2 * X, 0.3 * X])
    for t in (y, numbers):
        scores, order = l1_path_ranking(X, t, 37)
        assert sorted(order[:12]) == list(range(1, 13))
        assert order[-1] == 0
        assert not scores[order[12:]].any()


def test_several_targets():
    X, y, numbers = classes_and_numbers()
    Y = np.column_stack([numbers, X[:, 5] + 0.1 * X[:, 7], y == 1])
    alone = np.max([l1_path_ranking(X, t, 12)[0] for t in Y.T], axis=0)
    assert_allclose(l1_path_ranking(X, Y, 12)[0], alone, rtol=1e-9)
    model = L1Path(n_features_to_select=3).fit(X, Y)
    assert (model.scores_[[2, 3, 5]] == 1).all()
    assert_array_equal(model.order_[:3], [2, 3, 5])


def test_two_classes_have_one_path():
    X, y, _ = classes_and_numbers()
    expected = l1_path_ranking(X, (y == 1).astype(float), 12, "numeric")
    for labels in (y == 1, y != 1, np.where(y == 1, "a", "b"), np.where(y == 1, 1, -1)):
        scores, order = l1_path_ranking(X, labels, 12)
        assert_allclose(scores, expected[0], rtol=1e-9)
        assert_array_equal(order, expected[1])


def test_a_target_that_no_feature_is_correlated_with():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    y = X[:, 0] * X[:, 1]
    scores, order = l1_path_ranking(X, y, 1)
    assert_array_equal(scores, [0, 0])
    assert_array_equal(order, [0, 1])


@pytest.mark.parametrize("y", [np.zeros(40), np.full(40, 0.5), np.array([["a", "b"]] * 40)])
def test_one_value_is_rejected(y):
    X, *_ = classes_and_numbers()
    with pytest.raises(ValueError, match="y must contain at least two"):
        L1Path().fit(X, y)


def test_wide_data_needs_little_memory():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 10_000))  # the Gram matrix has 800 MB
    y = X[:, :5].sum(axis=1)
    tracemalloc.start()
    model = L1Path(n_features_to_select=20).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(range(5)) <= set(model.order_[:20])
    assert peak < 6 * X.nbytes


def test_no_warning_on_all_constant_features():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores, order = l1_path_ranking(np.ones((10, 4)), np.arange(10) % 2, 2)
    assert_array_equal(scores, 0)
    assert_array_equal(order, range(4))
