"""Exact nearest neighbors from any backend, with ties that do not depend on the order of the samples.

A backend (a product in float32, scikit-learn, faiss) proposes candidates, possibly in lower precision. Their
distances are then computed again in float64. A row is settled once every sample outside its candidates is
farther than its k-th neighbor by more than the rounding error of the backend. Rows that are not settled
(ties, near-copies, cancellation) ask for four times as many candidates. Ties follow the content of the
samples, see :mod:`featsieve.engines.distances.selection`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.arrays import namespace, take_rows
from featsieve.engines.blocks import slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.content import rank_by_content
from featsieve.engines.distances.direct import candidate_distances
from featsieve.engines.distances.selection import k_smallest
from featsieve.engines.progress import track
from featsieve.graphs.proposals import Propose, choose_backends

# Candidates in addition to k and the sample itself: usually enough to settle the row.
_EXTRA_CANDIDATES = 2
# Distances that agree to this number of bits are ties.
_TIE_BITS = 40
# Fraction by which samples outside the candidates must be farther than the k-th neighbor. It exceeds the
# resolution of ties and the rounding error of distances in float64.
_SETTLED_RTOL = 1e-11
_BATCH_ROWS = 8192


class TooManyCopies(Exception):
    """The candidates of some sample are all copies of it."""


class NeighborSearch:
    """Search for nearest samples by squared Euclidean distance, or by Manhattan distance with ``scale``.

    ``scale`` are weights of the features. ``ties`` are tie ranks of the samples, by content if None;
    identical samples must have consecutive ranks.
    """

    def __init__(
        self, X: Any, *, scale: Any = None, algorithm: str = "exact", ties: NDArray[np.intp] | None = None
    ) -> None:
        self.X, self.scale, self.ties = X, scale, ties
        self.metric = "euclidean" if scale is None else "manhattan"
        xp = namespace(X)
        if scale is None:
            self.scaled = X
        elif isinstance(X, Chunked):
            self.scaled = X.scaled(X.summary.mean, scale, X.dtype)
        else:
            self.scaled = (X - xp.mean(X, axis=0)) * xp.astype(scale, X.dtype)
        self.first_backend, self.precise_backend = choose_backends(self.scaled, self.metric, algorithm)

    def nearest(
        self, rows: NDArray[np.intp], pool: NDArray[np.intp], k: int, *, refuse_copies: bool = False
    ) -> tuple[NDArray[np.intp], np.ndarray]:
        """Find the k samples of ``pool`` nearest to each of ``rows``, and their distances.

        A sample is not its own neighbor. Rows with fewer than k other samples in the pool are padded with
        themselves at infinite distance. ``refuse_copies`` raises TooManyCopies if k copies of a sample do not
        settle it.
        """
        indices = np.repeat(rows[:, None], k, axis=1)
        distances = np.full((rows.size, k), np.inf)
        propose = self.first_backend(self.scaled, pool, self.metric)
        precise = propose if self.first_backend is self.precise_backend else None

        def settle(positions: NDArray[np.intp], width: int, propose: Propose) -> None:
            nonlocal precise
            samples = rows[positions, None]
            candidates, horizon, known = propose(samples[:, 0], width)
            if known is None:
                known = candidate_distances(self.X, samples[:, 0], candidates, self.scale)
            known[candidates == samples] = np.inf
            neighbors, nearest = self._select(candidates, known, k)
            indices[positions, : nearest.shape[1]] = np.where(np.isinf(nearest), samples, neighbors)
            distances[positions, : nearest.shape[1]] = nearest
            unsettled = nearest[:, -1] * (1 + _SETTLED_RTOL) >= horizon
            if width == pool.size or not unsettled.any():
                return
            if refuse_copies and np.any(nearest[unsettled, -1] == 0):
                raise TooManyCopies
            if precise is None:
                precise = self.precise_backend(self.scaled, pool, self.metric)
            # the precise backend starts with the same number of candidates, which may be enough
            wider = min(pool.size, 4 * width if propose is precise else width)
            for block in slices(int(unsettled.sum()), 64 * wider, self.X):
                settle(positions[unsettled][block], wider, precise)

        # each batch is a pass over chunked data
        step = rows.size if isinstance(self.X, Chunked) else _BATCH_ROWS
        starts = range(0, rows.size, step)
        for start in track(starts, len(starts), "nearest neighbors"):
            batch = np.arange(start, min(start + step, rows.size))
            settle(batch, min(pool.size, k + 1 + _EXTRA_CANDIDATES), propose)
        return indices, distances

    def _select(
        self, candidates: NDArray[np.intp], distances: np.ndarray, k: int
    ) -> tuple[NDArray[np.intp], np.ndarray]:
        """Select the k nearest of the candidates, and their distances."""
        nearest = k_smallest(
            distances, k, bits=_TIE_BITS, tie_ranks=lambda tied: self._tie_ranks(candidates[tied])
        )
        return np.take_along_axis(candidates, nearest, axis=1), np.take_along_axis(distances, nearest, axis=1)

    def _tie_ranks(self, candidates: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the tie ranks of the candidates; those by content are computed for these samples only."""
        if self.ties is not None:
            return self.ties[candidates]
        samples, inverse = np.unique(candidates, return_inverse=True)
        return rank_by_content(take_rows(self.X, samples))[inverse].reshape(candidates.shape)
