"""Engines that propose nearest samples, for :mod:`featsieve.graphs.search` to measure.

Given the data, the pool and the metric, an engine returns a function of (rows, n_candidates) that gives
candidate indices; for each row, a distance below which nothing in the pool has been left out; and the
distances of the candidates, if they are as good as measured ones.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from featsieve.engines.arrays import is_tensor, namespace, take_rows, to_host
from featsieve.engines.blocks import gram_matrix, n_threads, parallel_map, slices

# In so few dimensions scikit-learn's trees are faster than any product.
_FEW_DIMENSIONS = 15
# Bytes of a product of all samples with all, which costs half of that of its blocks; and of such a block.
_WHOLE, _BLOCK = 2**26, 2**25


def engines(X: Any, metric: str, algorithm: str) -> tuple[Any, Any]:
    """The engine to ask first, and that for rows it leaves in doubt."""
    slow = _propose_tensor if is_tensor(X) else _propose_sklearn
    if algorithm == "faiss":
        return _propose_faiss, slow
    by_product = isinstance(X, np.ndarray) and X.shape[1] > _FEW_DIMENSIONS and metric == "euclidean"
    return (_propose_product if by_product and algorithm == "exact" else slow), slow


def _in_float32(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """X centerd, so that float32 spends its digits on differences, its rows' squares, and its unit."""
    center = X.mean(axis=0, dtype=np.float64)
    unit = float(max(np.abs(X.max(axis=0) - center).max(), np.abs(X.min(axis=0) - center).max())) or 1.0
    found = np.empty(X.shape, dtype=np.float32)

    def run(part: slice) -> None:
        block = X[part] - center
        block /= unit
        found[part] = block

    for _ in parallel_map(run, slices(len(X), 16 * X.shape[1], X), X):
        pass
    return found, row_norms(found, squared=True), unit


def _rounding(norms: np.ndarray, d: int) -> np.ndarray:
    """By how much a squared distance may be off that comes from a product in float32."""
    return 4 * np.sqrt(d) * np.finfo(np.float32).eps * (norms + norms.max()).astype(np.float64)


def _propose_product(X: np.ndarray, pool: np.ndarray, metric: str) -> Any:
    rows32, norms, unit = _in_float32(X)
    all_of_them = pool.size == len(X)
    others, other_norms = (rows32, norms) if all_of_them else (rows32[pool], norms[pool])
    rounding = _rounding(norms, X.shape[1])

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray, None]:
        picked = np.empty((rows.size, n_candidates), dtype=np.intp)
        last = np.empty(rows.size)
        square = all_of_them and rows.size == len(X) and 4 * len(X) ** 2 <= _WHOLE
        products = gram_matrix(rows32) if square else None

        def run(part: slice) -> None:
            gaps = rows32[rows[part]] @ others.T if products is None else products[part]
            gaps *= -2
            gaps += other_norms
            picked[part], last[part] = _least(gaps, n_candidates)

        for _ in parallel_map(run, slices(rows.size, 6 * pool.size, X, _BLOCK), X):
            pass
        return pool[picked], (last + norms[rows] - rounding[rows]) * unit**2, None

    return search


def _least(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the k least of each row are, in any order, and the largest of these.

    The k-th least of the minima of some groups is no less than the k-th least of all, and there are hardly
    more than k values up to there: two passes over the row instead of a partition.
    """
    count, n = values.shape
    depth = min(64, n // (16 * k))
    if depth > 1:
        width = n // depth
        minima = values[:, : depth * width].reshape(count, depth, width).min(axis=1)
        bound = np.partition(minima, k - 1, axis=1)[:, k - 1]
        row, column = np.divmod(np.flatnonzero(values <= bound[:, None]), n)
        found = np.bincount(row, minlength=count)
        if found.max() <= 16 * k:  # else there are many ties
            place = np.arange(row.size) - np.repeat(np.cumsum(found) - found, found)
            kept = np.full((count, found.max()), np.inf, dtype=values.dtype)
            names = np.zeros(kept.shape, dtype=np.intp)
            kept[row, place], names[row, place] = values[row, column], column
            places, last = _partitioned(kept, k)
            return np.take_along_axis(names, places, axis=1), last
    return _partitioned(values, k)


def _partitioned(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    places = np.argpartition(values, k - 1, axis=1)[:, :k]
    return places, np.take_along_axis(values, places[:, -1:], axis=1)[:, 0]


def _propose_sklearn(X: Any, pool: np.ndarray, metric: str) -> Any:
    whole = pool.size == X.shape[0]
    model = NearestNeighbors(metric=metric).fit(X if whole else X[pool])
    norms = row_norms(X, squared=True).astype(np.float64)
    rounding = 64 * np.finfo(np.float64).eps * (norms + norms.max())

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        queries = X if rows.size == X.shape[0] else X[rows]
        found, picked = model.kneighbors(queries, n_candidates)
        # distances of float32 data are rounded to float32, whatever type they come in
        last = found[:, -1].astype(np.float64) * (1 - 1e-6 if X.dtype == np.float32 else 1 - 1e-12)
        if metric == "euclidean":
            return pool[picked], last**2 - rounding[rows], None
        return pool[picked], last, found if X.dtype == np.float64 else None

    return search


def _propose_faiss(X: np.ndarray, pool: np.ndarray, metric: str) -> Any:
    import faiss

    rows32, norms, unit = _in_float32(X)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(rows32 if pool.size == X.shape[0] else rows32[pool])
    rounding = _rounding(norms, X.shape[1])

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray, None]:
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(n_threads())
        found, picked = index.search(rows32[rows], n_candidates)
        faiss.omp_set_num_threads(before)
        return pool[picked], (found[:, -1].astype(np.float64) - rounding[rows]) * unit**2, None

    return search


def _propose_tensor(X: Any, pool: np.ndarray, metric: str) -> Any:
    xp = namespace(X)
    centerd = X - xp.mean(X, axis=0)
    others = centerd if pool.size == X.shape[0] else take_rows(centerd, pool)
    norms = xp.sum(others * others, axis=1)
    eps = _product_eps(X)
    rounding = 4 * X.shape[1] ** 0.5 * eps * 2 * float(xp.max(norms))

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray, None]:
        picked, last = [], []
        wide = metric == "manhattan" and not array_api_compat.is_torch_array(X)
        for part in slices(rows.size, 3 * X.dtype.itemsize * pool.size * (X.shape[1] if wide else 1), X):
            here = take_rows(centerd, rows[part])
            if metric == "euclidean":
                gaps = xp.sum(here * here, axis=1)[:, None] + norms[None, :] - 2 * (here @ others.T)
            else:
                gaps = _city_block(here, others, xp)
            values, places = _smallest(gaps, n_candidates, xp)
            picked.append(to_host(places))
            last.append(to_host(values[:, -1]).astype(np.float64))
        horizon = np.concatenate(last)
        horizon = horizon - rounding if metric == "euclidean" else horizon * (1 - 64 * eps)
        return pool[np.concatenate(picked)], horizon, None

    return search


def _product_eps(X: Any) -> float:
    """Relative rounding of a product of such tensors, which PyTorch may be told to do with fewer bits."""
    eps = float(namespace(X).finfo(X.dtype).eps)
    if array_api_compat.is_torch_array(X) and eps > 1e-10:
        import torch

        return eps if torch.get_float32_matmul_precision() == "highest" else 2.0**-7
    return eps


def _city_block(left: Any, right: Any, xp: Any) -> Any:
    if array_api_compat.is_torch_array(left):
        import torch

        return torch.cdist(left, right, p=1)
    return xp.sum(xp.abs(left[:, None, :] - right[None, :, :]), axis=2)


def _smallest(values: Any, k: int, xp: Any) -> tuple[Any, Any]:
    if array_api_compat.is_torch_array(values):
        import torch

        return torch.topk(values, k, dim=1, largest=False, sorted=True)
    places = xp.argsort(values, axis=1)[:, :k]
    return xp.take_along_axis(values, places, axis=1), places
