"""Distances by direct differences keep their digits, for every storage."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.engines.distances import direct
from featsieve.engines.distances.direct import (
    candidate_distances,
    column_pair_distances,
    distances_without_columns,
    pair_distances,
    point_distances,
    squared_distances,
)


def far_from_zero():
    return np.random.default_rng(0).integers(0, 9, (30, 7)) / 8 + 1e6


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, np.float32, sp.csr_array, sp.csc_array])
def test_candidates_and_pairs(form):
    X = far_from_zero()
    expected = ((X[:, None] - X) ** 2).sum(axis=2)
    rows, candidates = np.array([3, 0, 29]), np.array([[1, 2], [0, 7], [28, 3]])
    assert_array_equal(candidate_distances(form(X), rows, candidates), expected[rows[:, None], candidates])
    assert_array_equal(pair_distances(form(X), rows, rows[::-1]), expected[rows, rows[::-1]])


def test_candidates_by_weighted_absolute_differences():
    X, scale = far_from_zero(), np.arange(7) / 2.0
    rows, candidates = np.array([3, 0]), np.array([[1, 2], [0, 7]])
    expected = (np.abs(X[candidates] - X[rows[:, None]]) * scale).sum(axis=2)
    assert_array_equal(candidate_distances(X, rows, candidates, scale), expected)


@pytest.mark.parametrize("numbers", [1, 7, 30, 2**18])
def test_bits_of_column_pairs_do_not_depend_on_blocks(numbers, monkeypatch):
    A = np.random.default_rng(0).standard_normal((200, 30))
    left, right = np.arange(30), np.arange(30)[::-1]
    expected = np.zeros(30)
    for row in A:
        expected += (row[left] - row[right]) ** 2
    monkeypatch.setattr(direct, "_BLOCK_NUMBERS", numbers)
    assert_array_equal(column_pair_distances(A, left, A, right), expected)
    assert_array_equal(column_pair_distances(A, left[:1], A, right[:1]), expected[:1])
    assert_array_equal(column_pair_distances(A[:0], left, A[:0], right), 0)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, np.float32, sp.csr_array])
def test_distances_from_a_point(form, monkeypatch):
    X = far_from_zero() if form is not sp.csr_array else far_from_zero() - 1e6
    point, rows = X.mean(axis=0), np.array([4, 0, 29])
    expected = ((X - point) ** 2).sum(axis=1)
    assert_allclose(point_distances(form(X), point), expected, rtol=1e-12)
    if form is not sp.csr_array:
        monkeypatch.setattr(direct, "_BLOCK_NUMBERS", 20)
        assert_allclose(point_distances(form(X), point, rows), expected[rows], rtol=1e-12)


def test_distances_without_columns():
    X = np.random.default_rng(0).standard_normal((12, 5))
    columns = np.array([4, 0])
    expected = [((np.delete(X, c, axis=1) - np.delete(X[3], c)) ** 2).sum(axis=1) for c in columns]
    assert_allclose(distances_without_columns(X, X[3], columns), expected, rtol=1e-14)


@pytest.mark.parametrize("rows", [4, 4096])
def test_all_pairs_in_blocks_with_near_copies(rows, monkeypatch):
    monkeypatch.setattr(direct, "_BLOCK_ROWS", rows)
    X = far_from_zero()
    X[5] = X[4]
    X[7] = X[6] + 2.0**-20
    expected = ((X[:, None] - X) ** 2).sum(axis=2)
    assert_allclose(squared_distances(X), expected, rtol=1e-7)
    assert squared_distances(X)[4, 5] == 0
