from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import KNNGraph, kernel_regression_residual
from featsieve.graphs.graph import as_graph
from featsieve.registry import method
from featsieve.scores.energy import ratio, residual_energy_and_spread
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def lkr_score(X: Any, graph: Any, bandwidth: Any = "median", ridge: float = 0.1) -> Any:
    r"""Error of predicting a feature at each sample from its neighbors, against its spread.

    .. math:: \frac{\sum_i D_{ii} (f_i - \sum_j \beta_{ij} f_j)^2}{\sum_i D_{ii} (f_i - \mu)^2}

    beta are the weights of a kernel ridge regression fitted on the neighbors of i alone, with the kernel
    exp(-\|x - z\|^2 / h); D are the degrees of the graph and mu is the mean that they weight.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph, builder, or matrix of weights
        A class graph makes the rest of its class the neighbors of a sample: the supervised score.
    bandwidth : "median" or float
        h. "median": of the squared distances between neighbors.
    ridge : float
        lambda.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better, from 0; a constant feature gets infinity.

    Notes
    -----
    The prediction has no intercept, so adding a constant to a feature changes its score: this is the
    published definition. Cost after the graph: O(n k^2 (d + k)), or O(sum n_c^3 + n_c^2 d) for classes.

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
    inputs=("sparse", "array_api"),
    reference="Cheung & Zeng, IEEE TKDE 2009",
)
class LKRScore(Ranker, BaseEstimator):
    """Error of predicting a feature at each sample from its neighbors, against its spread.

    Parameters
    ----------
    graph : builder, Graph or matrix of weights, default=None
        None for ``KNNGraph(10)`` with the same bandwidth (fewer neighbors where there are fewer
        samples); ``ClassGraph()`` makes it supervised.
    bandwidth : "median" or float, default="median"
        h of the kernel exp(-d^2 / h); the paper sets 100.
    ridge : float, default=0.1
        lambda of the regression.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.lkr_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph, LKRScore
    >>> X, y = load_iris(return_X_y=True)
    >>> LKRScore().fit(X).order_, LKRScore(ClassGraph()).fit(X, y).order_
    (array([3, 2, 0, 1]), array([3, 2, 1, 0]))
    """

    _parameter_constraints: dict = {
        "graph": GRAPH,
        "bandwidth": [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        graph: Any = None,
        *,
        bandwidth: Any = "median",
        ridge: float = 0.1,
        n_features_to_select: Any = None,
    ) -> None:
        self.graph = graph
        self.bandwidth = bandwidth
        self.ridge = ridge
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Any, y: Any = None) -> KNNGraph:
        return KNNGraph(min(10, X.shape[0] - 1), bandwidth=self.bandwidth)

    def _score(self, X: Any, y: Any) -> Any:
        return lkr_score(X, self._build_graph(X, y), self.bandwidth, self.ridge)
