"""Energy on the graph and spread of each feature: the numerator and denominator of graph scores.

Columns are centered before they are squared. A constant column becomes exactly zero, so that its spread is
exactly zero and :func:`ratio` can rank it last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.engines.arrays import namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.graph import Graph, Product
from featsieve.options import check_option
from featsieve.types import Array

# Energies below this share of the spread are computed in float64, because float32 would leave only rounding.
FLOAT32_ENERGY_RTOL = 1e-3
# Degrees whose products with squares stay in the range of float32.
FLOAT32_DEGREES = (1e-20, 1e20)
# A spread below this share of the squared mean is computed again after centering.
CANCELLATION_RTOL = 1e-8
# Rounding error of an energy, in units of the machine precision times the size of its terms.
MAX_ENERGY_ROUNDING = 16
# Energies of residuals up to this share of the spread are rounding errors of exact reconstructions.
RESIDUAL_ENERGY_RTOL = 1e-20


def ratio(energy: Array, spread: Array, otherwise: float) -> Array:
    """Divide the energy by the spread; the result is ``otherwise`` where the spread is zero."""
    xp = namespace(spread)
    positive = spread > 0
    return xp.where(positive, energy / xp.where(positive, spread, 1.0), otherwise)


def ratio_or_difference(
    energy: Array, other: Array, kind: Literal["ratio", "difference"], weight: float
) -> Array:
    """Compute energy / other, infinite where ``other`` is not positive, or energy - weight * other."""
    check_option("kind", kind, ("ratio", "difference"))
    return ratio(energy, other, float("inf")) if kind == "ratio" else energy - weight * other


def center(B: Array, weights: Array = None) -> Array:
    """Center the columns of the dense block B in place by their (weighted) mean; return the mean."""
    xp = namespace(B)
    # subtract a row of positive weight first: a column that is constant up to zero weights becomes exactly 0
    row = 0 if weights is None else int(xp.argmax(weights))
    offset = xp.asarray(B[row, :], copy=True)
    B -= offset
    mean = xp.mean(B, axis=0) if weights is None else (weights @ B) / xp.sum(weights)
    B -= mean
    return offset + mean


def column_sums(B: Array) -> Array:
    """Sum each column in float64."""
    xp = namespace(B)
    return xp.sum(B, axis=0, dtype=xp.float64)


def column_dots(A: Array, B: Array) -> Array:
    """Compute the inner product of each column of A with the same column of B in float64."""
    if isinstance(A, np.ndarray) and A.dtype == np.float64:
        return np.einsum("ij,ij->j", A, B)
    return column_sums(A * B)


def sparse_spread(B: Any, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the weighted spread and mean of the columns of a sparse matrix, without making it dense."""
    total = weights.sum()
    mean = (weights @ B) / total
    squares, stored = B.copy(), B.copy()
    squares.data -= np.repeat(mean, np.diff(B.indptr))
    squares.data **= 2
    stored.data[:] = 1.0
    spread = weights @ squares + mean**2 * np.maximum(total - weights @ stored, 0)
    for j in np.flatnonzero(spread < CANCELLATION_RTOL * mean**2 * total):
        column = B[:, [j]].toarray()
        center(column, weights)
        spread[j] = weights @ column[:, 0] ** 2
    return np.where(np.diff(B.indptr) > 0, spread, 0.0), mean


def graph_energy_and_spread(X: Any, graph: Graph, *, in_float64: bool = False) -> Array:
    r"""Compute the energy, spread and squared mean of each feature on an affinity graph, as rows.

    .. math:: f'(D - W)f, \quad \sum_i D_{ii} (f_i - \mu)^2, \quad \mu^2 \sum_i D_{ii},
              \quad \mu = \frac{\sum_i D_{ii} f_i}{\sum_i D_{ii}}

    The error of an energy in float32 is small relative to the spread; with ``in_float64``, also relative to
    the energy.
    """
    if not graph.degree.any():
        raise ValueError("`graph` must have edges; got none. Raise `n_neighbors` or `bandwidth`.")

    compute = partial(_graph_energy_and_spread, graph)
    if in_float64:
        return compute(X, namespace(X).float64)
    return _with_sufficient_precision(compute, X, graph.degree)


def _graph_energy_and_spread(graph: Graph, X: Any, dtype: Any) -> Array:
    xp = namespace(X)
    degree = xp.astype(to_device_of(graph.degree, X), dtype)
    weights = operator_like(graph.weights, X, dtype)
    total = float(graph.degree.sum())

    def dense(B: Array) -> Array:
        B = xp.astype(B, xp.result_type(B, degree), copy=False)
        mean = xp.astype(center(B, degree), xp.float64)
        product = degree[:, None] * B
        spread = column_dots(B, product)
        product -= weights @ B
        energy = _zero_if_rounding(column_dots(B, product), spread, xp.finfo(B.dtype).eps)
        return xp.stack([energy, spread, mean**2 * total])

    def sparse(B: Any) -> NDArray[np.float64]:
        if isinstance(graph.weights, Product):
            within = (graph.weights.right @ B).multiply(graph.weights.left.T @ B).sum(axis=0)
        else:
            within = B.multiply(graph.weights @ B).sum(axis=0)
        energy = graph.degree @ B.multiply(B) - np.asarray(within).ravel()
        spread, mean = sparse_spread(B, graph.degree)
        mean_square = mean**2 * total
        energy = _zero_if_rounding(energy, spread + mean_square, np.finfo(np.float64).eps)
        result = np.stack([energy, spread, mean_square])
        # a column whose variation has hardly any weight needs centering
        cancelled = spread < CANCELLATION_RTOL * mean_square
        if cancelled.any():
            result[:, cancelled] = dense(B[:, cancelled].toarray())
        return result

    energy, spread, mean_square = map_columns(
        dense,
        X,
        name="graph energy",
        temporaries=5 * degree.dtype.itemsize // X.dtype.itemsize,
        sparse=sparse,
        threads=not isinstance(graph.weights, np.ndarray),
    )
    return xp.stack([xp.where(spread > 0, energy, 0.0), spread, mean_square])


def residual_energy_and_spread(
    X: Any, residual: Any, weights: NDArray[np.float64] | None = None, *, shift_invariant: bool
) -> tuple[Array, Array]:
    r"""Compute the energy of the residuals R f, and the spread, of each feature.

    .. math:: \sum_i D_{ii} (R f)_i^2, \quad \sum_i D_{ii} (f_i - \mu)^2

    D is diagonal, by default of ones. ``shift_invariant`` means that R maps constants to zero, so that
    features can be centered first.
    """
    degree = np.ones(X.shape[0]) if weights is None else weights

    compute = partial(_residual_energy_and_spread, residual, degree, shift_invariant)
    energy, spread = _with_sufficient_precision(compute, X, degree)
    return namespace(X).where(energy <= RESIDUAL_ENERGY_RTOL * spread, 0.0, energy), spread


def _residual_energy_and_spread(
    residual: Any, degree: NDArray[np.float64], shift_invariant: bool, X: Any, dtype: Any
) -> Array:
    xp = namespace(X)
    diagonal = xp.astype(to_device_of(degree, X), dtype)
    operator = operator_like(residual, X, dtype)

    def dense(B: Array) -> Array:
        B = xp.astype(B, xp.result_type(B, diagonal), copy=False)
        if shift_invariant:
            center(B, diagonal)
        squares = operator @ B
        if not shift_invariant:
            center(B, diagonal)
        squares *= squares
        squares *= diagonal[:, None]
        energy = column_sums(squares)
        B *= B
        B *= diagonal[:, None]
        return xp.stack([energy, column_sums(B)])

    def sparse(B: Any) -> NDArray[np.float64]:
        residuals = residual @ B.tocsr()
        squares = residuals.multiply(residuals) if sp.issparse(residuals) else residuals * residuals
        return np.stack([degree @ squares, sparse_spread(B, degree)[0]])

    return map_columns(dense, X, name="residuals", temporaries=4, sparse=sparse)


def _with_sufficient_precision(
    compute: Callable[[Any, Any], Array], X: Any, degree: NDArray[np.float64]
) -> Array:
    """Call ``compute(X, dtype)``, whose first rows are energy and spread; again in float64 if necessary.

    float64 is necessary if float32 cannot represent the degrees, and for features of float32 whose energy is
    small relative to their spread.
    """
    xp = namespace(X)
    dtype = precision_for(degree, X)
    result = compute(X, dtype)
    if dtype == xp.float32:
        imprecise = (result[0, :] < FLOAT32_ENERGY_RTOL * result[1, :]) & (result[1, :] > 0)
        if xp.any(imprecise):
            result[:, imprecise] = compute(X[:, imprecise], xp.float64)
    return result


def _zero_if_rounding(difference: Array, size: Array, eps: float) -> Array:
    """Replace differences between numbers of this size by 0 where they may be rounding errors."""
    return namespace(difference).where(difference > MAX_ENERGY_ROUNDING * eps * size, difference, 0.0)


def precision_for(degree: NDArray[np.float64], X: Any) -> Any:
    """Return the data type of X, or float64 if float32 cannot represent squares times these degrees."""
    positive = degree[degree > 0]
    smallest, largest = FLOAT32_DEGREES
    if positive.size and positive.min() > smallest and positive.max() < largest:
        return X.dtype
    return namespace(X).float64


def operator_like(matrix: Any, X: Any, dtype: Any = None) -> Any:
    """Convert an operator over samples to the device of X and to its data type, or to ``dtype``."""
    if (X.dtype if dtype is None else dtype) == namespace(X).float32:
        matrix = matrix.astype(np.float32)
    return to_device_of(matrix, X)
