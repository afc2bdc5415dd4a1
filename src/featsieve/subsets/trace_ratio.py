from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.graphs import ClassGraph, KNNGraph, kernel_regression_residual
from featsieve.graphs.graph import Graph, as_graph
from featsieve.registry import method
from featsieve.scores.energy import graph_energy_and_spread, residual_energy_and_spread
from featsieve.scores.reconstruction import barycenter_residual
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def trace_ratio(spread: np.ndarray, energy: np.ndarray, n_features: int) -> tuple[np.ndarray, float]:
    r"""Choose the features of the largest ratio of total spread to total energy.

    .. math:: \max_{|S| = k} \rho(S) = \frac{\sum_{r \in S} b_r}{\sum_{r \in S} w_r}

    Parameters
    ----------
    spread, energy : ndarrays of shape (n_features,)
        b and w, not negative.
    n_features : int
        k.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        b - rho w at the best rho: larger is better, and the k largest are the best subset. Where the best
        subset has no energy at all, rho is infinite and the scores are b where w = 0, else minus infinity.
        So is the score of a feature that has neither spread nor energy.
    ratio : float
        The best rho.

    Notes
    -----
    Choosing the k largest b - rho w and taking their ratio for rho, again and again, never lowers rho and
    stops at the global optimum (Dinkelbach), here after a few rounds of one sort each. The k best single
    ratios b / w are another subset, in general a worse one.

    References
    ----------
    Nie, Xiang, Jia, Zhang & Yan, AAAI 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.subsets.trace_ratio import trace_ratio
    >>> spread, energy = np.array([1.0, 100.0, 1.1]), np.array([0.1, 20.0, 0.3])
    >>> spread / energy  # 0 and 1 have the largest ratios of their own
    array([10.        ,  5.        ,  3.66666667])
    >>> scores, ratio = trace_ratio(spread, energy, 2)
    >>> scores.argsort()[::-1], round(ratio, 2)  # but 0 and 2 have the largest together
    (array([0, 2, 1]), 5.25)
    """
    scores = np.full(spread.shape, -np.inf)
    there = (spread > 0) | (energy > 0)
    if not there.any():
        return scores, 0.0
    spread, energy = spread[there], energy[there]
    k = min(n_features, spread.size)
    free = energy == 0
    if free.sum() >= k:
        scores[there] = np.where(free, spread, -np.inf)
        return scores, np.inf
    ratio, following = -1.0, np.argsort(-spread, kind="stable")[:k]
    while (reached := spread[following].sum() / energy[following].sum()) > ratio:
        ratio, chosen = reached, following
        following = np.argsort(ratio * energy - spread, kind="stable")[:k]
    found = spread - ratio * energy
    # rounding of a large feature must not put a small one before it
    rest = np.ones(found.size, dtype=bool)
    rest[chosen] = False
    least, noise = found[chosen].min(), 8 * np.finfo(np.float64).eps * spread[chosen].max()
    found[rest & (found > least)] = least - noise
    scores[there] = found
    return scores, float(ratio)


def spread_and_energy(X: Any, graph: Graph, energy: str = "affinity") -> tuple[np.ndarray, np.ndarray]:
    """The two numbers of each feature that a trace ratio adds up, as host arrays.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph
    energy : {"affinity", "lkr", "lle"}
        Changes along the graph, errors of local kernel regression, or errors of barycenter weights.
    """
    if energy == "affinity":
        within, total, _ = graph_energy_and_spread(X, graph)
    elif energy == "lkr":
        residual = kernel_regression_residual(X, graph)
        within, total = residual_energy_and_spread(X, residual, graph.degree, shift_invariant=False)
    else:
        within, total = residual_energy_and_spread(X, barycenter_residual(X, graph), shift_invariant=True)
    total, within = to_host(total), to_host(within)
    if graph.classes is not None and energy == "affinity":
        total = np.maximum(total - within, 0.0)  # scatter between the classes
    return total, within


@method(
    "trace-ratio",
    family="subset",
    supervised="optional",
    direction="larger",
    inputs=("sparse", "array_api"),
    reference="Nie et al., AAAI 2008; Feng, Chen & Xu, 2013, eq. 2",
)
class TraceRatio(Ranker, BaseEstimator):
    """The subset whose features together change least along the graph for how much they spread.

    Parameters
    ----------
    graph : builder, Graph or matrix of weights, default=None
        None for ``ClassGraph()`` where labels are given and ``KNNGraph()`` where they are not.
    energy : {"affinity", "lkr", "lle"}, default="affinity"
        What counts against a feature: changes along the graph, errors of local kernel regression, or errors
        of the barycenter weights of the neighbors. The last two make subset-level versions of the LKR
        score and of the LLE paper's Algorithm 1.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half. The subset is the best of
        its size, and those of other sizes need not contain it.

    Attributes
    ----------
    ratio_ : float
        Spread over energy of the chosen features together; for a class graph, scatter between the classes
        over scatter within them.

    See Also
    --------
    featsieve.subsets.trace_ratio.trace_ratio : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import TraceRatio
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = TraceRatio(n_features_to_select=2).fit(X, y)
    >>> selector.get_support(indices=True), round(selector.ratio_, 2)
    (array([2, 3]), 15.5)
    """

    _parameter_constraints: dict = {
        "graph": GRAPH,
        "energy": [StrOptions({"affinity", "lkr", "lle"})],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self, graph: Any = None, *, energy: str = "affinity", n_features_to_select: Any = None
    ) -> None:
        self.graph = graph
        self.energy = energy
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        graph = self.graph
        if graph is None:
            graph = KNNGraph() if y is None else ClassGraph()
        X = as_matrix(X)
        built = as_graph(graph, X, y, symmetric=True)
        scores, self.ratio_ = trace_ratio(
            *spread_and_energy(X, built, self.energy), self._resolve_n_features(X.shape[1])
        )
        return scores
