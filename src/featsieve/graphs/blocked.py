"""Propose the nearest samples of a chunked matrix, for :mod:`featsieve.graphs.search`.

Blocks of rows are compared with each other: each pair of blocks by products over blocks of columns, whose sum
is the product over all columns. Of each pair remain the nearest few of each row, which are merged; no array
has n x n entries. A task compares one block with several others, see :mod:`featsieve.engines.tasks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn import get_config

from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.distances.manhattan import manhattan_rtol
from featsieve.engines.distances.products import product_rtol
from featsieve.engines.distances.selection import partition_smallest
from featsieve.engines.stages import Stage, record
from featsieve.engines.tasks import fold_tasks, parallelism
from featsieve.types import Indices

# Share of the working memory for two blocks of rows and their distances.
_MEMORY_SHARE = 0.7
# Arrays of the size of the distances between two blocks: these, their transpose, and what a selection needs.
_SQUARES = 2.5
# Below this number of rows a block has only part of the columns, because wide products are faster.
_MIN_ROWS = 1024
# Up to this number of features distances are small relative to the norms, which needs float64.
_MAX_FLOAT64_FEATURES = 15


class Nearest(NamedTuple):
    """The nearest samples of a block of rows, in any order.

    ``norms`` are the squared norms of the rows, and ``largest`` is the largest of the samples that they were
    compared with.
    """

    indices: Indices
    distances: np.ndarray
    norms: np.ndarray
    largest: float


@dataclass(frozen=True)
class BlockShape:
    """Numbers of rows and columns of the blocks that are multiplied."""

    rows: int
    columns: int


def block_shape(n_rows: int, row_bytes: float, n_features: int, itemsize: int) -> BlockShape:
    """Choose blocks that fit in the working memory: two of them, and the distances between their rows."""
    n_tasks, concurrency = parallelism()
    room = get_config()["working_memory"] * 2**20 * _MEMORY_SHARE / concurrency
    square = _SQUARES * itemsize
    rows = int((np.sqrt(row_bytes**2 + square * room) - row_bytes) / square)
    columns = n_features
    if rows < min(_MIN_ROWS, n_rows):
        rows = max(1, min(_MIN_ROWS, int(np.sqrt(room / 2 / square))))
        columns = max(1, min(n_features, int(room / 4 / rows / (row_bytes / n_features))))
    # for n_tasks pairs of blocks, of which there are n (n + 1) / 2
    n_blocks = max(ceil(n_rows / rows), ceil(np.sqrt(2 * n_tasks)) if n_tasks > 1 else 1)
    return BlockShape(max(1, ceil(n_rows / n_blocks)), columns)


def pair_bytes(shape: BlockShape, value_bytes: float, itemsize: int) -> float:
    """Return the memory of two blocks and of the distances between their rows."""
    return 2 * shape.rows * shape.columns * value_bytes + _SQUARES * itemsize * shape.rows**2


def nearest_in_blocks(queries: Chunked, pool: Chunked, width: int, metric: str) -> Nearest:
    """Find the ``width`` nearest rows of ``pool`` for each row of ``queries``."""
    symmetric = queries is pool
    itemsize = 8 if queries.is_sparse else queries.dtype.itemsize
    row_bytes = queries.shape[1] * itemsize
    if queries.is_sparse:
        row_bytes = max(1, int(queries.column_bytes * queries.shape[1] / queries.shape[0]))
    shape = block_shape(max(queries.shape[0], pool.shape[0]), row_bytes, queries.shape[1], itemsize)
    record(lambda: Stage("pairs", queries.shape, pool=pool.shape[0], symmetric=symmetric, itemsize=itemsize))
    search = _BlockSearch(queries, pool, shape, width, metric)
    n_tasks, n_left, n_right = parallelism()[0], len(search.left), len(search.right)
    n_pairs = n_left * (n_left + 1) // 2 if symmetric else n_left * n_right
    step = max(1, n_pairs // n_tasks) if n_tasks > 1 else n_right
    strips = [
        (i, range(start, min(start + step, n_right)))
        for i in range(n_left)
        for start in range(i if symmetric else 0, n_right, step)
    ]
    merged = fold_tasks(search, strips, partial(_merge_blocks, width), "nearest neighbors")
    blocks = [merged[i] for i in range(n_left)]
    indices, distances, norms = (np.concatenate([block[field] for block in blocks]) for field in range(3))
    return Nearest(indices, distances, norms, max(block.largest for block in blocks))


class _BlockSearch:
    """Compare a block of rows of ``queries`` with several blocks of rows of ``pool``."""

    def __init__(self, queries: Chunked, pool: Chunked, shape: BlockShape, width: int, metric: str) -> None:
        self.queries, self.pool, self.width, self.metric = queries, pool, width, metric
        self.symmetric = queries is pool
        self.left, self.right = (
            [slice(start, min(start + shape.rows, n)) for start in range(0, n, shape.rows)]
            for n in (queries.shape[0], pool.shape[0])
        )
        n_features = queries.shape[1]
        self.columns = [
            slice(s, min(s + shape.columns, n_features)) for s in range(0, n_features, shape.columns)
        ]

    def __call__(self, strip: tuple[int, range]) -> dict[int, Nearest]:
        """Return the nearest samples by block of rows; of both blocks of a pair if they are symmetric."""
        i, others = strip
        found: dict[int, Nearest] = {}
        kept = self.queries[self.left[i]].load() if len(self.columns) == 1 else None
        for j in others:
            same = self.symmetric and i == j
            squared, norms, other_norms = self._compare(i, j, kept, same)
            parts = {i: self._select(squared, self.right[j], norms, other_norms)}
            if self.symmetric and not same:
                parts[j] = self._select(squared.T, self.left[i], other_norms, norms)
            found = _merge_blocks(self.width, found, parts)
        return found

    def _compare(self, i: int, j: int, kept: Any, same: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute the distances between two blocks of rows, and their squared norms."""
        left, right = self.left[i], self.right[j]
        totals: Any = None
        for columns in self.columns:
            A = self.queries[left, columns].load() if kept is None else kept
            B = A if same else self.pool[right, columns].load()
            terms = [_distances(A, B) if self.metric == "manhattan" else _product(A, B), _norms(A), _norms(B)]
            if totals is None:
                totals = terms
            else:
                for total, term in zip(totals, terms, strict=True):
                    total += term
            del A, B
        squared, norms, other_norms = totals
        if self.metric == "euclidean":
            squared *= -2
            squared += norms[:, None]
            squared += other_norms
        return squared, norms, other_norms

    def _select(
        self, squared: np.ndarray, others: slice, norms: np.ndarray, other_norms: np.ndarray
    ) -> Nearest:
        width = min(self.width, squared.shape[1])
        indices = np.empty((len(squared), width), dtype=np.intp)
        distances = np.empty((len(squared), width), dtype=squared.dtype)

        def select(block: slice) -> None:
            values = np.ascontiguousarray(squared[block])
            indices[block] = partition_smallest(values, width)[0]
            distances[block] = np.take_along_axis(values, indices[block], axis=1)

        for _ in parallel_map(select, slices(len(squared), 6 * squared.shape[1], squared, 2**23), squared):
            pass
        return Nearest(indices + others.start, distances, norms, float(other_norms.max()))


def _merge_blocks(width: int, left: dict[int, Nearest], right: dict[int, Nearest]) -> dict[int, Nearest]:
    """Keep the nearest samples of both, for each block of rows."""
    merged = left | right
    for i in left.keys() & right.keys():
        a, b = left[i], right[i]
        indices, distances = np.hstack([a.indices, b.indices]), np.hstack([a.distances, b.distances])
        if distances.shape[1] > width:
            nearest = np.argpartition(distances, width - 1, axis=1)[:, :width]
            indices, distances = (np.take_along_axis(x, nearest, axis=1) for x in (indices, distances))
        merged[i] = Nearest(indices, distances, a.norms, max(a.largest, b.largest))
    return merged


def _product(A: Any, B: Any) -> np.ndarray:
    product = A @ B.T
    return product.toarray() if sp.issparse(product) else product


def _distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    out = np.empty((len(A), len(B)))

    def compute(block: slice) -> None:
        cdist(A[block], B, "cityblock", out=out[block])

    for _ in parallel_map(compute, slices(len(A), 8 * len(B), A, 2**22), A):
        pass
    return out


def _norms(A: Any) -> np.ndarray:
    return np.ravel(A.multiply(A).sum(axis=1)) if sp.issparse(A) else np.einsum("ij,ij->i", A, A)


def single_precision_backend(X: Chunked, pool: NDArray[np.intp], metric: str) -> Any:
    """Propose candidates by products of centered rows in float32."""
    mean, unit = _center_and_unit(X)
    propose = _backend(X.scaled(mean, 1 / unit, np.float32), pool, "euclidean", unit)
    return propose


def double_precision_backend(X: Chunked, pool: NDArray[np.intp], metric: str) -> Any:
    """Propose candidates by products in float64, or by Manhattan distances."""
    if X.is_sparse:
        rows = Chunked(X.array.astype(np.float64))
    else:
        rows = X.scaled(X.summary.mean if metric == "euclidean" else 0.0, 1.0, np.float64)
    return _backend(rows, pool, metric, 1.0)


def chunked_backends(X: Chunked, metric: str) -> tuple[Any, Any]:
    """Return the backend to try first, and the more precise one."""
    precise = X.is_sparse or metric == "manhattan" or X.shape[1] <= _MAX_FLOAT64_FEATURES
    return (double_precision_backend if precise else single_precision_backend), double_precision_backend


def _center_and_unit(X: Chunked) -> tuple[NDArray[np.float64], float]:
    """Return the means of the columns, and the largest deviation from them, whose inverse is finite."""
    minimum, maximum, mean, _ = X.summary
    return mean, float(max((maximum - mean).max(), (mean - minimum).max(), np.finfo(X.dtype).tiny))


def _backend(X: Chunked, pool: NDArray[np.intp], metric: str, unit: float) -> Any:
    from featsieve.graphs.proposals import Candidates

    n_samples = X.shape[0]
    others = X if pool.size == n_samples else X[pool]
    eps = float(np.finfo(np.float64 if X.is_sparse else X.dtype).eps)

    def propose(rows: NDArray[np.intp], n_candidates: int) -> Candidates:
        queries = X if rows.size == n_samples else X[rows]
        found = nearest_in_blocks(queries, others, n_candidates, metric)
        horizon = found.distances.max(axis=1).astype(np.float64)
        if metric == "manhattan":
            horizon *= 1 - manhattan_rtol(X.shape[1], eps)
        else:
            horizon -= product_rtol(X.shape[1], eps) * (found.norms.astype(np.float64) + found.largest)
        return Candidates(pool[found.indices], horizon * unit**2)

    return propose
