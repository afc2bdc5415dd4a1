"""Targets are classes or numbers, and become columns of numbers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.targets import encode_targets, has_many_values, infer_target, is_numeric


@pytest.mark.parametrize(
    ("y", "target"),
    [
        ([0, 1, 2], "classes"),
        ([0.0, 1.0, 2.0], "classes"),
        ([0.5, 1.0, 2.0], "numeric"),
        ([True, False], "classes"),
        (["1.5", "2.5"], "classes"),
        (np.arange(20), "classes"),
        (np.arange(21), "numeric"),
        (np.arange(21.0), "numeric"),
        (np.arange(210) % 21, "classes"),  # 10 samples per value
        (np.arange(100) % 21, "numeric"),
        (np.arange(105) % 21, "classes"),  # one value per five samples
        (np.arange(30).astype(str), "classes"),
    ],
)
def test_target_is_inferred(y, target):
    assert infer_target(y) == target
    assert is_numeric(np.asarray(y)) == (target == "numeric")
    assert is_numeric(np.asarray(y), "numeric")
    assert not is_numeric(np.asarray(y), "classes")


def test_many_values():
    assert has_many_values(np.arange(21))
    assert not has_many_values(np.arange(20))
    assert not has_many_values(np.arange(105) % 21)


X = np.zeros((6, 1))


def test_classes_become_indicators():
    targets = encode_targets(["b", "a", "c", "a", "b", "a"], X)
    assert_array_equal(targets.codes, [1, 0, 2, 0, 1, 0])
    assert_array_equal(targets.values, np.eye(3)[[1, 0, 2, 0, 1, 0]])
    assert_array_equal(targets.centered.sum(axis=0).round(12), np.zeros(3))


def test_two_classes_have_one_indicator():
    targets = encode_targets([5, 3, 3, 5, 5, 3], X)
    assert_array_equal(targets.values, [[1], [0], [0], [1], [1], [0]])


def test_numbers_are_a_column():
    targets = encode_targets([3, 1, 2, 3, 1, 2], X, "numeric")
    assert targets.codes is None
    assert_array_equal(targets.values, [[3], [1], [2], [3], [1], [2]])
    assert_array_equal(targets.centered[:, 0], [1, -1, 0, 1, -1, 0])


def test_columns_of_several_targets_are_joined():
    Y = np.column_stack([[0.5, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2]])
    targets = encode_targets(Y, X)
    assert targets.codes is None
    assert_array_equal(targets.values, np.column_stack([Y[:, 0], np.eye(3)[Y[:, 1].astype(int)]]))


@pytest.mark.parametrize("y", [[1] * 6, [0.5] * 6, np.column_stack([np.arange(6), np.ones(6)])])
def test_one_value_is_rejected(y):
    with pytest.raises(ValueError, match="y must contain at least two"):
        encode_targets(y, X)


def test_samples_and_targets_must_match():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        encode_targets([0, 1], X)


def test_unknown_types_are_rejected():
    with pytest.raises(
        ValueError, match="`target` must be one of 'auto', 'numeric', 'classes'; got 'number'"
    ):
        encode_targets([0, 1, 0, 1, 0, 1], X, "number")
