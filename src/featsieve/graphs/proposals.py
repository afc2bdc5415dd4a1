"""Backends that propose the nearest samples, for :mod:`featsieve.graphs.search`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import array_api_compat
import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from featsieve.engines.arrays import exceeds_float32, is_tensor, namespace, take_rows
from featsieve.engines.blocks import n_threads, parallel_map, slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.distances.manhattan import manhattan_distances, manhattan_rtol
from featsieve.engines.distances.products import (
    center_to_float32,
    gram_matrix,
    matmul_eps,
    product_distances,
    product_rtol,
)
from featsieve.engines.distances.selection import partition_smallest
from featsieve.engines.streaming import Streamed
from featsieve.graphs.blocked import chunked_backends
from featsieve.graphs.streamed import streamed_backend

# Up to this number of dimensions scikit-learn's trees are faster than products.
_MAX_TREE_DIMENSIONS = 15
# Up to this size the products of all samples are computed at once, by symmetry in half the time.
_MAX_GRAM_BYTES = 2**26
_BLOCK_BYTES = 2**25


class Candidates(NamedTuple):
    """Samples that a backend proposes as the nearest of some rows.

    ``horizon`` is the distance below which the pool has no other samples, even after rounding.
    ``distances`` are given if they are as precise as direct differences. All are on the device of the data.
    """

    indices: Any
    horizon: Any
    distances: Any = None


Propose: TypeAlias = Callable[[Any, int], Candidates]
Backend: TypeAlias = Callable[[Any, Any, str], Propose]


def choose_backends(X: Any, metric: str, algorithm: str) -> tuple[Backend, Backend]:
    """Return the backend to try first, and the more precise one for the rows that it leaves undecided.

    A backend takes the data, the pool of sample indices and the metric, and returns a function that takes
    row indices and a number of candidates.
    """
    if isinstance(X, Chunked):
        if algorithm != "exact":
            raise ValueError(f"`algorithm` must be 'exact' for data in chunks; got {algorithm!r}.")
        return chunked_backends(X, metric)
    if isinstance(X, Streamed):
        return streamed_backend, streamed_backend
    precise = _tensor_backend if is_tensor(X) else _sklearn_backend
    if algorithm == "faiss":
        return _faiss_backend, precise
    dense = isinstance(X, np.ndarray) and X.shape[1] > _MAX_TREE_DIMENSIONS and metric == "euclidean"
    return (_product_backend if dense and algorithm == "exact" else precise), precise


def _float32_error(norms: np.ndarray, n_features: int) -> np.ndarray:
    """Bound the error of squared distances by a product in float32, for each row."""
    return product_rtol(n_features, float(np.finfo(np.float32).eps)) * (norms + norms.max()).astype(
        np.float64
    )


def _product_backend(X: np.ndarray, pool: NDArray[np.intp], metric: str) -> Propose:
    rows32, norms, unit = center_to_float32(X)
    whole = pool.size == len(X)
    others, other_norms = (rows32, norms) if whole else (rows32[pool], norms[pool])
    error = _float32_error(norms, X.shape[1])

    def propose(rows: NDArray[np.intp], n_candidates: int) -> Candidates:
        indices = np.empty((rows.size, n_candidates), dtype=np.intp)
        last = np.empty(rows.size)
        symmetric = whole and rows.size == len(X) and 4 * len(X) ** 2 <= _MAX_GRAM_BYTES
        gram = gram_matrix(rows32) if symmetric else None

        def select(block: slice) -> None:
            if gram is None:
                squared = product_distances(rows32[rows[block]], others, None, other_norms)
            else:
                squared = gram[block]
                squared *= -2
                squared += other_norms
            indices[block], last[block] = partition_smallest(squared, n_candidates)

        for _ in parallel_map(select, slices(rows.size, 6 * pool.size, X, _BLOCK_BYTES), X):
            pass
        return Candidates(pool[indices], (last + norms[rows] - error[rows]) * unit**2)

    return propose


def _sklearn_backend(X: Any, pool: NDArray[np.intp], metric: str) -> Propose:
    whole = pool.size == X.shape[0]
    if X.dtype == np.float32 and exceeds_float32(abs(X).max()):
        X = X.astype(np.float64)  # scikit-learn returns the squared distances of float32 data in float32
    model = NearestNeighbors(metric=metric).fit(X if whole else X[pool])
    norms = row_norms(X, squared=True).astype(np.float64)
    error = product_rtol(X.shape[1]) * (norms + norms.max())

    def propose(rows: NDArray[np.intp], n_candidates: int) -> Candidates:
        queries = X if rows.size == X.shape[0] else X[rows]
        distances, indices = model.kneighbors(queries, n_candidates)
        # distances of float32 data are rounded to float32, even if their dtype is float64
        last = distances[:, -1].astype(np.float64) * (1 - 1e-6 if X.dtype == np.float32 else 1 - 1e-12)
        if metric == "euclidean":
            return Candidates(pool[indices], last**2 - error[rows])
        return Candidates(pool[indices], last, distances if X.dtype == np.float64 else None)

    return propose


def _faiss_backend(X: np.ndarray, pool: NDArray[np.intp], metric: str) -> Propose:
    import faiss

    rows32, norms, unit = center_to_float32(X)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(rows32 if pool.size == X.shape[0] else rows32[pool])
    error = _float32_error(norms, X.shape[1])

    def propose(rows: NDArray[np.intp], n_candidates: int) -> Candidates:
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(n_threads())
        squared, indices = index.search(rows32[rows], n_candidates)
        faiss.omp_set_num_threads(before)
        return Candidates(pool[indices], (squared[:, -1].astype(np.float64) - error[rows]) * unit**2)

    return propose


def _tensor_backend(X: Any, pool: Any, metric: str) -> Propose:
    xp = namespace(X)
    whole = pool.shape[0] == X.shape[0]
    centered = X - xp.mean(X, axis=0)
    eps = matmul_eps(X)
    if metric == "euclidean":
        norms = xp.sum(centered * centered, axis=1)
        error = 2 * product_rtol(X.shape[1], eps) * float(xp.max(norms))
        queries, others = _augmented(centered, norms)
        precise_norms = xp.astype(norms, xp.float64)
    else:
        queries = others = centered
    if not whole:
        others = take_rows(others, pool)

    def propose(rows: Any, n_candidates: int) -> Candidates:
        indices, last = [], []
        broadcast = metric == "manhattan" and not array_api_compat.is_torch_array(X)
        bytes_each = X.dtype.itemsize * pool.shape[0] * (3 * X.shape[1] if broadcast else 1)
        for block in slices(rows.shape[0], bytes_each, X):
            left = take_rows(queries, rows[block])
            values = left @ others.T if metric == "euclidean" else manhattan_distances(left, others)
            columns, largest = partition_smallest(values, n_candidates)
            indices.append(columns)
            last.append(largest)
        horizon = xp.astype(xp.concat(last), xp.float64)
        if metric == "euclidean":
            horizon += precise_norms[rows] - error
        else:
            horizon *= 1 - manhattan_rtol(X.shape[1], eps)
        columns = xp.concat(indices)
        return Candidates(columns if whole else pool[columns], horizon)

    return propose


def _augmented(centered: Any, norms: Any) -> tuple[Any, Any]:
    """Return matrices A and B with A B' = |b|^2 - 2 a'b for all rows a and b of ``centered``.

    One product then ranks the rows b by their distance from a, without passes to add the norms. The width is
    a multiple of 4, for which products are faster.
    """
    xp = namespace(centered)
    n, d = centered.shape
    pad = xp.zeros((n, -(d + 1) % 4), dtype=centered.dtype, device=centered.device)
    left = xp.concat([-2 * centered, xp.ones_like(norms)[:, None], pad], axis=1)
    return left, xp.concat([centered, norms[:, None], pad], axis=1)
