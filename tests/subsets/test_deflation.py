"""Residuals of columns after projection onto chosen columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._deflation import Deflation


def residuals(columns, chosen):
    Z = columns.columns(np.arange(columns.n_features))
    A = Z[:, chosen]
    return Z - A @ np.linalg.lstsq(A, Z, rcond=None)[0]


@pytest.fixture
def columns():
    X = np.random.default_rng(0).standard_normal((12, 6))
    X[:, 4] = X[:, 1] - 3 * X[:, 2]
    X[:, 5] = 2
    return UnitColumns(X)


def test_updates_equal_least_squares(columns):
    deflation = Deflation(columns)
    for chosen in ([1], [1, 3], [1, 3, 2]):
        expected = residuals(columns, chosen)
        before = residuals(columns, chosen[:-1])[:, chosen[-1]] if chosen[:-1] else columns.column(1)
        correlations, overlaps, direction = deflation.add(chosen[-1])
        assert_allclose(correlations, columns.correlations(chosen[-1]))
        assert_allclose(direction, before / np.linalg.norm(before), atol=1e-12)
        assert_allclose(overlaps, columns.products(direction[:, None])[0], atol=1e-12)
        assert_allclose(deflation.squares, (expected**2).sum(axis=0), atol=1e-12)
        assert_allclose(deflation.project(columns.column(0)), expected[:, 0], atol=1e-12)
    assert_array_equal(deflation.independent, [True, False, False, False, False, False])


def test_dependent_columns_add_no_direction(columns):
    deflation = Deflation(columns)
    deflation.add(1)
    deflation.add(2)
    _, overlaps, direction = deflation.add(4)
    assert not overlaps.any()
    assert not direction.any()
    assert deflation.basis.shape == (12, 2)


def test_recomputed_energies(columns):
    deflation = Deflation(columns)
    deflation.add(0)
    deflation.squares[:] = 9
    weights = np.arange(1.0, 7)
    energies = deflation.recompute(weights)
    F = residuals(columns, [0])
    Z = columns.columns(np.arange(6))
    assert_allclose(energies, weights @ (Z.T @ F) ** 2, atol=1e-12)
    assert_allclose(deflation.squares, (F**2).sum(axis=0), atol=1e-12)


def test_reset_removes_all_projections(columns):
    deflation = Deflation(columns)
    deflation.add(0)
    deflation.reset()
    assert_array_equal(deflation.squares, [1, 1, 1, 1, 1, 0])
    assert_array_equal(deflation.project(columns.column(0)), columns.column(0))
