"""Squared distances in float64, mostly by direct differences: slow, and free of cancellation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import euclidean_distances
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from featsieve.engines.arrays import is_tensor, namespace, take_rows, to_host
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.content import content_keys
from featsieve.engines.progress import track
from featsieve.engines.tasks import sum_blocks
from featsieve.types import Indices

# A product loses too many digits of a distance below this share of the squared norms.
_CANCELLATION_RTOL = 1e-8
# Rows of a block of distances between all samples.
_BLOCK_ROWS = 4096
# Number of elements in the temporary arrays of pairs of columns, or of one point, which fit the cache.
_BLOCK_NUMBERS = 2**18


def candidate_distances(X: Any, rows: Any, candidates: Any, scale: Any = None) -> Any:
    """Compute the distances from each given row of X to its candidates, in float64 on the device of X.

    X is dense, sparse, chunked, or a tensor. Distances are sums of squared differences or, with the weights
    ``scale`` of the features, weighted sums of absolute differences.
    """
    if isinstance(X, Chunked):
        return _chunked_distances(X, rows, candidates, scale)
    width = candidates.shape[1]
    xp = namespace(X)
    out = xp.empty(candidates.shape, dtype=xp.float64, device=X.device if is_tensor(X) else None)

    def compute(block: slice) -> None:
        if sp.issparse(X):
            gaps = X[np.repeat(rows[block], width)].astype(np.float64) - X[candidates[block].ravel()]
            out[block] = np.asarray(gaps.multiply(gaps).sum(axis=1)).reshape(-1, width)
            return
        samples = xp.astype(take_rows(X, rows[block]), xp.float64, copy=False)
        others = take_rows(X, candidates[block].reshape(-1))
        gaps = xp.reshape(xp.astype(others, xp.float64, copy=False), (-1, width, X.shape[1]))
        gaps -= samples[:, None, :]
        if scale is None:
            gaps *= gaps
        else:
            gaps = xp.abs(gaps) * scale
        out[block] = xp.sum(gaps, axis=2)

    if sp.issparse(X):
        X = X.tocsr()
        bytes_each = 32 * width * max(1, int(X.nnz / X.shape[0]))
    else:
        bytes_each = (16 if scale is None else 24) * width * X.shape[1]
    for _ in parallel_map(compute, slices(rows.shape[0], bytes_each, X, host_bytes=2**22), X):
        pass
    return out


def _chunked_distances(X: Chunked, rows: Indices, candidates: Indices, scale: Any) -> np.ndarray:
    """Add up the distances within blocks of the columns, of the rows that are needed."""
    used, positions = np.unique(np.concatenate([rows, candidates.ravel()]), return_inverse=True)
    if used.size < X.shape[0]:
        X, rows = X[used], positions[: rows.size]
        candidates = positions[rows.size :].reshape(candidates.shape)

    def distances(block: Any, columns: slice) -> np.ndarray:
        return candidate_distances(block, rows, candidates, None if scale is None else scale[columns])

    return sum_blocks(distances, X, "distances")


def pair_distances(X: Any, left: Indices, right: Indices) -> np.ndarray:
    """Compute the squared distance between the rows ``left[p]`` and ``right[p]`` for each p."""
    return to_host(candidate_distances(X, left, right[:, None]))[:, 0]


def column_pair_distances(A: np.ndarray, left: Indices, B: np.ndarray, right: Indices) -> np.ndarray:
    """Compute the squared distance between column ``left[p]`` of A and ``right[p]`` of B for each p.

    Samples are columns here. A distance does not depend, to the last bit, on the other pairs.
    """
    squared = np.zeros(left.size)
    step = max(1, _BLOCK_NUMBERS // max(1, len(A)))
    for start in range(0, left.size if len(A) else 0, step):
        block = slice(start, start + step)
        # `take` returns rows in order, while indexing with a slice would transpose the memory
        gaps = A.take(left[block], axis=1)
        gaps -= B.take(right[block], axis=1)
        gaps *= gaps
        # NumPy adds several columns row by row, but a single column pairwise
        squared[block] = gaps.sum(axis=0) if gaps.shape[1] > 1 else np.cumsum(gaps)[-1]
    return squared


def squared_distances(X: Any) -> np.ndarray:
    """Compute the squared distances between all rows of X, in float64.

    Distances are products of the rows, centered if X is dense; where a product would lose digits, direct
    differences. Copies are at distance 0.
    """
    if isinstance(X, Chunked):
        return _chunked_squared_distances(X)
    centered = X if sp.issparse(X) else X - X.mean(axis=0, dtype=np.float64)
    n, keys, norms = X.shape[0], content_keys(X), row_norms(centered, squared=True)
    squared = np.empty((n, n))
    starts = range(0, n, _BLOCK_ROWS)
    for start in track(starts, len(starts), "distances"):
        rows = slice(start, start + _BLOCK_ROWS)
        block = euclidean_distances(centered[rows], None if n <= _BLOCK_ROWS else centered, squared=True)
        copies = keys[rows, None] == keys
        cancelled = (block < _CANCELLATION_RTOL * (norms[rows, None] + norms)) & ~copies
        left, right = np.nonzero(cancelled)
        block[left, right] = pair_distances(X, start + left, right)
        block[copies] = 0.0
        squared[rows] = block
    return squared


def _chunked_squared_distances(X: Chunked) -> np.ndarray:
    mean = np.zeros(X.shape[1]) if X.is_sparse else X.summary.mean

    def product(block: Any, columns: slice) -> np.ndarray:
        if sp.issparse(block):
            block = block.astype(np.float64)
            return (block @ block.T).toarray()
        centered = block - mean[columns]
        return centered @ centered.T

    squared = sum_blocks(product, X, "distances")
    norms = np.diag(squared).copy()
    squared *= -2
    squared += norms[:, None]
    squared += norms
    keys = content_keys(X)
    copies = keys[:, None] == keys
    left, right = np.nonzero((squared < _CANCELLATION_RTOL * (norms[:, None] + norms)) & ~copies)
    squared[left, right] = pair_distances(X, left, right) if left.size else 0.0
    squared[copies] = 0.0
    return squared


def point_distances(X: Any, point: np.ndarray, rows: Indices | None = None) -> np.ndarray:
    """Compute the squared distances from a point to the given rows of X, or to all rows.

    Distances to sparse rows are products and can lose digits.
    """
    if sp.issparse(X):
        squared = row_norms(X.astype(np.float64), squared=True) - 2 * (X @ point) + point @ point
        return np.maximum(squared, 0.0)
    rows = np.arange(len(X)) if rows is None else rows
    squared = np.empty(rows.size)
    for block in gen_batches(rows.size, max(1, _BLOCK_NUMBERS // max(1, point.size))):
        squared[block] = np.sum((X[rows[block]] - point) ** 2, axis=1)
    return squared


def distances_without_columns(A: np.ndarray, x: np.ndarray, columns: Indices) -> np.ndarray:
    """Compute the squared distances from x to the rows of A, leaving out one of the columns in each row."""
    squares = np.repeat(((A - x) ** 2)[None], columns.size, axis=0)
    squares[np.arange(columns.size), :, columns] = 0
    return squares.sum(axis=2)
