from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import single_threaded_blas
from featsieve.engines.lasso import lasso_paths
from featsieve.graphs import ClassGraph, KNNGraph
from featsieve.graphs.graph import Graph, as_graph
from featsieve.graphs.labels import class_indicator
from featsieve.graphs.spectrum import EIGENVALUE_RTOL, connected_components, leading_eigenpairs, shift_invert
from featsieve.registry import method
from featsieve.scores.energy import center
from featsieve.selectors import GRAPH, N_FEATURES, Ranker

# Above this many features the Gram matrix would no longer fit beside the data.
_GRAM_FEATURES = 10_000


def mcfs_score(X: Any, graph: Any, n_clusters: int | None = None, n_nonzero: int | None = None) -> Any:
    r"""Largest coefficient of a feature among sparse regressions on the clusters' embedding.

    .. math:: \max_k |a_{kj}|, \quad
              a_k = \arg\min_a |y_k - \mu_k - X a|^2 / 2 + \alpha_k |a|_1, \quad L y_k = \lambda_k D y_k

    X is centerd, mu_k is the mean of y_k, and y_k are the eigenvectors of the K smallest eigenvalues of the
    graph, the constant one left out, with y_k' D y_k = 1. alpha_k is the first knot of the path, from above,
    where ``n_nonzero`` coefficients are not zero.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
        Features in different units should be standardized first: the method takes them as they are.
    graph : Graph, builder, or symmetric matrix of weights
        ``KNNGraph()`` is the published one. ``ClassGraph().build(X, y)`` makes it supervised: the y_k then
        span the functions that are constant on each class and have mean zero.
    n_clusters : int or None
        K. None for 5, or the number of classes of a class graph, which has one less nontrivial eigenvector.
    n_nonzero : int or None
        How many features each regression uses; None for as many as there are samples or features.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better; from 0 up. A feature that no regression uses, a constant one among them, gets 0.

    Notes
    -----
    Where eigenvalues are equal, as for a graph in several pieces or a class graph, any rotation of their
    eigenvectors would do, and the score is not the same for all. The rotation taken is the one by the
    singular vectors of X'Y, largest first, which depends neither on the order of the samples nor on the
    names of the classes. A sample without edges has no part in any y_k.

    The regressions follow the path of the lasso by least angle regression. They share one Gram matrix, or
    use X itself where features outnumber samples by far: O(n d^2 + K t m d) or O(K t n (m + d)) for m nonzero
    coefficients and t knots, of which there are at least m.

    References
    ----------
    Cai, Zhang & He, KDD 2010. Efron, Hastie, Johnstone & Tibshirani, Annals of Statistics 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph
    >>> from featsieve.subsets.mcfs import mcfs_score
    >>> mcfs_score(load_iris().data, RBFGraph(), n_clusters=2, n_nonzero=2).round(3)
    array([0.007, 0.01 , 0.006, 0.   ])
    """
    X = as_matrix(X)
    graph = as_graph(graph, X, symmetric=True)
    n_clusters = _check_clusters(n_clusters, graph)
    F = np.array(X, dtype=np.float64)
    center(F)
    unit = np.abs(F).max()
    if unit == 0:
        return np.zeros(X.shape[1])
    F /= unit
    joined = np.flatnonzero(graph.degree)  # the others have no part in any y
    graph, there = graph.subgraph(joined), F if joined.size == len(F) else F[joined]
    with single_threaded_blas():  # small products, after which threads of BLAS would linger
        covariances = _embedding(there, graph, n_clusters).T @ there
    n, d = F.shape
    n_nonzero = min(n_nonzero or d, d, n - 1)
    # beyond this a product with X for each knot is faster than keeping rows of the Gram matrix, as measured
    gram = d <= min(_GRAM_FEATURES, 8 * len(covariances) * n_nonzero) and 2 * n_nonzero * (d - 2 * n) <= n * d
    return np.abs(lasso_paths(F, covariances, n_nonzero, gram)).max(axis=0) / unit


def _check_clusters(n_clusters: int | None, graph: Graph) -> int:
    """The number that ``n_clusters`` stands for, at most that of the nontrivial eigenvectors."""
    if not graph.degree.any():
        raise ValueError("graph has no edges: raise n_neighbors or bandwidth, or give other weights.")
    if graph.classes is not None:
        n_classes = int(graph.classes.max()) + 1
        if n_clusters is not None and n_clusters > n_classes:
            raise ValueError(
                f"n_clusters={n_clusters} but y holds {n_classes} classes: lower it, or use None."
            )
        return min(n_clusters or n_classes, n_classes - 1)
    most = int(np.count_nonzero(graph.degree)) - 1
    if most < 1:
        raise ValueError("graph has edges at one sample only: give other weights.")
    if n_clusters is not None and n_clusters > most:
        raise ValueError(
            f"n_clusters={n_clusters} but the graph has edges at {most + 1} samples, and {most} nontrivial "
            "eigenvectors: lower it."
        )
    return min(n_clusters or 5, most)


def _embedding(X: np.ndarray, graph: Graph, count: int) -> np.ndarray:
    """Up to ``count`` eigenvectors of L y = lambda D y from the smallest up, the constant one left out.

    All degrees are positive. Those that the columns of the centerd X are all orthogonal to may be missing.
    """
    root = np.sqrt(graph.degree)
    inverse = 1 / root
    # eigenvalue 0: the vectors that are constant on every piece of the graph. They are written down, because
    # Lanczos iterations do not find all of several equal eigenvalues
    pieces = sp.csr_array(sp.diags_array(root) @ class_indicator(*connected_components(graph)))
    length = np.sqrt((pieces**2).sum(axis=0))
    pieces = sp.csr_array(pieces / length)
    constant = length / np.linalg.norm(length)
    flat = (sp.diags_array(inverse) @ pieces).T @ X
    flat -= np.outer(constant, constant @ flat)
    rotation = np.linalg.svd(flat, full_matrices=False)[0][:, : min(count, constant.size - 1)]
    found = [pieces @ rotation]

    across = sp.csr_array(pieces.T)

    def multiply(v: np.ndarray) -> np.ndarray:
        scale = inverse if v.ndim == 1 else inverse[:, None]
        # what is known already is moved from 1 to -2, below all others
        return scale * (graph.weights @ (scale * v)) - 3 * (pieces @ (across @ v))

    rest = count - (constant.size - 1)
    if rest > 0:
        weights, sharp = graph.weights, None
        if sp.issparse(weights) and weights.data.min(initial=0) >= 0:
            sharp = shift_invert(weights * inverse * inverse[:, None], pieces)
        values, vectors = leading_eigenpairs(multiply, root.size, rest, sharp)
        # one group for each set of equal eigenvalues
        for group in np.split(np.arange(values.size), np.flatnonzero(-np.diff(values) > EIGENVALUE_RTOL) + 1):
            block = vectors[:, group]
            if group.size > 1:
                block = block @ np.linalg.svd((inverse[:, None] * block).T @ X, full_matrices=False)[0]
            found.append(_sharp(graph, block, values[group].mean()))
    return inverse[:, None] * np.hstack(found)[:, :count]


def _sharp(graph: Graph, vectors: np.ndarray, value: float) -> np.ndarray:
    """Eigenvectors D^1/2 y of D^-1/2 W D^-1/2, with the entries of samples of hardly any degree solved for.

    These are lost in rounding, which dividing by the root of the degree would make as large as any other.
    But W y = value D y determines them by the others.
    """
    degree = graph.degree
    thin = (degree > 0) & (degree < 1e-12 * degree.max())
    light = (vectors[thin] ** 2).sum(axis=0) < 1e-8  # others live on such samples
    if not thin.any() or not light.any():
        return vectors
    rest, root = degree > 0, np.sqrt(degree)
    rest &= ~thin
    steps = sp.csc_array(sp.diags_array(1 / degree[thin]) @ sp.csr_array(graph.weights)[thin])
    known = steps[:, rest] @ (vectors[rest] / root[rest, None])[:, light]
    system = value * sp.eye_array(known.shape[0], format="csc") - steps[:, thin]
    vectors = vectors.copy()
    vectors[np.ix_(thin, light)] = root[thin, None] * splu(sp.csc_array(system)).solve(known)
    return vectors


@method(
    "mcfs",
    family="subset",
    supervised="optional",
    direction="larger",
    reference="Cai, Zhang & He, KDD 2010; Feng, Chen & Xu, 2013, eq. 4 and 5",
)
class MCFS(Ranker, BaseEstimator):
    """Largest coefficient of a feature among sparse regressions on the clusters' embedding.

    Parameters
    ----------
    n_clusters : int, default=None
        How many eigenvectors of the graph are regressed on; None for 5, or the number of classes, of which
        one follows from the others.
    graph : builder, Graph or matrix of weights, default=None
        None for ``KNNGraph()`` without labels and ``ClassGraph()`` with them. With a graph given, y is
        used by its builder only.
    n_features_to_select : int or float, default=None
        How many features to keep and to use in each regression: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.subsets.mcfs.mcfs_score : The equations.

    Notes
    -----
    The features are taken as they are: standardize those of different units. Features that no regression
    uses have the score 0 and follow in the order of their columns. Several regressions may use more
    features than are kept, and never fewer unless the samples are fewer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph
    >>> from featsieve.subsets.mcfs import MCFS
    >>> X, y = load_iris(return_X_y=True)
    >>> MCFS(2, graph=RBFGraph(), n_features_to_select=2).fit(X).order_
    array([1, 0, 2, 3])
    >>> MCFS(n_features_to_select=2).fit(X, y).order_
    array([1, 2, 3, 0])
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "graph": GRAPH,
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self, n_clusters: int | None = None, *, graph: Any = None, n_features_to_select: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.graph = graph
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        default = KNNGraph() if y is None else ClassGraph()
        graph = as_graph(default if self.graph is None else self.graph, X, y)
        return mcfs_score(X, graph, self.n_clusters, self._resolve_n_features(X.shape[1]))
