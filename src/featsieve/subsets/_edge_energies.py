from __future__ import annotations

import numpy as np

from featsieve.graphs import KNNGraph, Neighbors
from featsieve.scores.energy import center, ratio

# A spread below this share of the uncentered sum of squares has lost digits and is recomputed.
_CANCELLATION_RTOL = 1e-3


class EdgeEnergies:
    r"""Laplacian scores on a sequence of similar neighbor graphs.

    .. math:: f'(D - W)f = \sum_{edges} w_{ij} (f_i - f_j)^2

    The squared differences along the edges are cached in a table with one row per edge. The energies of all
    features are one product of the weights and this table, and a new graph only adds rows for new edges. The
    builder must be symmetric.
    """

    def __init__(self, X: np.ndarray, builder: KNNGraph) -> None:
        self.builder = builder
        X = np.array(X, dtype=np.float64, order="C")
        center(X)
        self.n_samples = len(X)
        self.features = np.arange(X.shape[1])  # columns of the tables
        self.moments = np.hstack([X, X * X])  # one product gives means and squares
        # edges of the last graph, sorted, as smaller * n + larger index, and their rows in the table
        self.edges = self.rows = np.empty(0, dtype=np.intp)
        self.squared_differences = np.empty((0, X.shape[1]))

    def scores(self, neighbors: Neighbors, features: np.ndarray) -> np.ndarray:
        """Compute the scores of sorted features, a subset of those of the last call, on a new graph."""
        weights = self.builder.edge_weights(neighbors.distances)[0]
        columns = np.searchsorted(self.features, features)
        if 4 * features.size < 3 * self.features.size:  # drop the columns of other features
            self.moments = self.moments[:, np.concatenate([columns, self.features.size + columns])]
            self.squared_differences = np.ascontiguousarray(self.squared_differences[:, columns])
            self.features, columns = features, np.arange(features.size)
        targets = neighbors.indices
        sources = np.arange(self.n_samples)[:, None]
        keys = (np.minimum(sources, targets) * self.n_samples + np.maximum(sources, targets)).ravel()
        edges, first = np.unique(keys, return_index=True)
        edge_weights = weights.ravel()[first]
        self._update_edges(edges)
        row_weights = np.zeros(len(self.squared_differences))
        row_weights[self.rows] = edge_weights
        energy = (row_weights @ self.squared_differences)[columns]

        ends = np.divmod(edges, self.n_samples)
        degree = np.bincount(np.concatenate(ends), np.tile(edge_weights, 2), self.n_samples)
        sums, squares = np.split(degree @ self.moments, 2)
        sums, squares = sums[columns], squares[columns]
        spread = squares - sums * (sums / degree.sum())
        for j in np.flatnonzero(spread < _CANCELLATION_RTOL * squares):
            column = self.moments[:, [columns[j]]].copy()
            center(column, degree)
            spread[j] = degree @ column[:, 0] ** 2
        return np.asarray(ratio(energy, spread, float("inf")))

    def _update_edges(self, edges: np.ndarray) -> None:
        """Replace the rows of edges that disappeared by those of new edges."""
        known = np.isin(edges, self.edges, assume_unique=True)
        rows = np.empty(edges.size, dtype=np.intp)
        rows[known] = self.rows[np.searchsorted(self.edges, edges[known])]
        table = self.squared_differences
        if edges.size > len(table):
            n_added = edges.size + edges.size // 16 - len(table)
            table = np.vstack([table, np.zeros((n_added, table.shape[1]))])
        free = np.ones(len(table), dtype=bool)
        free[rows[known]] = False
        rows[~known] = np.flatnonzero(free)[: np.count_nonzero(~known)]
        i, j = np.divmod(edges[~known], self.n_samples)
        X = self.moments[:, : self.features.size]
        differences = X[i]
        differences -= X[j]
        differences *= differences
        table[rows[~known]] = differences
        self.squared_differences, self.edges, self.rows = table, edges, rows
