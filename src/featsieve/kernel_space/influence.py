"""How much each original feature moves kernel-space features: their derivatives at the samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.sparsefuncs import mean_variance_axis

from featsieve.engines.progress import track
from featsieve.kernel_space.kernels import PRODUCTS, Kernel
from featsieve.selectors import constant_features

# Rows at a time: a number of its own, so that the result does not depend on the working memory.
_ROWS = 1024
# Beyond this ratio of residuals, coefficients of base vectors are too large to be squared.
_STEEPEST = 1e3
# Below this share of the terms that it is a sum of, a square is made of their rounding.
_CLEAR = 1e-8
# Step of central differences, in standard deviations.
_STEP = 1e-4


def feature_influence(
    kernel: Kernel, X: Any, basis: Any, triangle: np.ndarray, directions: np.ndarray
) -> np.ndarray:
    r"""Root mean square derivative of functions on a basis, times the standard deviation of each input.

    .. math:: s_j \sqrt{\frac{1}{n} \sum_i \sum_q
              \left( \frac{\partial u_q(x_i)}{\partial x_{ij}} \right)^2}, \quad
              u_q(x) = \sum_m D_{mq} \phi_m(x), \quad \phi_m(x) = \sum_b (L^{-1})_{mb} k(x_b, x)

    s_j is the standard deviation of input j over the samples, so that its unit does not matter.

    Parameters
    ----------
    kernel : Kernel
        Not "precomputed".
    X : matrix of shape (n_samples, n_inputs)
        The samples to average over.
    basis : matrix of shape (n_basis, n_inputs)
        The samples x_b that the features stand on.
    triangle : ndarray of shape (n_basis, n_basis)
        L, the Cholesky factor of the kernel matrix of those.
    directions : ndarray of shape (n_basis, n_functions)
        D, what the functions are made of.

    Returns
    -------
    ndarray of shape (n_inputs,)
        Larger means more influence; 0 for a constant input.

    Notes
    -----
    The derivatives are exact (of the laplacian kernel, wherever it has one) except for callable kernels,
    which get central differences. Kernels of inner products take O(n b (b + d)) for b base vectors;
    others, bases whose last residual is less than a thousandth of the first, and samples of which some are
    very far from the rest, O(n b^2 d).
    """
    spread = _deviations(X)
    if not spread.any():
        return spread
    steep = triangle[0, 0] > _STEEPEST * np.diag(triangle).min()
    if kernel.function in PRODUCTS and not steep:
        squares, sizes = _by_products(kernel, X, basis, triangle, directions)
        if np.all((squares >= _CLEAR * sizes)[spread > 0]):
            return spread * np.sqrt(squares)
    return spread * _one_by_one(kernel, X, basis, triangle, directions, spread)


def _deviations(X: Any) -> np.ndarray:
    if sp.issparse(X):
        spread = np.sqrt(mean_variance_axis(X.astype(np.float64), axis=0)[1])
    else:
        spread = X.std(axis=0, dtype=np.float64)
    spread[constant_features(X)] = 0.0
    return spread


def _parts(n: int) -> list[slice]:
    return [slice(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]


def _by_products(
    kernel: Kernel, X: Any, basis: Any, triangle: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All inputs at once, for kernels with dk(x_b, x) / dx_j = h_b(x) x_bj - g_b(x) x_j.

    The mean squares of the derivatives, and the sizes of the terms that they are sums of.
    """
    n = X.shape[0]
    # a unit in which the numbers are about 1, so that nothing under- or overflows
    shift = np.asarray(basis.mean(axis=0)) if kernel.function == "rbf" and not sp.issparse(X) else 0.0
    unit = float(abs(X - shift if not sp.issparse(X) else X).max()) or 1.0
    scaled = ((basis - shift) if not sp.issparse(X) else basis.astype(np.float64)) / unit
    columns = solve_triangular(triangle.T, directions, lower=False)
    form = columns @ columns.T
    squares = np.zeros_like(form)
    mixed = np.zeros((len(triangle), X.shape[1]))
    own = np.zeros(X.shape[1])
    for part in track(_parts(n), len(_parts(n)), "influence"):
        rows = ((X[part] - shift) if not sp.issparse(X) else X[part].astype(np.float64)) / unit
        pull, drag = _slopes(kernel, X[part], basis, unit)
        squares += pull.T @ pull
        if drag is not None:
            turned = drag @ form
            mixed += safe_sparse_dot((turned * pull).T, rows, dense_output=True)
            own += np.einsum("ij,ij->i", turned, drag) @ _times(rows, rows)
    ahead = safe_sparse_dot(form * squares, scaled, dense_output=True)
    ahead, across = (np.asarray(_times(scaled, each).sum(axis=0)).ravel() for each in (ahead, mixed))
    area = n * unit * unit
    return np.maximum(ahead - 2 * across + own, 0.0) / area, (np.abs(ahead) + own) / area


def _times(X: Any, Y: Any) -> Any:
    return X.multiply(Y) if sp.issparse(X) else X * Y


def _slopes(kernel: Kernel, X: Any, basis: Any, unit: float) -> tuple[np.ndarray, np.ndarray | None]:
    """What x_b and x are multiplied with, h and g, times the unit squared."""
    area = unit * unit
    gamma = kernel.gamma or 0.0  # of kernels that have one
    if kernel.function == "linear":
        return np.full((X.shape[0], basis.shape[0]), area), None
    if kernel.function in ("poly", "polynomial"):
        base = replace(kernel, degree=1).matrix(X, basis)
        return kernel.degree * (gamma * area) * base ** (kernel.degree - 1), None
    K = kernel.matrix(X, basis)
    if kernel.function == "sigmoid":
        return (gamma * area) * (1 - K * K), None
    if kernel.function == "rbf":
        K *= 2 * (gamma * area)
        return K, K
    here, there = row_norms(X.astype(np.float64)) / unit, row_norms(basis.astype(np.float64)) / unit
    inverse = np.divide(1.0, here, out=np.zeros_like(here), where=here > 0)[:, None]
    return inverse * np.divide(1.0, there, out=np.zeros_like(there), where=there > 0), K * inverse**2


def _one_by_one(
    kernel: Kernel,
    X: Any,
    basis: Any,
    triangle: np.ndarray,
    directions: np.ndarray,
    spread: np.ndarray,
) -> np.ndarray:
    """One input after the other, from the matrix of dk(x_b, x) / dx_j."""
    n = X.shape[0]
    totals = np.zeros(X.shape[1])
    for part in track(_parts(n), len(_parts(n)), "influence"):
        rows = X[part]
        known = None if callable(kernel.function) else _known(kernel, rows, basis)
        for j in np.flatnonzero(spread).tolist():
            if known is None:
                slope = _difference(kernel, rows, basis, j, _STEP * spread[j])
            else:
                slope = _derivative(kernel, known, _column(rows, j)[:, None], _column(basis, j))
            found = directions.T @ solve_triangular(triangle, slope.T, lower=True, check_finite=False)
            # in units of the spread, because squares of the derivatives themselves might overflow
            found *= spread[j]
            totals[j] += np.einsum("ij,ij->", found, found)
    root = np.sqrt(totals / n)
    return np.divide(root, spread, out=np.zeros_like(root), where=spread > 0)


def _column(X: Any, j: int) -> np.ndarray:
    return (X[:, [j]].toarray()[:, 0] if sp.issparse(X) else X[:, j]).astype(np.float64)


def _known(kernel: Kernel, X: Any, basis: Any) -> Any:
    """What the derivatives with respect to all inputs share."""
    return _slopes(kernel, X, basis, 1.0) if kernel.function in PRODUCTS else kernel.matrix(X, basis)


def _derivative(kernel: Kernel, known: Any, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The derivative by one input, whose values are x in the samples and b in the basis."""
    gamma = kernel.gamma or 0.0
    if kernel.function in PRODUCTS:
        pull, drag = known
        if kernel.function == "rbf":
            return pull * (b - x)
        return pull * b if drag is None else pull * b - drag * x
    if kernel.function == "laplacian":
        return -gamma * known * np.sign(x - b)
    total = x + b
    ratio = np.divide((x - b) * (x + 3 * b), total * total, out=np.zeros_like(total), where=total > 0)
    return -gamma * known * ratio


def _difference(kernel: Kernel, X: Any, basis: Any, j: int, step: float) -> np.ndarray:
    moved = (X.toarray() if sp.issparse(X) else X).astype(np.float64)
    wrap = sp.csr_array if sp.issparse(X) else np.asarray
    here = moved[:, j].copy()
    moved[:, j] = here + step
    ahead = kernel.matrix(wrap(moved), basis)
    moved[:, j] = here - step
    return (ahead - kernel.matrix(wrap(moved), basis)) / (2 * step)
