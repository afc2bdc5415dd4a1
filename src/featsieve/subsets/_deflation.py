"""Columns without their projections onto chosen columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.arrays import to_device_of, to_host
from featsieve.scores.energy import column_dots
from featsieve.subsets._columns import UnitColumns
from featsieve.types import Array, Mask

# A column depends on the chosen ones if its squared residual is below this share of its squared length.
DEPENDENCE_RTOL = 1e-12


class Deflation:
    """Residuals of unit columns after projection onto chosen columns.

    The residuals are not stored: their squared lengths are updated by the overlaps with an orthonormal basis
    of the chosen columns.

    Attributes
    ----------
    squares : ndarray of shape (n_features,)
        Squared lengths of the residuals.
    """

    def __init__(self, columns: UnitColumns) -> None:
        self.columns = columns
        self.reset()

    def reset(self) -> None:
        """Start again with no column chosen."""
        self.basis = np.empty((self.columns.n_samples, 0))
        self.squares = (self.columns.norms > 0).astype(np.float64)

    @property
    def independent(self) -> Mask:
        """Which columns are not in the span of the chosen ones."""
        return self.squares > DEPENDENCE_RTOL

    def project(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """Remove the projection onto the chosen columns; twice, because once leaves rounding errors."""
        for _ in range(2):
            V = V - self.basis @ (self.basis.T @ V)
        return V

    def add(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Choose column j; return correlations with it, overlaps with its residual, and that residual.

        The residual has unit length. It and the overlaps are zero if column j depends on the chosen columns.
        """
        column = self.columns.column(j)
        direction = np.zeros_like(column)
        if self.independent[j]:
            direction = self.project(column)
            direction /= np.linalg.norm(direction)
            self.basis = np.column_stack([self.basis, direction])
        correlations, overlaps = self.columns.products(np.column_stack([column, direction]))
        self.squares = np.maximum(self.squares - overlaps**2, 0.0)
        return np.minimum(np.abs(correlations), 1.0), overlaps, direction

    def recompute(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""Compute ``squares`` again; return the energies :math:`\sum_i w_i (z_i' f_j)^2` of residuals f."""
        columns = self.columns

        def residuals(B: Array) -> Array:
            Q = to_device_of(self.basis, B)
            for _ in range(2):
                B = B - Q @ (Q.T @ B)
            return B

        for block, B in columns.blocks():
            F = residuals(B)
            self.squares[block] = to_host(column_dots(F, F))
        return columns.weighted_energies(weights, residuals)
