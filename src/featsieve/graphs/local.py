"""Local reconstruction of samples from their neighbors: barycenters (LLE), kernel ridge regression (LKR)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from featsieve.engines.arrays import namespace, take_rows, to_device_of, to_host
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.distances.direct import pair_distances, squared_distances
from featsieve.engines.progress import track
from featsieve.engines.tasks import sum_blocks
from featsieve.graphs.graph import Graph, Product
from featsieve.graphs.knn import Bandwidth, resolve_bandwidth
from featsieve.types import Array, MatrixLike

# Smallest eigenvalue, relative to the trace, of a local Gram matrix that is accurate enough to be inverted.
GRAM_EIGENVALUE_RTOL = 1e-8


def barycenter_weights(X: MatrixLike, indices: Array, reg: float = 0.0, relative_reg: float = 0.0) -> Array:
    r"""Compute the barycenter weights that reconstruct each sample from its neighbors.

    .. math:: \min_m |x_i - \sum_j m_j x_j|^2 + \gamma \sum_j m_j^2
              \quad \text{subject to} \quad \sum_j m_j = 1

    If the minimum is not unique (more neighbors than features, repeated samples), the weights are the
    minimum of least norm.

    Parameters
    ----------
    X : {ndarray, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    indices : array of shape (n_samples, n_neighbors)
        Neighbors of each sample.
    reg : float, default=0.0
        Regularization gamma. It is not relative to the scale of X.
    relative_reg : float, default=0.0
        Regularization as a share of the sum of squared distances to the neighbors, which is added to gamma.

    Returns
    -------
    array of shape (n_samples, n_neighbors)
        Weight of each neighbor, on the device of X.

    Notes
    -----
    With m = 1/K + N z, where the columns of N are an orthonormal basis of the vectors of sum zero, the
    problem has no constraint, and m has the least norm if and only if z has. The cost is O(n K^2 (d + K)).
    """
    n_samples, k = indices.shape
    indices = to_device_of(indices, X)
    weights = to_device_of(np.full((n_samples, k), 1.0 / k), X)
    if k == 1:
        return weights
    basis = np.linalg.qr(np.hstack([np.ones((k, 1)), np.eye(k)[:, : k - 1]]))[0][:, 1:]
    local_basis = to_device_of(basis, X)
    for block, gram in local_grams(X, np.arange(n_samples), indices):
        xp = namespace(gram)
        eigenvalues, vectors = xp.linalg.eigh(local_basis.T @ gram @ local_basis)
        traces = xp.linalg.trace(gram)
        penalty = reg + relative_reg * traces
        eigenvalues = xp.clip(eigenvalues, 0.0, None) + penalty[:, None]
        target = -(xp.mean(gram, axis=2) @ local_basis)
        # copies among the neighbors differ by rounding, which must not count as a direction
        accurate = eigenvalues[:, 0] > GRAM_EIGENVALUE_RTOL * traces
        divisors = xp.where(accurate[:, None], eigenvalues, 1.0)[..., None]
        coordinates = (vectors.mT @ target[..., None]) / divisors
        weights[block] += accurate[:, None] * ((vectors @ coordinates)[..., 0] @ local_basis.T)
        # the Gram matrix has half the digits of the differences, too few for these samples
        inaccurate, shifts = to_host(~accurate), to_host(penalty)
        for i, shift in zip(np.arange(n_samples)[block][inaccurate], shifts[inaccurate], strict=True):
            coordinates = _least_norm_coordinates(X, i, to_host(indices[i]), basis, shift)
            weights[i] += to_device_of(basis @ coordinates, X)
    return weights


def _least_norm_coordinates(
    X: Any, i: int, neighbors: NDArray[np.intp], basis: NDArray[np.float64], reg: float
) -> NDArray[np.float64]:
    """Compute the coordinates in ``basis`` of the weights of one sample, by singular value decomposition."""
    rows = _to_host(take_rows(X, np.concatenate([[i], neighbors])))
    rows = (rows.toarray() if sp.issparse(rows) else rows).astype(np.float64)
    differences = rows[1:] - rows[0]
    left, values, right = np.linalg.svd(basis.T @ differences, full_matrices=False)
    rounding = max(differences.shape) * np.finfo(np.float64).eps * np.linalg.norm(differences)
    inverse = np.divide(values, values**2 + reg, out=np.zeros_like(values), where=values > rounding)
    return -(left @ (inverse * (right @ differences.mean(axis=0))))


def local_grams(X: Any, rows: NDArray[np.intp], indices: Array) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of ``rows`` and the K x K inner products of the differences (neighbor - sample).

    The products are in float64, on the device of X.
    """
    n_samples, k = indices.shape
    xp = namespace(X)

    def dense(block: slice) -> tuple[slice, Array]:
        neighbors = xp.astype(take_rows(X, indices[block].reshape(-1)), xp.float64, copy=False)
        samples = xp.astype(take_rows(X, rows[block]), xp.float64, copy=False)
        differences = xp.reshape(neighbors, (-1, k, X.shape[1])) - samples[:, None, :]
        return block, differences @ xp.permute_dims(differences, (0, 2, 1))

    def sparse(block: slice) -> tuple[slice, NDArray[np.float64]]:
        samples, neighbors = csr[rows[block]], csr[indices[block].reshape(-1)]
        columns = np.unique(np.concatenate([samples.indices, neighbors.indices]))
        neighbors = neighbors[:, columns].toarray().astype(np.float64, copy=False)
        differences = (
            neighbors.reshape(samples.shape[0], k, columns.size) - samples[:, columns].toarray()[:, None, :]
        )
        return block, differences @ differences.mT

    if isinstance(X, Chunked):
        for block in slices(n_samples, 40 * k * k, X):
            yield block, _chunked_grams(X, rows[block], indices[block])
    elif sp.issparse(X):
        csr = X.tocsr()
        blocks = [slice(start, min(start + 32, n_samples)) for start in range(0, n_samples, 32)]
        yield from parallel_map(sparse, blocks, X, "neighborhoods")
    else:
        blocks = slices(n_samples, 24 * k * X.shape[1], X, host_bytes=2**22)
        yield from parallel_map(dense, blocks, X, "neighborhoods")


def _chunked_grams(X: Chunked, rows: NDArray[np.intp], indices: NDArray[np.intp]) -> Array:
    """Add up the inner products within blocks of the columns."""

    def grams(block: Any, columns: slice) -> Array:
        total = np.empty((*indices.shape, indices.shape[1]))
        for part, gram in local_grams(block, rows, indices):
            total[part] = gram
        return total

    return sum_blocks(grams, X, "neighborhoods")


@dataclass(frozen=True, eq=False)
class BlockDiagonal:
    """Matrix of square blocks, each for the samples in ``rows``."""

    rows: list[Any]
    blocks: list[Any]

    def __matmul__(self, X: Any) -> Any:
        """Multiply the rows of X by the blocks."""
        xp = namespace(X)
        products = [block @ X[rows] for rows, block in zip(self.rows, self.blocks, strict=True)]
        return xp.concat(products)[xp.argsort(xp.concat(self.rows))]

    def astype(self, dtype: DTypeLike) -> BlockDiagonal:
        """Convert the blocks to a data type."""
        return BlockDiagonal(self.rows, [block.astype(dtype) for block in self.blocks])

    def to_device_of(self, like: Any) -> BlockDiagonal:
        """Copy the blocks to the device of ``like``."""
        return BlockDiagonal(
            [to_device_of(rows, like) for rows in self.rows],
            [to_device_of(block, like) for block in self.blocks],
        )


def kernel_regression_residual(
    X: MatrixLike, graph: Graph, bandwidth: Bandwidth = "median", ridge: float = 0.1
) -> sp.csr_array | BlockDiagonal:
    r"""Compute the operator from a feature to its errors of local kernel ridge regression.

    .. math:: (R f)_i = f_i - k_i' (K_{N_i} + \lambda I)^{-1} f_{N_i}, \quad K(x, z) = exp(-|x - z|^2 / h)

    N_i are the other samples of the class of i if the graph has classes, else the neighbors of i.

    Parameters
    ----------
    X : {ndarray, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    graph : Graph
        Graph that defines the neighbors: by its classes, its neighbor lists, or the non-zero entries of its
        weights.
    bandwidth : float or "median", default="median"
        Bandwidth h. "median" is the median squared distance between neighbors.
    ridge : float, default=0.1
        Ridge penalty lambda.

    Returns
    -------
    csr_array or BlockDiagonal
        The operator R; block diagonal for a class graph.

    Notes
    -----
    For a class graph, with G = (K_class + lambda I)^{-1}, the leave-one-out error is (G f)_i / G_ii. This
    takes one factorization per class, O(n_c^3), instead of one per sample.
    """
    if graph.classes is not None:
        return _class_residual(X, graph.classes, bandwidth, ridge)
    if graph.neighbors is not None:
        samples, lists = [np.arange(graph.n_samples)], [graph.neighbors.indices]
        distances = graph.neighbors.distances
    elif isinstance(graph.weights, Product):
        raise ValueError(
            "`graph` must have classes, neighbor lists or a matrix of weights; got pairs. Use KNNGraph()."
        )
    else:
        samples, lists = _neighbors_by_count(graph.weights)
        if not lists:
            raise ValueError("`graph` must have edges between samples; got none. Raise `n_neighbors`.")
        edges = [(np.repeat(i, j.shape[1]), j.ravel()) for i, j in zip(samples, lists, strict=True)]
        distances = np.concatenate([pair_distances(X, i, j) for i, j in edges])
    h = resolve_bandwidth(bandwidth, distances)
    _check_bandwidth(h, distances.min())
    n = graph.n_samples
    residual = sp.eye_array(n, format="csr")
    for rows, indices in zip(samples, lists, strict=True):
        weights = _regression_weights(X, rows, indices, h, ridge)
        entries = (np.repeat(rows, indices.shape[1]), indices.ravel())
        residual = residual - sp.coo_array((weights.ravel(), entries), shape=(n, n)).tocsr()
    return sp.csr_array(residual)


def _regression_weights(
    X: Any, rows: NDArray[np.intp], indices: NDArray[np.intp], h: float, ridge: float
) -> NDArray[np.float64]:
    weights = np.empty(indices.shape)
    for block, gram in local_grams(X, rows, indices):
        xp = namespace(gram)
        to_sample = xp.linalg.diagonal(gram)  # squared distances from the sample to its neighbors
        between = xp.clip(to_sample[:, :, None] + to_sample[:, None, :] - 2 * gram, 0.0, None)
        system = xp.exp(-between / h) + ridge * to_device_of(np.eye(indices.shape[1]), X)
        weights[block] = to_host(xp.linalg.solve(system, xp.exp(-to_sample / h)[..., None])[..., 0])
    return weights


def _neighbors_by_count(weights: Any) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]]:
    """Group the samples by their number of neighbors; return the samples and neighbor lists of each group."""
    weights = sp.csr_array(weights)
    weights = sp.csr_array(weights - sp.diags_array(weights.diagonal(), shape=weights.shape))
    weights.eliminate_zeros()
    counts = np.diff(weights.indptr)
    samples = [np.flatnonzero(counts == count) for count in np.unique(counts[counts > 0])]
    lists = [
        np.stack([weights.indices[weights.indptr[i] : weights.indptr[i + 1]] for i in rows])
        for rows in samples
    ]
    return samples, lists


def _class_residual(X: Any, codes: NDArray[np.intp], bandwidth: Bandwidth, ridge: float) -> BlockDiagonal:
    rows = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    distances = [squared_distances(_to_host(take_rows(X, members))) for members in rows]
    pairs = np.concatenate([block[~np.eye(len(block), dtype=bool)] for block in distances])
    h = resolve_bandwidth(bandwidth, pairs)
    _check_bandwidth(h, pairs.min(initial=np.inf if pairs.size else 0.0))
    blocks = []
    for block in track(distances, len(distances), "classes"):
        identity = np.eye(len(block))
        inverse = cho_solve(cho_factor(np.exp(-block / h) + ridge * identity), identity)
        blocks.append(inverse / np.diag(inverse)[:, None])
    return BlockDiagonal(rows, blocks)


def _to_host(rows: Any) -> Any:
    return rows if sp.issparse(rows) else to_host(rows)


def _check_bandwidth(bandwidth: float, smallest_distance: float) -> None:
    if np.exp(-smallest_distance / bandwidth) == 0:
        raise ValueError(
            "`bandwidth` must be large enough for positive kernel values between neighbors; got "
            f"{bandwidth!r}. Raise it towards the squared distance between neighbors (the smallest is "
            f"{smallest_distance:.3g}), or use bandwidth='median'."
        )
