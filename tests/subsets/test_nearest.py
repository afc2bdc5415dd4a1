"""Nearest-neighbor accuracy without each feature, against the literal algorithm and scikit-learn."""

import numpy as np
import pytest
from literal.leave_one_out import (
    literal_accuracy,
    literal_scores,
    mixed,
    tied,
)
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from featsieve.subsets import LeaveOneFeatureOut, _nearest, leave_one_feature_out_score
from featsieve.subsets._objectives import held_out_halves


def check_accuracy(X, y, n_repeats=3, random_state=0, literal_X=None):
    """Check that each repeat equals Algorithm 1 exactly."""
    scores = leave_one_feature_out_score(X, y, n_repeats=n_repeats, random_state=random_state)
    halves = held_out_halves(y, n_repeats, np.random.RandomState(random_state))
    literal_X = X if literal_X is None else literal_X
    for row, (train, test) in zip(scores, halves, strict=True):
        assert_array_equal(row, literal_scores(literal_X, lambda Z: literal_accuracy(Z, y, train, test)))  # noqa: B023
    assert np.count_nonzero(scores) > 2
    return scores


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(40, 3), (60, 8), (30, 25)])
def test_accuracy_without_ties(shape, seed):
    check_accuracy(*mixed(*shape, seed))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("d", "levels"), [(2, 4), (6, 2), (6, 3), (12, 5)])
def test_accuracy_with_ties_and_duplicates(d, levels, seed):
    check_accuracy(*tied(60, d, levels, seed))


@pytest.mark.parametrize("shift", [-7.0, 2.0**20, 2.0**40])
def test_accuracy_of_integers_far_from_zero(shift):
    X, y = tied()
    check_accuracy(X + shift, y)


@pytest.mark.parametrize("unit", [0.1, 1 / 255, 1e-130, 1e200])
def test_ties_do_not_depend_on_the_unit(unit):
    """Rounding of X * unit must not break ties."""
    X, y = tied(levels=8, d=4)
    check_accuracy(X * unit, y, literal_X=X)


def test_duplicate_samples_resolve_to_the_smallest_index():
    X, y = mixed(40, 7)
    check_accuracy(np.vstack([X, X]), np.concatenate([y, np.roll(y, 1)]))


@pytest.mark.parametrize("scale", [1e3, 1e9, 1e12])
def test_one_dominant_feature(scale):
    """Without the feature, D - (x - x')^2 has lost all digits."""
    X, y = mixed(50, 5, seed=3)
    X[:, 2] *= scale
    check_accuracy(X, y)


@pytest.mark.parametrize("shift", [1e6, 3e7, 1e9])
def test_samples_far_from_the_mean(shift):
    """The error of the product that proposes candidates is as large as the distances."""
    X, y = mixed(80, 8)
    X[::2] += shift
    check_accuracy(X, y)


@pytest.mark.parametrize("data", [mixed, tied])
@pytest.mark.parametrize(("few", "numbers"), [(0, 2**18), (2**14, 1), (0, 30)])
def test_result_does_not_depend_on_block_sizes(data, few, numbers, monkeypatch):
    X, y = data(80, 9)
    X[:, 3] *= 5
    expected = leave_one_feature_out_score(X, y, n_repeats=3, random_state=0)
    monkeypatch.setattr(_nearest, "_MIN_GROUPED_PAIRS", few)
    monkeypatch.setattr(_nearest, "_BLOCK_NUMBERS", numbers)
    assert_array_equal(check_accuracy(X, y), expected)


@pytest.mark.parametrize("gap", [2.0**-30, 2.0**-43, 0])
def test_near_ties_are_distinguished(gap):
    """The order of two training samples without feature 0 depends on digits that D - (x - x')^2 has lost."""
    x = np.array([[0.5, 0.25, -3.0, 7.0]])
    train = x + np.array([[1e9, 1 + gap, 0, 0], [-1e9, -1, 0, 0]])
    assert np.sum((train - x) ** 2, axis=1).tolist() == [1e18] * 2 or gap == 0
    for codes in (np.array([0, 1]), np.array([1, 0])):
        n_right, n_right_without = _nearest.count_correct(train, codes, x, np.array([1]))
        first, second = codes
        nearer = second if gap else first  # a tie goes to the smallest index
        assert n_right_without.tolist() == [nearer, first, first, first]
        assert n_right == first


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["no ties", "integers"])
def test_accuracy_equals_refitting_scikit_learn(kind):
    X, y = mixed(300, 12, seed=1) if kind == "no ties" else tied(300, 12, 4, seed=1)
    scores = leave_one_feature_out_score(X, y, n_repeats=4, random_state=5)
    model = KNeighborsClassifier(1, algorithm="brute")
    for row, (train, test) in zip(scores, held_out_halves(y, 4, np.random.RandomState(5)), strict=True):
        J = lambda Z: model.fit(Z[train], y[train]).score(Z[test], y[test])  # noqa: B023, E731
        assert_array_equal(row, literal_scores(X, J))
    assert np.count_nonzero(scores) > 10


def test_a_class_of_one_sample_disables_stratification():
    X, y = mixed(41, 5)
    y[7] = 9
    halves = held_out_halves(y, 8, np.random.RandomState(0))
    assert {len(test) for _, test in halves} == {21}
    assert 0 < sum(7 in test for _, test in halves) < 8
    check_accuracy(X, y)


def test_iris_selects_the_petal_measurements():
    X, y = load_iris(return_X_y=True)
    model = LeaveOneFeatureOut(random_state=0).fit(X, y)
    assert set(model.order_[:2]) == {2, 3}
    check_accuracy(X, y, n_repeats=2, literal_X=np.rint(X * 10))
