"""Folds, and orders of features with the sizes of their subsets."""

import pytest

from evaluation.folds import integers_with_ties, split_halves
from featsieve.evaluation import Fold, nearest_neighbor_curve


@pytest.mark.parametrize(
    ("order", "sizes", "message"),
    [
        ([], None, r"`order` must .* got an array of shape \(0,\)"),
        ([0.5, 1.0], None, r"`order` must .* shape \(2,\) and type float64"),
        ([0, 1, 2], [], r"ascending integers; got \[\]"),
        ([0, 1, 2], [2, 1], r"ascending integers; got \[2, 1\]"),
        ([0, 1, 2], [0, 1], "between 1 and the 3"),
        ([0, 1, 2], [4], "between 1 and the 3"),
    ],
)
def test_invalid_orders_and_sizes_raise(order, sizes, message):
    X, y = integers_with_ties(20, 3)
    with pytest.raises(ValueError, match=message):
        nearest_neighbor_curve(split_halves(X, y), order, sizes)


def test_codes_of_classes():
    train, test = Fold(None, None, ["b", "a", "b"], ["a", "c", "b"]).codes()
    assert train.tolist() == [1, 0, 1]
    assert test.tolist() == [0, -1, 1]


def test_shared_value_is_computed_once_per_key():
    fold, computed = Fold(None, None), []

    def compute():
        computed.append(1)
        return len(computed)

    assert [fold.share("a", key, compute) for key in (1, 1, 2, 2, 1)] == [1, 1, 2, 2, 3]
    assert Fold(None, None).share("a", 1, compute) == 4


def test_docstrings_of_curves_describe_order_and_sizes():
    assert "order : array-like" in nearest_neighbor_curve.__doc__
    assert "sizes : array-like" in nearest_neighbor_curve.__doc__
