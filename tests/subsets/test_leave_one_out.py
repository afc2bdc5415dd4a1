"""Leave-one-feature-out scores against loops written from the paper and against refitting scikit-learn."""

import numpy as np
import pytest
import sklearn
from literal.leave_one_out import (
    literal_accuracy,
    literal_scores,
    mixed,
    tied,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from featsieve.subsets import LeaveOneFeatureOut, _nearest, leave_one_feature_out_score
from featsieve.subsets._objectives import held_out_halves


def check_accuracy(X, y, n_repeats=3, random_state=0, literal_X=None):
    """Every repeat is identical to Algorithm 1."""
    ours = leave_one_feature_out_score(X, y, n_repeats=n_repeats, random_state=random_state)
    halves = held_out_halves(y, n_repeats, np.random.RandomState(random_state))
    literal_X = X if literal_X is None else literal_X
    for row, (train, test) in zip(ours, halves, strict=True):
        assert_array_equal(row, literal_scores(literal_X, lambda Z: literal_accuracy(Z, y, train, test)))  # noqa: B023
    assert np.count_nonzero(ours) > 2
    return ours


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(40, 3), (60, 8), (30, 25)])
def test_accuracy_without_ties(shape, seed):
    check_accuracy(*mixed(*shape, seed))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("d", "levels"), [(2, 4), (6, 2), (6, 3), (12, 5)])
def test_accuracy_with_ties_and_copies(d, levels, seed):
    check_accuracy(*tied(60, d, levels, seed))


@pytest.mark.parametrize("shift", [-7.0, 2.0**20, 2.0**40])
def test_accuracy_of_whole_numbers_far_from_zero(shift):
    X, y = tied()
    check_accuracy(X + shift, y)


@pytest.mark.parametrize("unit", [0.1, 1 / 255, 1e-130, 1e200])
def test_ties_are_ties_in_any_unit(unit):
    """Rounding breaks the ties of X * unit; nobody who wrote 0.1 meant that."""
    X, y = tied(levels=8, d=4)
    check_accuracy(X * unit, y, literal_X=X)


def test_copies_of_real_numbers_go_to_the_smallest_index():
    X, y = mixed(40, 7)
    check_accuracy(np.vstack([X, X]), np.concatenate([y, np.roll(y, 1)]))


@pytest.mark.parametrize("scale", [1e3, 1e9, 1e12])
def test_one_feature_that_dwarfs_the_others(scale):
    """Without it, D - (x - x')^2 has lost every digit."""
    X, y = mixed(50, 5, seed=3)
    X[:, 2] *= scale
    check_accuracy(X, y)


@pytest.mark.parametrize("shift", [1e6, 3e7, 1e9])
def test_samples_far_from_their_common_mean(shift):
    """The product that proposes candidates is off by as much as the distances themselves."""
    X, y = mixed(80, 8)
    X[::2] += shift
    check_accuracy(X, y)


@pytest.mark.parametrize("data", [mixed, tied])
@pytest.mark.parametrize(("few", "numbers"), [(0, 2**18), (2**14, 1), (0, 30)])
def test_pieces_do_not_matter(data, few, numbers, monkeypatch):
    X, y = data(80, 9)
    X[:, 3] *= 5
    whole = leave_one_feature_out_score(X, y, n_repeats=3, random_state=0)
    monkeypatch.setattr(_nearest, "_MIN_GROUPED_PAIRS", few)
    monkeypatch.setattr(_nearest, "_BLOCK_NUMBERS", numbers)
    assert_array_equal(check_accuracy(X, y), whole)


@pytest.mark.parametrize("gap", [2.0**-30, 2.0**-43, 0])
def test_near_ties_are_not_ties(gap):
    """Two training samples whose order without feature 0 is in digits that D - (x - x')^2 has lost."""
    x = np.array([[0.5, 0.25, -3.0, 7.0]])
    train = x + np.array([[1e9, 1 + gap, 0, 0], [-1e9, -1, 0, 0]])
    assert np.sum((train - x) ** 2, axis=1).tolist() == [1e18] * 2 or gap == 0
    for codes in (np.array([0, 1]), np.array([1, 0])):
        right, without = _nearest.count_correct(train, codes, x, np.array([1]))
        first, second = codes
        nearer = second if gap else first  # a tie goes to the smallest index
        assert without.tolist() == [nearer, first, first, first]
        assert right == first


@pytest.mark.parametrize("kind", ["no ties", "whole numbers"])
def test_accuracy_is_refitting_scikit_learn(kind):
    X, y = mixed(300, 12, seed=1) if kind == "no ties" else tied(300, 12, 4, seed=1)
    ours = leave_one_feature_out_score(X, y, n_repeats=4, random_state=5)
    model = KNeighborsClassifier(1, algorithm="brute")
    for row, (train, test) in zip(ours, held_out_halves(y, 4, np.random.RandomState(5)), strict=True):
        J = lambda Z: model.fit(Z[train], y[train]).score(Z[test], y[test])  # noqa: B023, E731
        assert_array_equal(row, literal_scores(X, J))
    assert np.count_nonzero(ours) > 10


@pytest.mark.parametrize("data", [mixed, tied])
@pytest.mark.parametrize("memory", [1e-4, 1e-2])
def test_blocks_do_not_matter(data, memory):
    X, y = data(80, 9)
    for objective in ("accuracy", "clustering"):
        whole = leave_one_feature_out_score(X, y, objective, 2, 0)
        with sklearn.config_context(working_memory=memory):
            assert_array_equal(leave_one_feature_out_score(X, y, objective, 2, 0), whole)


def test_float32_gives_the_answer_of_the_same_numbers_in_float64():
    X, y = mixed(80, 9)
    single = X.astype(np.float32)
    for objective in ("accuracy", "nmi"):
        assert_array_equal(
            leave_one_feature_out_score(single, y, objective, 3, 0),
            leave_one_feature_out_score(single.astype(np.float64), y, objective, 3, 0),
        )


def test_the_feature_that_matters_scores_highest():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.standard_normal((80, 6))
    X[:, 4] += 6 * y
    for objective in ("accuracy", "clustering", "nmi"):
        model = LeaveOneFeatureOut(objective, n_repeats=3, random_state=0).fit(X, y)
        assert model.order_[0] == 4
        assert model.scores_[4] > 0.2


def test_halves_are_shared_stratified_and_disjoint():
    y = np.repeat(["a", "b", "c"], [10, 6, 2])
    halves = held_out_halves(y, 5, np.random.RandomState(0))
    assert len({tuple(train) for train, _ in halves}) > 1
    for train, test in halves:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(18))
        assert [np.sum(y[train] == c) for c in "abc"] == [5, 3, 1]
        assert np.all(np.diff(train) > 0)


def test_names_of_classes_do_not_matter():
    X, y = mixed()
    for objective in ("accuracy", "nmi", KNeighborsClassifier(1)):
        here, there = (
            leave_one_feature_out_score(X, labels, objective, 3, 0)
            for labels in (y, np.array(list("zbk"))[y])
        )
        assert_allclose(there, here, atol=1e-12)


def test_a_class_of_one_is_split_without_strata():
    X, y = mixed(41, 5)
    y[7] = 9
    halves = held_out_halves(y, 8, np.random.RandomState(0))
    assert {len(test) for _, test in halves} == {21}
    assert 0 < sum(7 in test for _, test in halves) < 8
    check_accuracy(X, y)


def test_iris():
    X, y = load_iris(return_X_y=True)
    model = LeaveOneFeatureOut(random_state=0).fit(X, y)
    assert set(model.order_[:2]) == {2, 3}
    check_accuracy(X, y, n_repeats=2, literal_X=np.rint(X * 10))
