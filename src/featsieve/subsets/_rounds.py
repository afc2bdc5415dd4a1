"""Scores of the rounds of :class:`featsieve.IterativeScore`, on graphs of changing sets of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone

from featsieve.engines.arrays import is_tensor, take_columns, to_host
from featsieve.engines.content import content_keys
from featsieve.graphs import ClassGraph, ConstraintGraph, Graph, KNNGraph, Neighbors, nearest_neighbors
from featsieve.graphs.graph import as_graph
from featsieve.scores.constraint import ConstraintScore
from featsieve.scores.graph_preserving import GraphPreservingScore
from featsieve.scores.laplacian import LaplacianScore
from featsieve.scores.lle import LLEScore
from featsieve.selectors import Ranker
from featsieve.subsets._distances import SubsetDistances
from featsieve.subsets._edge_energies import EdgeEnergies
from featsieve.subsets._line_weights import CachedLineWeights

# Families of methods that score single features by a graph, or by neighbors, of all features.
_FAMILIES = ("graph", "reconstruction", "neighbor")


class RoundScorer:
    """Scores of a ranker on graphs that are rebuilt from changing sets of features.

    Distances of a neighbor graph are updated if they fit in ``working_memory``; otherwise, and for a tensor,
    each round searches the neighbors. With ``readmit``, features are scored that the graph is not built from.
    """

    def __init__(self, ranker: Any, X: Any, y: np.ndarray | None, readmit: bool) -> None:
        if obstacle := find_obstacle(ranker, readmit):
            raise ValueError(obstacle)
        ranker._validate_params()
        self.ranker, self.X, self.y = clone(ranker), X, y
        builder: Any = ranker._graph_builder(X, y) if hasattr(ranker, "graph") else None
        self.builder = builder
        if isinstance(builder, KNNGraph):  # other builders validate their parameters when they build
            builder._validate_params()
        self.exact_neighbors = isinstance(builder, KNNGraph) and builder.algorithm != "approximate"
        self.neighbors: Neighbors | None = None
        self.distances: SubsetDistances | None = None
        self.cache: EdgeEnergies | CachedLineWeights | None = None
        memory = get_config()["working_memory"] * 2**20
        if self.exact_neighbors and not is_tensor(X) and 8 * X.shape[0] ** 2 <= memory:
            self.distances = SubsetDistances(X, builder.n_neighbors)
            self.cache = self._build_cache(memory)

    def _build_cache(self, memory: float) -> EdgeEnergies | CachedLineWeights | None:
        """Cache what all rounds share, for rankers that spend most of their time on it, if it fits."""
        X, ranker, builder = self.X, self.ranker, self.builder
        if type(ranker) is LaplacianScore and builder.symmetric:
            fits = 8 * X.size * (2 * builder.n_neighbors + 2) <= memory
            return EdgeEnergies(X, builder) if fits else None
        if type(ranker) is LLEScore and builder.n_neighbors >= ranker.n_neighbors:
            return CachedLineWeights(X, ranker) if 9 * 8 * X.size <= memory else None
        return None

    @property
    def graph(self) -> Graph | None:
        """Graph of the last round; None if the ranker has no parameter ``graph``."""
        if self.builder is None:
            return None
        return self.ranker.graph if self.cache is None else self.builder.build_from_neighbors(self.neighbors)

    def scores(self, features: np.ndarray, ranked: np.ndarray) -> np.ndarray:
        """Compute the scores of the ``ranked`` features on the graph of ``features``."""
        if self.exact_neighbors:
            self.neighbors = self._find_neighbors(features)
            if self.cache is not None:
                return self.cache.scores(self.neighbors, ranked)
            self.ranker.graph = self.builder.build_from_neighbors(self.neighbors)
        elif self.builder is not None:
            self.ranker.graph = as_graph(self.builder, take_columns(self.X, features), self.y)
        X = self.X if ranked.size == self.X.shape[1] else take_columns(self.X, ranked)
        return to_host(self.ranker._score(X, self.y))

    def _find_neighbors(self, features: np.ndarray) -> Neighbors:
        if self.distances is not None:
            self.distances.restrict(features)
            return self.distances.nearest()
        X = take_columns(self.X, features)
        # ties are resolved as in SubsetDistances
        ties = np.argsort(np.lexsort((content_keys(self.X), content_keys(X, features))))
        return nearest_neighbors(X, self.builder.n_neighbors, algorithm=self.builder.algorithm, ties=ties)


def find_obstacle(ranker: Any, readmit: bool = False) -> str | None:
    """Return why iterating ``ranker`` is impossible or changes nothing, or None if it is useful."""
    name = type(ranker).__name__
    if not isinstance(ranker, Ranker) or ranker.method.family not in _FAMILIES:
        return (
            f"`ranker` must score single features by a graph of all features; got {name}. "
            "Use a graph score such as LaplacianScore()."
        )
    fixed_graph = _describe_fixed_graph(ranker)
    if fixed_graph is not None:
        return (
            f"`ranker` must build its graph from the features; {name} uses {fixed_graph} regardless "
            "of the features. Use a builder such as KNNGraph()."
        )
    if readmit and not (ranker.method.family == "graph" and hasattr(ranker, "graph")):
        return (
            f"`readmit` must be False for {name}, which compares features directly with those of the graph. "
            "Use a score that depends on other features only through the graph, such as LaplacianScore()."
        )
    return None


def _describe_fixed_graph(ranker: Ranker) -> str | None:
    """Describe the graph of the ranker if it is the same for all features."""
    if isinstance(ranker, ConstraintScore):
        return "pairs of samples"
    if isinstance(ranker, GraphPreservingScore):
        computed = ranker.A is None or callable(ranker.A) or callable(ranker.B)
        return None if computed else "prebuilt matrices"
    graph = getattr(ranker, "graph", None)
    if graph is not None and not hasattr(graph, "build"):
        return "a prebuilt graph"
    # scores of other families fit weights to the features, on the graph of the classes too
    if ranker.method.family == "graph" and isinstance(graph, ClassGraph | ConstraintGraph):
        return f"{type(graph).__name__}()"
    return None
