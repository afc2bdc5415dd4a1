"""Squared distances by matrix products, with certified bounds on their rounding error."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import ceil
from typing import Any, NamedTuple

import array_api_compat
import numpy as np

from featsieve.engines.arrays import namespace
from featsieve.engines.blocks import n_threads, parallel_map, single_threaded_blas, slices

_FLOAT64_EPS = float(np.finfo(np.float64).eps)
# Sums of squares below this bound are exact in float64 if all terms are whole numbers.
_EXACT_SUM_LIMIT = 2.0**52
# Squares of magnitudes in this range neither overflow nor vanish.
_SAFE_MAGNITUDES = (1e-100, 1e100)


class ErrorBound(NamedTuple):
    """Bound on the error of a matrix of distances: the sum of a term for its row and one for its column."""

    rows: Any = 0.0
    columns: Any = 0.0

    def plus(self, other: ErrorBound) -> ErrorBound:
        """Bound the error of the sum of two matrices."""
        return ErrorBound(self.rows + other.rows, self.columns + other.columns)


def gram_matrix(A: np.ndarray) -> np.ndarray:
    """Compute A A' in our own threads.

    Threads of BLAS spin for a while after each product and would delay the threads of the next step.
    """
    # about four blocks for each thread; for small products, starting threads takes longer than the product
    count = ceil((8 * n_threads()) ** 0.5) if len(A) * A.size > 2**27 else 1
    edges = np.linspace(0, len(A), count + 1).astype(int)
    cuts = [slice(*pair) for pair in pairwise(edges.tolist())]
    out = np.empty((len(A), len(A)), dtype=A.dtype)

    def multiply(blocks: tuple[slice, slice]) -> None:
        left, right = blocks
        np.matmul(A[left], A[right].T, out=out[left, right])
        if left != right:
            out[right, left] = out[left, right].T

    # NumPy computes one half of a product of a matrix with itself. The cheap diagonal blocks come last, so
    # that all threads finish at about the same time.
    with single_threaded_blas():
        for _ in parallel_map(multiply, [*combinations(cuts, 2), *zip(cuts, cuts, strict=True)], A):
            pass
    return out


def product_distances(A: Any, B: Any, left_norms: Any, right_norms: Any, out: Any = None) -> Any:
    """Compute the squared distances between the rows of A and the rows of B by one matrix product.

    Parameters
    ----------
    A, B : matrix of shape (n, n_features) and (m, n_features)
        Arrays of one namespace. Center them first: the error grows with the norms.
    left_norms : array of shape (n,) or None
        Squared norms of the rows of A. None leaves them out, which does not change the order within a row.
    right_norms : array of shape (m,)
        Squared norms of the rows of B.
    out : ndarray of shape (n, m), default=None
        Array to write to, for NumPy only.

    Returns
    -------
    array of shape (n, m)
        Squared distances, with an error of at most ``product_rtol`` times the sum of both squared norms.
    """
    squared = (-2 * A) @ B.T if out is None else np.matmul(-2 * A, B.T, out=out)
    if left_norms is not None:
        squared += left_norms[:, None]
    squared += right_norms
    return squared


def product_rtol(n_features: int, eps: float = _FLOAT64_EPS) -> float:
    """Bound the error of :func:`product_distances`, as a share of the squared norms.

    ``eps`` is the unit of the arithmetic. The bound of float64 is wider, because float64 has digits to spare.
    """
    factor = 4 * n_features**0.5
    return (max(64.0, factor) if eps <= _FLOAT64_EPS else factor) * eps


def matmul_eps(X: Any) -> float:
    """Return the relative error of a product of tensors, which PyTorch can compute with fewer bits."""
    eps = float(namespace(X).finfo(X.dtype).eps)
    if array_api_compat.is_torch_array(X) and eps > 1e-10:
        import torch

        return eps if torch.get_float32_matmul_precision() == "highest" else 2.0**-7
    return eps


def squared_norms(A: np.ndarray) -> np.ndarray:
    """Compute the squared norm of each row."""
    return np.einsum("ij,ij->i", A, A)


def center_to_float32(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Center X and scale it to [-1, 1] in float32, which then has digits for differences.

    Returns the rows, their squared norms, and the divisor.
    """
    center = X.mean(axis=0, dtype=np.float64)
    unit = float(max((X.max(axis=0) - center).max(), (center - X.min(axis=0)).max())) or 1.0
    rows = np.empty(X.shape, dtype=np.float32)

    def convert(block: slice) -> None:
        centered = X[block] - center
        centered /= unit
        rows[block] = centered

    for _ in parallel_map(convert, slices(len(X), 16 * X.shape[1], X), X):
        pass
    return rows, squared_norms(rows), unit


def sums_are_exact(n_features: int, *arrays: Any) -> bool:
    """Return whether squared distances are whole numbers that add without error, in any order."""
    largest = max((_largest_magnitude(array) for array in arrays if 0 not in array.shape), default=0.0)
    if largest > _SAFE_MAGNITUDES[1] or 4 * largest**2 * n_features >= _EXACT_SUM_LIMIT:
        return False
    return all(bool(xp.all(xp.round(a) == a)) for a in arrays for xp in [namespace(a)])


def _largest_magnitude(array: Any) -> float:
    xp = namespace(array)
    return float(xp.max(xp.abs(array)))


def safe_exponent(*arrays: Any) -> int:
    """Return the power of two to divide by so that squares stay finite and positive; 0 in most cases.

    Dividing by a power of two changes no comparison.
    """
    largest = max(map(_largest_magnitude, arrays))
    if largest == 0 or _SAFE_MAGNITUDES[0] <= largest <= _SAFE_MAGNITUDES[1]:
        return 0
    return int(np.frexp(largest)[1])
