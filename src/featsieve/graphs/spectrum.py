"""Connected parts of graphs, and leading eigenvectors of operators over samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from featsieve.graphs.graph import Graph

# Eigenvalues nearer than this, relative to the largest, count as equal.
EIGENVALUE_RTOL = 1e-9
# Share of both ends' degrees up to which a weight joins nothing.
_FAINT = 1e-12
# Up to so many samples a factor of a sparse graph's matrix is affordable, even if it has no zeros.
_FACTOR_SAMPLES = 4000

Operator = Callable[[np.ndarray], np.ndarray]


def connected_components(graph: Graph) -> tuple[np.ndarray, int]:
    """For each sample, the number of the connected part that it is in; and how many parts there are."""
    if graph.classes is not None:
        return graph.classes, int(graph.classes.max()) + 1
    # a weight that is nothing to both its ends would join what no solver could tell from separate parts
    least = _FAINT * graph.degree
    weights = graph.weights
    if sp.issparse(weights):
        weights = sp.coo_array(weights)
        strong = weights.data > np.minimum(least[weights.row], least[weights.col])
        ends = (weights.row[strong], weights.col[strong])
        edges: Any = sp.csr_array((np.ones(ends[0].size), ends), shape=weights.shape)
    else:
        weights = weights if isinstance(weights, np.ndarray) else -graph.laplacian
        edges = (weights > least) | (weights > least[:, None])
    count, codes = csgraph.connected_components(edges, directed=False)
    return codes, count


def shift_invert(matrix: sp.csr_array, known: sp.csr_array) -> Operator | None:
    """An operator whose large eigenvalues lie farther apart than those of the matrix, in the same order.

    That is the inverse of 1.001 I - S without the known eigenvectors; None where S is too large to factor.

    Parameters
    ----------
    matrix : sparse array of shape (n_samples, n_samples)
        S, symmetric, with eigenvalues of at most 1.
    known : sparse array of shape (n_samples, n_known)
        Eigenvectors of S, orthonormal.
    """
    n = matrix.shape[0]
    if not 1000 < n <= _FACTOR_SAMPLES:  # below it, dense solvers are as fast
        return None
    shifted = sp.csc_matrix(1.001 * sp.eye_array(n) - matrix)
    factor = splu(shifted, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    across = sp.csr_array(known.T)

    def solve(v: np.ndarray) -> np.ndarray:
        found = factor.solve(v - known @ (across @ v))
        return found - known @ (across @ found)

    return solve


def leading_eigenpairs(
    multiply: Operator, n: int, count: int, sharp: Operator | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` largest eigenpairs of a symmetric operator, largest first.

    More than ``count``, if some equal the last one: a choice among equals would depend on the solver.

    Parameters
    ----------
    multiply : callable
        Multiplies a vector, or several as columns.
    n, count : int
    sharp : callable or None
        As :func:`shift_invert`.
    """
    asked = count
    probe = np.random.default_rng(0).standard_normal(n)
    norm = np.linalg.norm(multiply(probe)) / np.linalg.norm(probe)  # the largest ones may all be zero
    while True:
        asked = min(asked + 1, n)
        values, vectors = (
            _largest(multiply, n, asked) if sharp is None else _sharply(multiply, sharp, n, asked)
        )
        grain = EIGENVALUE_RTOL * max(norm, np.abs(values).max())
        gaps = np.flatnonzero(values[count - 1 : -1] - values[count:] > grain)
        if gaps.size or asked == n:
            keep = count + gaps[0] if gaps.size else n
            return values[:keep], vectors[:, :keep]
        asked *= 2


def _sharply(multiply: Operator, sharp: Operator, n: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    start = np.random.default_rng(0).standard_normal(n)
    found = np.empty((n, 0))

    def rest(v: np.ndarray) -> np.ndarray:
        v = sharp(v - found @ (found.T @ v))
        return v - found @ (found.T @ v)

    operator = LinearOperator((n, n), matvec=lambda v: rest(v.ravel()), dtype=np.float64)
    values, found = eigsh(operator, k=count, which="LA", v0=start)
    while found.shape[1] < n - 1:  # of equal eigenvalues, iterations may find one: look again without it
        more, vector = eigsh(operator, k=1, which="LA", v0=start)
        if more[0] <= values.min() * (1 - EIGENVALUE_RTOL):
            break
        values, found = np.append(values, more), np.linalg.qr(np.hstack([found, vector]))[0]
    values = (found * multiply(found)).sum(axis=0)
    order = np.argsort(-values)[:count]
    return values[order], found[:, order]


def _largest(multiply: Operator, n: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    if n > 1000 and count <= n // 4:
        operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)
        try:
            values, vectors = eigsh(operator, k=count, which="LA", v0=start, ncv=3 * count + 20, maxiter=500)
        except ArpackNoConvergence:  # eigenvalues crowd at 1 where the graph is a long chain
            pass
        else:
            order = np.argsort(-values)
            return values[order], vectors[:, order]
    if n > 10_000:
        raise ValueError(
            "the eigenvectors of the graph cannot be found by iteration: connect it better with a larger "
            "n_neighbors, or ask for fewer."
        )
    dense = multiply(np.eye(n))
    values, vectors = eigh((dense + dense.T) / 2, subset_by_index=(n - count, n - 1))
    return values[::-1], vectors[:, ::-1]
