"""Kernels evaluated by block or by column, so that no method needs the full kernel matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.metrics.pairwise import additive_chi2_kernel, manhattan_distances
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from featsieve.engines.arrays import namespace
from featsieve.engines.blocks import slices

KernelFunction: TypeAlias = str | Callable[[Any, Any], float]

# Functions of the inner product and the norms of two samples.
INNER_PRODUCT_KERNELS = frozenset({"linear", "poly", "polynomial", "rbf", "sigmoid", "cosine"})
# exp(-gamma * distance).
EXPONENTIAL_KERNELS = frozenset({"rbf", "laplacian", "chi2"})
# scikit-learn computes these for dense samples without negative values only.
NONNEGATIVE_KERNELS = frozenset({"chi2", "additive_chi2"})
KERNEL_NAMES = INNER_PRODUCT_KERNELS | EXPONENTIAL_KERNELS | NONNEGATIVE_KERNELS

# Squared distances below this fraction of the squared norms are recomputed from differences.
CANCELLATION_RTOL = 1e-6


@dataclass(frozen=True)
class Kernel:
    """A kernel of :data:`KERNEL_NAMES`, "precomputed" or a callable, whose parameters are numbers.

    ``minus_one`` selects k - 1 for :data:`EXPONENTIAL_KERNELS`. Centering removes the constant, and small
    distances keep their digits: 1 - 1e-12 has four significant digits, -1e-12 has all.
    """

    function: KernelFunction
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1
    minus_one: bool = False

    def matrix(self, X: Any, Y: Any) -> np.ndarray:
        """Compute the kernel between all samples of X and all samples of Y, in float64."""
        if callable(self.function):
            return np.stack([self.evaluate(X, sample) for sample in iterate_samples(Y)], axis=1)
        if self.function in EXPONENTIAL_KERNELS:
            exponents = self.exponent(X, Y)[0]
            exp = np.expm1 if self.minus_one else np.exp
            return exp(np.negative(exponents, out=exponents), out=exponents)
        if self.function == "additive_chi2":
            return _additive_chi2(X, Y)
        X, Y = _prepare_samples(self.function, X), _prepare_samples(self.function, Y)
        return self.apply(_inner_products(X, Y))

    def exponent(self, X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute -log k for :data:`EXPONENTIAL_KERNELS`, and the magnitudes its rounding is relative to."""
        assert self.gamma is not None
        if self.function == "rbf":
            origin = None if sp.issparse(X) else _grid_center(Y)
            left, right = _prepare_samples("rbf", X, origin), _prepare_samples("rbf", Y, origin)
            magnitudes = row_norms(left, squared=True)[:, None] + row_norms(right, squared=True)
            distances = _squared_distances(_inner_products(left, right), magnitudes, X, Y)
            np.multiply(magnitudes, self.gamma, out=magnitudes)
            return np.multiply(distances, self.gamma, out=distances), magnitudes
        if self.function == "laplacian":
            with config_context(assume_finite=True):
                distances = manhattan_distances(X.astype(np.float64), Y.astype(np.float64))
        else:
            distances = -_additive_chi2(X, Y)
        distances = check_finite(np.multiply(distances, self.gamma, out=distances))
        return distances, distances

    def diagonal(self, X: Any) -> np.ndarray:
        """Compute k(x, x) for each sample of X."""
        if callable(self.function):
            diagonal = [_as_float(self.function(x, x)) for x in iterate_samples(X)]
            return check_finite(np.array(diagonal, dtype=np.float64))
        if self.function in EXPONENTIAL_KERNELS:
            return np.full(X.shape[0], 0.0 if self.minus_one else 1.0)
        if self.function == "additive_chi2":
            return np.zeros(X.shape[0])
        return self.apply(row_norms(_prepare_samples(self.function, X), squared=True))

    def evaluate(self, X: Any, sample: Any) -> np.ndarray:
        """Call a callable kernel for each sample of X and one other sample."""
        assert callable(self.function)
        column = [_as_float(self.function(x, sample)) for x in iterate_samples(X)]
        return check_finite(np.array(column, dtype=np.float64))

    def apply(self, products: np.ndarray) -> np.ndarray:
        """Compute a kernel that depends on inner products only. The products are overwritten."""
        if self.function in ("poly", "polynomial", "sigmoid"):
            products *= self.gamma
            products += self.coef0
            if self.function == "sigmoid":
                np.tanh(products, out=products)
            else:
                with np.errstate(invalid="ignore", over="ignore"):
                    np.power(products, self.degree, out=products)
        return check_finite(products)


class KernelColumns:
    """The kernel matrix of X, computed one column at a time; X is that matrix if it is "precomputed"."""

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        self.n_samples = X.shape[0]
        self._X = self._original_X = X
        if kernel.function == "precomputed":
            self._X = X.tocsc() if sp.issparse(X) else X
        elif kernel.function in INNER_PRODUCT_KERNELS:
            self._X = _prepare_samples(
                kernel.function, X, _grid_center(X) if kernel.function == "rbf" else None
            )
            self._squared_norms = row_norms(self._X, squared=True)
        elif not callable(kernel.function):
            self._X = X.astype(np.float64)

    @property
    def eps(self) -> float:
        """Relative rounding error of an entry."""
        single = self.kernel.function == "precomputed" and self._X.dtype == np.float32
        return float(np.finfo(np.float32 if single else np.float64).eps)

    def diagonal(self) -> np.ndarray:
        """Compute the diagonal as a new array."""
        if self.kernel.function == "precomputed":
            return check_finite(np.array(self._X.diagonal(), dtype=np.float64))
        return self.kernel.diagonal(self._original_X)

    def __getitem__(self, i: int) -> np.ndarray:
        """Compute column i as a new array."""
        X, function = self._X, self.kernel.function
        if function == "precomputed":
            return check_finite(_symmetric_column(X, i))
        if callable(function):
            return self.kernel.evaluate(X, next(iterate_samples(X[i : i + 1])))
        if function not in INNER_PRODUCT_KERNELS:
            return self.kernel.matrix(X, X[i : i + 1])[:, 0]
        products = _inner_products(X, X[[i]])
        if function != "rbf":
            return self.kernel.apply(products)[:, 0]
        magnitudes = self._squared_norms[:, None] + self._squared_norms[i]
        column = _squared_distances(products, magnitudes, self._original_X, self._original_X[[i]])[:, 0]
        column *= -(self.kernel.gamma or 0.0)
        return np.exp(column, out=column)


def kernel_rows(kernel: Kernel, X: Any, Y: Any) -> np.ndarray:
    """Compute the kernel between X and Y, or convert the rows X of a precomputed kernel matrix."""
    if kernel.function != "precomputed":
        return kernel.matrix(X, Y)
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


def iterate_samples(X: Any) -> Iterator[Any]:
    """Yield the samples one by one, as ``pairwise_kernels`` passes them to a callable."""
    return (X[[i]] for i in range(X.shape[0])) if sp.issparse(X) else iter(X)


def _prepare_samples(name: Any, X: Any, origin: Any = None) -> Any:
    """Convert X to float64 and normalize or translate it for the inner products of a kernel."""
    X = X.astype(np.float64, copy=False)
    if name == "cosine":
        norms = row_norms(X)
        inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        return sp.csr_array(sp.diags_array(inverse) @ X) if sp.issparse(X) else X * inverse[:, None]
    return X if origin is None else X - origin


def _grid_center(X: Any) -> np.ndarray | None:
    """Round the mean to a coarse grid, so that differences of integers stay exact; None for sparse X."""
    if sp.issparse(X):
        return None
    mean = X.mean(axis=0, dtype=np.float64)
    spread = np.maximum(X.max(axis=0) - mean, mean - X.min(axis=0))
    grid = np.exp2(np.maximum(np.frexp(spread)[1] - 2.0, -1000.0))
    return np.where(spread > 0, np.rint(mean / grid) * grid, mean)


def _inner_products(X: Any, Y: Any) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        return safe_sparse_dot(X, Y.T, dense_output=True)


def _squared_distances(products: np.ndarray, magnitudes: np.ndarray, X: Any, Y: Any) -> np.ndarray:
    """Compute squared distances from inner products and sums of squared norms about any one origin.

    Both arrays are overwritten: the products with the distances, the sums with the magnitudes that the
    rounding errors of the distances are relative to.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        products *= -2.0
        products += magnitudes
        # small differences of large numbers have lost their digits
        rows, columns = np.nonzero(products < CANCELLATION_RTOL * magnitudes)
        for block in slices(rows.size, 24 * X.shape[1], X):
            difference = X[rows[block]].astype(np.float64) - Y[columns[block]]
            products[rows[block], columns[block]] = row_norms(difference, squared=True)
        magnitudes[rows, columns] = products[rows, columns]
    return check_finite(products)


def _additive_chi2(X: Any, Y: Any) -> np.ndarray:
    with config_context(assume_finite=True):
        return check_finite(additive_chi2_kernel(X.astype(np.float64), Y.astype(np.float64)))


def _as_float(value: Any) -> float:
    value = value.toarray() if sp.issparse(value) else np.asarray(value)
    if value.size != 1 or value.dtype.kind not in "biuf":
        raise ValueError(
            "`kernel` must return one number for each pair of samples; got "
            f"{value!r:.60} of shape {value.shape}. It is called as kernel(x, y)."
        )
    return float(value.reshape(()))


def check_finite(K: Any) -> Any:
    """Return the kernel values; ValueError unless all are finite."""
    xp = namespace(K)
    if not xp.all(xp.isfinite(K)):
        raise ValueError(
            "`kernel` must be finite for all pairs of samples; got NaN or infinity. Scale X, or change "
            "`gamma`, `degree` or `coef0`."
        )
    return K


def _symmetric_column(K: Any, i: int) -> np.ndarray:
    if sp.issparse(K):
        column, row = K[:, [i]].toarray()[:, 0], K[[i]].toarray()[0]
    else:
        column, row = K[:, i], K[i]
    scale = max(np.abs(column).max(), np.abs(row).max())
    if np.abs(column - row).max() > 1e-6 * scale:
        raise ValueError(
            f"X must be symmetric for kernel='precomputed'; row {i} and column {i} differ. "
            "Pass (K + K.T) / 2."
        )
    return column.astype(np.float64)
