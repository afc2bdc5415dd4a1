"""The exact versions of greedy methods: hand-computed cases, and the literal versions, never the library."""

import numpy as np
import pytest
from literal import greedy as literal
from numpy.testing import assert_allclose

from . import fisher, greedy, relieff, to_floats


def sample(d=5):
    """Return correlated features of different scales, three classes and a numeric target."""
    rng = np.random.default_rng(5)
    y = np.arange(14) % 3
    X = (rng.normal(size=(14, d)) @ rng.normal(size=(d, d)) + y[:, None]) * np.arange(1, d + 1)
    return X, y, X[:, 1] + rng.normal(size=14)


def check(ranking, expected):
    assert ranking.gap > 1e-6
    assert ranking.order == list(expected[1])
    assert_allclose(ranking.scores, expected[0], rtol=1e-9, atol=1e-12)


def test_correlations_by_hand():
    X = [[1.0, 2.0, 4.0], [2.0, 1.0, 4.0], [3.0, 2.0, 4.0]]
    assert to_floats(greedy.correlations(X)).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_quality_by_hand():
    constant = [False, False, False, False, True]
    q = to_floats(greedy.quality([1.0, 3.0, 3.0, 5.0, 9.0], "larger", constant))
    assert q.tolist() == [0, 0.5 * 2.5 / 4, 0.5 * 2.5 / 4, 1, 0]
    q = to_floats(greedy.quality([1.0, 3.0, 2.0, 5.0, 0.0], "smaller", constant))
    assert q.tolist() == [1, 0.5 * 2 / 4, 0.75 * 3 / 4, 0, 0]
    assert to_floats(greedy.quality([2.0] * 5, "larger", constant)).tolist() == [1, 1, 1, 1, 0]


def test_order_of_copies_constants_and_equal_values():
    X, _, _ = sample(4)
    X = np.column_stack([X[:, 0], 5 - 2 * X[:, 0], np.full(14, 0.1), X[:, 1:]])
    values = [3, 4, 9, 2, 2, 5]
    ranking = greedy.rank(X, 2, lambda chosen: values)
    assert ranking.order == [5, 1, 3, 4, 0, 2]
    assert ranking.scores.tolist() == [3, 4, 0, 2, 2, 5]
    assert ranking.gap == pytest.approx(0.2)
    assert greedy.rank(X, 2, lambda chosen: values, score_others=False).scores.tolist() == [0, 4, 0, 0, 0, 5]


@pytest.mark.parametrize("n", [1, 3, 5])
def test_equal_to_the_literal_versions(n):
    X, y, numbers = sample()
    q = greedy.quality(fisher(X, y), "larger", [False] * 5)
    assert_allclose(to_floats(q), literal.quality(fisher(X, y), "larger", [False] * 5))
    for penalty in ("correlation", "squared"):
        check(greedy.diverse(X, q, n, penalty), literal.diverse(X, to_floats(q), n, penalty))
    check(greedy.column_subset(X, n), literal.column_subset(X, n))
    check(greedy.facility_location(X, n), literal.facility_location(X, n))
    for target, classes in ((y, True), (numbers, False)):
        relief = relieff(X, y) if classes else None
        exact = greedy.supervised_column_subset(X, target, n, classes, relief)
        check(exact, literal.supervised_column_subset(X, target, n, classes))
        for scheme in ("quotient", "difference"):
            check(
                greedy.mrmr(X, target, n, classes, "f", scheme),
                literal.mrmr(X, target, n, classes, "f", scheme),
            )
        assert_allclose(greedy.l1_path(X, target, classes), literal.l1_path(X, target, 5, classes)[0])


@pytest.mark.parametrize("classes", [True, False])
def test_mutual_information_equals_the_literal_version(classes):
    X, y, numbers = sample()
    target = y if classes else numbers
    exact = greedy.mrmr(X, target, 4, classes, "mutual_information", "quotient", n_bins=3)
    expected = literal.mrmr(X, target, 4, classes, "mutual_information", "quotient", n_bins=3)
    assert exact.order == list(expected[1])
    assert_allclose(exact.scores, expected[0], rtol=1e-9, atol=1e-12)


def test_column_subset_refuses_dependent_columns():
    X, _, _ = sample(2)
    with pytest.raises(ValueError, match="reset"):
        greedy.column_subset(np.column_stack([X, X[:, 0] + X[:, 1]]), 3)
