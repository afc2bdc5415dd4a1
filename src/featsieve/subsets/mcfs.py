from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, is_tensor, namespace, product_on_host, take_rows, to_host
from featsieve.engines.blocks import single_threaded_blas
from featsieve.graphs import ClassGraph, Graph, KNNGraph
from featsieve.graphs.graph import GraphBuilder, GraphLike, as_graph
from featsieve.registry import method
from featsieve.scores.energy import center
from featsieve.selectors import GRAPH, Ranker
from featsieve.solvers.lasso import gram_pays, lasso_paths
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._embedding import spectral_embedding
from featsieve.targets import TARGET, TargetType, encode_targets, is_numeric
from featsieve.types import Array, MatrixLike, NFeatures


def mcfs_score(
    X: MatrixLike, graph: GraphLike, n_clusters: int | None = None, n_nonzero: int | None = None
) -> NDArray[np.float64]:
    r"""Compute the largest coefficient of each feature in sparse regressions on the graph's embedding.

    .. math:: \max_k |a_{kj}|, \quad
              a_k = \arg\min_a |y_k - \mu_k - X a|^2 / 2 + \alpha_k |a|_1, \quad L y_k = \lambda_k D y_k

    X is centered and mu_k is the mean of y_k. The y_k are the eigenvectors of the K smallest eigenvalues of
    the graph, without the constant one, normalized to y_k' D y_k = 1. alpha_k is the largest penalty on the
    path at which ``n_nonzero`` coefficients are nonzero.

    Parameters
    ----------
    X : {array-like, tensor} of shape (n_samples, n_features)
        Data. Standardize features in different units first.
    graph : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Symmetric graph. ``KNNGraph()`` is the published choice. With ``ClassGraph().build(X, y)`` the method
        is supervised: the y_k span the functions that are constant on each class and have mean zero.
    n_clusters : int, default=None
        Number of eigenvectors K. None means 5, or the number of classes of a class graph, which has one
        nontrivial eigenvector less.
    n_nonzero : int, default=None
        Number of features in each regression. None means as many as possible.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better; at least 0. A feature that no regression uses, such as a constant one, scores 0.

    Notes
    -----
    Eigenvectors of equal eigenvalues, as of a disconnected graph or a class graph, are defined up to a
    rotation, and the score depends on it. The rotation by the singular vectors of X'Y, largest first, is
    used: it depends neither on the order of the samples nor on the names of the classes. Samples without
    edges have no entry in any y_k.

    Least angle regression follows the lasso path. The regressions share one Gram matrix, or use X itself if
    there are many more features than samples. The cost is O(n d^2 + K t m d) or O(K t n (m + d)) for m
    nonzero coefficients and t >= m knots.

    References
    ----------
    Cai, Zhang & He, KDD 2010. Efron, Hastie, Johnstone & Tibshirani, Annals of Statistics 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph
    >>> from featsieve.subsets import mcfs_score
    >>> mcfs_score(load_iris().data, RBFGraph(), n_clusters=2, n_nonzero=2).round(3)
    array([0.007, 0.01 , 0.006, 0.   ])
    """
    X = as_matrix(X)
    graph = as_graph(graph, X, symmetric=True)
    n_components = _count_components(n_clusters, graph)
    F, unit = _center_and_scale(X)
    connected = np.flatnonzero(graph.degree)
    is_connected = connected.size == F.shape[0]
    graph, connected_rows = graph.subgraph(connected), F if is_connected else take_rows(F, connected)
    with single_threaded_blas():  # many small products, where BLAS threads cost more than they save
        embedding = spectral_embedding(connected_rows, graph, n_components)
        covariances = product_on_host(embedding.T, connected_rows)
    return _largest_coefficients(F, covariances, n_nonzero) / unit


def mcfs_target_score(
    X: MatrixLike, y: ArrayLike, n_nonzero: int | None = None, target: TargetType = "auto"
) -> NDArray[np.float64]:
    r"""Compute the largest coefficient of each feature in sparse regressions on the targets.

    .. math:: \max_k |a_{kj}|, \quad a_k = \arg\min_a |t_k - X a|^2 / 2 + \alpha_k |a|_1

    X is centered. The t_k are the targets, centered and of unit length: numbers, or the indicators of classes
    (one for two classes). alpha_k is the largest penalty on the path at which ``n_nonzero`` coefficients are
    nonzero.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. Standardize features in different units first.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.
    n_nonzero : int, default=None
        Number of features in each regression. None means as many as possible.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better; at least 0. A feature that no regression uses, such as a constant one, scores 0.

    See Also
    --------
    mcfs_score : Regressions on the eigenvectors of a graph.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from featsieve.subsets import mcfs_target_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> mcfs_target_score(X, y, n_nonzero=2, target="numeric").round(2)
    array([0.  , 0.  , 0.22, 0.  , 0.  , 0.  , 0.  , 0.  , 0.19, 0.  ])
    """
    X = as_matrix(X)
    targets = UnitColumns(encode_targets(y, X, target).values)
    F, unit = _center_and_scale(X)
    T = targets.columns(np.arange(targets.n_features))
    return _largest_coefficients(F, product_on_host(T.T, F), n_nonzero) / unit


def _center_and_scale(X: Any) -> tuple[Array, float]:
    """Return the centered features divided by their largest value, and this value."""
    xp = namespace(X)
    F = xp.astype(X, xp.float64, copy=True)
    center(F)
    unit = float(xp.max(xp.abs(F))) or 1.0
    F /= unit
    return F, unit


def _largest_coefficients(
    F: Array, covariances: NDArray[np.float64], n_nonzero: int | None
) -> NDArray[np.float64]:
    """Return the largest absolute coefficient of each feature over the regressions."""
    n, d = F.shape
    n_nonzero = min(n_nonzero or d, d, n - 1)
    gram: Any = gram_pays(n, d, len(covariances), n_nonzero)
    if gram and is_tensor(F):
        gram = to_host(F.T @ F)
    # the paths are short sequences of small steps, for which the host is faster than a device
    return np.abs(lasso_paths(to_host(F), covariances, n_nonzero, gram)).max(axis=0)


def _count_components(n_clusters: int | None, graph: Graph) -> int:
    """Return the number of nontrivial eigenvectors to use; ValueError if the graph has fewer."""
    n_connected = int(np.count_nonzero(graph.degree))
    if n_connected < 2:
        raise ValueError(
            f"`graph` must have edges at two or more samples; got edges at {n_connected}. Increase "
            "`n_neighbors` or `bandwidth`, or pass other weights."
        )
    if graph.classes is None:
        n_nontrivial = largest = n_connected - 1
        default, limit = 5, f"{largest}, because the graph has edges at {n_connected} samples"
    else:
        default = largest = int(graph.classes.max()) + 1
        n_nontrivial, limit = largest - 1, f"the number of classes in y ({largest})"
    if (n_clusters or 0) > largest:
        raise ValueError(f"`n_clusters` must be at most {limit}; got {n_clusters}. Decrease it or use None.")
    return min(n_clusters or default, n_nontrivial)


@method(
    "mcfs",
    family="subset",
    supervised="optional",
    direction="larger",
    inputs=("array_api", "multioutput"),
    reference="Cai, Zhang & He, KDD 2010; Feng, Chen & Xu, 2013, eq. 4 and 5",
)
class MCFS(Ranker, BaseEstimator):
    """Multi-cluster feature selection: rank features by sparse regressions on the graph's embedding.

    Numeric targets, and several targets, take the place of the embedding.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of eigenvectors of the graph to regress on. None means 5, or the number of classes of a class
        graph, one of which is determined by the others. It does not matter for numeric or several
        targets.
    graph : builder, Graph or {ndarray, sparse matrix}, default=None
        Symmetric graph over the samples. None means ``ClassGraph()`` if classes are passed, the
        targets themselves if numbers or several targets are passed, else ``KNNGraph()``. If it is passed, y
        is used only by its builder.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.
    n_features_to_select : int, float or "auto", default=None
        Number (int) or fraction (float) of features to select and to use in each regression. None means half;
        "auto" chooses the number on held-out samples, see :func:`featsieve.evaluation.choose_n_features`.

    See Also
    --------
    mcfs_score, mcfs_target_score : The equations.
    featsieve.SPFS : One regression on several eigenvectors together.

    Notes
    -----
    Standardize features in different units first. Features that no regression uses score 0 and are ranked
    in column order. Several regressions together may use more features than are selected; they use fewer
    only if there are fewer samples.

    References
    ----------
    Cai, Zhang & He, KDD 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import MCFS, RBFGraph
    >>> X, y = load_iris(return_X_y=True)
    >>> MCFS(2, graph=RBFGraph(), n_features_to_select=2).fit(X).order_
    array([1, 0, 2, 3])
    >>> MCFS(n_features_to_select=2).fit(X, y).order_
    array([1, 2, 3, 0])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "graph": GRAPH,
        "target": TARGET,
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        graph: GraphLike | None = None,
        target: TargetType = "auto",
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.graph = graph
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _default_graph(self, X: MatrixLike, y: ArrayLike | None = None) -> GraphBuilder:
        return KNNGraph() if y is None else ClassGraph()

    def _score(self, X: MatrixLike, y: ArrayLike | None) -> NDArray[np.float64]:
        X = as_matrix(X)
        n_nonzero = self._resolve_n_features(X.shape[1])
        if (
            y is not None
            and self.graph is None
            and (np.ndim(y) == 2 or is_numeric(np.asarray(y), self.target))
        ):
            return mcfs_target_score(X, y, n_nonzero, self.target)
        return mcfs_score(X, self._build_graph(X, y), self.n_clusters, n_nonzero)
