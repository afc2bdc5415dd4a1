from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import KNNGraph, barycenter_weights
from featsieve.graphs.graph import neighbor_indices
from featsieve.graphs.knn import rows_to_csr
from featsieve.registry import method
from featsieve.scores.energy import ratio, residual_energy_and_spread
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def lle_reconstruction_score(
    X: Any, graph: Any, n_neighbors: int = 5, reg: float = 0.0, normalize: bool = True
) -> Any:
    r"""Error of rebuilding a feature by the weights that rebuild the whole samples.

    .. math:: \frac{\sum_i (f_i - \sum_j m_{ij} f_j)^2}{\frac{1}{n} \sum_i (f_i - \mu)^2}

    m are the barycenter weights of :func:`featsieve.graphs.barycenter_weights` on the K nearest
    neighbors.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph or builder
        Whose neighbor lists are used.
    n_neighbors : int
        K: so many of the listed neighbors.
    reg : float
        gamma of the barycenter weights.
    normalize : bool
        Whether to divide by the variance, as the published experiments do. False is the numerator, the
        equation as printed, by which a feature in small units always wins.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better, from 0; a constant feature gets infinity, or 0 without ``normalize``.

    Notes
    -----
    Cost after the graph O(n K^2 d). With more neighbors than features a sample is rebuilt exactly
    wherever its neighbors lie in general position, and the scores are 0 or tell of the exceptions only:
    take a smaller K, or a positive ``reg``.

    References
    ----------
    Yao et al., IEEE TIP 2017, Algorithm 1.
    """
    X = as_matrix(X)
    residual = barycenter_residual(X, graph, n_neighbors, reg)
    energy, spread = residual_energy_and_spread(X, residual, shift_invariant=True)
    return ratio(energy, spread / X.shape[0], float("inf")) if normalize else energy


def barycenter_residual(X: Any, graph: Any, n_neighbors: int | None = None, reg: float = 0.0) -> sp.csr_array:
    """I - M: what the barycenter weights of the graph's neighbors (all, or so many) leave of a feature."""
    indices = neighbor_indices(graph, X, n_neighbors)
    weights = rows_to_csr(indices, barycenter_weights(X, indices, reg))
    return sp.csr_array(sp.eye_array(X.shape[0]) - weights)


@method(
    "lle-reconstruction",
    family="reconstruction",
    supervised="no",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="Yao et al., IEEE TIP 2017, Algorithm 1",
)
class LLEReconstructionScore(Ranker, BaseEstimator):
    """Error of rebuilding a feature by the weights that rebuild the whole samples.

    Parameters
    ----------
    n_neighbors : int, default=5
        K.
    reg : float, default=0.0
        gamma: how much the weights are drawn towards 1/K.
    normalize : bool, default=True
        Whether to divide by the feature's variance; False is the equation as printed.
    graph : builder or Graph, default=None
        Where the neighbors come from, at least K of them; None for ``KNNGraph(n_neighbors)``.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.lle_reconstruction_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import LLEReconstructionScore
    >>> LLEReconstructionScore(n_neighbors=3).fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "normalize": ["boolean"],
        "graph": GRAPH,
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        reg: float = 0.0,
        normalize: bool = True,
        graph: Any = None,
        n_features_to_select: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.normalize = normalize
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: Any, y: Any = None) -> KNNGraph:
        return KNNGraph(self.n_neighbors, weights="binary")

    def _score(self, X: Any, y: Any) -> Any:
        return lle_reconstruction_score(
            X, self._build_graph(X, y), self.n_neighbors, self.reg, self.normalize
        )
