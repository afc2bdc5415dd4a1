from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns, slices
from featsieve.graphs import KNNGraph, barycenter_weights
from featsieve.graphs.graph import neighbor_indices
from featsieve.registry import method
from featsieve.scores.line import LineWeights, line_weights, tie_tolerance
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def lle_score(X: Any, graph: Any, n_neighbors: int = 5, reg: float = 1e-5) -> Any:
    r"""Distance between the neighborhoods of the data and those of the feature alone.

    .. math:: \sum_{ij} (m_{ij} - \hat m_{ij})^2

    m are the barycenter weights that rebuild each sample from its K nearest neighbors, \hat m those that
    rebuild each value of the feature from the K nearest values:

    .. math:: \min_{\hat m} (f_i - \sum_j \hat m_{ij} f_j)^2 + \gamma \sum_j \hat m_{ij}^2
              \quad with \quad \sum_j \hat m_{ij} = 1

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph or builder
        Whose neighbor lists are used.
    n_neighbors : int
        K: so many of the listed neighbors.
    reg : float
        gamma. It is absolute, so a feature's unit matters where its squared gaps between neighboring
        values are not far above gamma; far above, rescaling a feature changes nothing.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better, from 0. A constant feature gets the finite value of weights 1/K spread over all
        other samples.

    Notes
    -----
    Where values tie for the last places among the K nearest, the score is the expectation over a
    uniformly random choice among them; it does not depend on the order of the samples. Distances that
    differ by no more than rounding (1e-13 of the values, 1e-6 in float32) tie too: 0.3 and 0.1 are equally
    far from 0.2.

    On a line the neighbors are a window of the sorted values and the weights have a closed form, and
    only the K n pairs of m meet both: O(d n (log n + K)) after the graph, where the equations taken
    literally need O(n^2 d + n d K^3).

    References
    ----------
    Yao et al., IEEE TIP 2017, Algorithm 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph
    >>> from featsieve.scores import lle_score
    >>> lle_score(load_iris().data, KNNGraph(5)).argsort()
    array([2, 0, 3, 1])
    """
    X = as_matrix(X)
    xp = namespace(X)
    target = Neighborhoods(X, neighbor_indices(graph, X, n_neighbors))
    rounding = tie_tolerance(X)

    def distance(B: Any) -> Any:
        B = xp.astype(xp.permute_dims(B, (1, 0)), xp.float64, copy=True)  # features as contiguous rows
        parts = [B[part, :] for part in cache_sized_slices(B)]
        return xp.concat([target.distances(F, line_weights(F, n_neighbors, reg, rounding)) for F in parts])

    return map_columns(distance, X, name="LLE score", temporaries=4)


def cache_sized_slices(F: Any) -> list[slice]:
    """Parts of the rows of F that are worked on together."""
    return slices(F.shape[0], 8 * F.shape[1], F, host_bytes=2**19)


class Neighborhoods:
    """Samples rebuilt from their neighbors, to be compared with what single features make of them.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    indices : ndarray of shape (n_samples, n_neighbors)
    """

    def __init__(self, X: Any, indices: np.ndarray) -> None:
        weights = barycenter_weights(X, indices)
        self.norm = float(np.sum(weights**2))
        self.partners = [to_device_of(column, X) for column in np.ascontiguousarray(indices.T)]
        self.factors = [to_device_of(column, X) for column in np.ascontiguousarray(weights.T)]

    def distances(self, F: Any, hat: LineWeights) -> Any:
        """LLE scores of the features in the rows of F, whose own weights are ``hat``."""
        xp = namespace(F)
        shared = xp.zeros(F.shape[0], dtype=xp.float64, device=F.device)
        for partner, factor in zip(self.partners, self.factors, strict=True):
            shared += hat.at(F, xp.take(F, partner, axis=1)) @ factor
        scores = self.norm + hat.norms - 2 * shared
        return xp.where(scores > 0, scores, 0.0)


@method(
    "lle",
    family="neighbor",
    supervised="no",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="Yao et al., IEEE TIP 2017, Algorithm 2",
)
class LLEScore(Ranker, BaseEstimator):
    """Distance between the neighborhoods of the data and those of the feature alone.

    Parameters
    ----------
    n_neighbors : int, default=5
        K.
    reg : float, default=1e-5
        gamma, absolute: features whose neighboring values differ by less than about 0.003 feel it.
    graph : builder or Graph, default=None
        Where the neighbors come from, at least K of them; None for ``KNNGraph(n_neighbors)``.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.lle_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import LLEScore
    >>> LLEScore().fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "graph": GRAPH,
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self, n_neighbors: int = 5, *, reg: float = 1e-5, graph: Any = None, n_features_to_select: Any = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Any, y: Any = None) -> KNNGraph:
        return KNNGraph(self.n_neighbors, weights="binary")

    def _score(self, X: Any, y: Any) -> Any:
        return lle_score(X, self._build_graph(X, y), self.n_neighbors, self.reg)
