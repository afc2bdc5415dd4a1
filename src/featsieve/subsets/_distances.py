from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.graphs.graph import Neighbors
from featsieve.graphs.rbf import all_distances
from featsieve.graphs.search import rank_by_content, to_bits

# Below this share of the distances that were last summed afresh, subtraction has cost too many digits.
_WORN = 1e-4
# Distances that agree to so many bits may differ by rounding alone, and count as ties.
_BITS = 32
# Samples that are watched beside the k neighbours: fewer have to be looked for anew sooner.
_WATCHED = 24
# Features that distances between all samples may lack or have too many.
_BEHIND = 32


class SubsetDistances:
    """Squared distances between samples over a changing set of features, updated rather than recomputed.

    Only a few candidates of each sample are kept up to date. No other sample can have come nearer than
    ``horizon - fall``: its distance when the candidates were chosen, less the largest squared difference in
    each feature that was dropped since. A sample for which that is no longer enough to be sure of its
    neighbours chooses candidates anew. Distances between all samples are brought up to date now and then,
    by one matrix product for many features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    k : int
        How many neighbours :meth:`nearest` gives.

    Attributes
    ----------
    n_recomputed : int
        How often the distances were summed afresh because too much of them had been subtracted.
    """

    def __init__(self, X: np.ndarray, k: int) -> None:
        if k >= len(X):
            raise ValueError(
                f"n_neighbors={k} needs at least {k + 1} samples, got n_samples={len(X)}: "
                "lower n_neighbors or add samples."
            )
        self.k = k
        self.width = min(k + _WATCHED, len(X) - 1)
        self.columns = np.array(X.T, dtype=np.float64, order="C")
        self.columns -= self.columns.mean(axis=1, keepdims=True)
        self.low, self.high = self.columns.min(axis=1), self.columns.max(axis=1)
        self.counts = np.ones(X.shape[1], dtype=bool)  # the features that count
        self.included = self.counts  # those that the distances between all samples are over
        self.near = np.empty((len(X), self.width), dtype=np.intp)  # candidates
        self.squared = np.empty(self.near.shape)
        self.horizon, self.fall = np.empty(len(X)), np.empty(len(X))
        self.tie_rank = rank_by_content(X)
        self.n_recomputed = -1
        self._sum_afresh()

    def restrict(self, features: np.ndarray) -> None:
        """Make these the features that count."""
        counts = np.zeros_like(self.counts)
        counts[features] = True
        for r in np.flatnonzero(counts != self.counts):
            column = self.columns[r]
            gaps = column[self.near]
            gaps -= column[:, None]
            gaps *= gaps
            if counts[r]:
                self.squared += gaps
            else:
                self.squared -= gaps
                self.fall += np.maximum(column - self.low[r], self.high[r] - column) ** 2
        self.counts = counts
        if np.count_nonzero(counts != self.included) > _BEHIND:
            everyone = np.arange(len(self.near))
            self.everyone, self.included = self._current(everyone), counts

    def nearest(self) -> Neighbors:
        """The k nearest of each sample; equal distances are decided by the content of the samples."""
        near, distances, sure = self._smallest()
        if not sure.all():
            unsure = np.flatnonzero(~sure)
            self._watch(unsure, self._current(unsure))
            near, distances, sure = self._smallest()
        if np.mean(self._worn(distances)) > 0.1:
            self._sum_afresh()
            near, distances, sure = self._smallest()
        worn = self._worn(distances)
        if worn.any():
            rows = np.flatnonzero(worn)
            self._watch(rows, self._measured(rows))
            near, distances, sure = self._smallest()
        for i in np.flatnonzero(~sure):  # samples that are not watched may tie with the k-th
            row = self._measured([i]) if worn[i] else self._current([i])
            rounded = to_bits(np.maximum(row[0], 0.0), _BITS)
            near[i] = np.lexsort((self.tie_rank, rounded))[: self.k]
            distances[i] = np.maximum(row[0, near[i]], 0.0)
        return Neighbors(near, distances)

    def _smallest(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The k nearest candidates of each sample, their distances, and whether no one else is so near."""
        distances = np.maximum(self.squared, 0.0)
        rounded = to_bits(distances, _BITS)
        order = np.argsort(rounded, axis=1, kind="stable")
        ranked = np.take_along_axis(rounded, order, axis=1)
        if np.any(ranked[:, 1 : self.k + 1] == ranked[:, : self.k][:, : self.width - 1]):
            order = np.lexsort((self.tie_rank[self.near], rounded), axis=1)
        order = order[:, : self.k]
        horizon = self.horizon - self.fall * (1 + 1e-9) - 1e-12 * self.scale
        sure = ranked[:, self.k - 1] * (1 + 2.0 ** (2 - _BITS)) < horizon
        return (
            np.take_along_axis(self.near, order, axis=1),
            np.take_along_axis(distances, order, axis=1),
            sure,
        )

    def _worn(self, distances: np.ndarray) -> np.ndarray:
        """Whether so much was subtracted that too few digits are left."""
        return distances[:, -1] < _WORN * self.scale

    def _current(self, rows: Any) -> np.ndarray:
        """Distances of these samples to all, over the features that count now."""
        current = self.everyone[rows]
        for changed, sign in ((self.included & ~self.counts, -1), (self.counts & ~self.included, 1)):
            if changed.any():
                columns = self.columns[changed]
                norms = np.einsum("ij,ij->j", columns, columns)
                gaps = columns[:, rows].T @ (-2 * columns)
                gaps += norms[rows][:, None]
                gaps += norms
                current += gaps if sign > 0 else -gaps
        return current

    def _measured(self, rows: Any) -> np.ndarray:
        """The same by direct differences, which lose no digits."""
        columns = self.columns[self.counts]
        exact = np.array([((columns - columns[:, [i]]) ** 2).sum(axis=0) for i in rows])
        exact[np.arange(len(rows)), rows] = np.inf
        return exact

    def _sum_afresh(self) -> None:
        self.everyone = all_distances(self.columns[self.counts].T)
        self.scale = self.everyone.max()
        np.fill_diagonal(self.everyone, np.inf)
        self.included = self.counts
        self.n_recomputed += 1
        self._watch(np.arange(len(self.near)), self.everyone)

    def _watch(self, rows: np.ndarray, distances: np.ndarray) -> None:
        """Choose the candidates of these samples: those that are nearest now."""
        near = np.argpartition(distances, self.width - 1, axis=1)[:, : self.width]
        squared = np.take_along_axis(distances, near, axis=1)
        everyone = self.width == len(self.near) - 1
        self.near[rows], self.squared[rows] = near, squared
        self.horizon[rows] = np.inf if everyone else squared.max(axis=1)
        self.fall[rows] = 0.0
