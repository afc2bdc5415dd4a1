"""MRMR against its definition, and on hostile data."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from literal import greedy as literal
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import f_classif, f_regression

from featsieve import MRMR
from featsieve.subsets import mrmr_ranking

SETTINGS = [(r, s) for r in ("f", "mutual_information") for s in ("quotient", "difference")]
settings = pytest.mark.parametrize(("relevance", "scheme"), SETTINGS)


def classes_and_numbers(seed=0, n=40, d=9):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, d)) + 0.6 * np.outer(y, rng.standard_normal(d))
    X[:, 4] = X[:, 1] + 0.1 * rng.standard_normal(n)
    return X, y, X[:, 0] - X[:, 2] + rng.standard_normal(n)


TRANSFORMATIONS = {
    "plain": lambda X: X,
    "times 1e-8": lambda X: X * 1e-8,
    "times 1e8": lambda X: X * 1e8,
    "magnitudes 1e-8 to 1e8": lambda X: X * np.logspace(-8, 8, X.shape[1]),
    "offset by 1e8": lambda X: X + 1e8,
    "ties": lambda X: np.round(X),
    "zero-inflated": lambda X: np.where(np.random.default_rng(1).random(X.shape) < 0.7, 0, X),
    "copies": lambda X: np.column_stack([X, -3 * X[:, :2] + 7, X[:, 5]]),
    "constants": lambda X: np.column_stack([np.full(len(X), 0.1), X, np.zeros(len(X))]),
    "heavy-tailed": lambda X: np.sign(X) * np.abs(X) ** 7,
}


@pytest.mark.slow
@settings
@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("target", ["classes", "numeric"])
def test_equals_the_literal_version(name, target, relevance, scheme):
    X, y, numbers = classes_and_numbers()
    X, y = TRANSFORMATIONS[name](X), y if target == "classes" else numbers
    for n_features in (1, 5, X.shape[1]):
        scores, order = mrmr_ranking(X, y, n_features, relevance=relevance, scheme=scheme)
        expected = literal.mrmr(X, y, n_features, target == "classes", relevance, scheme)
        assert_array_equal(order, expected[1])
        assert_allclose(scores, expected[0], rtol=1e-6, atol=1e-10)


def greedy(relevance, redundancy, n_features, combine):
    chosen = [int(np.argmax(relevance))]
    while len(chosen) < n_features:
        values = combine(relevance, np.maximum(redundancy[:, chosen], 1e-3).mean(axis=1))
        values[chosen] = -np.inf
        chosen.append(int(np.argmax(values)))
    return chosen


@pytest.mark.parametrize(("scheme", "combine"), [("quotient", np.divide), ("difference", np.subtract)])
def test_picks_by_statistics_of_scikit_learn(scheme, combine):
    X, y, numbers = classes_and_numbers(seed=1, d=30)
    R = np.abs(np.corrcoef(X.T))
    for t, f in ((y, f_classif(X, y)[0]), (numbers, f_regression(X, numbers)[0])):
        model = MRMR(scheme=scheme, n_features_to_select=12).fit(X, t)
        assert model.order_[:12].tolist() == greedy(f, R, 12, combine)
        assert model.scores_[model.order_[0]] == pytest.approx(f.max(), rel=1e-12)


@pytest.mark.parametrize("target", ["classes", "numeric"])
def test_f_is_accurate_near_infinity(target):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 if target == "classes" else rng.standard_normal(60)
    noise = rng.standard_normal(60)
    x = y + 1e-5 * noise
    F, _ = mrmr_ranking(np.column_stack([noise, x]), y, 1, target=target)
    assert F[1] == pytest.approx(literal.f_statistic(x, y, target == "classes"), rel=1e-9)


@pytest.mark.parametrize("scheme", ["quotient", "difference"])
def test_features_without_residuals_go_first_in_column_order(scheme):
    X, y, numbers = classes_and_numbers()
    X[:, 6], X[:, 3], X[:, 8] = y == 1, y == 0, 2.0 - (y == 0)  # column 8 is a copy of 3
    scores, order = mrmr_ranking(X, y, 3, scheme=scheme)
    assert order[:2].tolist() == [3, 6]
    assert order[-1] == 8
    assert_array_equal(np.flatnonzero(np.isinf(scores)), [3, 6, 8])
    X[:, 7] = 1e8 - 5 * numbers
    scores, order = mrmr_ranking(X, numbers, 3, scheme=scheme)
    assert order[0] == 7
    assert_array_equal(np.flatnonzero(np.isinf(scores)), [7])


def test_no_degrees_of_freedom():
    X, *_ = classes_and_numbers(n=2)
    X[:, 3] = 1.0
    for y in ([0, 1], [0.5, 1.25]):
        scores, order = mrmr_ranking(X, y, 2)
        assert np.isinf(np.delete(scores, 3)).all()
        assert scores[3] == 0
        assert order[-1] == 3


def test_a_redundant_feature_is_chosen_late():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    y = 2 * X[:, 0] + X[:, 2] + rng.standard_normal(200)
    X[:, 5] = X[:, 0] + 0.05 * rng.standard_normal(200)
    assert {*np.argsort(-f_regression(X, y)[0])[:2]} == {0, 5}
    assert {*MRMR().fit(X, y).order_[:2]} == {0, 2}


@settings
def test_copies_follow_all_distinct_features(relevance, scheme):
    X, y, _ = classes_and_numbers()
    X = np.column_stack([np.ones(len(X)), X, -2 * X + 1e3])
    order = mrmr_ranking(X, y, 9, relevance=relevance, scheme=scheme)[1]
    assert sorted(order[:9]) == list(range(1, 10))
    assert sorted(order[9:18]) == list(range(10, 19))
    assert order[18] == 0


@settings
def test_sparse_equals_dense(relevance, scheme):
    X, y, numbers = classes_and_numbers()
    X = np.where(np.abs(X) < 0.9, 0, X)
    X[:, 0] = np.abs(X[:, 0]) + 1  # a dense column
    for t in (y, numbers):
        model = MRMR(relevance=relevance, scheme=scheme)
        dense, sparse = model.fit(X, t).scores_, model.fit(sp.csr_array(X), t).scores_
        assert_allclose(sparse, dense, rtol=1e-9, atol=1e-12)


def test_minus_one_is_a_class():
    X, y, _ = classes_and_numbers()
    assert_array_equal(MRMR().fit(X, y - 1).scores_, MRMR().fit(X, y).scores_)


def test_a_numeric_target_of_integers():
    X, *_ = classes_and_numbers()
    y = np.round(3 * X[:, 0]).astype(int)
    scores, _ = mrmr_ranking(X, y, 1, target="numeric")
    assert scores.max() == pytest.approx(f_regression(X, y)[0].max())
    assert mrmr_ranking(X, y, 1)[0].max() == pytest.approx(f_classif(X, y)[0].max())


@pytest.mark.parametrize("y", [np.zeros(40), np.full(40, 0.5)])
def test_one_value_is_rejected(y):
    X, *_ = classes_and_numbers()
    with pytest.raises(ValueError, match="y must contain at least two"):
        MRMR().fit(X, y)


@pytest.mark.parametrize("option", [{"relevance": "g"}, {"scheme": "ratio"}, {"target": "number"}])
def test_unknown_options_are_rejected(option):
    X, y, _ = classes_and_numbers()
    with pytest.raises(ValueError, match=f"`{next(iter(option))}` must be one of"):
        mrmr_ranking(X, y, 2, **option)


def test_tensors_only_for_f():
    torch = pytest.importorskip("torch")
    X, y, _ = classes_and_numbers()
    expected = MRMR().fit(X, y).scores_
    assert_allclose(MRMR().fit(torch.asarray(X), y).scores_, expected, rtol=1e-9)
    with pytest.raises(ValueError, match="NumPy"):
        MRMR(relevance="mutual_information").fit(torch.asarray(X), y)


@pytest.mark.parametrize("relevance", ["f", "mutual_information"])
def test_memory_is_a_few_copies_of_the_data(relevance):
    X = np.random.default_rng(0).standard_normal((300, 6000))  # the d x d matrix has 288 MB
    y = np.arange(300) % 3
    tracemalloc.start()
    MRMR(relevance=relevance, n_features_to_select=5).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * X.nbytes
