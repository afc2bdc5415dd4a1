from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, Options

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs import KNNGraph
from featsieve.graphs.graph import Graph, as_graph
from featsieve.graphs.labels import class_indicator
from featsieve.graphs.spectrum import EIGENVALUE_RTOL, connected_components, leading_eigenpairs
from featsieve.options import check_option
from featsieve.registry import method
from featsieve.scores.energy import center, graph_energy_and_spread, precision_for, ratio
from featsieve.selectors import GRAPH, N_FEATURES, Ranker


def spec_score(X: Any, graph: Any, kind: int = 2, n_components: int | None = None) -> Any:
    r"""How a feature falls on the spectrum of the graph.

    .. math:: \varphi_1 = \sum_j \alpha_j^2 \lambda_j, \quad
              \varphi_2 = \frac{\sum_{j \ge 2} \alpha_j^2 \lambda_j}{\sum_{j \ge 2} \alpha_j^2}, \quad
              \varphi_3 = \sum_{j=2}^k \alpha_j^2 (2 - \lambda_j)

    lambda_j, xi_j are the eigenpairs of the normalized Laplacian from the smallest up, and alpha_j is the
    cosine of the angle between xi_j and D^{1/2} f.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    graph : Graph, builder, or symmetric matrix of weights
        ``RBFGraph()`` is the published one, ``ClassGraph()`` the supervised one.
    kind : {1, 2, 3}
    n_components : int or None
        k of the third; None for all, which needs no eigenvectors. At least the number of parts that the
        graph falls into.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better for kinds 1 and 2, larger for kind 3; from 0 to 2. A constant feature gets
        infinity, or 0 for kind 3.

    Notes
    -----
    With energy E, spread S and squared mean Q, kind 1 is E/(S+Q), kind 2 is E/S
    (the Laplacian score), and kind 3 with all components is (2S - E)/(S+Q): quadratic forms, no
    eigenvectors. Kind 3 with k components takes k - 1 eigenvectors by Lanczos iteration. Where the k-th is
    one of several equal eigenvalues, all of these count, each by the share of them that k leaves room for:
    a choice among them would depend on the order of the samples.

    References
    ----------
    Zhao & Liu, ICML 2007.
    """
    check_option("kind", kind, (1, 2, 3))
    X = as_matrix(X)
    graph = as_graph(graph, X, symmetric=True)
    energy, spread, mean_square = graph_energy_and_spread(X, graph)
    length = namespace(spread).where(spread > 0, spread + mean_square, 0.0)
    if kind == 1:
        return ratio(energy, length, float("inf"))
    if kind == 2:
        return ratio(energy, spread, float("inf"))
    if n_components is None:
        return ratio(2 * spread - energy, length, 0.0)
    return ratio(_low_pass(X, graph, n_components, energy), length, 0.0)


def _low_pass(X: Any, graph: Graph, n_components: int, energy: Any) -> Any:
    """The sum over j = 2..k of (2 - lambda_j) (xi_j' D^{1/2} f)^2."""
    if n_components > graph.n_samples:
        raise ValueError(
            f"n_components={n_components} but the graph has {graph.n_samples} samples: lower it."
        )
    xp = namespace(X)
    rest: Any = 0.0
    if graph.classes is not None:  # all eigenvalues after those of the classes are equal
        n_classes = int(graph.classes.max()) + 1
        if n_components > n_classes:
            rest = (n_components - n_classes) / (graph.n_samples - n_classes) * energy
            n_components = n_classes
    joined = np.flatnonzero(graph.degree)  # what the others have does not count
    values, vectors, share = smooth_vectors(graph.subgraph(joined), min(n_components, joined.size) - 1)
    # one row per eigenvector; they are orthogonal to D^{1/2} 1, so that shifts of X do not matter
    filters = np.zeros((values.size, graph.n_samples))
    filters[:, joined] = np.sqrt(share * np.maximum(1 + values, 0))[:, None] * vectors.T
    filters *= np.sqrt(graph.degree)
    precision = precision_for(graph.degree, X)
    matrix = xp.astype(to_device_of(filters, X), precision)
    degree = xp.astype(to_device_of(graph.degree, X), precision)

    def dense(B: Any) -> Any:
        B = xp.astype(B, xp.result_type(B, degree), copy=False)
        center(B, degree)
        return xp.sum((matrix @ B) ** 2, axis=0, dtype=xp.float64)

    return rest + map_columns(dense, X, name="spectrum", sparse=lambda B: ((filters @ B) ** 2).sum(axis=0))


def smooth_vectors(graph: Graph, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ``count`` largest eigenpairs of D^{-1/2} W D^{-1/2} after the trivial one, D^{1/2} 1; all D > 0.

    Connected parts of the graph have the eigenvalue 1 each, with known eigenvectors: these come first, as
    a basis orthogonal to the trivial one. ValueError where only some of them are asked for, since no
    choice among them is better than another. Where only some of other equal eigenvalues are, all are given,
    and the share of each that counts: what a choice by chance would count on average.
    """
    n = graph.n_samples
    root = np.sqrt(graph.degree)
    parts = root[:, None] * class_indicator(*connected_components(graph)).toarray()
    parts /= np.linalg.norm(parts, axis=0)
    extra = parts.shape[1] - 1
    if 0 < count < extra:
        raise ValueError(
            f"n_components={count + 1} is less than the {extra + 1} parts that the graph falls into: ask for "
            f"at least {extra + 1}, or connect the graph with a larger n_neighbors."
        )
    if count == 0:
        return np.empty(0), np.empty((n, 0)), np.empty(0)
    inverse = 1 / root[:, None]
    # the basis of the space of the parts whose first vector is the trivial one
    mixed = parts @ np.linalg.qr(np.column_stack([parts.T @ root, np.eye(extra + 1)]))[0][:, 1:]

    def multiply(v: np.ndarray) -> np.ndarray:
        shape, v = v.shape, v.reshape(n, -1)
        # what is known is moved from 1 to -2, below all others
        return (inverse * (graph.weights @ (inverse * v)) - 3 * (parts @ (parts.T @ v))).reshape(shape)

    if count == extra:
        return np.ones(extra), mixed, np.ones(extra)
    values, vectors = leading_eigenpairs(multiply, n, count - extra)
    share, last = np.ones(values.size), count - extra
    equal = values <= values[last - 1] + EIGENVALUE_RTOL
    share[equal] = (last - np.count_nonzero(~equal)) / np.count_nonzero(equal)
    return (
        np.concatenate([np.ones(extra), values]),
        np.hstack([mixed, vectors]),
        np.concatenate([np.ones(extra), share]),
    )


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

    def _default_graph(self, X: Any, y: Any = None) -> KNNGraph:
        return KNNGraph()

    def _score(self, X: Any, y: Any) -> Any:
        return spec_score(X, self._build_graph(X, y), self.kind, self.n_components)
