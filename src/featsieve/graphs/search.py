"""Exact nearest neighbors from any engine, with ties that do not depend on the order of the samples.

An engine (a product in float32, scikit-learn, faiss) proposes candidates, perhaps in lower precision. The
candidates are measured again by direct differences in float64; a row is settled once every sample that
was not proposed is farther than its k-th neighbor by more than the engine's rounding error. Rows that
are not settled (ties, near-copies, cancellation) ask for four times as many candidates. Equal distances
are ordered by a fingerprint of the rows: a shuffle of the samples relabels the graph, no more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.engines.arrays import namespace, round_to_bits, take_rows, to_host
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.progress import track
from featsieve.graphs.proposals import engines

_SLACK = 2  # candidates beyond the k wanted: enough to see that the k-th is settled


class ManyCopies(Exception):
    """Some sample has so many copies that they alone fill its candidates."""


class Search:
    """Nearest samples of X, squared Euclidean or, with ``scale``, by weighted absolute differences.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    scale : array of shape (n_features,), default=None
        Distances are then sums over features of ``scale`` times the absolute difference.
    algorithm : {"exact", "scikit-learn", "faiss"}, default="exact"
        What proposes candidates; "exact" is what is fastest for such data.
    ties : array of shape (n_samples,), default=None
        Positions in an order in which copies stand together: of equal distances the first counts. None is
        the order by content.
    """

    def __init__(self, X: Any, *, scale: Any = None, algorithm: str = "exact", ties: Any = None) -> None:
        self.X, self.ties = X, ties
        self.scale = scale
        self.metric = "euclidean" if scale is None else "manhattan"
        xp = namespace(X)
        self.space = X if scale is None else (X - xp.mean(X, axis=0)) * xp.astype(scale, X.dtype)
        self.fast, self.slow = engines(self.space, self.metric, algorithm)

    def nearest(
        self, rows: np.ndarray, pool: np.ndarray, k: int, *, refuse_copies: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k samples of ``pool`` nearest to each of ``rows``, itself excluded, and their distances.

        A row that has fewer than k others in the pool is filled up with itself at distance infinity.
        """
        indices = np.repeat(rows[:, None], k, axis=1)
        distances = np.full((rows.size, k), np.inf)
        propose = self.fast(self.space, pool, self.metric)
        careful = None if self.fast is not self.slow else propose

        def settle(places: np.ndarray, width: int, engine: Any) -> None:
            nonlocal careful
            here = rows[places, None]
            candidates, horizon, known = engine(here[:, 0], width)
            kept, found = self._first(here, candidates, known, k)
            indices[places, : kept.shape[1]] = np.where(np.isinf(kept), here, found)
            distances[places, : kept.shape[1]] = kept
            still = kept[:, -1] * (1 + 1e-11) >= horizon
            if width == pool.size or not still.any():
                return
            if refuse_copies and np.any(kept[still, -1] == 0):
                raise ManyCopies
            if careful is None:
                careful = self.slow(self.space, pool, self.metric)
            # a less precise engine is asked once; its candidates may have been enough for the other
            wider = min(pool.size, 4 * width if engine is careful else width)
            for part in slices(int(still.sum()), 64 * wider, self.X):
                settle(places[still][part], wider, careful)

        parts = [np.arange(start, min(start + 8192, rows.size)) for start in range(0, rows.size, 8192)]
        for places in track(parts, len(parts), "nearest neighbors"):
            settle(places, min(pool.size, k + 1 + _SLACK), propose)
        return indices, distances

    def _first(
        self, here: np.ndarray, candidates: np.ndarray, known: np.ndarray | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of the candidates, and their distances, which may be ``known`` already."""
        measured = measure(self.X, here[:, 0], candidates, self.scale) if known is None else known
        measured[candidates == here] = np.inf
        rounded = round_to_bits(measured)
        order = np.argsort(rounded, axis=1, kind="stable")
        ranked = np.take_along_axis(rounded, order, axis=1)
        tied = ((ranked[:, 1:] == ranked[:, :-1]) & np.isfinite(ranked[:, 1:])).any(axis=1)
        if tied.any():
            order[tied] = np.lexsort((self._tie_ranks(candidates[tied]), rounded[tied]), axis=1)
        order = order[:, :k]
        return np.take_along_axis(measured, order, axis=1), np.take_along_axis(candidates, order, axis=1)

    def _tie_ranks(self, candidates: np.ndarray) -> np.ndarray:
        """The order among equal distances, of these candidates; to look at all samples takes longer."""
        if self.ties is not None:
            return self.ties[candidates]
        names, places = np.unique(candidates, return_inverse=True)
        return rank_by_content(take_rows(self.X, names))[places].reshape(candidates.shape)


def measure(X: Any, rows: np.ndarray, candidates: np.ndarray, scale: Any = None) -> np.ndarray:
    """Distances from each of ``rows`` to its candidates, by direct differences in float64."""
    width = candidates.shape[1]
    xp = namespace(X)
    out = np.empty(candidates.shape)

    def run(part: slice) -> None:
        if sp.issparse(X):
            gap = X[np.repeat(rows[part], width)].astype(np.float64) - X[candidates[part].ravel()]
            out[part] = np.asarray(gap.multiply(gap).sum(axis=1)).reshape(-1, width)
            return
        here = xp.astype(take_rows(X, rows[part]), xp.float64, copy=False)
        there = take_rows(X, candidates[part].ravel())
        gap = xp.reshape(xp.astype(there, xp.float64, copy=False), (-1, width, X.shape[1]))
        gap -= here[:, None, :]
        if scale is None:
            gap *= gap
        else:
            gap = xp.abs(gap) * scale
        out[part] = to_host(xp.sum(gap, axis=2))

    if sp.issparse(X):
        X = X.tocsr()
        bytes_each = 32 * width * max(1, int(X.nnz / X.shape[0]))
    else:
        bytes_each = (16 if scale is None else 24) * width * X.shape[1]
    for _ in parallel_map(run, slices(rows.size, bytes_each, X, host_bytes=2**22), X):
        pass
    return out


def rank_by_content(X: Any) -> np.ndarray:
    """Position of each row in an order that depends on what the rows hold alone.

    The same for dense and sparse storage and for float32 and float64. Copies stand together, in any order.
    """
    return positions(np.argsort(content_keys(X), kind="stable"))


def positions(order: np.ndarray) -> np.ndarray:
    """Where each number stands in this order of them all."""
    found = np.empty_like(order)
    found[order] = np.arange(order.size)
    return found


def content_keys(X: Any, names: np.ndarray | None = None) -> np.ndarray:
    """A word for each row, the same for copies; ``names`` are the columns' numbers."""
    names = np.arange(X.shape[1]) if names is None else names
    if sp.issparse(X):
        X = X.tocsr()
        entries = _mix(X.data.astype(np.float64).view(np.uint64) + _salt(names)[X.indices])
        entries[X.data == 0] = 0
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entries, dtype=np.uint64)])
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    host = to_host(X)
    keys = np.empty(len(host), dtype=np.uint64)
    for part in slices(len(host), 32 * X.shape[1], host):
        keys[part] = content_hashes(host[part], names).sum(axis=1, dtype=np.uint64)
    return keys


def content_hashes(X: np.ndarray, names: np.ndarray) -> np.ndarray:
    """A word for each entry, whose sums over columns are the keys of the rows."""
    X = X.astype(np.float64)
    return np.where(X == 0, np.uint64(0), _mix(X.view(np.uint64) + _salt(names)))


def _salt(names: np.ndarray) -> np.ndarray:
    return _mix((names.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))


def _mix(bits: np.ndarray) -> np.ndarray:
    """Scatter the bits of 64-bit words (the finalizer of the splitmix64 generator)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
