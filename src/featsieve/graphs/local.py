"""Weights that rebuild a sample from its neighbors: barycenters (LLE) and kernel ridge regression (LKR)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from featsieve.engines.arrays import namespace, take_rows, to_device_of, to_host
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.distances.direct import pair_distances, squared_distances
from featsieve.engines.progress import track
from featsieve.graphs.graph import Graph, Product
from featsieve.graphs.knn import resolve_bandwidth


def barycenter_weights(X: Any, indices: np.ndarray, reg: float = 0.0) -> np.ndarray:
    r"""Weights of sum 1 that best rebuild each sample from its neighbors.

    .. math:: \min_m |x_i - \sum_j m_j x_j|^2 + \gamma \sum_j m_j^2  \quad with \quad \sum_j m_j = 1

    Where the minimum is not unique (more neighbors than features, repeated samples), the one of least
    norm is taken.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    indices : ndarray of shape (n_samples, n_neighbors)
    reg : float
        gamma, absolute.

    Returns
    -------
    ndarray of shape (n_samples, n_neighbors)

    Notes
    -----
    With m = 1/K + N z, where the columns of N are an orthonormal basis of the vectors of sum zero, the
    constraint is gone and the least norm of m is the least norm of z. Cost O(n K^2 (d + K)).
    """
    k = indices.shape[1]
    weights = np.full(indices.shape, 1.0 / k)
    if k == 1:
        return weights
    basis = np.linalg.qr(np.hstack([np.ones((k, 1)), np.eye(k)[:, : k - 1]]))[0][:, 1:]
    for part, gram in local_grams(X, np.arange(len(indices)), indices):
        values, vectors = np.linalg.eigh(basis.T @ gram @ basis)
        values = np.maximum(values, 0) + reg
        target = -(gram.mean(axis=2) @ basis)
        # neighbors that are copies of each other differ by rounding, which must not count as a direction
        sound = values[:, 0] > 1e-8 * np.trace(gram, axis1=1, axis2=2)
        coordinates = (vectors.mT @ target[..., None]) / np.where(sound[:, None], values, 1)[..., None]
        weights[part] += sound[:, None] * ((vectors @ coordinates)[..., 0] @ basis.T)
        # squaring the gaps has cost half the digits, which these samples cannot spare
        for i in np.arange(len(indices))[part][~sound]:
            weights[i] += basis @ _least_norm(X, i, indices[i], basis, reg)
    return weights


def _least_norm(X: Any, i: int, neighbors: np.ndarray, basis: np.ndarray, reg: float) -> np.ndarray:
    """Coordinates in ``basis`` of the weights of one sample, by a singular value decomposition."""
    rows = _on_host(take_rows(X, np.concatenate([[i], neighbors])))
    rows = (rows.toarray() if sp.issparse(rows) else rows).astype(np.float64)
    gaps = rows[1:] - rows[0]
    left, values, right = np.linalg.svd(basis.T @ gaps, full_matrices=False)
    usable = values > max(gaps.shape) * np.finfo(np.float64).eps * np.linalg.norm(gaps)
    inverse = np.divide(values, values**2 + reg, out=np.zeros_like(values), where=usable)
    return -(left @ (inverse * (right @ gaps.mean(axis=0))))


def local_grams(X: Any, rows: np.ndarray, indices: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield, for blocks of ``rows``, the K x K inner products of (neighbor - sample), in float64."""
    n_samples, k = indices.shape
    xp = namespace(X)

    def dense(part: slice) -> tuple[slice, np.ndarray]:
        there = xp.astype(take_rows(X, indices[part].ravel()), xp.float64, copy=False)
        here = xp.astype(take_rows(X, rows[part]), xp.float64, copy=False)
        gaps = xp.reshape(there, (-1, k, X.shape[1])) - here[:, None, :]
        return part, to_host(gaps @ xp.permute_dims(gaps, (0, 2, 1)))

    def sparse(part: slice) -> tuple[slice, np.ndarray]:
        here, there = by_row[rows[part]], by_row[indices[part].ravel()]
        used = np.unique(np.concatenate([here.indices, there.indices]))
        there = there[:, used].toarray().astype(np.float64, copy=False)
        gaps = there.reshape(-1, k, used.size) - here[:, used].toarray()[:, None, :]
        return part, gaps @ gaps.mT

    if sp.issparse(X):
        by_row = X.tocsr()
        parts = [slice(start, min(start + 32, n_samples)) for start in range(0, n_samples, 32)]
        yield from parallel_map(sparse, parts, X, "neighborhoods")
    else:
        parts = slices(n_samples, 24 * k * X.shape[1], X, host_bytes=2**22)
        yield from parallel_map(dense, parts, X, "neighborhoods")


@dataclass(frozen=True, eq=False)
class BlockDiagonal:
    """Square blocks, each on its own set of samples.

    Attributes
    ----------
    rows : list of integer arrays
    blocks : list of square matrices
    """

    rows: list[Any]
    blocks: list[Any]

    def __matmul__(self, X: Any) -> Any:
        """Multiply each block with its rows of X."""
        xp = namespace(X)
        parts = [block @ X[rows] for rows, block in zip(self.rows, self.blocks, strict=True)]
        return xp.concat(parts)[xp.argsort(xp.concat(self.rows))]

    def astype(self, dtype: Any) -> BlockDiagonal:
        """A copy of another precision."""
        return BlockDiagonal(self.rows, [block.astype(dtype) for block in self.blocks])

    def to_device_of(self, like: Any) -> BlockDiagonal:
        """A copy that multiplies tensors like ``like``."""
        return BlockDiagonal(
            [to_device_of(r, like) for r in self.rows], [to_device_of(b, like) for b in self.blocks]
        )


def kernel_regression_residual(X: Any, graph: Graph, bandwidth: Any = "median", ridge: float = 0.1) -> Any:
    r"""The operator that takes a feature to its errors of local kernel ridge regression.

    .. math:: (R f)_i = f_i - k_i' (K_{N_i} + \lambda I)^{-1} f_{N_i}, \quad K(x, z) = exp(-|x - z|^2 / h)

    N_i is the rest of i's class for a class graph, else the neighbors of i in the graph.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph
    bandwidth : "median" or float
        h. "median": of the squared distances between the samples that the graph makes neighbors.
    ridge : float
        lambda.

    Returns
    -------
    sparse matrix or BlockDiagonal

    Notes
    -----
    For a class graph, with G = (K_class + lambda I)^{-1}, the leave-one-out error is (G f)_i / G_ii: one
    factorization for each class, O(n_c^3), instead of one for each sample.
    """
    if graph.classes is not None:
        return _class_residual(X, graph.classes, bandwidth, ridge)
    if graph.neighbors is not None:
        members, lists = [np.arange(graph.n_samples)], [graph.neighbors.indices]
        distances = graph.neighbors.distances
    else:
        if isinstance(graph.weights, Product):
            raise ValueError("graph must hold neighbor lists or a matrix of weights here: use KNNGraph().")
        members, lists = _neighbors_by_count(graph.weights)
        if not lists:
            raise ValueError("graph joins no two samples: raise n_neighbors, or give other weights.")
        pairs = [
            (np.repeat(rows, indices.shape[1]), indices.ravel())
            for rows, indices in zip(members, lists, strict=True)
        ]
        distances = np.concatenate([pair_distances(X, left, right) for left, right in pairs])
    bandwidth = resolve_bandwidth(bandwidth, distances)
    _check_bandwidth(bandwidth, distances.min())
    n = graph.n_samples
    residual = sp.eye_array(n, format="csr")
    for rows, indices in zip(members, lists, strict=True):
        beta = _regression_weights(X, rows, indices, bandwidth, ridge)
        spots = (np.repeat(rows, indices.shape[1]), indices.ravel())
        residual = residual - sp.coo_array((beta.ravel(), spots), shape=(n, n)).tocsr()
    return sp.csr_array(residual)


def _regression_weights(X: Any, rows: np.ndarray, indices: np.ndarray, h: float, ridge: float) -> np.ndarray:
    k = indices.shape[1]
    beta = np.empty(indices.shape)
    for part, gram in local_grams(X, rows, indices):
        own = np.einsum("bkk->bk", gram)  # squared distances from the sample to its neighbors
        between = np.maximum(own[:, :, None] + own[:, None, :] - 2 * gram, 0)
        system = np.exp(-between / h) + ridge * np.eye(k)
        beta[part] = np.linalg.solve(system, np.exp(-own / h)[..., None])[..., 0]
    return beta


def _neighbors_by_count(weights: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Group the samples of a graph by how many neighbors they have, themselves excluded."""
    weights = sp.csr_array(weights)
    weights = sp.csr_array(weights - sp.diags_array(weights.diagonal(), shape=weights.shape))
    weights.eliminate_zeros()
    counts = np.diff(weights.indptr)
    members = [np.flatnonzero(counts == count) for count in np.unique(counts[counts > 0])]
    lists = [
        np.stack([weights.indices[weights.indptr[i] : weights.indptr[i + 1]] for i in rows])
        for rows in members
    ]
    return members, lists


def _class_residual(X: Any, codes: np.ndarray, bandwidth: Any, ridge: float) -> BlockDiagonal:
    rows = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    gaps = [squared_distances(_on_host(take_rows(X, members))) for members in rows]
    pairs = np.concatenate([gap[~np.eye(len(gap), dtype=bool)] for gap in gaps])
    bandwidth = resolve_bandwidth(bandwidth, pairs)
    _check_bandwidth(bandwidth, pairs.min(initial=np.inf if pairs.size else 0.0))
    blocks = []
    for gap in track(gaps, len(gaps), "classes"):
        kernel = np.exp(-gap / bandwidth)
        inverse = cho_solve(cho_factor(kernel + ridge * np.eye(len(gap))), np.eye(len(gap)))
        blocks.append(inverse / np.diag(inverse)[:, None])
    return BlockDiagonal(rows, blocks)


def _on_host(rows: Any) -> Any:
    return rows if sp.issparse(rows) else to_host(rows)


def _check_bandwidth(bandwidth: float, nearest: float) -> None:
    if np.exp(-nearest / bandwidth) == 0:
        raise ValueError(
            f"bandwidth={bandwidth!r} is so small that no sample predicts another: raise it towards the "
            f"squared distance of neighbors (the least is {nearest:.3g}), or use bandwidth='median'."
        )
