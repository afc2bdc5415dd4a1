from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, Options

from featsieve.engines.arrays import as_matrix, namespace, on_device
from featsieve.engines.blocks import map_columns
from featsieve.graphs import KNNGraph
from featsieve.graphs.graph import Graph, as_graph
from featsieve.registry import method
from featsieve.scores.forms import graph_forms, ratio
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def spec_score(X: Any, graph: Any, kind: int = 2, n_components: int | None = None) -> Any:
    r"""How a feature falls on the spectrum of the graph.

    .. math:: \varphi_1 = \sum_j \alpha_j^2 \lambda_j, \quad
              \varphi_2 = \frac{\sum_{j \ge 2} \alpha_j^2 \lambda_j}{\sum_{j \ge 2} \alpha_j^2}, \quad
              \varphi_3 = \sum_{j=2}^k \alpha_j^2 (2 - \lambda_j)

    lambda_j, xi_j are the eigenpairs of the normalised Laplacian from the smallest up, and alpha_j is the
    cosine of the angle between xi_j and D^{1/2} f.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph, builder, or symmetric matrix of weights
        ``RBFGraph()`` is the published one, ``ClassGraph()`` the supervised one.
    kind : {1, 2, 3}
    n_components : int or None
        k of the third; None for all, which needs no eigenvectors.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better for kinds 1 and 2, larger for kind 3; from 0 to 2. A constant feature gets
        infinity, or 0 for kind 3.

    Notes
    -----
    With energy E, spread S and squared mean Q of :func:`graph_forms`, kind 1 is E/(S+Q), kind 2 is E/S
    (the Laplacian score), and kind 3 with all components is (2S - E)/(S+Q): quadratic forms, no
    eigenvectors. Kind 3 with k components takes k - 1 eigenvectors by Lanczos iteration.

    References
    ----------
    Zhao & Liu, ICML 2007.
    """
    X = as_matrix(X)
    graph = as_graph(graph, X, symmetric=True)
    energy, spread, mean_square = graph_forms(X, graph)
    length = namespace(spread).where(spread > 0, spread + mean_square, 0.0)
    if kind == 1:
        return ratio(energy, length, float("inf"))
    if kind == 2:
        return ratio(energy, spread, float("inf"))
    if n_components is None:
        return ratio(2 * spread - energy, length, 0.0)
    return ratio(_low_pass(X, graph, n_components), length, 0.0)


def _low_pass(X: Any, graph: Graph, n_components: int) -> Any:
    """The sum over j = 2..k of (2 - lambda_j) (xi_j' D^{1/2} f)^2."""
    if n_components > graph.n_samples:
        raise ValueError(
            f"n_components={n_components} but the graph has {graph.n_samples} samples: lower it."
        )
    root = np.sqrt(graph.degree)
    values, vectors = _smooth_vectors(graph, root, n_components - 1)
    xp = namespace(X)
    # one row per eigenvector; they are orthogonal to D^{1/2} 1, so X needs no centring
    filters = (np.sqrt(1 + values)[:, None] * vectors.T) * root
    if sp.issparse(X):
        return map_columns(lambda B: ((filters @ B) ** 2).sum(axis=0), X, name="spectrum", sparse=True)
    filters = xp.astype(on_device(filters, X), X.dtype)
    return map_columns(lambda B: xp.sum((filters @ B) ** 2, axis=0, dtype=xp.float64), X, name="spectrum")


def _smooth_vectors(graph: Graph, root: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` largest eigenpairs of D^{-1/2} W D^{-1/2}, that of D^{1/2} 1 left out."""
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    first = root / np.linalg.norm(root)
    n = root.size

    def multiply(v: np.ndarray) -> np.ndarray:
        v = v.reshape(n, -1)
        # the known eigenvector is moved from 1 to -2, below all others
        return inverse[:, None] * (graph.weights @ (inverse[:, None] * v)) - 3 * first[:, None] * (first @ v)

    if count == 0:
        return np.empty(0), np.empty((n, 0))
    if n <= 1000 or count > n // 4:
        dense = multiply(np.eye(n))
        return eigh((dense + dense.T) / 2, subset_by_index=(n - count, n - 1))
    operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=np.float64)
    return eigsh(operator, k=count, which="LA", v0=np.random.default_rng(0).standard_normal(n))


@method(
    "spec",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="Zhao & Liu, ICML 2007; Feng, Chen & Xu, 2013, eq. 1",
)
class SPECScore(Ranker, BaseEstimator):
    """How a feature falls on the spectrum of the graph.

    Parameters
    ----------
    graph : builder, Graph or matrix of weights, default=None
        None for ``KNNGraph()``; ``RBFGraph()`` is the published one, ``ClassGraph()`` makes it supervised.
    kind : {1, 2, 3}, default=2
        Which of the three published functions. 2 is the Laplacian score; of 3, larger is better.
    n_components : int, default=None
        How many eigenvectors kind 3 looks at; None for all.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.spec_score : The equations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph, SPECScore
    >>> SPECScore(RBFGraph(), kind=1).fit(load_iris().data).order_
    array([0, 1, 2, 3])
    """

    _parameter_constraints: dict = {
        "graph": GRAPH,
        "kind": [Options(Integral, {1, 2, 3})],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        graph: Any = None,
        *,
        kind: int = 2,
        n_components: int | None = None,
        n_features_to_select: Any = None,
    ) -> None:
        self.graph = graph
        self.kind = kind
        self.n_components = n_components
        self.n_features_to_select = n_features_to_select

    @property
    def _direction(self) -> str:
        return "larger" if self.kind == 3 else "smaller"

    def _score(self, X: Any, y: Any) -> Any:
        graph = as_graph(KNNGraph() if self.graph is None else self.graph, X, y)
        return spec_score(X, graph, self.kind, self.n_components)
