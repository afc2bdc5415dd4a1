"""Connected parts of graphs, and leading eigenvectors of operators over samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from featsieve.graphs.graph import Graph

# Eigenvalues nearer than this, relative to the largest, count as equal.
EQUAL = 1e-9


def connected_parts(graph: Graph) -> tuple[np.ndarray, int]:
    """For each sample, the number of the connected part that it is in; and how many parts there are."""
    if graph.classes is not None:
        return graph.classes, int(graph.classes.max()) + 1
    if sp.issparse(graph.weights) or isinstance(graph.weights, np.ndarray):
        count, codes = connected_components(graph.weights, directed=False)
        return codes, count
    count, codes = connected_components(np.abs(graph.laplacian) > 0, directed=False)
    return codes, count


def leading_eigenpairs(
    multiply: Callable[[np.ndarray], np.ndarray], n: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` largest eigenpairs of a symmetric operator, largest first.

    More than ``count``, if some equal the last one: a choice among equals would depend on the solver.
    """
    asked = count
    while True:
        asked = min(asked + 1, n)
        values, vectors = _largest(multiply, n, asked)
        gaps = np.flatnonzero(values[count - 1 : -1] - values[count:] > EQUAL * np.abs(values).max())
        if gaps.size or asked == n:
            keep = count + gaps[0] if gaps.size else n
            return values[:keep], vectors[:, :keep]
        asked *= 2


def _largest(
    multiply: Callable[[np.ndarray], np.ndarray], n: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    if n > 1000 and count <= n // 4:
        operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)
        try:
            values, vectors = eigsh(operator, k=count, which="LA", v0=start, ncv=3 * count + 20, maxiter=500)
        except ArpackNoConvergence:  # eigenvalues crowd at 1 where the graph is a long chain
            if n > 10_000:
                raise ValueError(
                    "the eigenvectors of the graph cannot be found by iteration: connect it better with a "
                    "larger n_neighbors."
                ) from None
        else:
            order = np.argsort(-values)
            return values[order], vectors[:, order]
    dense = multiply(np.eye(n))
    values, vectors = eigh((dense + dense.T) / 2, subset_by_index=(n - count, n - 1))
    return values[::-1], vectors[:, ::-1]
