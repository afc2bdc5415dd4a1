from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval

from featsieve.engines.blocks import single_threaded_blas
from featsieve.engines.progress import track
from featsieve.registry import Input, method
from featsieve.scores.laplacian import LaplacianScore
from featsieve.selectors import Ranker, constant_features, rank_features
from featsieve.subsets._rounds import RoundScorer, find_obstacle
from featsieve.types import Array, Direction, NFeatures


@method(
    "iterative",
    family="subset",
    supervised="optional",
    direction="smaller",
    inputs=("array_api",),
    reference="Zhu, Miao & Zhang, 2012",
)
class IterativeScore(Ranker, BaseEstimator):
    """Iterative score: repeatedly drop the worst features and rebuild the graph on the rest.

    Each round builds the graph of ``ranker`` from the remaining features, scores them on it, and drops the
    worst ``step`` of them, until ``n_features_to_select`` remain. Noise features that blur the first graph
    do not affect the later ones. With the Laplacian score these are the published IterativeLS-1
    (``readmit=False``) and IterativeLS-2 (``readmit=True``).

    Parameters
    ----------
    ranker : estimator, default=None
        Score whose graph or neighbors depend on the features, such as :class:`~featsieve.LKRScore`. None
        means ``LaplacianScore()``. A prebuilt graph is an error; so is a graph from labels, unless the score
        fits weights on it, as ``LKRScore(ClassGraph())`` does.
    step : int or float, default=1
        Number of features to drop in each round. A float below 1 is a fraction of all features, rounded down
        to at least one feature, as in :class:`sklearn.feature_selection.RFE`. The last round drops the rest.
    readmit : bool, default=False
        Whether each round scores all features, so that dropped features may return: round t keeps the best
        ``n_features - t * step`` of all features. Only for scores that depend on other features through the
        parameter ``graph`` alone, such as the Laplacian score and SPEC.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each feature in the last round that ranked it.
    order_ : ndarray of shape (n_features,)
        Feature indices: the ranking of the last round, then the dropped features, last dropped first.
    round_features_ : list of ndarray
        Features that each round ranked.
    round_scores_ : list of ndarray
        Scores of these features.
    graph_ : Graph or None
        Graph of the last round; None if ``ranker`` has no parameter ``graph``.
    n_recomputed_ : int
        Number of times that the distances were recomputed because their updates had lost too many digits.

    See Also
    --------
    featsieve.LaplacianScore : The default ranker.
    sklearn.feature_selection.RFE : Elimination by the coefficients of a model.

    Notes
    -----
    Rebuilding a neighbor graph costs O(n^2 d) per round. Instead, the squared differences of dropped features
    are subtracted from the distances: in each round for about 30 candidates of each sample, and once in many
    rounds for all samples. The Laplacian score also caches the squared differences along the edges, and the
    LLE score the weights of single features. This takes n^2 numbers and about 2 k n d; if they exceed
    ``working_memory``, each round searches the neighbors. The scores of all rounds take about d^2 / (2 step)
    numbers.

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

    _parameter_constraints: dict[str, Any] = {
        "ranker": [HasMethods(["fit", "get_params"]), None],
        "step": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "readmit": ["boolean"],
    }

    def __init__(
        self,
        ranker: BaseEstimator | None = None,
        *,
        step: int | float = 1,
        readmit: bool = False,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.ranker = ranker
        self.step = step
        self.readmit = readmit
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, y: np.ndarray | None) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        ranker = self._inner
        scorer = RoundScorer(ranker, X, y, self.readmit)
        n_features = X.shape[1]
        constant = constant_features(X)
        remaining = np.arange(n_features)
        dropped: list[NDArray[np.intp]] = []
        scores = np.empty(n_features)
        self.round_features_, self.round_scores_ = [], []
        step = int(self.step if self.step >= 1 else max(1, self.step * n_features))
        n_selected = self._resolve_n_features(n_features)
        sizes = [*range(n_features - step, n_selected, -step), n_selected]
        for size in track(sizes, len(sizes), "rounds"):
            ranked = np.arange(n_features) if self.readmit else remaining
            with single_threaded_blas():
                round_scores = scorer.scores(remaining, ranked)
            scores[ranked] = round_scores
            order = ranked[rank_features(round_scores, constant[ranked], ranker._direction)]
            self.round_features_.append(ranked)
            self.round_scores_.append(round_scores)
            dropped.append(order[size:])
            remaining = np.sort(order[:size])
        self.graph_ = scorer.graph
        self.n_recomputed_ = getattr(scorer.distances, "n_recomputed", 0)
        earlier = [] if self.readmit else dropped[-2::-1]
        return scores, np.concatenate([order, *earlier])

    @property
    def _inner(self) -> Any:
        return LaplacianScore() if self.ranker is None else self.ranker

    @property
    def _inputs(self) -> frozenset[Input]:
        return self.method.inputs & getattr(self._inner, "_inputs", frozenset())

    @property
    def _direction(self) -> Direction:
        return self._inner._direction

    def _requires_y(self) -> bool:
        return find_obstacle(self._inner) is None and self._inner._requires_y()
