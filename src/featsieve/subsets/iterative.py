from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import HasMethods, Interval

from featsieve.engines.blocks import single_threaded_blas
from featsieve.engines.content import content_keys, inverse_permutation
from featsieve.engines.progress import track
from featsieve.graphs import Graph, KNNGraph, nearest_neighbors
from featsieve.graphs.graph import Neighbors
from featsieve.registry import method
from featsieve.scores.laplacian import LaplacianScore
from featsieve.scores.lle import LLEScore
from featsieve.selectors import N_FEATURES, Ranker, constant_features, rank_features
from featsieve.subsets._distances import SubsetDistances
from featsieve.subsets._edges import EdgeEnergies
from featsieve.subsets._lines import LineDistances


def schedule(n_features: int, n_kept: int, step: int) -> list[int]:
    """How many features are left after each round: ``step`` fewer each time, down to ``n_kept``."""
    return [*range(n_features - step, n_kept, -step), n_kept]


@method(
    "iterative",
    family="subset",
    supervised="optional",
    direction="smaller",
    reference="Zhu, Miao & Zhang, 2012",
)
class IterativeScore(Ranker, BaseEstimator):
    """Drop the worst features and rebuild the graph on what is left, again and again.

    In each round the graph is built from the features that are left, they are scored on it, and the worst
    ``step`` of them are dropped, until ``n_features_to_select`` are left. Noise that blurs the first graph
    is gone from the later ones. With the Laplacian score these are the published IterativeLS-1
    (``readmit=False``) and IterativeLS-2 (``readmit=True``).

    Parameters
    ----------
    ranker : estimator, default=None
        Any score with a ``graph`` that depends on the features; None for ``LaplacianScore()``.
    step : int or float, default=1
        How many features to drop in each round; in the last, what is left to drop. A number below 1 is a
        fraction of all features, at least one feature, as in scikit-learn's RFE.
    readmit : bool, default=False
        Whether dropped features are scored too, and may come back: round t keeps the best
        ``n_features - t step`` of all features. For scores that look at the features through the graph
        alone (Laplacian, SPEC).
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each feature in the last round that it was ranked in.
    order_ : ndarray of shape (n_features,)
        The last ranking, then the dropped features, those dropped last before those dropped first.
    round_features_, round_scores_ : lists of ndarrays
        The features that each round ranked, and their scores.
    graph_ : Graph
        The graph of the last round.
    n_recomputed_ : int
        How often distances were summed afresh, because subtraction had cost too many digits.

    Notes
    -----
    Distances between samples are kept, and the squared differences of the dropped features subtracted: for
    some 30 candidates of each sample in every round, and for all samples once in many rounds, where
    building the graph anew costs O(n^2 d) each time. With the Laplacian score the squared differences along
    the edges are kept too, with the LLE score each feature's own weights. This takes n^2 numbers and about
    2 k n d; where they exceed ``working_memory`` the neighbors are searched anew in each round instead. The
    scores of all rounds take about d^2 / (2 step) numbers.

    References
    ----------
    Zhu, Miao & Zhang, Iterative Laplacian Score for Feature Selection, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from featsieve import IterativeScore, LKRScore
    >>> X = load_wine().data
    >>> IterativeScore(n_features_to_select=3).fit(X).get_support(indices=True)
    array([ 4,  6, 12])
    >>> IterativeScore(LKRScore(), step=2, n_features_to_select=3).fit(X).get_support(indices=True)
    array([ 1,  9, 12])
    """

    _parameter_constraints: dict = {
        "ranker": [HasMethods(["fit", "get_params"]), None],
        "step": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "readmit": ["boolean"],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self, ranker: Any = None, *, step: float = 1, readmit: bool = False, n_features_to_select: Any = None
    ) -> None:
        self.ranker = ranker
        self.step = step
        self.readmit = readmit
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        rebuild = _Rebuilder(LaplacianScore() if self.ranker is None else self.ranker, X, y, self.readmit)
        n_features = X.shape[1]
        constant = constant_features(X)
        left = np.arange(n_features)
        dropped: list[np.ndarray] = []
        scores = np.empty(n_features)
        self.round_features_, self.round_scores_ = [], []
        step = int(self.step if self.step >= 1 else max(1, self.step * n_features))
        sizes = schedule(n_features, self._resolve_n_features(n_features), step)
        for size in track(sizes, len(sizes), "rounds"):
            ranked = np.arange(n_features) if self.readmit else left
            with single_threaded_blas():
                values = rebuild.scores(left, ranked)
            scores[ranked] = values
            order = ranked[rank_features(values, constant[ranked], rebuild.direction)]
            self.round_features_.append(ranked)
            self.round_scores_.append(values)
            dropped.append(order[size:])
            left = np.sort(order[:size])
        self.graph_ = rebuild.graph() if callable(rebuild.graph) else rebuild.graph
        self.n_recomputed_ = rebuild.n_recomputed
        tail = [] if self.readmit else dropped[-2::-1]
        return scores, np.concatenate([order, *tail])


class _Rebuilder:
    """Scores on graphs that are rebuilt from changing sets of features."""

    def __init__(self, ranker: Any, X: Any, y: Any, readmit: bool) -> None:
        name = type(ranker).__name__
        if "graph" not in ranker.get_params(deep=False):
            raise ValueError(
                f"ranker={name}() has no graph to rebuild: use a graph score such as LaplacianScore()."
            )
        if isinstance(ranker.graph, Graph | np.ndarray) or sp.issparse(ranker.graph):
            raise ValueError(
                "ranker has a graph that is built already: give it a builder such as KNNGraph()."
            )
        if readmit and ranker.method.family != "graph":
            raise ValueError(
                f"readmit=True needs a score that sees features through the graph alone, and {name} compares "
                "them with the data: use LaplacianScore(), or readmit=False."
            )
        ranker._validate_params()
        self.model, self.X, self.y = clone(ranker), X, y
        self.direction = ranker._direction
        self.graph: Any = None
        self.builder = ranker._graph_builder(X, y)
        if hasattr(self.builder, "_parameter_constraints"):
            self.builder._validate_params()
        self.distances = self.kept = None
        memory = get_config()["working_memory"] * 2**20
        self.exact = isinstance(self.builder, KNNGraph) and self.builder.algorithm != "approximate"
        if self.exact and 8 * X.shape[0] ** 2 <= memory:
            self.distances = SubsetDistances(X, self.builder.n_neighbors)
            self.kept = self._kept(memory)

    def _kept(self, memory: float) -> Any:
        """What stays the same from round to round, for the scores where that is most of the work."""
        X, ranker, builder = self.X, self.model, self.builder
        if type(ranker) is LaplacianScore and builder.symmetric:
            return EdgeEnergies(X, builder) if EdgeEnergies.bytes_needed(X, builder) <= memory else None
        if type(ranker) is LLEScore and builder.n_neighbors >= ranker.n_neighbors:
            return LineDistances(X, ranker) if LineDistances.bytes_needed(X) <= memory else None
        return None

    @property
    def n_recomputed(self) -> int:
        return 0 if self.distances is None else self.distances.n_recomputed

    def _searched(self, features: np.ndarray) -> Neighbors:
        """Neighbors by these features, with the ties that :class:`SubsetDistances` has."""
        X = self.X[:, features]
        ties = inverse_permutation(np.lexsort((content_keys(self.X), content_keys(X, features))))
        builder = self.builder
        return nearest_neighbors(X, builder.n_neighbors, algorithm=builder.algorithm, ties=ties)

    def scores(self, features: np.ndarray, ranked: np.ndarray) -> np.ndarray:
        """Scores of the ``ranked`` features on the graph of ``features``."""
        if self.distances is None and self.exact:
            self.graph = self.builder.build_from_neighbors(self._searched(features))
        elif self.distances is None:
            self.graph = self.builder.build(self.X[:, features], self.y)
        else:
            self.distances.restrict(features)
            neighbors = self.distances.nearest()
            self.graph = partial(self.builder.build_from_neighbors, neighbors)  # when it is asked for
            if self.kept is not None:
                return self.kept.scores(neighbors, ranked)
            self.graph = self.graph()
        whole = ranked.size == self.X.shape[1]
        self.model.graph = self.graph
        return np.asarray(self.model._score(self.X if whole else self.X[:, ranked], self.y))
