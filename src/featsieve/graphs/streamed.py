"""Propose the nearest samples of a streamed matrix, for :mod:`featsieve.graphs.search`."""

from __future__ import annotations

from typing import Any

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

    def propose(rows: Any, n_candidates: int) -> Any:
        queries = X[rows]
        norms = xp.sum(queries * queries, axis=1)
        nearest: Any = None
        largest = 0.0
        for block in pool_blocks:
            others = X[pool[block]]
            other_norms = xp.sum(others * others, axis=1)
            largest = max(largest, float(xp.max(other_norms)))
            found = _nearest_rows(queries, others, other_norms, min(n_candidates, len(others)), metric)
            nearest = _merge(nearest, (pool[block][found[0]], found[1]), n_candidates)
        indices, distances = nearest
        horizon = xp.astype(xp.max(distances, axis=1), xp.float64)
        if metric == "euclidean":
            rounding = 2 * product_rtol(X.shape[1], eps) * max(largest, float(xp.max(norms)))
            horizon += xp.astype(norms, xp.float64) - rounding
        else:
            horizon *= 1 - manhattan_rtol(X.shape[1], eps)
        return Candidates(indices, horizon)

    return propose


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
