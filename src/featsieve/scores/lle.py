from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, column_list, namespace
from featsieve.engines.blocks import map_columns, slices
from featsieve.graphs import KNNGraph, barycenter_weights
from featsieve.graphs.graph import GraphLike, neighbor_indices
from featsieve.registry import method
from featsieve.scores.line import LineWeights, line_weights, tie_tolerance
from featsieve.selectors import GRAPH, Ranker
from featsieve.types import Array, MatrixLike, NFeatures


def lle_score(X: MatrixLike, graph: GraphLike, n_neighbors: int = 5, reg: float = 1e-5) -> Array:
    r"""Compute the LLE score of each feature.

    .. math:: \sum_{ij} (m_{ij} - \hat m_{ij})^2

    m are the barycenter weights that reconstruct each sample from its K nearest neighbors. \hat m are the
    weights that reconstruct each value of the feature from the K nearest values:

    .. math:: \min_{\hat m} (f_i - \sum_j \hat m_{ij} f_j)^2 + \gamma \sum_j \hat m_{ij}^2
              \quad \text{subject to} \quad \sum_j \hat m_{ij} = 1

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    graph : builder or Graph
        Graph with neighbor lists.
    n_neighbors : int, default=5
        Number of neighbors K, at most the number of listed neighbors.
    reg : float, default=1e-5
        Regularization gamma. It is not relative to the scale of the features: the unit of a feature affects
        its score unless its squared differences between neighboring values are much larger than gamma.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0; smaller is better. A constant feature gets a finite score: all its weights are equal.

    Notes
    -----
    If values tie for the last of the K nearest, the score is the expectation over a uniformly random choice
    among them. It does not depend on the order of the samples. Distances also tie if they differ only by
    rounding (1e-13 of the values, 1e-6 in float32): 0.1 and 0.3 are equally far from 0.2.

    The nearest values are neighbors in sorted order, their weights have a closed form, and only the K n
    non-zero weights m are compared with them. The cost, without the graph, is O(d n (log n + K)) instead of
    O(n^2 d + n d K^3).

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
    neighborhoods = Neighborhoods(X, neighbor_indices(graph, X, n_neighbors))
    rounding = tie_tolerance(X)

    def score(B: Array) -> Array:
        B = xp.astype(xp.permute_dims(B, (1, 0)), xp.float64, copy=True)  # contiguous features
        blocks = [B[block, :] for block in cache_sized_slices(B)]
        return xp.concat(
            [neighborhoods.distances(F, line_weights(F, n_neighbors, reg, rounding)) for F in blocks]
        )

    return map_columns(score, X, name="LLE score", temporaries=4)


def cache_sized_slices(F: Array) -> list[slice]:
    """Slice the rows of F into blocks that fit the cache."""
    return slices(F.shape[0], 8 * F.shape[1], F, host_bytes=2**19)


class Neighborhoods:
    """Barycenter weights of the samples, for comparison with the weights of single features."""

    def __init__(self, X: Any, indices: Array) -> None:
        weights = barycenter_weights(X, indices)
        self.norm = float(namespace(weights).sum(weights**2))
        self.neighbor_columns, self.weight_columns = column_list(indices), column_list(weights)

    def distances(self, F: Array, feature_weights: LineWeights) -> Array:
        """Compute the LLE scores of the features in the rows of F from their own weights."""
        xp = namespace(F)
        products = xp.zeros(F.shape[0], dtype=xp.float64, device=F.device)
        for neighbor, weight in zip(self.neighbor_columns, self.weight_columns, strict=True):
            products += feature_weights.at(F, xp.take(F, neighbor, axis=1)) @ weight
        scores = self.norm + feature_weights.norms - 2 * products
        return xp.where(scores > 0, scores, 0.0)


@method(
    "lle",
    family="neighbor",
    supervised="no",
    direction="smaller",
    inputs=("sparse", "array_api", "chunked"),
    reference="Yao et al., IEEE TIP 2017, Algorithm 2",
)
class LLEScore(Ranker, BaseEstimator):
    """LLE score: rank features by how well they preserve the local linear structure of the data.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbors K.
    reg : float, default=1e-5
        Regularization gamma, not relative to the scale of the features. It affects features whose
        neighboring values differ by less than about 0.003.
    graph : builder or Graph, default=None
        Graph with at least K neighbors per sample; None is ``KNNGraph(n_neighbors)``.

    See Also
    --------
    featsieve.scores.lle_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import LLEScore
    >>> LLEScore().fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "graph": GRAPH,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        reg: float = 1e-5,
        graph: GraphLike | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Array, y: Array = None) -> KNNGraph:
        return KNNGraph(self.n_neighbors, weights="binary")

    def _score(self, X: Array, y: Array) -> Array:
        return lle_score(X, self._build_graph(X, y), self.n_neighbors, self.reg)
