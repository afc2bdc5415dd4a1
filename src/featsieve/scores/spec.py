from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, Options

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.graph import Graph, GraphLike, as_graph
from featsieve.graphs.labels import class_indicator
from featsieve.graphs.spectrum import EIGENVALUE_RTOL, connected_components, leading_eigenpairs
from featsieve.options import check_option
from featsieve.registry import method
from featsieve.scores.energy import center, graph_energy_and_spread, precision_for, ratio
from featsieve.selectors import GRAPH, Ranker
from featsieve.types import Array, Direction, MatrixLike, NFeatures


def spec_score(
    X: MatrixLike, graph: GraphLike, kind: Literal[1, 2, 3] = 2, n_components: int | None = None
) -> Array:
    r"""Compute the SPEC score of each feature.

    .. math:: \varphi_1 = \sum_j \alpha_j^2 \lambda_j, \quad
              \varphi_2 = \frac{\sum_{j \ge 2} \alpha_j^2 \lambda_j}{\sum_{j \ge 2} \alpha_j^2}, \quad
              \varphi_3 = \sum_{j=2}^k \alpha_j^2 (2 - \lambda_j)

    lambda_j and xi_j are the eigenvalues, in increasing order, and eigenvectors of the normalized Laplacian.
    alpha_j is the cosine of the angle between xi_j and D^{1/2} f.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    graph : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Symmetric graph. The publication uses ``RBFGraph()``, or ``ClassGraph()`` with labels.
    kind : {1, 2, 3}, default=2
        Which of the three functions to use.
    n_components : int, default=None
        Number of eigenvectors k of kind 3, at least the number of connected components of the graph. None
        uses all, which needs no eigenvectors.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0 to 2; smaller is better for kinds 1 and 2, larger for kind 3. A constant feature gets
        infinity, or 0 for kind 3.

    Notes
    -----
    With energy E, spread S and squared mean Q, kind 1 is E/(S+Q), kind 2 is E/S (the Laplacian score), and
    kind 3 with all components is (2S - E)/(S+Q). These need no eigenvectors. Kind 3 with k components
    computes k - 1 eigenvectors by Lanczos iteration. If the k-th eigenvalue is repeated, all its eigenvectors
    are used with equal weights, because a choice among them would depend on the order of the samples.

    References
    ----------
    Zhao & Liu, ICML 2007.
    """
    check_option("kind", kind, (1, 2, 3))
    X = as_matrix(X)
    graph = as_graph(graph, X, symmetric=True)
    energy, spread, mean_square = graph_energy_and_spread(X, graph)
    norm_square = namespace(spread).where(spread > 0, spread + mean_square, 0.0)
    if kind == 1:
        return ratio(energy, norm_square, float("inf"))
    if kind == 2:
        return ratio(energy, spread, float("inf"))
    if n_components is None:
        return ratio(2 * spread - energy, norm_square, 0.0)
    return ratio(_low_pass_energy(X, graph, n_components, energy), norm_square, 0.0)


def _low_pass_energy(X: Array, graph: Graph, n_components: int, energy: Array) -> Array:
    """Compute the sum over j = 2..k of (2 - lambda_j) (xi_j' D^{1/2} f)^2."""
    if n_components > graph.n_samples:
        raise ValueError(
            f"`n_components` must be at most the number of samples in the graph ({graph.n_samples}); "
            f"got {n_components}."
        )
    xp = namespace(X)
    # all eigenvalues of a class graph after those of the classes are equal
    remainder: Array = 0.0
    if graph.classes is not None:
        n_classes = int(graph.classes.max()) + 1
        if n_components > n_classes:
            remainder = (n_components - n_classes) / (graph.n_samples - n_classes) * energy
            n_components = n_classes
    connected = np.flatnonzero(graph.degree)  # samples of degree zero contribute nothing
    subgraph = graph.subgraph(connected)
    values, vectors, shares = smooth_eigenpairs(subgraph, min(n_components, connected.size) - 1)
    # one row per eigenvector, orthogonal to D^{1/2} 1: adding a constant to a feature has no effect
    filters = np.zeros((values.size, graph.n_samples))
    filters[:, connected] = np.sqrt(shares * np.maximum(1 + values, 0))[:, None] * vectors.T
    filters *= np.sqrt(graph.degree)
    dtype = precision_for(graph.degree, X)
    matrix = xp.astype(to_device_of(filters, X), dtype)
    degree = xp.astype(to_device_of(graph.degree, X), dtype)

    def dense(B: Array) -> Array:
        B = xp.astype(B, xp.result_type(B, degree), copy=False)
        center(B, degree)
        return xp.sum((matrix @ B) ** 2, axis=0, dtype=xp.float64)

    def sparse(B: Array) -> NDArray[np.float64]:
        return ((filters @ B) ** 2).sum(axis=0)

    return remainder + map_columns(dense, X, name="spectrum", sparse=sparse)


def smooth_eigenpairs(
    graph: Graph, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute the largest eigenpairs of D^{-1/2} W D^{-1/2} after the trivial one, D^{1/2} 1.

    No degree may be zero. The eigenvalue of each connected component is 1, and its eigenvector is known.
    These come first, as a basis orthogonal to the trivial eigenvector. If the last eigenvalue is repeated,
    all its eigenvectors are included. Each pair has a share: 1, or the fraction of the eigenvectors of the
    last eigenvalue that ``count`` includes. Returns eigenvalues, eigenvectors and shares.
    """
    n = graph.n_samples
    root = np.sqrt(graph.degree)
    components = root[:, None] * class_indicator(*connected_components(graph)).toarray()
    components /= np.linalg.norm(components, axis=0)
    n_known = components.shape[1] - 1
    if 0 < count < n_known:
        raise ValueError(
            "`n_components` must be at least the number of connected components of the graph "
            f"({n_known + 1}); got {count + 1}. Raise it, or connect the graph with a larger `n_neighbors`."
        )
    if count == 0:
        return np.empty(0), np.empty((n, 0)), np.empty(0)
    # a basis of the space of the components whose first vector, which is dropped, is the trivial one
    rotation = np.linalg.qr(np.column_stack([components.T @ root, np.eye(n_known + 1)]))[0]
    known = components @ rotation[:, 1:]
    if count == n_known:
        return np.ones(n_known), known, np.ones(n_known)
    inverse = 1 / root[:, None]

    def multiply(v: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = v.reshape(n, -1)
        # move the known eigenvalues from 1 to -2, below all others
        projection = components @ (components.T @ columns)
        return (inverse * (graph.weights @ (inverse * columns)) - 3 * projection).reshape(v.shape)

    n_unknown = count - n_known
    values, vectors = leading_eigenpairs(multiply, n, n_unknown)
    shares = np.ones(values.size)
    equal = values <= values[n_unknown - 1] + EIGENVALUE_RTOL
    shares[equal] = (n_unknown - np.count_nonzero(~equal)) / np.count_nonzero(equal)
    return (
        np.concatenate([np.ones(n_known), values]),
        np.hstack([known, vectors]),
        np.concatenate([np.ones(n_known), shares]),
    )


@method(
    "spec",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api", "chunked"),
    reference="Zhao & Liu, ICML 2007; Feng, Chen & Xu, 2013, eq. 1",
)
class SPECScore(Ranker, BaseEstimator):
    """SPEC score: rank features by their agreement with the spectrum of the graph.

    Parameters
    ----------
    graph : builder, Graph or {ndarray, sparse matrix}, default=None
        Graph; None is ``KNNGraph()``. The publication uses ``RBFGraph()``. The score is supervised with
        ``ClassGraph()``.
    kind : {1, 2, 3}, default=2
        Which of the three published functions to use. Kind 2 is the Laplacian score. For kind 3, larger
        scores are better.
    n_components : int, default=None
        Number of eigenvectors of kind 3; None for all.

    See Also
    --------
    featsieve.scores.spec_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph, SPECScore
    >>> SPECScore(RBFGraph(), kind=1).fit(load_iris().data).order_
    array([0, 1, 2, 3])
    """

    _parameter_constraints: dict[str, Any] = {
        "graph": GRAPH,
        "kind": [Options(Integral, {1, 2, 3})],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        graph: GraphLike | None = None,
        *,
        kind: Literal[1, 2, 3] = 2,
        n_components: int | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.graph = graph
        self.kind = kind
        self.n_components = n_components
        self.n_features_to_select = n_features_to_select

    @property
    def _direction(self) -> Direction:
        return "larger" if self.kind == 3 else "smaller"

    def _score(self, X: Array, y: Array) -> Array:
        return spec_score(X, self._build_graph(X, y), self.kind, self.n_components)
