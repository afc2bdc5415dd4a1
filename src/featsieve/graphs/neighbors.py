"""The k nearest samples of each sample, exact unless an approximation is asked for by name."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.engines.arrays import as_matrix, is_tensor, take_rows
from featsieve.graphs.graph import Neighbors
from featsieve.graphs.search import ManyCopies, Search, measure, rank_by_content
from featsieve.options import check_option

ALGORITHMS = ("exact", "scikit-learn", "faiss", "approximate")


def nearest_neighbors(
    X: Any, n_neighbors: int = 5, *, algorithm: str = "exact", ties: np.ndarray | None = None
) -> Neighbors:
    """Find the k nearest other samples of each sample, by Euclidean distance.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    n_neighbors : int
        k, at most n_samples - 1.
    algorithm : {"exact", "scikit-learn", "faiss", "approximate"}
        "exact" takes a product in float32 for dense data in more than 15 dimensions, else scikit-learn; all
        but "approximate" give the same answer, measured in float64. Tensors are searched on their device.
    ties : array of shape (n_samples,), default=None
        Position of each sample in an order in which copies stand together; of samples at equal distances
        the first are taken. None is an order by what the samples hold, whatever their place in X.

    Returns
    -------
    Neighbors
        With ``recall`` measured on a sample of rows when the search is approximate.

    Notes
    -----
    Where a sample has many copies, the search goes through the different samples only.
    """
    check_option("algorithm", algorithm, ALGORITHMS)
    X = as_matrix(X)
    n_samples = X.shape[0]
    if not 1 <= n_neighbors < n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, got n_samples={n_samples}: "
            "lower n_neighbors or add samples."
        )
    if algorithm == "approximate":
        return _approximate(X, n_neighbors)
    rows = np.arange(n_samples)
    _check_faiss(X, algorithm)
    try:
        search = Search(X, algorithm=algorithm, ties=ties)
        return Neighbors(*search.nearest(rows, rows, n_neighbors, refuse_copies=True))
    except ManyCopies:
        return Neighbors(*_through_distinct(X, n_neighbors, algorithm, ties))


def pair_distances(X: Any, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Squared distances between rows ``left[p]`` and ``right[p]``, by direct differences."""
    return measure(X, left, right[:, None])[:, 0]


def _check_faiss(X: Any, algorithm: str) -> None:
    if algorithm == "faiss" and (sp.issparse(X) or is_tensor(X)):
        raise ValueError("algorithm='faiss' takes dense NumPy data: use algorithm='exact' for this X.")
    if algorithm == "faiss" and find_spec("faiss") is None:
        raise ValueError("algorithm='faiss' needs faiss: pip install 'featsieve[faiss]'.")


def _through_distinct(
    X: Any, k: int, algorithm: str, ties: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Neighbors of samples that repeat: search among the different ones, then count copies."""
    members = np.argsort(rank_by_content(X) if ties is None else ties)
    new = np.ones(members.size, dtype=bool)
    new[1:] = pair_distances(X, members[1:], members[:-1]) > 0
    start = np.flatnonzero(new)
    size = np.diff(start, append=members.size)
    near = others = np.arange(start.size)
    near, gaps = near[:, None], np.zeros((start.size, 1))
    if start.size > 1:
        search = Search(take_rows(X, members[start]), algorithm=algorithm, ties=others)
        found, apart = search.nearest(others, others, min(k, start.size - 1))
        near, gaps = np.hstack([near, found]), np.hstack([gaps, apart])
    # the first k + 1 samples of each list of runs: the run that the t-th falls into, and its place there
    ends = np.cumsum(size[near], axis=1)
    slot = np.arange(k + 1)
    run = (ends[:, None, :] <= slot[None, :, None]).sum(axis=2)
    place = slot - np.take_along_axis(ends - size[near], run, axis=1)
    listed = members[start[np.take_along_axis(near, run, axis=1)] + place]
    group = np.empty(members.size, dtype=np.intp)
    group[members] = np.cumsum(new) - 1
    indices, distances = listed[group], np.take_along_axis(gaps, run, axis=1)[group]
    # drop the sample itself, or the last where copies before it fill the list
    keep = indices != np.arange(members.size)[:, None]
    keep[keep.all(axis=1), -1] = False
    return indices[keep].reshape(-1, k), distances[keep].reshape(-1, k)


def _approximate(X: Any, k: int, n_checked: int = 500) -> Neighbors:
    if is_tensor(X) or find_spec("pynndescent") is None:
        raise ValueError(
            "algorithm='approximate' needs NumPy or sparse data and pynndescent: "
            "pip install 'featsieve[approximate]', or use algorithm='exact'."
        )
    from pynndescent import NNDescent

    rows = np.arange(X.shape[0])
    index = NNDescent(X, n_neighbors=min(X.shape[0] - 1, k + 1), random_state=0)
    proposed = index.neighbor_graph[0].astype(np.intp)
    proposed = np.where(proposed < 0, rows[:, None], proposed)
    measured = measure(X, rows, proposed)
    measured[proposed == rows[:, None]] = np.inf
    order = np.argsort(measured, axis=1, kind="stable")[:, :k]
    indices = np.take_along_axis(proposed, order, axis=1)
    distances = np.take_along_axis(measured, order, axis=1)
    search = Search(X)
    short = np.flatnonzero(np.isinf(distances[:, -1]))  # rows the index could not fill
    if short.size:
        indices[short], distances[short] = search.nearest(short, rows, k)
    checked = np.linspace(0, rows.size - 1, min(n_checked, rows.size)).astype(np.intp)
    truth = search.nearest(checked, rows, k)[1]
    recall = np.mean(distances[checked] <= truth[:, -1:] * (1 + 1e-12))
    return Neighbors(indices, distances, recall=float(recall))
