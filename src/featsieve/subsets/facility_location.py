from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.graphs import Graph, KNNGraph
from featsieve.graphs.graph import GraphLike
from featsieve.registry import method
from featsieve.scores.energy import ratio, residual_energy_and_spread
from featsieve.scores.reconstruction import barycenter_residual
from featsieve.selectors import GRAPH, Ranker
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._greedy import ROUNDING_RTOL, lowest_ties, rank_greedily
from featsieve.types import Mask, MatrixLike, NFeatures

# Number of features whose gains are computed together.
_BATCH = 64
# Share of the trace of a local Gram matrix that is added to its diagonal.
RELATIVE_RIDGE = 1e-3


class _Coverage:
    """Criterion of :func:`facility_location_ranking`, evaluated lazily.

    The gain of a feature never grows, so its last computed gain is an upper bound. A gain is computed
    again only if its bound exceeds the largest gain. If fewer features are represented than there are, gains
    are estimated from a sample of features.
    """

    def __init__(
        self, columns: UnitColumns, weights: NDArray[np.float64], n_represented: int | None = None
    ) -> None:
        self.columns, self.all_weights = columns, weights
        self.represented: Any = slice(None)
        self.sample: Any = None
        if n_represented is not None and n_represented < columns.n_features:
            weights = _sample_weights(weights, n_represented)
            self.represented = np.flatnonzero(weights)
            self.sample = columns.columns(self.represented)
        self.weights = weights[self.represented]
        # a feature counts for itself with its own weight, in the sample or not
        self.own_weights = self.all_weights - weights
        self.coverage = np.zeros(columns.n_features)
        self.gains = columns.weighted_energies(weights) + self.own_weights
        self.errors = np.full(columns.n_features, ROUNDING_RTOL * self.gains.max())
        self.exact = np.ones(columns.n_features, dtype=bool)

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        while True:
            may_win = self.gains >= lowest_ties(self.gains, candidates & self.exact, self.errors)
            stale = np.flatnonzero(candidates & ~self.exact & may_win)
            if not stale.size:
                return self.gains
            batch = stale[np.argsort(-self.gains[stale], kind="stable")[:_BATCH]]
            excess = self._products(batch) ** 2 - self.coverage[self.represented]
            excess[excess < ROUNDING_RTOL] = 0.0
            gains = excess @ self.weights + self.own_weights[batch] * (1 - self.coverage[batch])
            self.errors[batch] = ROUNDING_RTOL * ((excess > 0) @ self.weights)
            self.gains[batch] = np.where(gains > self.errors[batch], gains, 0.0)
            self.exact[batch] = True

    def add(self, j: int) -> NDArray[np.float64]:
        correlations = self.columns.correlations(j)
        self.coverage = np.maximum(self.coverage, correlations**2)
        self.coverage[j] = 1.0
        self.exact = self.gains == 0
        return correlations

    def sampling_error(self, estimate: float) -> float:
        """Return the relative error of an estimate of the objective, for the chosen features."""
        objective = float(self.all_weights @ self.coverage)
        return 0.0 if self.sample is None or not objective else abs(estimate / objective - 1)

    def _products(self, batch: NDArray[np.intp]) -> NDArray[np.float64]:
        """Compute the correlations of some features with those that are represented."""
        F = self.columns.columns(batch)
        return self.columns.products(to_host(F)) if self.sample is None else to_host(F.T @ self.sample)


def _sample_weights(weights: NDArray[np.float64], n_represented: int) -> NDArray[np.float64]:
    """Return weights that are zero for all but a sample of features, with the same sum.

    Features are sampled at equal steps of the cumulative weight, from the largest weight to the smallest.
    """
    order = np.argsort(-weights, kind="stable")
    cumulative = np.cumsum(weights[order])
    step = cumulative[-1] / n_represented
    positions = np.searchsorted(cumulative, step * (np.arange(n_represented) + 0.5))
    return np.bincount(order[positions], minlength=weights.size) * step


def facility_location_ranking(
    X: MatrixLike, weights: ArrayLike, n_features: int, n_represented: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    r"""Rank features by how well they represent all features, choosing one at a time.

    .. math:: \max_S \sum_i w_i \max_{s \in S} r_{is}^2

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    weights : array-like of shape (n_features,)
        Weight w of each feature, non-negative.
    n_features : int
        Number of features to choose.
    n_represented : int, default=None
        Number of features in the sum; None is all. If there are more, the sum is estimated from a sample in
        which features with larger weights are more frequent.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Increase in the sum at the choice of each feature; 0 for features that are not chosen.
    order : ndarray of shape (n_features,)
        Feature indices: the chosen features, then the others by the sum that each reaches alone. Copies of
        chosen features come after all distinct features, and constant features come last.

    Notes
    -----
    The choices are those of the greedy algorithm. Because gains never grow, most of them are not computed
    again (Minoux 1978). The first gains take O(n d min(n, d)), each later gain O(n d), or O(n m) for m
    represented features. No d x d matrix is computed. How many gains are computed depends on the data; for
    thousands of features it can be several per feature, so that the time grows with d² without
    ``n_represented``.

    References
    ----------
    Nemhauser, Wolsey & Fisher, Mathematical Programming 1978.
    """
    columns = UnitColumns(as_matrix(X))
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (columns.n_features,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(
            f"`weights` must be {columns.n_features} finite, non-negative numbers, one for each feature; got "
            f"shape {weights.shape} and a minimum of {weights.min(initial=np.inf)}. Check the weights."
        )
    if n_represented is not None and n_represented < 1:
        raise ValueError(f"`n_represented` must be at least 1, or None; got {n_represented}.")
    criterion = _Coverage(columns, weights, n_represented)
    return rank_greedily(criterion, n_features, score_others=False)


def reconstructed_share(X: MatrixLike, graph: Graph, n_neighbors: int = 5) -> NDArray[np.float64]:
    r"""Compute the share of each feature's variance that the neighbors of a sample reconstruct.

    .. math:: \max\left(0, 1 - \frac{|f - M f|^2}{|f|^2}\right)

    f is centered. M are barycenter weights with a ridge of 1e-3 of the trace of the local Gram matrices.
    """
    residual = barycenter_residual(X, graph, n_neighbors, relative_reg=RELATIVE_RIDGE)
    energy, spread = residual_energy_and_spread(X, residual, shift_invariant=True)
    return np.clip(1 - to_host(ratio(energy, spread, 1.0)), 0, 1)


@method(
    "facility-location",
    family="subset",
    supervised="no",
    direction="larger",
    inputs=("sparse", "array_api"),
    reference="Nemhauser, Wolsey & Fisher, Mathematical Programming 1978",
)
class FacilityLocation(Ranker, BaseEstimator):
    """Facility location: choose features so that each feature is correlated with a chosen one.

    The weight of a feature is the part of its variance that the nearest samples reconstruct.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbors that reconstruct a sample.
    n_represented : int, default=None
        Number of features that the chosen ones are to represent; None is all. With many thousands of
        features, a sample of 2000 takes much less time. Features with larger weights are more frequent in it.
    graph : builder or Graph, default=None
        Graph with at least ``n_neighbors`` neighbors per sample; None is ``KNNGraph(n_neighbors)``.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weight of each feature.
    sampling_error_ : float
        Relative error of the objective, for the chosen features, due to the sample; 0 without a sample.

    See Also
    --------
    featsieve.subsets.facility_location_ranking : The equation.
    featsieve.ColumnSubset : Explain each feature by all chosen features together.

    Notes
    -----
    Scale features in different units to the same range first. Otherwise the units determine the weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import FacilityLocation
    >>> FacilityLocation().fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_represented": [Interval(Integral, 1, None, closed="left"), None],
        "graph": GRAPH,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        n_represented: int | None = None,
        graph: GraphLike | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_represented = n_represented
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Any, y: Any = None) -> KNNGraph:
        return KNNGraph(self.n_neighbors, weights="binary")

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        X = as_matrix(X)
        share = reconstructed_share(X, self._build_graph(X, y), self.n_neighbors)
        columns = UnitColumns(X)
        self.weights_ = share * columns.norms**2 / X.shape[0]
        criterion = _Coverage(columns, self.weights_, self.n_represented)
        scores, order = rank_greedily(criterion, self._resolve_n_features(X.shape[1]), score_others=False)
        self.sampling_error_ = criterion.sampling_error(scores.sum())
        return scores, order
