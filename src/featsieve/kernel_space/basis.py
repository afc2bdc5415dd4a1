"""Bases computed from samples: pivoted Cholesky factorization of a kernel matrix, one column at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dgemv

from featsieve.engines.arrays import is_tensor, namespace, take_rows, to_device_of, to_host
from featsieve.engines.blocks import single_threaded_blas, slices
from featsieve.engines.progress import track
from featsieve.kernel_space.device import DeviceKernelColumns
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
    squared_distances : array of shape (n_samples,)
        Squared distance of each sample from the span.
    norms : array of shape (n_samples,)
        Norm of each sample in kernel space.
    """

    def __init__(self, columns: KernelColumns | DeviceKernelColumns) -> None:
        self.columns = columns
        self.squared_distances: Any = columns.diagonal()
        self.xp = namespace(self.squared_distances)
        self.largest = float(self.squared_distances.max())
        self.pivots: list[int] = []
        self.residuals: list[float] = []
        # row-major blocks of R': a column of R is contiguous, and growing copies nothing
        self._blocks: list[Any] = []
        self._clip_rounding()
        self.norms = self.xp.sqrt(self.squared_distances)

    @property
    def rounding(self) -> float:
        """Largest squared distance that rounding can cause."""
        return self.columns.n_samples * self.columns.eps * self.largest

    def farthest(self) -> int:
        """Return the sample farthest from the span; among those equal up to rounding, the first."""
        largest = float(self.squared_distances.max())
        tolerance = min(1e-12 * self.largest, 1e-6 * largest)
        is_farthest = self.squared_distances >= largest - tolerance
        return int(self.xp.argmax(self.xp.astype(is_farthest, self.xp.int8)))

    def __len__(self) -> int:
        return len(self.pivots)

    def add(self, pivot: int) -> None:
        """Add the normalized residual of a sample as the next base vector."""
        k = len(self)
        column = self.columns[pivot]
        for start, block in zip(range(0, k, BLOCK_WIDTH), self._blocks, strict=False):
            column = _subtract_projection(column, block[: k - start], pivot)
        residual = float(self.squared_distances[pivot]) ** 0.5
        column /= residual
        column[self._index(self.pivots)] = 0.0
        column[pivot] = residual
        if k % BLOCK_WIDTH == 0:
            shape = (min(BLOCK_WIDTH, column.shape[0] - k), column.shape[0])
            self._blocks.append(self.xp.empty(shape, dtype=column.dtype, device=column.device))
        self._blocks[-1][k % BLOCK_WIDTH, :] = column
        self.pivots.append(pivot)
        self.residuals.append(residual)
        column *= column
        self.squared_distances -= column
        self.squared_distances[self._index(self.pivots)] = 0.0
        self._clip_rounding()

    def _index(self, samples: list[int]) -> Any:
        return to_device_of(np.array(samples, dtype=np.intp), self.squared_distances)

    def _clip_rounding(self) -> None:
        """Set squared distances below 0 to 0; ValueError if rounding cannot explain them."""
        sample = int(self.squared_distances.argmin())
        smallest = float(self.squared_distances[sample])
        if smallest >= 0:
            return
        if smallest < -64 * np.sqrt(self.columns.eps) * max(self.largest, 0.0):
            raise ValueError(
                f"`kernel` must be positive semi-definite; sample {sample} has squared norm {smallest:.3g}. "
                "Use a positive semi-definite kernel (rbf, linear, poly with coef0 >= 0), or add a constant "
                "to the diagonal of a precomputed one."
            )
        self.squared_distances = self.xp.clip(self.squared_distances, 0.0, None)

    def rows(self, samples: list[int]) -> np.ndarray:
        """Return the rows of R that belong to some samples."""
        if not self._blocks:
            return np.empty((len(samples), 0))
        index = self._index(samples)
        return np.concatenate([to_host(block[:, index]) for block in self._blocks])[: len(self)].T

    def matrix(self, dtype: Any = np.float64) -> Any:
        """Return R, of shape (n_samples, n_components), and free the memory of the factor."""
        if is_tensor(self.squared_distances):
            blocks, self._blocks = self._blocks, []
            return self.xp.astype(self.xp.concat(blocks)[: len(self), :].T, dtype)
        R = np.empty((self.columns.n_samples, len(self)), dtype=dtype)
        for start in range(0, len(self), BLOCK_WIDTH):
            block = self._blocks.pop(0)[: len(self) - start]
            R[:, start : start + len(block)] = block.T
        return R


def _subtract_projection(column: Any, base: Any, pivot: int) -> Any:
    """Subtract the rows of ``base`` times their values at the pivot from the column."""
    if is_tensor(column):
        return column - base[:, pivot] @ base
    return dgemv(-1.0, base.T, base[:, pivot].copy(), beta=1.0, y=column, overwrite_y=True)


def factorize(
    columns: KernelColumns | DeviceKernelColumns,
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
    model.reconstruction_cost_ = float((factor.squared_distances**0.5).mean())
    model.basis_ = to_host(take_rows(X, model.pivots_)) if is_tensor(X) else X[model.pivots_]
    model.gamma_ = kernel.gamma
    model._kernel = kernel
    model._triangle = factor.rows(factor.pivots)


def kernel_columns(kernel: Kernel, X: Any) -> KernelColumns | DeviceKernelColumns:
    """Return the columns of the kernel matrix of X, which are computed where X is."""
    return DeviceKernelColumns(kernel, X) if is_tensor(X) else KernelColumns(kernel, X)


def basis_coordinates(model: Any, X: Any) -> Any:
    """Compute the coordinates of checked samples on a fitted basis, by blocks of rows."""
    if is_tensor(X):
        xp, triangle = namespace(X), to_device_of(model._triangle, X)
        blocks = slices(X.shape[0], 16 * (model.n_components_ + X.shape[1]), X)
        rows = [DeviceKernelColumns(model._kernel, X[block, :]).matrix(model.basis_) for block in blocks]
        return xp.concat([xp.astype(xp.linalg.solve(triangle, K.T).T, X.dtype) for K in rows])
    coordinates = np.empty((X.shape[0], model.n_components_), dtype=output_dtype(X))
    for block in slices(X.shape[0], 16 * (model.n_components_ + 1), X):
        rows = X[block][:, model.pivots_] if model._kernel.function == "precomputed" else X[block]
        K = kernel_rows(model._kernel, rows, model.basis_)
        coordinates[block] = solve_triangular(model._triangle, K.T, lower=True, check_finite=False).T
    return coordinates
