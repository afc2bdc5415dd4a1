"""Exact nearest neighbors from any backend, with ties that do not depend on the order of the samples.

A backend (a product in float32, scikit-learn, faiss) proposes candidates, possibly in lower precision. Their
distances are then computed again in float64. A row is settled once every sample outside its candidates is
farther than its k-th neighbor by more than the rounding error of the backend. Rows that are not settled
(ties, near-copies, cancellation) ask for four times as many candidates. Ties follow the content of the
samples, see :mod:`featsieve.engines.distances.selection`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.arrays import is_tensor, namespace, take_rows, to_device_of, to_host
from featsieve.engines.blocks import column_extremes, slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.content import rank_by_content
from featsieve.engines.distances.direct import candidate_distances
from featsieve.engines.distances.selection import k_smallest
from featsieve.engines.progress import track
from featsieve.engines.streaming import Streamed
from featsieve.graphs.proposals import Propose, choose_backends

# Candidates in addition to k and the sample itself: usually enough to settle the row.
_EXTRA_CANDIDATES = 2
# Distances that agree to this number of bits are ties.
_TIE_BITS = 40
# Fraction by which samples outside the candidates must be farther than the k-th neighbor. It exceeds the
# resolution of ties and the rounding error of distances in float64.
_SETTLED_RTOL = 1e-11
# Rows whose candidates are compared together. A device waits for the host after each batch.
_BATCH_ROWS, _DEVICE_BATCH_ROWS = 8192, 2**17


class TooManyCopies(Exception):
    """The candidates of some sample are all copies of it."""


def check_squares(X: Any) -> None:
    """Raise ValueError if the squared distances between rows of X can exceed the range of float64."""
    if X.dtype == namespace(X).float32:
        return  # tensors of float32 have passed as_matrix, and other squares of float32 are in range
    low, high = (to_host(bounds).astype(np.float64) for bounds in column_extremes(X))
    with np.errstate(over="ignore"):
        if np.isfinite(np.sum((high - low) ** 2)):
            return
    raise ValueError(
        "X must have finite squared distances between samples; got values from "
        f"{low.min():.1e} to {high.max():.1e}. Divide X by a constant."
    )


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
            check_squares(X)
            self.scaled = X
        elif isinstance(X, Chunked):
            self.scaled = X.scaled(X.summary.mean, scale, np.float64)
        elif isinstance(X, Streamed):
            low, high = column_extremes(X)
            self.scaled = X.scaled((low + high) / 2, xp.astype(scale, X.dtype))
        else:
            self.scaled = (X - xp.mean(X, axis=0)) * xp.astype(scale, X.dtype)
        self.first_backend, self.precise_backend = choose_backends(self.scaled, self.metric, algorithm)

    def nearest(self, rows: Any, pool: Any, k: int, *, refuse_copies: bool = False) -> tuple[Any, Any]:
        """Find the k samples of ``pool`` nearest to each of ``rows``, and their distances.

        Both are on the device of X. A sample is not its own neighbor. Rows with fewer than k other samples in
        the pool are padded with themselves at infinite distance. ``refuse_copies`` raises TooManyCopies if k
        copies of a sample do not settle it.
        """
        xp = namespace(self.X)
        rows, pool = to_device_of(rows, self.X), to_device_of(pool, self.X)
        n_rows, n_pool = rows.shape[0], pool.shape[0]
        indices = xp.tile(rows[:, None], (1, k))
        distances = xp.full((n_rows, k), xp.inf, dtype=xp.float64, device=rows.device)
        propose = self.first_backend(self.scaled, pool, self.metric)
        precise = propose if self.first_backend is self.precise_backend else None
        first_width = min(n_pool, k + 1 + _EXTRA_CANDIDATES)
        # each batch is a pass over chunked data
        step = _DEVICE_BATCH_ROWS if is_tensor(self.X) else _BATCH_ROWS
        step = n_rows if isinstance(self.X, Chunked) else step
        starts = range(0, n_rows, step)
        for start in track(starts, len(starts), "nearest neighbors"):
            batch = xp.arange(start, min(start + step, n_rows), device=rows.device)
            # not a recursive function: it would keep the arrays of its backends until the garbage collection
            pending = [(batch, first_width, propose)]
            while pending:
                positions, width, backend = pending.pop()
                samples = rows[positions][:, None]
                neighbors, nearest, unsettled = self._try(samples, width, backend, k)
                found = slice(nearest.shape[1])
                indices[positions, found] = xp.where(xp.isinf(nearest), samples, neighbors)
                distances[positions, found] = nearest
                if width == n_pool or not xp.any(unsettled):
                    continue
                if refuse_copies and xp.any(nearest[unsettled, -1] == 0):
                    raise TooManyCopies
                if precise is None:
                    precise = self.precise_backend(self.scaled, pool, self.metric)
                # the precise backend starts with the same number of candidates, which may be enough
                wider = min(n_pool, 4 * width if backend is precise else width)
                blocks = slices(int(unsettled.sum()), 64 * wider, self.X)
                pending += [(positions[unsettled][block], wider, precise) for block in blocks]
        return indices, distances

    def _try(self, samples: Any, width: int, propose: Propose, k: int) -> tuple[Any, Any, Any]:
        """Find the k nearest candidates of a column of samples, and which samples this leaves unsettled."""
        rows, xp = samples[:, 0], namespace(self.X)
        candidates, horizon, known = propose(rows, width)
        if known is None:
            known = candidate_distances(self.X, rows, candidates, self.scale)
        known[candidates == samples] = xp.inf
        neighbors, nearest = self._select(candidates, known, k)
        return neighbors, nearest, nearest[:, -1] * (1 + _SETTLED_RTOL) >= horizon

    def _select(self, candidates: Any, distances: Any, k: int) -> tuple[Any, Any]:
        """Select the k nearest of the candidates, and their distances."""
        nearest = k_smallest(
            distances, k, bits=_TIE_BITS, tie_ranks=lambda tied: self._tie_ranks(candidates[tied])
        )
        xp = namespace(distances)
        return xp.take_along_axis(candidates, nearest, axis=1), xp.take_along_axis(distances, nearest, axis=1)

    def _tie_ranks(self, candidates: Any) -> Any:
        """Return the tie ranks of the candidates; those by content are computed for these samples only."""
        if self.ties is not None or is_tensor(self.X):
            return self._device_ties[candidates]
        samples, inverse = np.unique(candidates, return_inverse=True)
        return rank_by_content(take_rows(self.X, samples))[inverse].reshape(candidates.shape)

    @cached_property
    def _device_ties(self) -> Any:
        """Tie ranks of all samples on the device of X, where hashing all of them takes no time."""
        return rank_by_content(self.X) if self.ties is None else to_device_of(self.ties, self.X)
