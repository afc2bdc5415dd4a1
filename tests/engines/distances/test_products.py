"""Squared distances by products are within their error bounds, and exact for whole numbers."""

import numpy as np
import pytest

from featsieve.engines.distances.products import (
    ErrorBound,
    center_to_float32,
    gram_matrix,
    product_distances,
    product_rtol,
    safe_exponent,
    squared_norms,
    sums_are_exact,
)


@pytest.mark.parametrize("shape", [(0, 3), (1, 5), (7, 40), (700, 301)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_gram_matrix_is_within_its_error_bound(shape, dtype, threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    A = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    for matrix in (A, np.asfortranarray(A), A[::-1]):
        gram = gram_matrix(matrix)
        assert gram.dtype == dtype
        exact = matrix.astype(np.longdouble)
        # the classical error bound of a sum of products, in any order of addition
        bound = shape[1] * np.finfo(dtype).eps * (abs(exact) @ abs(exact).T)
        assert (abs(gram - exact @ exact.T) <= bound).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 20, 1000])
@pytest.mark.parametrize("shift", [0, 1e3])
def test_error_bound_of_distances(dtype, d, shift):
    rng = np.random.default_rng(d)
    A, B = ((rng.standard_normal((n, d)) + shift).astype(dtype) for n in (30, 40))
    left, right = squared_norms(A), squared_norms(B)
    rtol = product_rtol(d, float(np.finfo(dtype).eps))
    bound = ErrorBound(rtol * left, rtol * right)
    out = np.empty((30, 40), dtype)
    squared = product_distances(A, B, left, right, out=out)
    assert squared is out
    exact = ((A.astype(np.longdouble)[:, None] - B) ** 2).sum(axis=2)
    assert (np.abs(squared - exact) <= bound.rows[:, None] + bound.columns).all()
    # without the norms of the rows, the order within a row is the same
    np.testing.assert_allclose(
        product_distances(A, B, None, right) + left[:, None], squared, atol=float(bound.rows.max())
    )


def test_centered_float32_rows_fill_the_unit_interval():
    X = np.random.default_rng(0).standard_normal((50, 4)) * 1e-3 + 1e6
    rows, norms, unit = center_to_float32(X)
    assert rows.dtype == np.float32
    assert np.abs(rows).max() == pytest.approx(1)
    np.testing.assert_allclose(rows * unit, X - X.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(norms, (rows**2).sum(axis=1), rtol=1e-6)
    assert center_to_float32(np.ones((3, 2)))[2] == 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0, 3, -7], True), ([0.5, 1], False), ([2.0**30], False), ([1e200], False), ([], True)],
)
def test_sums_of_small_whole_numbers_are_exact(values, expected):
    assert sums_are_exact(5, np.array(values, dtype=float)) is expected


def test_exponent_scales_magnitudes_whose_squares_leave_the_range():
    assert safe_exponent(np.array([0.0])) == 0
    assert safe_exponent(np.array([1e90, -3.0])) == 0
    for value in (1e200, 1e-200):
        assert 0.5 <= np.ldexp(value, -safe_exponent(np.array([value, 0.0]))) < 1
