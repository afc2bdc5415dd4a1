"""The two numbers that graph scores are made of: energy on the graph, and spread.

Blocks are centerd before anything is squared. A constant column is centerd to exact zeros, so that its
spread is exactly zero and :func:`ratio` can send it to the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.engines.arrays import namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.graph import Graph, Product

# Energies below this share of the spread are computed in float64.
_SMALL = 1e-3
# Below this share of the squared mean, a spread that was computed without centering has lost its digits.
_LITTLE = 1e-8


def ratio(energy: Any, spread: Any, otherwise: float) -> Any:
    """Energy / spread, and ``otherwise`` where the spread is zero. The one place that owns zero spread."""
    xp = namespace(spread)
    some = spread > 0
    return xp.where(some, energy / xp.where(some, spread, 1.0), otherwise)


def center(B: Any, weights: Any = None) -> Any:
    """Subtract from each column of the dense block B, in place, its (weighted) mean; return that mean."""
    xp = namespace(B)
    # a column that is constant wherever there is weight becomes exactly zero there
    place = 0 if weights is None else int(xp.argmax(weights))
    value = xp.asarray(B[place, :], copy=True)
    B -= value
    mean = xp.mean(B, axis=0) if weights is None else (weights @ B) / xp.sum(weights)
    B -= mean
    return value + mean


def column_sums(B: Any) -> Any:
    """Sums of the columns, in float64."""
    xp = namespace(B)
    return xp.sum(B, axis=0, dtype=xp.float64)


def column_dots(A: Any, B: Any) -> Any:
    """Inner products of the columns of two blocks, in float64."""
    if isinstance(A, np.ndarray) and A.dtype == np.float64:
        return np.einsum("ij,ij->j", A, B)
    return column_sums(A * B)


def graph_energy_and_spread(X: Any, graph: Graph) -> Any:
    r"""Energy, spread and squared mean of each feature on an affinity graph.

    .. math:: f'(D - W)f, \quad \sum_i D_{ii} (f_i - \mu)^2, \quad \mu^2 \sum_i D_{ii},
              \quad \mu = \frac{\sum_i D_{ii} f_i}{\sum_i D_{ii}}

    Returns
    -------
    array of shape (3, n_features)

    Notes
    -----
    One product W X, in column blocks: O(nnz(W) d).
    """
    if not graph.degree.any():
        raise ValueError("graph has no edges: raise n_neighbors or bandwidth, or give other weights.")
    return _in_enough_digits(
        lambda X, precision: _graph_energy_and_spread(X, graph, precision), X, graph.degree
    )


def _graph_energy_and_spread(X: Any, graph: Graph, precision: Any) -> Any:
    xp = namespace(X)
    degree = xp.astype(to_device_of(graph.degree, X), precision)
    weights = operator_like(graph.weights, X, precision)
    total = float(graph.degree.sum())

    def forms(B: Any) -> Any:
        B = xp.astype(B, xp.result_type(B, degree), copy=False)
        mean = xp.astype(center(B, degree), xp.float64)
        pull = degree[:, None] * B
        spread = column_dots(B, pull)
        pull -= weights @ B
        energy = _beyond_rounding(column_dots(B, pull), spread, xp.finfo(B.dtype).eps)
        return xp.stack([energy, spread, mean**2 * total])

    def sparse(B: Any) -> Any:
        if isinstance(graph.weights, Product):
            joined = (graph.weights.right @ B).multiply(graph.weights.left.T @ B).sum(axis=0)
        else:
            joined = B.multiply(graph.weights @ B).sum(axis=0)
        energy = graph.degree @ B.multiply(B) - np.asarray(joined).ravel()
        spread, mean = sparse_spread(B, graph.degree)
        mean_square = mean**2 * graph.degree.sum()
        energy = _beyond_rounding(energy, spread + mean_square, np.finfo(np.float64).eps)
        found = np.stack([energy, spread, mean_square])
        lost = spread < _LITTLE * mean_square  # zeros where there is hardly any weight
        if lost.any():
            found[:, lost] = forms(B[:, lost].toarray())
        return found

    energy, spread, mean_square = map_columns(
        forms,
        X,
        name="graph energy",
        temporaries=5,
        sparse=sparse,
        threads=not isinstance(graph.weights, np.ndarray),
    )
    return xp.stack([xp.where(spread > 0, energy, 0.0), spread, mean_square])


def _in_enough_digits(forms: Any, X: Any, degree: np.ndarray) -> Any:
    """What ``forms(X, precision)`` gives, energy and spread first; in float64 where float32 is too rough.

    That is where squares times these degrees would leave its range, and for features whose energy is small
    beside their spread, of which it would leave rounding alone.
    """
    xp = namespace(X)
    found = forms(X, precision := precision_for(degree, X))
    if precision == xp.float32:
        small = (found[0, :] < _SMALL * found[1, :]) & (found[1, :] > 0)
        if xp.any(small):
            found[:, small] = forms(X[:, small], xp.float64)
    return found


def _beyond_rounding(difference: Any, size: Any, eps: float) -> Any:
    """The difference of numbers of that size, 0 where it may be rounding alone."""
    return namespace(difference).where(difference > 16 * eps * size, difference, 0.0)


def residual_energy_and_spread(
    X: Any, residual: Any, weights: Any = None, *, shift_invariant: bool
) -> tuple[Any, Any]:
    r"""Energy of the residuals R f, and spread, of each feature.

    .. math:: \sum_i D_{ii} (R f)_i^2, \quad \sum_i D_{ii} (f_i - \mu)^2

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    residual : operator of shape (n_samples, n_samples)
        R.
    weights : ndarray of shape (n_samples,) or None
        D; None for ones.
    shift_invariant : bool
        Whether R takes a constant to zero, so that the feature can be centerd first.

    Returns
    -------
    tuple of two arrays of shape (n_features,)
    """
    degree = np.ones(X.shape[0]) if weights is None else weights

    def run(X: Any, precision: Any) -> Any:
        return _residual_energy_and_spread(X, residual, degree, precision, shift_invariant)

    energy, spread = _in_enough_digits(run, X, degree)
    # samples that are rebuilt exactly leave rounding errors, which must not rank features
    return namespace(X).where(energy <= 1e-20 * spread, 0.0, energy), spread


def _residual_energy_and_spread(
    X: Any, residual: Any, degree: np.ndarray, precision: Any, shift_invariant: bool
) -> Any:
    xp = namespace(X)
    diagonal = xp.astype(to_device_of(degree, X), precision)
    operator = operator_like(residual, X, precision)

    def forms(B: Any) -> Any:
        B = xp.astype(B, xp.result_type(B, diagonal), copy=False)
        if shift_invariant:
            center(B, diagonal)
        gaps = operator @ B
        if not shift_invariant:
            center(B, diagonal)
        gaps *= gaps
        gaps *= diagonal[:, None]
        energy = column_sums(gaps)
        B *= B
        B *= diagonal[:, None]
        return xp.stack([energy, column_sums(B)])

    def sparse(B: Any) -> Any:
        gaps = residual @ B.tocsr()
        gaps = gaps.multiply(gaps) if sp.issparse(gaps) else gaps * gaps
        return np.stack([degree @ gaps, sparse_spread(B, degree)[0]])

    return map_columns(forms, X, name="residuals", temporaries=4, sparse=sparse)


def precision_for(degree: np.ndarray, X: Any) -> Any:
    """The type of X; float64 where squares times these degrees would leave the range of float32."""
    some = degree[degree > 0]
    return X.dtype if some.size and some.min() > 1e-20 and some.max() < 1e20 else namespace(X).float64


def operator_like(matrix: Any, X: Any, precision: Any = None) -> Any:
    """An operator over samples ready to multiply blocks of X: on its device, in its (or that) precision."""
    if (X.dtype if precision is None else precision) == namespace(X).float32:
        matrix = matrix.astype(np.float32)
    return to_device_of(matrix, X)


def sparse_spread(B: Any, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted spread and mean of columns that are mostly zero: stored entries, then the zeros at once."""
    total = weights.sum()
    mean = (weights @ B) / total
    gaps = B.copy()
    gaps.data -= np.repeat(mean, np.diff(B.indptr))
    gaps.data **= 2
    stored = B.copy()
    stored.data[:] = 1.0
    spread = weights @ gaps + mean**2 * np.maximum(total - weights @ stored, 0)
    for j in np.flatnonzero(spread < _LITTLE * mean**2 * total):
        column = B[:, [j]].toarray()
        center(column, weights)
        spread[j] = weights @ column[:, 0] ** 2
    return np.where(np.diff(B.indptr) > 0, spread, 0.0), mean
