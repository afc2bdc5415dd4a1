"""Propose the nearest samples of a streamed matrix, for :mod:`featsieve.graphs.search`."""

from __future__ import annotations

from typing import Any

from sklearn import get_config

from featsieve.engines.arrays import namespace
from featsieve.engines.blocks import map_columns, slices
from featsieve.engines.distances.manhattan import manhattan_distances, manhattan_rtol
from featsieve.engines.distances.products import matmul_eps, product_distances, product_rtol
from featsieve.engines.distances.selection import partition_smallest
from featsieve.engines.streaming import Streamed
from featsieve.types import Array


def streamed_backend(X: Streamed, pool: Any, metric: str) -> Any:
    """Compare the rows with blocks of the pool, and keep the nearest few of each."""
    from featsieve.graphs.proposals import Candidates

    xp = namespace(X)
    if metric == "euclidean":
        mean = map_columns(lambda B: xp.mean(B, axis=0), X, name="means", temporaries=1)
        X = X.scaled(mean, xp.ones_like(mean))
    eps = matmul_eps(X.like)
    width = X.dtype.itemsize * X.shape[1]
    pool_blocks = slices(pool.shape[0], 4 * width, X.like)

    def nearest(rows: Any, n_candidates: int) -> tuple[Array, Array]:
        """Return the nearest samples of some rows, and the distance below which there are no others."""
        queries = X[rows]
        norms = xp.sum(queries * queries, axis=1)
        merged, largest = None, float(xp.max(norms))
        for block in pool_blocks:
            others = X[pool[block]]
            other_norms = xp.sum(others * others, axis=1)
            largest = max(largest, float(xp.max(other_norms)))
            found = _nearest_rows(queries, others, other_norms, min(n_candidates, len(others)), metric)
            merged = _merge(merged, (pool[block][found[0]], found[1]), n_candidates)
        assert merged is not None
        horizon = xp.astype(xp.max(merged[1], axis=1), xp.float64)
        if metric == "manhattan":
            return merged[0], horizon * (1 - manhattan_rtol(X.shape[1], eps))
        return merged[0], horizon + norms - 2 * product_rtol(X.shape[1], eps) * largest

    def propose(rows: Any, n_candidates: int) -> Any:
        parts = [nearest(rows[block], n_candidates) for block in _row_blocks(rows.shape[0], 2 * width)]
        return Candidates(*(xp.concat(arrays) for arrays in zip(*parts, strict=True)))

    return propose


def _row_blocks(n_rows: int, bytes_each: int) -> list[slice]:
    """Divide rows into blocks that fit in the working memory; each is compared with all data."""
    step = max(1, int(get_config()["working_memory"] * 2**20 // bytes_each))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def _nearest_rows(
    queries: Array, others: Array, other_norms: Array, k: int, metric: str
) -> tuple[Array, Array]:
    """Return the k nearest of the other rows and their distances, without the norms of the queries."""
    xp = namespace(queries)
    indices, distances = [], []
    for block in slices(queries.shape[0], queries.dtype.itemsize * others.shape[0], queries):
        if metric == "euclidean":
            values = product_distances(queries[block, :], others, None, other_norms)
        else:
            values = manhattan_distances(queries[block, :], others)
        indices.append(partition_smallest(values, k)[0])
        distances.append(xp.take_along_axis(values, indices[-1], axis=1))
    return xp.concat(indices), xp.concat(distances)


def _merge(left: Any, right: tuple[Array, Array], k: int) -> tuple[Array, Array]:
    """Keep the k nearest of both."""
    if left is None:
        return right
    xp = namespace(right[0])
    indices, distances = (xp.concat(pair, axis=1) for pair in zip(left, right, strict=True))
    nearest = partition_smallest(distances, min(k, distances.shape[1]))[0]
    return xp.take_along_axis(indices, nearest, axis=1), xp.take_along_axis(distances, nearest, axis=1)
