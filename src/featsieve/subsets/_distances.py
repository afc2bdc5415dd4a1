from __future__ import annotations

import numpy as np

from featsieve.graphs.graph import Neighbors
from featsieve.graphs.rbf import all_distances
from featsieve.graphs.search import rank_by_content, to_bits

# Below this share of the distances that were last summed afresh, subtraction has cost too many digits.
_WORN = 1e-4
# Distances that agree to so many bits may differ by rounding alone, and count as ties.
_BITS = 32


class SubsetDistances:
    """Squared distances between samples over a changing set of features, updated rather than recomputed.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Attributes
    ----------
    n_recomputed : int
        How often the distances were summed afresh because too much of them had been subtracted.
    """

    def __init__(self, X: np.ndarray) -> None:
        self.X = X.astype(np.float64, copy=False)
        self.features = np.arange(X.shape[1])
        self.counts = np.ones(X.shape[1], dtype=bool)  # which features they are
        self.tie_rank = rank_by_content(X)
        self.n_recomputed = -1
        self._sum_afresh()

    def _sum_afresh(self) -> None:
        self.squared = all_distances(self.X[:, self.features])
        self.scale = self.squared.max()
        np.fill_diagonal(self.squared, np.inf)
        self.n_recomputed += 1

    def restrict(self, features: np.ndarray) -> None:
        """Make these the features that count."""
        counts = np.zeros(self.X.shape[1], dtype=bool)
        counts[features] = True
        for r in np.flatnonzero(counts != self.counts):
            gaps = self.X[:, r, None] - self.X[:, r]
            gaps *= gaps
            if counts[r]:
                self.squared += gaps
            else:
                self.squared -= gaps
        self.features, self.counts = features, counts

    def nearest(self, k: int) -> Neighbors:
        """The k nearest of each sample; equal distances are decided by the content of the samples."""
        if k >= len(self.squared):
            raise ValueError(
                f"n_neighbors={k} needs at least {k + 1} samples, got n_samples={len(self.squared)}: "
                "lower n_neighbors or add samples."
            )
        indices, distances = self._smallest(k)
        if np.mean(distances[:, -1] < _WORN * self.scale) > 0.1:
            self._sum_afresh()
            indices, distances = self._smallest(k)
        worn = distances[:, -1] < _WORN * self.scale
        if worn.any():
            self._measure(np.flatnonzero(worn))
            indices, distances = self._smallest(k)
        return Neighbors(indices, distances)

    def _measure(self, rows: np.ndarray) -> None:
        """Distances of a few samples to all others, by direct differences."""
        X = self.X[:, self.features]
        for i in rows:
            exact = ((X - X[i]) ** 2).sum(axis=1)
            exact[i] = np.inf
            self.squared[i] = self.squared[:, i] = exact

    def _smallest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        width = min(k + 2, len(self.squared))
        near = np.argpartition(self.squared, width - 1, axis=1)[:, :width]
        distances = np.take_along_axis(self.squared, near, axis=1)
        rounded = to_bits(np.maximum(distances, 0.0), _BITS)
        order = np.lexsort((self.tie_rank[near], rounded), axis=1)
        near = np.take_along_axis(near, order, axis=1)
        rounded = np.take_along_axis(rounded, order, axis=1)
        # rows where what was left out may tie with the k-th: look at all of it
        for i in np.flatnonzero(rounded[:, k - 1] == rounded[:, -1]):
            whole = to_bits(np.maximum(self.squared[i], 0.0), _BITS)
            near[i] = np.lexsort((self.tie_rank, whole))[:width]
        near = near[:, :k]
        return near, np.maximum(np.take_along_axis(self.squared, near, axis=1), 0.0)
