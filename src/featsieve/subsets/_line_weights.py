from __future__ import annotations

import numpy as np

from featsieve.engines.blocks import parallel_map
from featsieve.graphs import Neighbors
from featsieve.scores.line import LineWeights, line_weights, tie_tolerance
from featsieve.scores.lle import LLEScore, Neighborhoods, cache_sized_slices


class CachedLineWeights:
    """LLE scores on a sequence of graphs, with the weights of single features computed once."""

    def __init__(self, X: np.ndarray, ranker: LLEScore) -> None:
        self.X, self.k = X, ranker.n_neighbors
        columns = np.array(X.T, dtype=np.float64, order="C")

        def compute_block(block: slice) -> tuple[np.ndarray, np.ndarray, LineWeights]:
            F = columns[block]
            weights = line_weights(F, self.k, ranker.reg, tie_tolerance(X))
            return np.arange(block.start, block.stop), F, weights

        # features, their columns and their weights
        blocks = cache_sized_slices(columns)
        self.blocks = list(parallel_map(compute_block, blocks, X, "weights of single features"))

    def scores(self, neighbors: Neighbors, features: np.ndarray) -> np.ndarray:
        """Compute the scores of sorted features, a subset of those of the last call, on a new graph."""
        X = self.X if features.size == self.X.shape[1] else self.X[:, features]
        neighborhoods = Neighborhoods(X, neighbors.indices[:, : self.k])

        def score_block(index: int) -> np.ndarray:
            block_features, F, weights = self.blocks[index]
            remaining = np.isin(block_features, features, assume_unique=True)
            if not remaining.all():
                F, weights = F[remaining], weights.take(remaining)
                self.blocks[index] = block_features[remaining], F, weights
            return neighborhoods.distances(F, weights)

        return np.concatenate(list(parallel_map(score_block, range(len(self.blocks)), self.X)))
