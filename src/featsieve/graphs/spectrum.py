"""Connected components of graphs and leading eigenvectors of operators over samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from featsieve.graphs.graph import Graph

# Eigenvalues count as equal up to this difference, relative to the largest.
EIGENVALUE_RTOL = 1e-9
# A weight does not connect its ends up to this share of both their degrees.
WEIGHT_RTOL = 1e-12
# Dense solvers are at least as fast up to this number of samples.
MAX_DENSE_SAMPLES = 1000
# A sparse factorization is affordable up to this number of samples, even if its factors are dense.
MAX_FACTORIZED_SAMPLES = 4000
# A dense matrix of all pairs of samples is affordable up to this number of samples.
MAX_FALLBACK_SAMPLES = 10_000

Operator: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def connected_components(graph: Graph) -> tuple[NDArray[np.intp], int]:
    """Find the connected components; return the component index of each sample and their number."""
    if graph.classes is not None:
        return graph.classes, int(graph.classes.max()) + 1
    # a weight that is negligible at both ends connects components that no solver can distinguish
    threshold = WEIGHT_RTOL * graph.degree
    weights = graph.weights
    if sp.issparse(weights):
        weights = sp.coo_array(weights)
        strong = weights.data > np.minimum(threshold[weights.row], threshold[weights.col])
        ends = (weights.row[strong], weights.col[strong])
        edges: Any = sp.csr_array((np.ones(ends[0].size), ends), shape=weights.shape)
    else:
        weights = weights if isinstance(weights, np.ndarray) else -graph.laplacian
        edges = (weights > threshold) | (weights > threshold[:, None])
    n_components, labels = csgraph.connected_components(edges, directed=False)
    return labels, n_components


def shift_invert(matrix: sp.csr_array, known: sp.csr_array) -> Operator | None:
    """Create an operator with the eigenvectors of a matrix and better separated leading eigenvalues.

    The operator is the inverse of 1.001 I - S, restricted to the complement of the known orthonormal
    eigenvectors. S is symmetric with eigenvalues of at most 1, whose order the operator preserves. It is None
    if S is so small that dense solvers are as fast, or too large for a factorization.
    """
    n = matrix.shape[0]
    if not MAX_DENSE_SAMPLES < n <= MAX_FACTORIZED_SAMPLES:
        return None
    shifted = sp.csc_matrix(1.001 * sp.eye_array(n) - matrix)
    factor = splu(shifted, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    known_rows = sp.csr_array(known.T)

    def solve(v: NDArray[np.float64]) -> NDArray[np.float64]:
        solution = factor.solve(v - known @ (known_rows @ v))
        return solution - known @ (known_rows @ solution)

    return solve


def leading_eigenpairs(
    multiply: Operator, n: int, count: int, inverse: Operator | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the largest eigenvalues of a symmetric operator and their eigenvectors, largest first.

    All eigenvalues equal to the last one are included, because a choice among them would depend on the
    solver. The result may therefore have more than ``count`` pairs. ``inverse`` is from :func:`shift_invert`.
    """
    n_computed = count
    probe = _start_vector(n)
    norm = np.linalg.norm(multiply(probe)) / np.linalg.norm(probe)  # the largest eigenvalues may all be zero
    while True:
        n_computed = min(n_computed + 1, n)
        if inverse is None:
            values, vectors = _largest_eigenpairs(multiply, n, n_computed)
        else:
            values, vectors = _shift_invert_eigenpairs(multiply, inverse, n, n_computed)
        tolerance = EIGENVALUE_RTOL * max(norm, np.abs(values).max())
        gaps = np.flatnonzero(values[count - 1 : -1] - values[count:] > tolerance)
        if gaps.size or n_computed == n:
            n_pairs = count + gaps[0] if gaps.size else n
            return values[:n_pairs], vectors[:, :n_pairs]
        n_computed *= 2


def _start_vector(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal(n)


def _shift_invert_eigenpairs(
    multiply: Operator, inverse: Operator, n: int, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    start = _start_vector(n)
    vectors = np.empty((n, 0))

    def deflated(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = v.ravel()
        v = inverse(v - vectors @ (vectors.T @ v))
        return v - vectors @ (vectors.T @ v)

    operator = LinearOperator((n, n), matvec=deflated, dtype=np.float64)
    values, vectors = eigsh(operator, k=count, which="LA", v0=start)
    # the iteration may find only one of several equal eigenvalues: search the complement for the others
    while vectors.shape[1] < n - 1:
        value, vector = eigsh(operator, k=1, which="LA", v0=start)
        if value[0] <= values.min() * (1 - EIGENVALUE_RTOL):
            break
        values, vectors = np.append(values, value), np.linalg.qr(np.hstack([vectors, vector]))[0]
    values = (vectors * multiply(vectors)).sum(axis=0)
    order = np.argsort(-values)[:count]
    return values[order], vectors[:, order]


def _largest_eigenpairs(
    multiply: Operator, n: int, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if n > MAX_DENSE_SAMPLES and count <= n // 4:
        operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=np.float64)
        start, n_lanczos = _start_vector(n), 3 * count + 20
        try:
            values, vectors = eigsh(operator, k=count, which="LA", v0=start, ncv=n_lanczos, maxiter=500)
        except ArpackNoConvergence:  # many eigenvalues are close to 1 if the graph is a long chain
            pass
        else:
            order = np.argsort(-values)
            return values[order], vectors[:, order]
    if n > MAX_FALLBACK_SAMPLES:
        raise ValueError(
            "The eigenvectors of the graph did not converge. Raise `n_neighbors` to connect it better, or "
            "use fewer eigenvectors."
        )
    dense = multiply(np.eye(n))
    values, vectors = eigh((dense + dense.T) / 2, subset_by_index=(n - count, n - 1))
    return values[::-1], vectors[:, ::-1]
