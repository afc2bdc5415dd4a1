"""MATLAB files up to version 7."""

import numpy as np
import pytest
from load_error import load_error

from featsieve.datasets import load

X = np.random.default_rng(0).random((6, 4))


Y = np.array([1, 2, 1, 2, 3, 3])


@pytest.mark.parametrize("labels", [np.array(["a", "bb"] * 3), np.array(["a", "bb"] * 3, dtype=object)])
def test_matlab_text_labels(mat, labels):
    assert load(mat(X=X, Y=labels)).y.tolist() == ["a", "bb"] * 3


def test_only_matrix_of_a_file_is_used(mat):
    np.testing.assert_array_equal(load(mat(faces=X, Y=Y)).X, X)
    assert "it contains 'a', 'b', 'c'" in load_error(mat(a=X, b=X, c=Y))


def test_cells_of_several_values(mat):
    cells = np.empty(6, dtype=object)
    cells[:] = [np.arange(2)] * 6
    assert "a cell with 2 values" in load_error(mat(X=X, Y=cells))


def test_matlab_structure(mat):
    assert "must be real numbers" in load_error(mat(X={"a": 1}))
