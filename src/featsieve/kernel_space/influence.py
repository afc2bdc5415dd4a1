"""Influence of the input features on functions of a kernel-space basis: derivatives at the samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.sparsefuncs import mean_variance_axis

from featsieve.engines.progress import track
from featsieve.kernel_space.kernels import INNER_PRODUCT_KERNELS, Kernel
from featsieve.selectors import constant_features

# Rows per block: a constant, so that the result does not depend on the working memory.
BLOCK_ROWS = 1024
# Coefficients of bases with a larger ratio of residuals are too large to be squared.
MAX_RESIDUAL_RATIO = 1e3
# Sums of squares below this fraction of their terms are dominated by rounding.
CANCELLATION_RTOL = 1e-8
# Step of central differences, in standard deviations.
DIFFERENCE_STEP = 1e-4


def feature_influence(
    kernel: Kernel, X: Any, basis: Any, triangle: np.ndarray, outputs: np.ndarray
) -> np.ndarray:
    r"""Compute the root mean square derivative with respect to each input, times its standard deviation.

    .. math:: s_j \sqrt{\frac{1}{n} \sum_i \sum_q
              \left( \frac{\partial u_q(x_i)}{\partial x_{ij}} \right)^2}, \quad
              u_q(x) = \sum_m D_{mq} \phi_m(x), \quad \phi_m(x) = \sum_b (L^{-1})_{mb} k(x_b, x)

    s_j is the standard deviation of input j over the samples X, so that units have no effect. ``basis``
    contains the samples x_b from which the base vectors are computed, ``triangle`` is the Cholesky factor L
    of their kernel matrix, and ``outputs`` contains the coefficients D. Constant inputs have no influence.

    Notes
    -----
    Derivatives are exact (wherever the laplacian kernel has one) except for callable kernels, for which they
    are central differences. Kernels of inner products take O(n b (b + d)) time for b base vectors. Other
    kernels, bases whose last residual is less than a thousandth of the first, and samples with extreme
    outliers take O(n b^2 d).
    """
    scales = _standard_deviations(X)
    if not scales.any():
        return scales
    is_steep = triangle[0, 0] > MAX_RESIDUAL_RATIO * np.diag(triangle).min()
    if kernel.function in INNER_PRODUCT_KERNELS and not is_steep:
        squares, magnitudes = _mean_squares(kernel, X, basis, triangle, outputs)
        if np.all((squares >= CANCELLATION_RTOL * magnitudes)[scales > 0]):
            return scales * np.sqrt(squares)
    return scales * _root_mean_squares_by_input(kernel, X, basis, triangle, outputs, scales)


def _standard_deviations(X: Any) -> np.ndarray:
    if sp.issparse(X):
        scales = np.sqrt(mean_variance_axis(X.astype(np.float64), axis=0)[1])
    else:
        scales = X.std(axis=0, dtype=np.float64)
    scales[constant_features(X)] = 0.0
    return scales


def _blocks(n: int) -> list[slice]:
    return [slice(start, min(start + BLOCK_ROWS, n)) for start in range(0, n, BLOCK_ROWS)]


def _mean_squares(
    kernel: Kernel, X: Any, basis: Any, triangle: np.ndarray, outputs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the mean squared derivatives for all inputs at once, and the magnitudes of their terms.

    For kernels with dk(x_b, x) / dx_j = h_b(x) x_bj - g_b(x) x_j.
    """
    n = X.shape[0]
    # translate and scale the samples to magnitudes of about 1, against under- and overflow
    center = np.asarray(basis.mean(axis=0)) if kernel.function == "rbf" and not sp.issparse(X) else 0.0
    unit = float(abs(_translate(X, center)).max()) or 1.0
    scaled_basis = _translate(basis, center) / unit
    coefficients = solve_triangular(triangle.T, outputs, lower=False)
    form = coefficients @ coefficients.T
    basis_form = np.zeros_like(form)
    mixed = np.zeros((len(triangle), X.shape[1]))
    sample_terms = np.zeros(X.shape[1])
    for block in track(_blocks(n), len(_blocks(n)), "influence"):
        rows = _translate(X[block], center) / unit
        h, g = _slopes(kernel, X[block], basis, unit)
        basis_form += h.T @ h
        if g is not None:
            weighted = g @ form
            mixed += safe_sparse_dot((weighted * h).T, rows, dense_output=True)
            sample_terms += np.einsum("ij,ij->i", weighted, g) @ _multiply(rows, rows)
    projected = safe_sparse_dot(form * basis_form, scaled_basis, dense_output=True)
    basis_terms, mixed_terms = (
        np.asarray(_multiply(scaled_basis, factor).sum(axis=0)).ravel() for factor in (projected, mixed)
    )
    area = n * unit * unit
    squares = np.maximum(basis_terms - 2 * mixed_terms + sample_terms, 0.0)
    return squares / area, (np.abs(basis_terms) + sample_terms) / area


def _translate(X: Any, center: Any) -> Any:
    return X.astype(np.float64) if sp.issparse(X) else X - center


def _multiply(X: Any, Y: Any) -> Any:
    return X.multiply(Y) if sp.issparse(X) else X * Y


def _slopes(kernel: Kernel, X: Any, basis: Any, unit: float) -> tuple[np.ndarray, np.ndarray | None]:
    """Compute the factors h of x_b and g of x in the derivatives, times the squared unit."""
    area = unit * unit
    gamma = kernel.gamma or 0.0  # None for kernels without this coefficient
    if kernel.function == "linear":
        return np.full((X.shape[0], basis.shape[0]), area), None
    if kernel.function in ("poly", "polynomial"):
        affine = replace(kernel, degree=1).matrix(X, basis)
        return kernel.degree * (gamma * area) * affine ** (kernel.degree - 1), None
    K = kernel.matrix(X, basis)
    if kernel.function == "sigmoid":
        return (gamma * area) * (1 - K * K), None
    if kernel.function == "rbf":
        K *= 2 * (gamma * area)
        return K, K
    # cosine
    inverse, basis_inverse = (
        np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        for norms in (row_norms(A.astype(np.float64)) / unit for A in (X, basis))
    )
    return inverse[:, None] * basis_inverse, K * inverse[:, None] ** 2


def _root_mean_squares_by_input(
    kernel: Kernel,
    X: Any,
    basis: Any,
    triangle: np.ndarray,
    outputs: np.ndarray,
    scales: np.ndarray,
) -> np.ndarray:
    """Compute the root mean square derivatives one input at a time, from the matrix dk(x_b, x) / dx_j."""
    n = X.shape[0]
    totals = np.zeros(X.shape[1])
    for block in track(_blocks(n), len(_blocks(n)), "influence"):
        rows = X[block]
        terms = None if callable(kernel.function) else _common_terms(kernel, rows, basis)
        for j in np.flatnonzero(scales).tolist():
            if terms is None:
                slopes = _central_difference(kernel, rows, basis, j, DIFFERENCE_STEP * scales[j])
            else:
                slopes = _derivative(kernel, terms, _column(rows, j)[:, None], _column(basis, j))
            derivatives = outputs.T @ solve_triangular(triangle, slopes.T, lower=True, check_finite=False)
            # in standard deviations, because the squares of the derivatives could overflow
            derivatives *= scales[j]
            totals[j] += np.einsum("ij,ij->", derivatives, derivatives)
    root = np.sqrt(totals / n)
    return np.divide(root, scales, out=np.zeros_like(root), where=scales > 0)


def _column(X: Any, j: int) -> np.ndarray:
    return (X[:, [j]].toarray()[:, 0] if sp.issparse(X) else X[:, j]).astype(np.float64)


def _common_terms(kernel: Kernel, X: Any, basis: Any) -> Any:
    """Compute the terms that the derivatives with respect to all inputs share."""
    if kernel.function in INNER_PRODUCT_KERNELS:
        return _slopes(kernel, X, basis, 1.0)
    return kernel.matrix(X, basis)


def _derivative(kernel: Kernel, terms: Any, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the derivative with respect to one input, which is x in the samples and b in the basis."""
    gamma = kernel.gamma or 0.0
    if kernel.function in INNER_PRODUCT_KERNELS:
        h, g = terms
        if kernel.function == "rbf":
            return h * (b - x)
        return h * b if g is None else h * b - g * x
    if kernel.function == "laplacian":
        return -gamma * terms * np.sign(x - b)
    total = x + b
    ratio = np.divide((x - b) * (x + 3 * b), total * total, out=np.zeros_like(total), where=total > 0)
    return -gamma * terms * ratio


def _central_difference(kernel: Kernel, X: Any, basis: Any, j: int, step: float) -> np.ndarray:
    shifted = (X.toarray() if sp.issparse(X) else X).astype(np.float64)
    as_samples = sp.csr_array if sp.issparse(X) else np.asarray
    original = shifted[:, j].copy()
    shifted[:, j] = original + step
    forward = kernel.matrix(as_samples(shifted), basis)
    shifted[:, j] = original - step
    return (forward - kernel.matrix(as_samples(shifted), basis)) / (2 * step)
