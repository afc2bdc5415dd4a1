from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.graphs import ClassGraph, Graph, KNNGraph, kernel_regression_residual
from featsieve.graphs.graph import GraphBuilder, GraphLike, as_graph
from featsieve.registry import method
from featsieve.scores.energy import graph_energy_and_spread, residual_energy_and_spread
from featsieve.scores.reconstruction import barycenter_residual
from featsieve.selectors import GRAPH, Ranker
from featsieve.types import MatrixLike, NFeatures


def maximize_trace_ratio(
    spread: ArrayLike, energy: ArrayLike, n_features: int
) -> tuple[NDArray[np.float64], float]:
    r"""Choose the features with the largest ratio of total spread to total energy.

    .. math:: \max_{|S| = k} \rho(S) = \frac{\sum_{r \in S} b_r}{\sum_{r \in S} w_r}

    b_r is the spread and w_r the energy of feature r.

    Parameters
    ----------
    spread : array-like of shape (n_features,)
        Spread b of each feature, non-negative.
    energy : array-like of shape (n_features,)
        Energy w of each feature, non-negative.
    n_features : int
        Number of features k to choose.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Differences b - rho w at the largest rho. Larger is better: the k features with the largest scores
        are the best subset. If rho is infinite, features with w = 0 score b and all others minus infinity.
        A feature with neither spread nor energy scores minus infinity.
    ratio : float
        The largest rho, infinite if the best subset has no energy.

    Notes
    -----
    Dinkelbach's iteration chooses the k largest b - rho w, sets rho to the ratio of that subset, and repeats.
    rho never decreases, and the iteration stops at the global optimum, usually after a few sorts. The k
    features with the largest single ratios b / w are in general a worse subset.

    References
    ----------
    Nie, Xiang, Jia, Zhang & Yan, AAAI 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.subsets import maximize_trace_ratio
    >>> spread, energy = np.array([1.0, 100.0, 1.1]), np.array([0.1, 20.0, 0.3])
    >>> spread / energy  # features 0 and 1 have the largest single ratios
    array([10.        ,  5.        ,  3.66666667])
    >>> scores, ratio = maximize_trace_ratio(spread, energy, 2)
    >>> scores.argsort()[::-1], round(ratio, 2)  # but 0 and 2 have the largest ratio together
    (array([0, 2, 1]), 5.25)
    """
    spread, energy = np.asarray(spread, dtype=np.float64), np.asarray(energy, dtype=np.float64)
    all_scores = np.full(spread.shape, -np.inf)
    informative = (spread > 0) | (energy > 0)
    if not informative.any():
        return all_scores, 0.0
    spread, energy = spread[informative], energy[informative]
    k = min(n_features, spread.size)
    without_energy = energy == 0
    if without_energy.sum() >= k:
        all_scores[informative] = np.where(without_energy, spread, -np.inf)
        return all_scores, np.inf
    ratio, candidates = -1.0, np.argsort(-spread, kind="stable")[:k]
    while (new_ratio := spread[candidates].sum() / energy[candidates].sum()) > ratio:
        ratio, chosen = new_ratio, candidates
        candidates = np.argsort(ratio * energy - spread, kind="stable")[:k]
    scores = spread - ratio * energy
    # the rounding error of a large chosen feature must not rank a small one before it
    rejected = np.ones(scores.size, dtype=bool)
    rejected[chosen] = False
    worst_chosen, rounding = scores[chosen].min(), 8 * np.finfo(np.float64).eps * spread[chosen].max()
    scores[rejected & (scores > worst_chosen)] = worst_chosen - rounding
    all_scores[informative] = scores
    return all_scores, float(ratio)


def _compute_spread_and_energy(X: MatrixLike, graph: Graph, energy: str) -> tuple[np.ndarray, np.ndarray]:
    """Compute the spread and the energy of each feature, which a trace ratio adds up."""
    if energy == "affinity":
        # the ratio multiplies the energy, and its error, by a number that can be large
        within, total, _ = graph_energy_and_spread(X, graph, in_float64=True)
    elif energy == "lkr":
        residual = kernel_regression_residual(X, graph)
        within, total = residual_energy_and_spread(X, residual, graph.degree, shift_invariant=False)
    else:
        within, total = residual_energy_and_spread(X, barycenter_residual(X, graph), shift_invariant=True)
    total, within = to_host(total), to_host(within)
    if graph.classes is not None and energy == "affinity":
        total = np.maximum(total - within, 0.0)  # between-class scatter
    return total, within


@method(
    "trace-ratio",
    family="subset",
    supervised="optional",
    direction="larger",
    inputs=("sparse", "array_api", "chunked"),
    reference="Nie et al., AAAI 2008; Feng, Chen & Xu, 2013, eq. 2",
)
class TraceRatio(Ranker, BaseEstimator):
    """Trace ratio: choose the subset with the largest ratio of total spread to energy on a graph.

    Parameters
    ----------
    graph : builder, Graph or {ndarray, sparse matrix}, default=None
        Symmetric graph over the samples. None means ``ClassGraph()`` if labels are passed, else
        ``KNNGraph()``.
    energy : {"affinity", "lkr", "lle"}, default="affinity"
        Energy of a feature: its differences along the edges, its errors of local kernel regression, or its
        errors of barycenter weights. "lkr" and "lle" are the subset-level versions of
        :class:`~featsieve.LKRScore` and :class:`~featsieve.LLEReconstructionScore`.
    n_features_to_select : int, float or "auto", default=None
        Number (int) or fraction (float) of features to select. None selects half; "auto" chooses the number
        on held-out samples, see :func:`featsieve.evaluation.choose_n_features`.
        The subset is the best of its size; the best subsets of other sizes need not contain it.

    Attributes
    ----------
    ratio_ : float
        Total spread over total energy of the selected features. For a class graph, between-class scatter
        over within-class scatter.

    See Also
    --------
    maximize_trace_ratio : The optimization problem.
    featsieve.LaplacianScore : Energy over spread of single features.

    References
    ----------
    Nie, Xiang, Jia, Zhang & Yan, AAAI 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import TraceRatio
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = TraceRatio(n_features_to_select=2).fit(X, y)
    >>> selector.get_support(indices=True), round(selector.ratio_, 2)
    (array([2, 3]), 15.5)
    """

    _parameter_constraints: dict[str, Any] = {
        "graph": GRAPH,
        "energy": [StrOptions({"affinity", "lkr", "lle"})],
    }

    def __init__(
        self,
        graph: GraphLike | None = None,
        *,
        energy: str = "affinity",
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.graph = graph
        self.energy = energy
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: MatrixLike, y: ArrayLike | None = None) -> GraphBuilder:
        return KNNGraph() if y is None else ClassGraph()

    def _score(self, X: MatrixLike, y: ArrayLike | None) -> NDArray[np.float64]:
        X = as_matrix(X)
        graph = as_graph(self._graph_builder(X, y), X, y, symmetric=True)
        spread, energy = _compute_spread_and_energy(X, graph, self.energy)
        scores, self.ratio_ = maximize_trace_ratio(spread, energy, self._resolve_n_features(X.shape[1]))
        return scores
