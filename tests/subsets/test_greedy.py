"""Greedy choices: ties, copies and the order of features that are not chosen."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._greedy import TIE_RTOL, lowest_ties, rank_greedily


class Fixed:
    """Values that do not depend on the features chosen before."""

    def __init__(self, X, values):
        self.columns, self.fixed, self.requests = UnitColumns(X), np.array(values, dtype=float), []
        self.errors = 0.0

    def values(self, candidates):
        self.requests.append(candidates.copy())
        return self.fixed

    def add(self, j):
        return self.columns.correlations(j)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((20, 5))


def test_largest_values_are_chosen(X):
    scores, order = rank_greedily(Fixed(X, [1, 5, 3, 2, 4]), 3)
    assert_array_equal(order, [1, 4, 2, 3, 0])
    assert_array_equal(scores, [1, 5, 3, 2, 4])


def test_first_of_values_equal_up_to_rounding_is_chosen(X):
    for values in ([1, 3, 3 * (1 + TIE_RTOL / 2), 0, 3], [0, 2, 2 + 1e-15, 1, 2]):
        assert_array_equal(rank_greedily(Fixed(X, values), 1)[1][:1], [1])
    assert rank_greedily(Fixed(X, [1, 3, 3 * (1 + 3 * TIE_RTOL), 0, 3]), 1)[1][0] == 2


def test_values_within_their_rounding_errors_are_ties(X):
    criterion = Fixed(X, [0, 1e-9, 3e-9, 2e-9, 4e-9])
    assert_array_equal(rank_greedily(criterion, 1)[1], [4, 2, 3, 1, 0])
    criterion.errors = np.array([1e-8, 1e-8, 0, 1e-9, 1e-9])
    assert_array_equal(rank_greedily(criterion, 1)[1], [0, 4, 2, 3, 1])  # 1 counts as zero
    criterion.errors = 1e-8
    assert_array_equal(rank_greedily(criterion, 3)[1], [0, 1, 2, 3, 4])


def test_infinite_values_are_chosen_in_the_order_of_columns(X):
    assert_array_equal(rank_greedily(Fixed(X, [1, np.inf, 3, np.inf, 2]), 4)[1], [1, 3, 2, 4, 0])


def test_copies_are_not_chosen_and_constants_are_last(X):
    X[:, 3] = 7 - 2 * X[:, 1]
    X[:, 0] = 4
    criterion = Fixed(X, [9, 5, 1, 4, 2])
    _, order = rank_greedily(criterion, 5)
    assert_array_equal(order, [1, 4, 2, 3, 0])
    assert_array_equal(criterion.requests[0], [False, True, True, True, True])
    assert_array_equal(criterion.requests[1], [False, False, True, False, True])


def test_scores_of_other_features_are_last_or_zero(X):
    criterion = Fixed(X, [1, 5, 3, 2, 4])
    scores, order = rank_greedily(criterion, 2, score_others=False)
    assert_array_equal(scores, [0, 5, 0, 0, 4])
    assert_array_equal(order, [1, 4, 2, 3, 0])


def test_ties_depend_on_the_errors_of_both_values():
    candidates, values = np.array([False, True, True]), np.array([np.inf, -4.0, 2.0])
    expected = 2 - 2 * TIE_RTOL - 0.2 - np.array([0.1, 0.5, 0.2])
    assert_array_equal(lowest_ties(values, candidates, np.array([0.1, 0.5, 0.2])), expected)
    assert_array_equal(lowest_ties(values, ~candidates, 0.1), [np.inf] * 3)
    assert_array_equal(lowest_ties(values, candidates & False, 0.1), [-np.inf] * 3)
