from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.graphs import KNNGraph
from featsieve.graphs.graph import Neighbors
from featsieve.scores.energy import center, ratio

# Share of a column's square that is left when its mean is taken away, below which digits were lost.
_CANCELLED = 1e-3


class EdgeEnergies:
    r"""Laplacian scores on neighbor graphs that change little from one to the next.

    .. math:: f'(D - W)f = \sum_{edges} w_{ij} (f_i - f_j)^2

    The squared differences along the edges are kept, a row for each edge, and the energies of all features
    are one product with the weights; only edges that are new have to be looked up.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    builder : KNNGraph, symmetric
    """

    def __init__(self, X: np.ndarray, builder: KNNGraph) -> None:
        self.builder = builder
        X = np.array(X, dtype=np.float64, order="C")
        center(X)
        self.n_samples = len(X)
        self.features = np.arange(X.shape[1])
        self.table = np.hstack([X, X * X])  # so that one product gives means and squares
        self.edges = np.empty(0, dtype=np.intp)  # of the last graph, as smaller * n + larger, sorted
        self.slots = np.empty(0, dtype=np.intp)  # their rows in gaps
        self.gaps = np.empty((0, X.shape[1]))

    @staticmethod
    def bytes_needed(X: np.ndarray, builder: KNNGraph) -> int:
        """Memory that the differences take at most."""
        return 8 * X.size * (2 * builder.n_neighbors + 2)

    def scores(self, neighbors: Neighbors, features: np.ndarray) -> np.ndarray:
        """Scores of ``features``, sorted and never more than before, on the graph of these neighbors."""
        weights = self.builder.edge_weights(neighbors.distances)[0]
        if 4 * features.size < 3 * self.features.size:
            self._forget(features)
        place = np.searchsorted(self.features, features)
        near = neighbors.indices
        here = np.arange(self.n_samples)[:, None]
        keys = (np.minimum(here, near) * self.n_samples + np.maximum(here, near)).ravel()
        edges, first = np.unique(keys, return_index=True)
        values = weights.ravel()[first]
        self._keep(edges)
        row_weights = np.zeros(len(self.gaps))
        row_weights[self.slots] = values
        energy = (row_weights @ self.gaps)[place]

        ends = np.divmod(edges, self.n_samples)
        degree = np.bincount(np.concatenate(ends), np.tile(values, 2), self.n_samples)
        width = self.features.size
        sums = degree @ self.table
        total, square = sums[place], sums[width + place]
        spread = square - total * (total / degree.sum())
        for j in np.flatnonzero(spread < _CANCELLED * square):
            column = self.table[:, [place[j]]].copy()
            center(column, degree)
            spread[j] = degree @ column[:, 0] ** 2
        return np.asarray(ratio(energy, spread, float("inf")))

    def _keep(self, edges: np.ndarray) -> None:
        """Make these the edges whose differences are at hand."""
        known = np.isin(edges, self.edges, assume_unique=True)
        slots = np.empty(edges.size, dtype=np.intp)
        slots[known] = self.slots[np.searchsorted(self.edges, edges[known])]
        if edges.size > len(self.gaps):
            self.gaps = np.vstack(
                [self.gaps, np.zeros((edges.size + edges.size // 16 - len(self.gaps), self.gaps.shape[1]))]
            )
        free = np.ones(len(self.gaps), dtype=bool)
        free[slots[known]] = False
        slots[~known] = np.flatnonzero(free)[: np.count_nonzero(~known)]
        i, j = np.divmod(edges[~known], self.n_samples)
        X = self.table[:, : self.features.size]
        new: Any = X[i]
        new -= X[j]
        new *= new
        self.gaps[slots[~known]] = new
        self.edges, self.slots = edges, slots

    def _forget(self, features: np.ndarray) -> None:
        place = np.searchsorted(self.features, features)
        self.table = self.table[:, np.concatenate([place, self.features.size + place])]
        self.gaps = np.ascontiguousarray(self.gaps[:, place])
        self.features = features
