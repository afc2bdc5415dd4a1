"""Fitted bases whose vectors are computed from samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from featsieve.engines.blocks import slices
from featsieve.kernel_space.cholesky import Factor
from featsieve.kernel_space.kernels import Kernel, kernel_rows
from featsieve.kernel_space.samples import output_dtype


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
