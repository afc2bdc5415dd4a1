"""Bases computed from samples: pivoted Cholesky factorization of a kernel matrix, one column at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dgemv

from featsieve.engines.blocks import single_threaded_blas, slices
from featsieve.engines.progress import track
from featsieve.kernel_space.kernels import Kernel, KernelColumns, kernel_rows
from featsieve.kernel_space.samples import output_dtype

# Number of columns of the factor that are allocated together.
BLOCK_WIDTH = 64


class Factor:
    r"""Orthonormal base vectors computed from samples, and the coordinates of all samples.

    .. math:: K \approx R R^\top, \quad r_{ij} = w_j^\top \phi(x_i)

    Attributes
    ----------
    pivots : list of int
        Index of the sample from which each base vector is computed.
    residuals : list of float
        r_kk, the distance of this sample from the span of the base vectors before it.
    squared_distances : ndarray of shape (n_samples,)
        Squared distance of each sample from the span.
    norms : ndarray of shape (n_samples,)
        Norm of each sample in kernel space.
    """

    def __init__(self, columns: KernelColumns) -> None:
        self.columns = columns
        self.squared_distances = columns.diagonal()
        self.largest = float(self.squared_distances.max())
        self.pivots: list[int] = []
        self.residuals: list[float] = []
        # row-major blocks of R': a column of R is contiguous, and growing copies nothing
        self._blocks: list[np.ndarray] = []
        self._clip_rounding()
        self.norms = np.sqrt(self.squared_distances)

    @property
    def rounding(self) -> float:
        """Largest squared distance that rounding can cause."""
        return self.columns.n_samples * self.columns.eps * self.largest

    def farthest(self) -> int:
        """Return the sample farthest from the span; among those equal up to rounding, the first."""
        largest = self.squared_distances.max()
        tolerance = min(1e-12 * self.largest, 1e-6 * largest)
        return int(np.argmax(self.squared_distances >= largest - tolerance))

    def __len__(self) -> int:
        return len(self.pivots)

    def add(self, pivot: int) -> None:
        """Add the normalized residual of a sample as the next base vector."""
        k = len(self)
        column = self.columns[pivot]
        for start, block in zip(range(0, k, BLOCK_WIDTH), self._blocks, strict=False):
            filled = block[: k - start]
            column = dgemv(-1.0, filled.T, filled[:, pivot].copy(), beta=1.0, y=column, overwrite_y=True)
        residual = float(np.sqrt(self.squared_distances[pivot]))
        column /= residual
        column[self.pivots] = 0.0
        column[pivot] = residual
        if k % BLOCK_WIDTH == 0:
            self._blocks.append(np.empty((min(BLOCK_WIDTH, column.size - k), column.size)))
        self._blocks[-1][k % BLOCK_WIDTH] = column
        self.pivots.append(pivot)
        self.residuals.append(residual)
        np.square(column, out=column)
        self.squared_distances -= column
        self.squared_distances[self.pivots] = 0.0
        self._clip_rounding()

    def _clip_rounding(self) -> None:
        """Set squared distances below 0 to 0; ValueError if rounding cannot explain them."""
        sample = int(self.squared_distances.argmin())
        smallest = self.squared_distances[sample]
        if smallest >= 0:
            return
        if smallest < -64 * np.sqrt(self.columns.eps) * max(self.largest, 0.0):
            raise ValueError(
                f"`kernel` must be positive semi-definite; sample {sample} has squared norm {smallest:.3g}. "
                "Use a positive semi-definite kernel (rbf, linear, poly with coef0 >= 0), or add a constant "
                "to the diagonal of a precomputed one."
            )
        np.maximum(self.squared_distances, 0.0, out=self.squared_distances)

    def rows(self, samples: list[int]) -> np.ndarray:
        """Return the rows of R that belong to some samples."""
        if not self._blocks:
            return np.empty((len(samples), 0))
        return np.concatenate([block[:, samples] for block in self._blocks])[: len(self)].T

    def matrix(self, dtype: type = np.float64) -> np.ndarray:
        """Return R, of shape (n_samples, n_components), and free the memory of the factor."""
        R = np.empty((self.columns.n_samples, len(self)), dtype=dtype)
        for start in range(0, len(self), BLOCK_WIDTH):
            block = self._blocks.pop(0)[: len(self) - start]
            R[:, start : start + len(block)] = block.T
        return R


def factorize(
    columns: KernelColumns,
    choose_pivot: Callable[[Factor], int | None],
    max_components: int | None,
    name: str | None,
) -> Factor:
    """Add base vectors until ``choose_pivot`` returns None or there are ``max_components``."""
    factor = Factor(columns)
    if factor.largest <= 0:
        raise ValueError(
            "`kernel` must be positive for some sample; got norm 0 in kernel space for all. "
            "Choose another kernel, or check X."
        )
    n = columns.n_samples
    limit = n if max_components is None else min(max_components, n)

    def steps() -> Iterator[None]:
        while len(factor) < limit:
            pivot = choose_pivot(factor)
            if pivot is None:
                return
            factor.add(pivot)
            yield

    with single_threaded_blas():
        for _ in track(steps(), limit, name):
            pass
    return factor


def set_basis_attributes(model: Any, X: Any, kernel: Kernel, factor: Factor) -> None:
    """Set the attributes of an estimator whose base vectors are computed from samples."""
    model.pivots_ = np.array(factor.pivots, dtype=np.intp)
    model.residuals_ = np.array(factor.residuals)
    model.n_components_ = len(factor)
    model.reconstruction_cost_ = float(np.sqrt(factor.squared_distances).mean())
    model.basis_ = X[model.pivots_]
    model.gamma_ = kernel.gamma
    model._kernel = kernel
    model._triangle = factor.rows(factor.pivots)


def basis_coordinates(model: Any, X: Any) -> np.ndarray:
    """Compute the coordinates of checked samples on a fitted basis, by blocks of rows."""
    coordinates = np.empty((X.shape[0], model.n_components_), dtype=output_dtype(X))
    for block in slices(X.shape[0], 16 * (model.n_components_ + 1), X):
        rows = X[block][:, model.pivots_] if model._kernel.function == "precomputed" else X[block]
        K = kernel_rows(model._kernel, rows, model.basis_)
        coordinates[block] = solve_triangular(model._triangle, K.T, lower=True, check_finite=False).T
    return coordinates
