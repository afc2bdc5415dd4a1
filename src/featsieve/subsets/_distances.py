"""Squared distances between samples over a changing set of features."""

from __future__ import annotations

import numpy as np

from featsieve.engines.arrays import round_to_bits
from featsieve.engines.content import content_hashes
from featsieve.engines.distances.direct import column_pair_distances, squared_distances
from featsieve.engines.distances.products import product_distances, squared_norms
from featsieve.engines.distances.selection import k_smallest
from featsieve.graphs.graph import Neighbors
from featsieve.graphs.search import check_squares
from featsieve.types import Indices, Mask

# Below this share of the largest distance at the last full computation, subtraction has lost too many digits.
_CANCELLATION_RTOL = 1e-4
# Distances that agree to this number of bits are ties.
_TIE_BITS = 32
# Candidates of each sample in addition to its k neighbors. With fewer, candidates are chosen more often.
_EXTRA_CANDIDATES = 24
# Number of changed features after which the distances between all samples are updated.
_MAX_PENDING_FEATURES = 32


class SubsetDistances:
    """Squared distances over a changing set of features, updated rather than recomputed.

    Only a few candidates of each sample are always up to date. Any other sample is at a distance of at least
    ``horizon - fall``: the distance when the candidates were chosen, minus the largest squared difference in
    each feature dropped since. A sample chooses candidates again when this bound no longer separates its
    neighbors from the rest. The distances between all samples are updated once in many changes, by one
    matrix product.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data.
    k : int
        Number of neighbors that :meth:`nearest` returns.

    Attributes
    ----------
    n_recomputed : int
        How many times all distances were recomputed because subtraction had lost too many digits.
    """

    def __init__(self, X: np.ndarray, k: int) -> None:
        if k >= len(X):
            raise ValueError(f"`n_neighbors` must be less than the number of samples ({len(X)}); got {k}.")
        check_squares(X)
        self.k = k
        self.width = min(k + _EXTRA_CANDIDATES, len(X) - 1)
        self.samples = np.arange(len(X))
        self.columns = np.array(X.T, dtype=np.float64, order="C")
        self.low, self.high = self.columns.min(axis=1), self.columns.max(axis=1)
        self.active = np.ones(X.shape[1], dtype=bool)
        self.included = self.active  # features of the distances between all samples
        self.candidates = np.empty((len(X), self.width), dtype=np.intp)
        self.squared = np.empty(self.candidates.shape)
        self.horizon, self.fall = np.empty(len(X)), np.empty(len(X))
        self.hashes = np.ascontiguousarray(content_hashes(X, np.arange(X.shape[1])).T)
        self.keys = self.hashes.sum(axis=0)  # equal for copies in the active features
        self.full_keys = self.keys.copy()
        # the largest distance at the last full computation, and a bound on all distances then
        self.scale = self.span = 0.0
        self.n_recomputed = -1
        self._recompute()

    def restrict(self, features: Indices) -> None:
        """Make these features the active ones."""
        active = np.zeros_like(self.active)
        active[features] = True
        for r in np.flatnonzero(active != self.active):
            column = self.columns[r]
            gaps = column[self.candidates]
            gaps -= column[:, None]
            gaps *= gaps
            if active[r]:
                self.squared += gaps
                self.keys += self.hashes[r]
            else:
                self.squared -= gaps
                self.keys -= self.hashes[r]
                self.fall += np.maximum(column - self.low[r], self.high[r] - column) ** 2
        has_grown = np.any(active & ~self.active)
        self.active = active
        if has_grown:  # subtracting these features later leaves rounding of their size
            span = self._compute_span()
            self.scale, self.span = max(self.scale, span), max(self.span, span)
        if np.count_nonzero(active != self.included) > _MAX_PENDING_FEATURES:
            self.all_squared, self.included = self._current(self.samples), active

    def nearest(self) -> Neighbors:
        """Find the k nearest neighbors of each sample.

        Ties are ordered by content: by the active features and, for copies in these, by all features.
        """
        self.tie_ranks = np.argsort(np.lexsort((self.full_keys, self.keys)))
        self._restore_digits(self.samples, self.candidates, self.squared)
        neighbors, distances, is_certain = self._select(self.samples)
        has_lost_digits = np.mean(distances[:, -1] < _CANCELLATION_RTOL * self.scale) > 0.1
        if has_lost_digits and self._compute_span() < 0.01 * self.span:
            self._recompute()
            return self.nearest()
        rows = np.flatnonzero(~is_certain)
        if rows.size:
            squared = self._current(rows)
            self._choose_candidates(rows, squared)
            neighbors[rows], distances[rows], is_certain = self._select(rows)
            tied = np.flatnonzero(~is_certain)
            if tied.size:  # more samples are equally near than there are candidates
                chosen = k_smallest(squared[tied], self.k, bits=_TIE_BITS, tie_ranks=self.tie_ranks)
                neighbors[rows[tied]] = chosen
                distances[rows[tied]] = np.take_along_axis(squared[tied], chosen, axis=1)
        return Neighbors(neighbors, distances)

    def _select(self, rows: Indices) -> tuple[Indices, np.ndarray, Mask]:
        """Return the k nearest candidates, their distances, and whether no other sample can be as near."""
        candidates, distances = self.candidates[rows], self.squared[rows]
        nearest = k_smallest(
            distances, self.k, bits=_TIE_BITS, tie_ranks=lambda tied: self.tie_ranks[candidates[tied]]
        )
        distances = np.take_along_axis(distances, nearest, axis=1)
        horizon = self.horizon[rows] - self.fall[rows] * (1 + 1e-9) - 1e-12 * self.scale
        last = round_to_bits(distances[:, -1], _TIE_BITS)
        is_certain = last * (1 + 2.0 ** (2 - _TIE_BITS)) < horizon
        return np.take_along_axis(candidates, nearest, axis=1), distances, is_certain

    def _current(self, rows: Indices) -> np.ndarray:
        """Compute the distances of some samples to all, over the active features."""
        current = self.all_squared[rows]
        for changed, sign in ((self.included & ~self.active, -1), (self.active & ~self.included, 1)):
            if changed.any():
                columns = self.columns[changed]
                columns = columns - columns.mean(axis=1, keepdims=True)
                norms = squared_norms(columns.T)
                gaps = product_distances(columns[:, rows].T, columns.T, norms[rows], norms)
                current += gaps if sign > 0 else -gaps
        self._restore_digits(rows, self.samples[None], current)
        current[np.arange(len(rows)), rows] = np.inf
        return current

    def _restore_digits(self, rows: Indices, others: Indices, squared: np.ndarray) -> None:
        """Recompute distances with too few digits by direct differences; copies are at distance 0."""
        i, j = np.nonzero(squared < _CANCELLATION_RTOL * self.scale)
        left, right = rows[i], np.broadcast_to(others, squared.shape)[i, j]
        exact = np.zeros(i.size)
        distinct = np.flatnonzero(self.keys[left] != self.keys[right])
        if distinct.size:
            columns = self.columns[self.active]
            exact[distinct] = column_pair_distances(columns, left[distinct], columns, right[distinct])
        squared[i, j] = exact

    def _compute_span(self) -> float:
        """Bound all distances over the active features from above."""
        return float(np.sum((self.high - self.low)[self.active] ** 2))

    def _recompute(self) -> None:
        """Compute all distances again."""
        self.all_squared = squared_distances(self.columns[self.active].T)
        self.scale, self.span = self.all_squared.max(), self._compute_span()
        np.fill_diagonal(self.all_squared, np.inf)
        self.included = self.active
        self.n_recomputed += 1
        self._choose_candidates(self.samples, self.all_squared)

    def _choose_candidates(self, rows: Indices, distances: np.ndarray) -> None:
        """Make the nearest samples the candidates."""
        candidates = np.argpartition(distances, self.width - 1, axis=1)[:, : self.width]
        squared = np.take_along_axis(distances, candidates, axis=1)
        self.candidates[rows], self.squared[rows], self.fall[rows] = candidates, squared, 0.0
        self.horizon[rows] = np.inf if self.width == len(self.samples) - 1 else squared[:, -1]
