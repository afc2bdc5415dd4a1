"""Centered columns of unit length and their products, for the greedy methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.engines.arrays import namespace, to_device_of, to_host
from featsieve.engines.blocks import slices
from featsieve.scores.energy import center, column_dots, sparse_spread
from featsieve.types import Array, MatrixLike

# Columns are copies if their absolute correlation is at least 1 - COPY_TOL.
COPY_TOL = 1e-10
# Correlations below this are 0 up to rounding.
ZERO_TOL = 1e-12


class UnitColumns:
    """Columns of X in float64, centered and scaled to unit length; constant columns are zero.

    Sparse columns stay sparse unless at least half of their entries are stored. Memory: n_samples times the
    number of dense columns.

    Parameters
    ----------
    X : {ndarray, sparse matrix, tensor} of shape (n_samples, n_features)
        Data.

    Attributes
    ----------
    norms : ndarray of shape (n_features,)
        Lengths of the centered columns.
    """

    def __init__(self, X: MatrixLike) -> None:
        matrix: Any = X
        self.n_samples, self.n_features = matrix.shape
        self.norms = np.zeros(self.n_features)
        self._dense_indices = np.arange(self.n_features)
        self._sparse_indices = self._dense_indices[:0]
        if sp.issparse(matrix):
            matrix = sp.csc_array(matrix, dtype=np.float64)
            is_sparse = 2 * np.diff(matrix.indptr) < self.n_samples
            self._sparse_indices, self._dense_indices = np.flatnonzero(is_sparse), np.flatnonzero(~is_sparse)
            self._scale_sparse(matrix[:, self._sparse_indices])
            matrix = matrix[:, self._dense_indices].toarray()
        self._scale_dense(matrix)

    def _scale_dense(self, matrix: Any) -> None:
        self.xp = xp = namespace(matrix)
        F = xp.astype(matrix, xp.float64, copy=True)
        center(F)
        largest = xp.max(xp.abs(F), axis=0) if F.shape[1] else F[0, :]
        largest = xp.where(largest > 0, largest, 1.0)
        F /= largest
        norms = xp.sqrt(column_dots(F, F))
        F /= xp.where(norms > 0, norms, 1.0)
        self.norms[self._dense_indices] = to_host(norms * largest)
        self._dense = F

    def _scale_sparse(self, matrix: Any) -> None:
        largest = abs(matrix).max(axis=0).toarray().ravel() if matrix.nnz else np.zeros(matrix.shape[1])
        largest[largest == 0] = 1.0
        matrix = sp.csc_array(matrix / largest)
        spread, mean = sparse_spread(matrix, np.ones(self.n_samples))
        norms = np.sqrt(spread)
        scale = np.where(norms > 0, norms, 1.0)
        self._sparse, self._means = sp.csc_array(matrix / scale), mean / scale
        self._sparse.data[np.repeat(norms == 0, np.diff(self._sparse.indptr))] = 0
        self._means[norms == 0] = 0
        self.norms[self._sparse_indices] = norms * largest

    def column(self, j: int) -> NDArray[np.float64]:
        """Return column j as a dense vector on the host."""
        return to_host(self.columns(np.array([j]))[:, 0])

    def columns(self, indices: NDArray[np.intp]) -> Array:
        """Return the columns with these indices as a dense matrix, on the device of X."""
        if not self._sparse_indices.size:
            return self.xp.take(self._dense, to_device_of(indices, self._dense), axis=1)
        F = np.empty((self.n_samples, indices.size))
        is_sparse = np.isin(indices, self._sparse_indices)
        positions = np.searchsorted(self._sparse_indices, indices[is_sparse])
        F[:, ~is_sparse] = self._dense[:, np.searchsorted(self._dense_indices, indices[~is_sparse])]
        F[:, is_sparse] = self._sparse[:, positions].toarray() - self._means[positions]
        return F

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of consecutive columns and their positions."""
        for block in slices(self.n_features, 32 * self.n_samples, self._dense):
            yield block, self.columns(np.arange(block.start, block.stop))

    def products(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the inner products of the columns of V, which have mean 0, with all columns."""
        if not self._sparse_indices.size:
            return to_host(to_device_of(np.ascontiguousarray(V.T), self._dense) @ self._dense)
        result = np.empty((V.shape[1], self.n_features))
        result[:, self._dense_indices] = V.T @ self._dense
        result[:, self._sparse_indices] = (self._sparse.T @ V).T
        return result

    def correlations(self, j: int) -> NDArray[np.float64]:
        """Compute the absolute correlations of column j with all columns."""
        return np.minimum(np.abs(self.products(self.column(j)[:, None])[0]), 1.0)

    def combination(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the sum of all columns times weights."""
        result = to_host(self._dense @ to_device_of(weights[self._dense_indices], self._dense))
        if self._sparse_indices.size:
            result = (
                result
                + self._sparse @ weights[self._sparse_indices]
                - self._means @ weights[self._sparse_indices]
            )
        return result

    def gram(self) -> NDArray[np.float64]:
        """Compute Z'Z or ZZ', whichever is smaller; their nonzero eigenvalues are equal."""
        if self.n_features <= self.n_samples:
            Z = self.columns(np.arange(self.n_features))
            return to_host(Z.T @ Z)
        return to_host(self._weighted_gram(np.ones(self.n_features), lambda B: B))

    def _weighted_gram(self, weights: NDArray[np.float64], transform: Callable[[Array], Array]) -> Array:
        r"""Compute :math:`\sum_i w_i f_i f_i'` for the transformed columns f_i."""
        gram: Any = 0.0
        for block, B in self.blocks():
            F = transform(B)
            gram = gram + (F * to_device_of(weights[block], F)) @ F.T
        return gram

    def weighted_energies(
        self, weights: NDArray[np.float64], transform: Callable[[Array], Array] = lambda B: B
    ) -> NDArray[np.float64]:
        r"""Compute :math:`\sum_i w_i (z_i' f_j)^2` over all columns z_i, for f_j the transformed column j.

        ``transform`` is an orthogonal projection, so that :math:`z_i' f_j = f_i' f_j`.
        """
        is_wide = self.n_samples <= self.n_features
        energies = np.empty(self.n_features)
        # of the projections, because the rounding error of a long column may exceed the rest
        gram = self._weighted_gram(weights, transform) if is_wide else None
        for block, B in self.blocks():
            F = transform(B)
            if is_wide:
                energies[block] = to_host(column_dots(F, gram @ F))
            else:
                energies[block] = (self.products(to_host(F)) ** 2) @ weights
        return energies
