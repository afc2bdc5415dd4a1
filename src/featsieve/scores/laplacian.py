from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix
from featsieve.graphs.graph import GraphLike, as_graph
from featsieve.registry import method
from featsieve.scores.energy import graph_energy_and_spread, ratio
from featsieve.selectors import GRAPH, Ranker
from featsieve.types import Array, MatrixLike, NFeatures


def laplacian_score(X: MatrixLike, graph: GraphLike) -> Array:
    r"""Compute the Laplacian score of each feature.

    .. math:: \frac{f'(D - W)f}{\sum_i D_{ii} (f_i - \mu)^2},
              \quad \mu = \frac{\sum_i D_{ii} f_i}{\sum_i D_{ii}}

    W are the weights of the graph and D its degrees.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    graph : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Symmetric graph.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0 to 2; smaller is better. A constant feature gets infinity.

    Notes
    -----
    The cost is O(nnz(W) d), without the graph. With the class graph, the score is 1 / (1 + Fisher score).

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
    inputs=("sparse", "array_api", "chunked"),
    reference="He, Cai & Niyogi, NIPS 2005",
)
class LaplacianScore(Ranker, BaseEstimator):
    """Laplacian score: rank features by how well they preserve the neighborhood graph.

    Parameters
    ----------
    graph : builder, Graph or {ndarray, sparse matrix}, default=None
        Graph; None is ``KNNGraph()``. The score is supervised with ``ClassGraph()``.

    See Also
    --------
    featsieve.scores.laplacian_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph, LaplacianScore
    >>> LaplacianScore(KNNGraph(10)).fit(load_iris().data).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict[str, Any] = {"graph": GRAPH}

    def __init__(self, graph: GraphLike | None = None, *, n_features_to_select: NFeatures = None) -> None:
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> Array:
        return laplacian_score(X, self._build_graph(X, y))
