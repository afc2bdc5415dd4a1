from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.engines.arrays import round_to_bits
from featsieve.engines.content import content_hashes, inverse_permutation
from featsieve.engines.distances.direct import squared_distances
from featsieve.graphs.graph import Neighbors

# Below this share of the distances that were last summed afresh, subtraction has cost too many digits.
_WORN = 1e-4
# Distances that agree to so many bits may differ by rounding alone, and count as ties.
_BITS = 32
# Samples that are watched beside the k neighbors: fewer have to be looked for anew sooner.
_WATCHED = 24
# Features that distances between all samples may lack or have too many.
_BEHIND = 32


class SubsetDistances:
    """Squared distances between samples over a changing set of features, updated rather than recomputed.

    Only a few candidates of each sample are kept up to date. No other sample can have come nearer than
    ``horizon - fall``: its distance when the candidates were chosen, less the largest squared difference in
    each feature that was dropped since. A sample for which that is no longer enough to be sure of its
    neighbors chooses candidates anew. Distances between all samples are brought up to date now and then,
    by one matrix product for many features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    k : int
        How many neighbors :meth:`nearest` gives.

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
        self.low, self.high = self.columns.min(axis=1), self.columns.max(axis=1)
        self.counts = np.ones(X.shape[1], dtype=bool)  # the features that count
        self.included = self.counts  # those that the distances between all samples are over
        self.near = np.empty((len(X), self.width), dtype=np.intp)  # candidates
        self.squared = np.empty(self.near.shape)
        self.horizon, self.fall = np.empty(len(X)), np.empty(len(X))
        self.hashes = np.ascontiguousarray(content_hashes(X, np.arange(X.shape[1])).T)
        self.keys = self.hashes.sum(axis=0)  # equal for copies
        self.whole = self.keys.copy()
        self.scale = self.span = 0.0  # of the distances, and more than any, when they were last summed afresh
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
                self.keys += self.hashes[r]
            else:
                self.squared -= gaps
                self.keys -= self.hashes[r]
                self.fall += np.maximum(column - self.low[r], self.high[r] - column) ** 2
        grown = np.any(counts & ~self.counts)
        self.counts = counts
        if grown:  # what is subtracted again leaves rounding of its own size
            self.scale, self.span = max(self.scale, self._span()), max(self.span, self._span())
        if np.count_nonzero(counts != self.included) > _BEHIND:
            everyone = np.arange(len(self.near))
            self.everyone, self.included = self._current(everyone), counts

    def nearest(self) -> Neighbors:
        """The k nearest of each sample.

        Equal distances are decided by the content of the samples: by the features that count and, for
        copies, by all.
        """
        self.ties = np.lexsort((self.whole, self.keys))
        everyone = np.arange(len(self.near))
        self._mend(everyone, self.near, self.squared)
        near, distances, sure = self._smallest(everyone)
        if np.mean(distances[:, -1] < _WORN * self.scale) > 0.1 and self._span() < 0.01 * self.span:
            self._sum_afresh()
            self._mend(everyone, self.near, self.squared)
            near, distances, sure = self._smallest(everyone)
        rows = np.flatnonzero(~sure)
        if rows.size:
            squared = self._current(rows)
            self._watch(rows, squared)
            near[rows], distances[rows], enough = self._smallest(rows)
            if not enough.all():  # more samples are equally near than are watched
                near[rows[~enough]], distances[rows[~enough]] = self._choose(squared[~enough])
        return Neighbors(near, distances)

    def _smallest(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The k nearest candidates of these samples, their distances, and whether no one else is so near."""
        near, distances = self.near[rows], self.squared[rows]
        rounded = round_to_bits(distances, _BITS)
        order = np.argsort(rounded, axis=1, kind="stable")
        ranked = np.take_along_axis(rounded, order, axis=1)
        if np.any(ranked[:, 1 : self.k + 1] == ranked[:, : self.k][:, : self.width - 1]):
            order = np.lexsort((inverse_permutation(self.ties)[near], rounded), axis=1)
        order = order[:, : self.k]
        horizon = self.horizon[rows] - self.fall[rows] * (1 + 1e-9) - 1e-12 * self.scale
        sure = ranked[:, self.k - 1] * (1 + 2.0 ** (2 - _BITS)) < horizon
        return np.take_along_axis(near, order, axis=1), np.take_along_axis(distances, order, axis=1), sure

    def _choose(self, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest by these distances to all samples."""
        squared = squared[:, self.ties]
        rounded = round_to_bits(squared, _BITS)
        last = np.partition(rounded, self.k - 1, axis=1)[:, self.k - 1 : self.k]
        nearer, equal = rounded < last, rounded == last
        room = self.k - np.count_nonzero(nearer, axis=1)[:, None]
        chosen = np.nonzero(nearer | equal & (np.cumsum(equal, axis=1) <= room))[1].reshape(-1, self.k)
        order = np.argsort(np.take_along_axis(rounded, chosen, axis=1), axis=1, kind="stable")
        chosen = np.take_along_axis(chosen, order, axis=1)
        return self.ties[chosen], np.take_along_axis(squared, chosen, axis=1)

    def _current(self, rows: Any) -> np.ndarray:
        """Distances of these samples to all, over the features that count now."""
        current = self.everyone[rows]
        for changed, sign in ((self.included & ~self.counts, -1), (self.counts & ~self.included, 1)):
            if changed.any():
                columns = self.columns[changed]
                columns = columns - columns.mean(axis=1, keepdims=True)
                norms = np.einsum("ij,ij->j", columns, columns)
                gaps = columns[:, rows].T @ (-2 * columns)
                gaps += norms[rows][:, None]
                gaps += norms
                current += gaps if sign > 0 else -gaps
        self._mend(rows, np.arange(len(self.near))[None], current)
        current[np.arange(len(rows)), rows] = np.inf
        return current

    def _mend(self, rows: np.ndarray, near: np.ndarray, squared: np.ndarray) -> None:
        """Measure by direct differences what has too few digits left; copies are at no distance."""
        i, j = np.nonzero(squared < _WORN * self.scale)
        if not i.size:
            return
        here, there = rows[i], np.broadcast_to(near, squared.shape)[i, j]
        total = np.zeros(i.size)
        apart = np.flatnonzero(self.keys[here] != self.keys[there])
        if apart.size:
            here, there, exact = here[apart], there[apart], np.zeros(apart.size)
            for column in self.columns[self.counts]:
                exact += (column[here] - column[there]) ** 2
            total[apart] = exact
        squared[i, j] = total

    def _span(self) -> float:
        """More than any distance over the features that count."""
        return float(np.sum((self.high - self.low)[self.counts] ** 2))

    def _sum_afresh(self) -> None:
        self.everyone = squared_distances(self.columns[self.counts].T)
        self.scale, self.span = self.everyone.max(), self._span()
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
        self.horizon[rows] = np.inf if everyone else squared[:, -1]
        self.fall[rows] = 0.0
