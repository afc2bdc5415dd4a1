from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.graphs import KNNGraph, barycenter_weights
from featsieve.graphs.graph import GraphLike, neighbor_indices
from featsieve.graphs.knn import rows_to_csr
from featsieve.registry import method
from featsieve.scores.energy import ratio, residual_energy_and_spread
from featsieve.selectors import GRAPH, Ranker
from featsieve.types import Array, MatrixLike, NFeatures


def lle_reconstruction_score(
    X: MatrixLike, graph: GraphLike, n_neighbors: int = 5, reg: float = 0.0, normalize: bool = True
) -> Array:
    r"""Compute the LLE reconstruction score of each feature.

    .. math:: \frac{\sum_i (f_i - \sum_j m_{ij} f_j)^2}{\frac{1}{n} \sum_i (f_i - \mu)^2}

    m are the weights of :func:`featsieve.graphs.barycenter_weights`, which reconstruct each sample from its K
    nearest neighbors.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    graph : builder or Graph
        Graph with neighbor lists.
    n_neighbors : int, default=5
        Number of neighbors K, at most the number of listed neighbors.
    reg : float, default=0.0
        Regularization gamma of the barycenter weights.
    normalize : bool, default=True
        Whether to divide by the variance, as the published experiments do. If False, the score is the
        numerator, the printed equation, which favors features in small units.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0; smaller is better. A constant feature gets infinity, or 0 without ``normalize``.

    Notes
    -----
    The cost, without the graph, is O(n K^2 d). With more neighbors than features, samples whose neighbors are
    in general position are reconstructed exactly and contribute 0; use fewer neighbors or a positive
    ``reg``.

    References
    ----------
    Yao et al., IEEE TIP 2017, Algorithm 1.
    """
    X = as_matrix(X)
    residual = barycenter_residual(X, graph, n_neighbors, reg)
    energy, spread = residual_energy_and_spread(X, residual, shift_invariant=True)
    return ratio(energy, spread / X.shape[0], float("inf")) if normalize else energy


def barycenter_residual(
    X: Array,
    graph: GraphLike,
    n_neighbors: int | None = None,
    reg: float = 0.0,
    relative_reg: float = 0.0,
) -> sp.csr_array:
    """Compute the operator I - M from a feature to its reconstruction errors by barycenter weights M."""
    indices = neighbor_indices(graph, X, n_neighbors)
    weights = rows_to_csr(*map(to_host, (indices, barycenter_weights(X, indices, reg, relative_reg))))
    return sp.csr_array(sp.eye_array(X.shape[0]) - weights)


@method(
    "lle-reconstruction",
    family="reconstruction",
    supervised="no",
    direction="smaller",
    inputs=("sparse", "array_api", "chunked"),
    reference="Yao et al., IEEE TIP 2017, Algorithm 1",
)
class LLEReconstructionScore(Ranker, BaseEstimator):
    """LLE reconstruction score: rank features by how well the LLE weights of the samples reconstruct them.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbors K.
    reg : float, default=0.0
        Regularization gamma, which shrinks the weights towards 1/K.
    normalize : bool, default=True
        Whether to divide by the variance of the feature. False is the printed equation.
    graph : builder or Graph, default=None
        Graph with at least K neighbors per sample; None is ``KNNGraph(n_neighbors)``.

    See Also
    --------
    featsieve.scores.lle_reconstruction_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import LLEReconstructionScore
    >>> LLEReconstructionScore(n_neighbors=3).fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "normalize": ["boolean"],
        "graph": GRAPH,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        reg: float = 0.0,
        normalize: bool = True,
        graph: GraphLike | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.normalize = normalize
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Array, y: Array = None) -> KNNGraph:
        return KNNGraph(self.n_neighbors, weights="binary")

    def _score(self, X: Array, y: Array) -> Array:
        graph = self._build_graph(X, y)
        return lle_reconstruction_score(X, graph, self.n_neighbors, self.reg, self.normalize)
