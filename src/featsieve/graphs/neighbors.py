"""Exact nearest neighbours from any engine, with ties that do not depend on the order of the samples.

An engine (scikit-learn, faiss, a tensor product) proposes candidates, perhaps in lower precision. The
candidates are measured again by direct differences in float64; a row is settled once
every sample that was not proposed is farther than its k-th neighbour by more than the engine's rounding
error. Rows that are not settled (ties, near-copies, cancellation) ask for four times as many candidates.
Equal distances are ordered by the bytes of the rows: a shuffle of the samples relabels the graph, no more.
Where a sample has many copies, the search goes through the different samples only.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

import array_api_compat
import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from featsieve.engines.arrays import is_tensor, namespace, on_device, to_host
from featsieve.engines.blocks import in_order, n_threads, slices
from featsieve.engines.progress import track
from featsieve.graphs.graph import Neighbors

ALGORITHMS = ("exact", "scikit-learn", "faiss", "approximate")
_SLACK = 2  # candidates beyond the k wanted: enough to see that the k-th is settled


def nearest_neighbors(X: Any, n_neighbors: int = 5, *, algorithm: str = "exact") -> Neighbors:
    """Find the k nearest other samples of each sample, by Euclidean distance.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    n_neighbors : int
        k, at most n_samples - 1.
    algorithm : {"exact", "scikit-learn", "faiss", "approximate"}
        "exact" takes faiss where it is installed and pays (dense data in more than 15 dimensions), else
        scikit-learn; all but "approximate" give the same answer. Tensors are searched on their device.

    Returns
    -------
    Neighbors
        With ``recall`` measured on a sample of rows when the search is approximate.
    """
    n_samples = X.shape[0]
    if not 1 <= n_neighbors < n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, got n_samples={n_samples}: "
            "lower n_neighbors or add samples."
        )
    if algorithm == "approximate":
        return _approximate(X, n_neighbors)
    rows = np.arange(n_samples)
    engine = _engine(X, algorithm)
    try:
        return Neighbors(*nearest(X, rows, rows, n_neighbors, propose=engine, refuse_copies=True))
    except _ManyCopies:
        return Neighbors(*_through_distinct(X, n_neighbors, engine))


class _ManyCopies(Exception):
    """Some sample has so many copies that they alone fill its candidates."""


def _through_distinct(X: Any, k: int, engine: Any) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of samples that repeat: search among the different ones, then count copies."""
    rank = _rank_by_content(X)
    members = np.argsort(rank)  # samples by content: copies stand together
    new = np.ones(members.size, dtype=bool)
    new[1:] = pair_distances(X, members[1:], members[:-1]) > 0
    start = np.flatnonzero(new)
    size = np.diff(start, append=members.size)
    near = np.arange(start.size)[:, None]
    gaps = np.zeros((start.size, 1))
    if start.size > 1:
        others = np.arange(start.size)
        distinct = (
            X[members[start]]
            if not is_tensor(X)
            else namespace(X).take(X, on_device(members[start], X), axis=0)
        )
        found, apart = nearest(distinct, others, others, min(k, start.size - 1), propose=engine)
        near, gaps = np.hstack([near, found]), np.hstack([gaps, apart])
    # the first k + 1 samples of each list of runs: the run that the t-th falls into, and its place there
    ends = np.cumsum(size[near], axis=1)
    slot = np.arange(k + 1)
    run = (ends[:, None, :] <= slot[None, :, None]).sum(axis=2)
    place = slot - np.take_along_axis(ends - size[near], run, axis=1)
    listed = members[start[np.take_along_axis(near, run, axis=1)] + place]
    apart = np.take_along_axis(gaps, run, axis=1)
    group = np.cumsum(new) - 1
    group_of = np.empty_like(group)
    group_of[members] = group
    indices, distances = listed[group_of], apart[group_of]
    # drop the sample itself, or the last where copies before it fill the list
    drop = np.where(indices == np.arange(members.size)[:, None], 0, 1)
    drop[drop.all(axis=1), -1] = 0
    keep = drop.astype(bool)
    return indices[keep].reshape(-1, k), distances[keep].reshape(-1, k)


def nearest(
    X: Any,
    rows: np.ndarray,
    pool: np.ndarray,
    k: int,
    *,
    propose: Any = None,
    scale: Any = None,
    refuse_copies: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """The k samples of ``pool`` nearest to each of ``rows``, itself excluded, and their distances.

    Distances are squared Euclidean ones; with ``scale``, they are sums over features of
    ``scale`` times the absolute difference. A row that has fewer than k others in the pool is filled up
    with itself at distance infinity.
    """
    if propose is None:
        propose = _propose_tensor if is_tensor(X) else _propose_sklearn
    search = propose(X, pool, "euclidean") if scale is None else propose(X * scale, pool, "manhattan")
    tie_rank = cache(lambda: _rank_by_content(X))
    indices = np.repeat(rows[:, None], k, axis=1)
    distances = np.full((rows.size, k), np.inf)

    def settle(places: np.ndarray, width: int) -> None:
        here = rows[places, None]
        candidates, horizon = search(here[:, 0], width)
        measured = _measure(X, here[:, 0], candidates, scale)
        measured[candidates == here] = np.inf
        rounded = _rounded(measured)
        order = np.argsort(rounded, axis=1, kind="stable")
        ranked = np.take_along_axis(rounded, order, axis=1)
        if np.any((ranked[:, 1:] == ranked[:, :-1]) & np.isfinite(ranked[:, 1:])):
            order = np.lexsort((tie_rank()[candidates], rounded), axis=1)
        order = order[:, :k]
        kept = np.take_along_axis(measured, order, axis=1)
        found = np.take_along_axis(candidates, order, axis=1)
        indices[places, : kept.shape[1]] = np.where(np.isinf(kept), here, found)
        distances[places, : kept.shape[1]] = kept
        if width < pool.size:
            still = kept[:, -1] * (1 + 1e-11) >= horizon
            if refuse_copies and np.any(kept[still, -1] == 0):
                raise _ManyCopies
            open_places = places[still]
            wider = min(pool.size, 4 * width)
            for part in slices(open_places.size, 64 * wider, X):
                settle(open_places[part], wider)

    parts = [np.arange(start, min(start + 8192, rows.size)) for start in range(0, rows.size, 8192)]
    for places in track(parts, len(parts), "nearest neighbours"):
        settle(places, min(pool.size, k + 1 + _SLACK))
    return indices, distances


def pair_distances(X: Any, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Squared distances between rows ``left[p]`` and ``right[p]``, by direct differences."""
    return _measure(X, left, right[:, None])[:, 0]


def _measure(X: Any, rows: np.ndarray, candidates: np.ndarray, scale: Any = None) -> np.ndarray:
    width = candidates.shape[1]
    xp = namespace(X)
    out = np.empty(candidates.shape)

    def run(part: slice) -> slice:
        if sp.issparse(X):
            gap = X[np.repeat(rows[part], width)].astype(np.float64) - X[candidates[part].ravel()]
            out[part] = np.asarray(gap.multiply(gap).sum(axis=1)).reshape(-1, width)
            return part
        here = xp.astype(xp.take(X, on_device(rows[part], X), axis=0), xp.float64, copy=False)
        there = xp.take(X, on_device(candidates[part].ravel(), X), axis=0)
        gap = xp.reshape(there, (-1, width, X.shape[1])) - here[:, None, :]
        out[part] = to_host(xp.sum(gap * gap if scale is None else xp.abs(gap) * scale, axis=2))
        return part

    if sp.issparse(X):
        X = X.tocsr()
        bytes_each = 32 * width * max(1, int(X.nnz / X.shape[0]))
    else:
        bytes_each = 24 * width * X.shape[1]
    for _ in in_order(run, slices(rows.size, bytes_each, X, host_bytes=2**22), X):
        pass
    return out


def _rounded(distances: np.ndarray) -> np.ndarray:
    """Distances to 40 bits: what differs by the order of a summation alone counts as a tie."""
    return ((distances.view(np.int64) + 2048) & ~4095).view(np.float64)


def _rank_by_content(X: Any) -> np.ndarray:
    """Position of each row among all rows sorted by their bytes; equal rows may stand in any order."""
    if sp.issparse(X):
        X = X.tocsr().copy()
        X.eliminate_zeros()
        X.sort_indices()
        parts = [
            X.indices[a:b].tobytes() + X.data[a:b].tobytes()
            for a, b in zip(X.indptr, X.indptr[1:], strict=False)
        ]
        order = np.array(sorted(range(len(parts)), key=parts.__getitem__))
    else:
        host = np.ascontiguousarray(to_host(X))
        order = np.argsort(
            host.view(np.dtype((np.void, host.dtype.itemsize * host.shape[1])))[:, 0], kind="stable"
        )
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.arange(order.size)
    return rank


def _engine(X: Any, algorithm: str) -> Any:
    if is_tensor(X):
        return _propose_tensor
    dense = not sp.issparse(X)
    if algorithm == "faiss" and not dense:
        raise ValueError("algorithm='faiss' takes dense data: use algorithm='scikit-learn' for a sparse X.")
    if algorithm == "faiss" and find_spec("faiss") is None:
        raise ValueError("algorithm='faiss' needs faiss: pip install 'featsieve[faiss]'.")
    if algorithm == "faiss" or (algorithm == "exact" and dense and X.shape[1] > 15 and find_spec("faiss")):
        return _propose_faiss
    return _propose_sklearn


# Engines: given the data, the pool and the metric, return a function of (rows, n_candidates) that gives
# candidate indices and, for each row, a distance below which nothing in the pool has been left out.


def _propose_sklearn(X: Any, pool: np.ndarray, metric: str) -> Any:
    whole = pool.size == X.shape[0]
    model = NearestNeighbors(metric=metric).fit(X if whole else X[pool])
    norms = row_norms(X, squared=True)
    rounding = 64 * np.finfo(np.float64).eps * (norms + norms.max())

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray]:
        queries = X if rows.size == X.shape[0] else X[rows]
        found, picked = model.kneighbors(queries, n_candidates)
        last = found[:, -1].astype(np.float64)
        if metric == "euclidean":
            return pool[picked], last**2 - rounding[rows]
        return pool[picked], last * (1 - 1e-6 if X.dtype == np.float32 else 1 - 1e-12)

    return search


def _propose_faiss(X: np.ndarray, pool: np.ndarray, metric: str) -> Any:
    import faiss

    # centred, so that float32 spends its digits on differences
    centred = np.empty(X.shape, dtype=np.float32)
    np.subtract(X, X.mean(axis=0), out=centred, casting="same_kind")
    scale = np.abs(centred).max() or 1.0
    centred /= scale
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(centred if pool.size == X.shape[0] else centred[pool])
    norms = row_norms(centred, squared=True).astype(np.float64)
    rounding = 4 * np.sqrt(X.shape[1]) * np.finfo(np.float32).eps * (norms + norms.max())

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray]:
        queries = centred if rows.size == X.shape[0] else centred[rows]
        found, picked = index.search(queries, n_candidates)
        return pool[picked], (found[:, -1].astype(np.float64) - rounding[rows]) * float(scale) ** 2

    faiss.omp_set_num_threads(n_threads())
    return search


def _propose_tensor(X: Any, pool: np.ndarray, metric: str) -> Any:
    xp = namespace(X)
    centred = X - xp.mean(X, axis=0)
    others = centred if pool.size == X.shape[0] else xp.take(centred, on_device(pool, X), axis=0)
    norms = xp.sum(others * others, axis=1)
    eps = float(xp.finfo(X.dtype).eps)
    rounding = 4 * X.shape[1] ** 0.5 * eps * 2 * float(xp.max(norms))

    def search(rows: np.ndarray, n_candidates: int) -> tuple[np.ndarray, np.ndarray]:
        picked, last = [], []
        bytes_each = 3 * X.dtype.itemsize * pool.size * (1 if metric == "euclidean" else X.shape[1])
        for part in slices(rows.size, bytes_each, X):
            here = xp.take(centred, on_device(rows[part], X), axis=0)
            if metric == "euclidean":
                gaps = xp.sum(here * here, axis=1)[:, None] + norms[None, :] - 2 * (here @ others.T)
            else:
                gaps = _city_block(here, others, xp)
            values, places = _smallest(gaps, n_candidates, xp)
            picked.append(to_host(places))
            last.append(to_host(values[:, -1]).astype(np.float64))
        horizon = np.concatenate(last)
        horizon = horizon - rounding if metric == "euclidean" else horizon * (1 - 64 * eps)
        return pool[np.concatenate(picked)], horizon

    return search


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


def _approximate(X: Any, k: int, n_checked: int = 500) -> Neighbors:
    if is_tensor(X) or find_spec("pynndescent") is None:
        raise ValueError(
            "algorithm='approximate' needs NumPy or sparse data and pynndescent: "
            "pip install 'featsieve[approximate]', or use algorithm='exact'."
        )
    from pynndescent import NNDescent

    rows = np.arange(X.shape[0])
    proposed = (
        NNDescent(X, n_neighbors=min(X.shape[0] - 1, k + 1), random_state=0).neighbor_graph[0].astype(np.intp)
    )
    proposed[proposed < 0] = np.broadcast_to(rows[:, None], proposed.shape)[proposed < 0]
    measured = _measure(X, rows, proposed)
    measured[proposed == rows[:, None]] = np.inf
    order = np.argsort(measured, axis=1, kind="stable")[:, :k]
    indices = np.take_along_axis(proposed, order, axis=1)
    distances = np.take_along_axis(measured, order, axis=1)
    short = np.flatnonzero(np.isinf(distances[:, -1]))  # rows the index could not fill
    indices[short], distances[short] = nearest(X, short, rows, k)
    checked = np.linspace(0, rows.size - 1, min(n_checked, rows.size)).astype(np.intp)
    truth = nearest(X, checked, rows, k)[1]
    recall = np.mean(distances[checked] <= truth[:, -1:] * (1 + 1e-12))
    return Neighbors(indices, distances, recall=float(recall))
