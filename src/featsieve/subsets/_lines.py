from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.engines.blocks import parallel_map
from featsieve.graphs.graph import Neighbors
from featsieve.scores.line import line_weights, tie_tolerance
from featsieve.scores.lle import LLEScore, Neighborhoods, cache_sized_slices


class LineDistances:
    """LLE scores on neighborhoods that change: what a feature makes of its samples is computed once.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    ranker : LLEScore
    """

    def __init__(self, X: np.ndarray, ranker: LLEScore) -> None:
        self.X = X
        self.k = ranker.n_neighbors
        columns = np.array(X.T, dtype=np.float64, order="C")

        def weigh(part: slice) -> tuple[np.ndarray, np.ndarray, Any]:
            F = columns[part]
            return np.arange(part.start, part.stop), F, line_weights(F, self.k, ranker.reg, tie_tolerance(X))

        self.parts = list(parallel_map(weigh, cache_sized_slices(columns), X, "features alone"))

    @staticmethod
    def bytes_needed(X: np.ndarray) -> int:
        """Memory that the weights of the features take."""
        return 9 * 8 * X.size

    def scores(self, neighbors: Neighbors, features: np.ndarray) -> np.ndarray:
        """Scores of ``features``, sorted and never more than before, on the neighborhoods they make."""
        whole = features.size == self.X.shape[1]
        target = Neighborhoods(self.X if whole else self.X[:, features], neighbors.indices[:, : self.k])

        def compare(part: slice) -> np.ndarray:
            which, F, hat = self.parts[part.start]
            left = np.isin(which, features, assume_unique=True)
            if not left.all():
                which, F, hat = self.parts[part.start] = which[left], F[left], hat.take(left)
            return target.distances(F, hat)

        single = [slice(place, place + 1) for place in range(len(self.parts))]
        return np.concatenate(list(parallel_map(compare, single, self.X)))
