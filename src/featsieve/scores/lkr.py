from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import KNNGraph, kernel_regression_residual
from featsieve.graphs.graph import GraphLike, as_graph
from featsieve.graphs.knn import BANDWIDTH, Bandwidth
from featsieve.registry import method
from featsieve.scores.energy import ratio, residual_energy_and_spread
from featsieve.selectors import GRAPH, Ranker
from featsieve.types import Array, MatrixLike, NFeatures


def lkr_score(X: MatrixLike, graph: GraphLike, bandwidth: Bandwidth = "median", ridge: float = 0.1) -> Array:
    r"""Compute the local kernel regression score of each feature.

    .. math:: \frac{\sum_i D_{ii} (f_i - \sum_j \beta_{ij} f_j)^2}{\sum_i D_{ii} (f_i - \mu)^2}

    beta_i are the weights of a kernel ridge regression on the neighbors of i, with the kernel
    exp(-\|x - z\|^2 / h). D are the degrees of the graph, and mu is the mean weighted by D.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    graph : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Symmetric graph. In a class graph, the neighbors of a sample are the other samples of its class; the
        score is then supervised.
    bandwidth : float or "median", default="median"
        Bandwidth h. "median" is the median squared distance between neighbors.
    ridge : float, default=0.1
        Ridge penalty lambda.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0; smaller is better. A constant feature gets infinity.

    Notes
    -----
    As in the publication, the regression has no intercept: adding a constant to a feature changes its score.
    The cost, without the graph, is O(n k^2 (d + k)), or O(sum n_c^3 + n_c^2 d) for classes.

    References
    ----------
    Cheung & Zeng, IEEE TKDE 2009.
    """
    X = as_matrix(X)
    graph = as_graph(graph, X, symmetric=True)
    residual = kernel_regression_residual(X, graph, bandwidth, ridge)
    energy, spread = residual_energy_and_spread(X, residual, graph.degree, shift_invariant=False)
    return ratio(energy, spread, float("inf"))


@method(
    "lkr",
    family="reconstruction",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api", "chunked"),
    reference="Cheung & Zeng, IEEE TKDE 2009",
)
class LKRScore(Ranker, BaseEstimator):
    """LKR score: rank features by how well local kernel regression predicts them from neighbors.

    Parameters
    ----------
    graph : builder, Graph or {ndarray, sparse matrix}, default=None
        Graph; None is ``KNNGraph(10)`` with the same bandwidth, and with fewer neighbors if there are at most
        10 samples. The score is supervised with ``ClassGraph()``.
    bandwidth : float or "median", default="median"
        Bandwidth h of the kernel exp(-d^2 / h). The publication uses 100.
    ridge : float, default=0.1
        Ridge penalty lambda of the regression.

    See Also
    --------
    featsieve.scores.lkr_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph, LKRScore
    >>> X, y = load_iris(return_X_y=True)
    >>> LKRScore().fit(X).order_, LKRScore(ClassGraph()).fit(X, y).order_
    (array([3, 2, 0, 1]), array([3, 2, 1, 0]))
    """

    _parameter_constraints: dict[str, Any] = {
        "graph": GRAPH,
        "bandwidth": BANDWIDTH,
        "ridge": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        graph: GraphLike | None = None,
        *,
        bandwidth: Bandwidth = "median",
        ridge: float = 0.1,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.graph = graph
        self.bandwidth = bandwidth
        self.ridge = ridge
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Array, y: Array = None) -> KNNGraph:
        return KNNGraph(min(10, X.shape[0] - 1), bandwidth=self.bandwidth)

    def _score(self, X: Array, y: Array) -> Array:
        return lkr_score(X, self._build_graph(X, y), self.bandwidth, self.ridge)
