from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import KNNGraph
from featsieve.graphs.graph import as_graph
from featsieve.registry import method
from featsieve.scores.energy import graph_energy_and_spread, ratio
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def laplacian_score(X: Any, graph: Any) -> Any:
    r"""How much a feature changes along the graph, against how much it changes at all.

    .. math:: \frac{f'(D - W)f}{\sum_i D_{ii} (f_i - \mu)^2},
              \quad \mu = \frac{\sum_i D_{ii} f_i}{\sum_i D_{ii}}

    W holds the weights of the graph and D its degrees.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph, builder, or symmetric matrix of weights

    Returns
    -------
    array of shape (n_features,)
        Smaller is better, from 0 to 2; a constant feature gets infinity.

    Notes
    -----
    Cost O(nnz(W) d) after the graph. With the class graph the score is 1 / (1 + Fisher score).

    References
    ----------
    He, Cai & Niyogi, NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph
    >>> from featsieve.scores import laplacian_score
    >>> laplacian_score(load_iris().data, KNNGraph(5)).round(3)
    array([0.022, 0.083, 0.004, 0.016])
    """
    X = as_matrix(X)
    energy, spread, _ = graph_energy_and_spread(X, as_graph(graph, X, symmetric=True))
    return ratio(energy, spread, float("inf"))


@method(
    "laplacian",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="He, Cai & Niyogi, NIPS 2005",
)
class LaplacianScore(Ranker, BaseEstimator):
    """How much a feature changes along the graph, against how much it changes at all.

    Parameters
    ----------
    graph : builder, Graph or matrix of weights, default=None
        None for ``KNNGraph()``; ``ClassGraph()`` makes it supervised.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.laplacian_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph, LaplacianScore
    >>> LaplacianScore(KNNGraph(10)).fit(load_iris().data).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict = {"graph": GRAPH, "n_features_to_select": N_FEATURES}

    def __init__(self, graph: Any = None, *, n_features_to_select: Any = None) -> None:
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Any, y: Any = None) -> KNNGraph:
        return KNNGraph()

    def _score(self, X: Any, y: Any) -> Any:
        return laplacian_score(X, self._build_graph(X, y))
