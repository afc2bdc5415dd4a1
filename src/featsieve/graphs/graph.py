"""The graph that every graph score is given: who belongs with whom, and how strongly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.engines.arrays import on_device


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The k nearest other samples of each sample, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
    distances : ndarray of shape (n_samples, n_neighbors)
        Squared Euclidean distances.
    recall : float or None
        None when exact; else the share of true neighbours found, measured on a sample of rows.
    """

    indices: np.ndarray
    distances: np.ndarray
    recall: float | None = None


@dataclass(frozen=True, eq=False)
class Product:
    """The matrix ``left @ right``, never formed: a class graph has n^2 entries but only n in its factors.

    Attributes
    ----------
    left : sparse matrix of shape (n_samples, rank)
    right : sparse matrix of shape (rank, n_samples)
    """

    left: Any
    right: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix that is stood for."""
        return (self.left.shape[0], self.right.shape[1])

    def __matmul__(self, X: Any) -> Any:
        """Multiply X from the right factor to the left one."""
        return self.left @ (self.right @ X)

    def on_device(self, like: Any) -> Product:
        """A copy that multiplies tensors like ``like``."""
        return Product(on_device(self.left, like), on_device(self.right, like))


@dataclass(frozen=True, eq=False)
class Graph:
    """A weighted graph over samples, built once and passed to any score.

    Attributes
    ----------
    weights : sparse matrix, ndarray or Product, of shape (n_samples, n_samples)
        W. Multiplied as ``graph.weights @ X``; never changed.
    neighbors : Neighbors or None
        The directed neighbour lists that W was built from, for scores that reconstruct a sample from them.
    classes : ndarray of shape (n_samples,) or None
        The class number of each sample, for a class graph.
    kind : str
        What the weights are, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve import KNNGraph
    >>> KNNGraph(2).build(np.arange(12.0).reshape(6, 2))
    Graph: 6 samples, 7 edges, heat weights (bandwidth 8), degree 0.386 to 0.754, connected
    """

    weights: Any
    neighbors: Neighbors | None = None
    classes: np.ndarray | None = None
    kind: str = "given weights"
    symmetric: bool = True

    def __post_init__(self) -> None:
        """Keep read-only views: scores share the arrays, and the caller's own stay writable."""
        if sp.issparse(self.weights):
            weights = sp.csr_array(self.weights)
            weights.data = _frozen(weights.data)
            object.__setattr__(self, "weights", weights)
        elif isinstance(self.weights, np.ndarray):
            object.__setattr__(self, "weights", _frozen(self.weights))
        if self.neighbors is not None:
            lists = (_frozen(self.neighbors.indices), _frozen(self.neighbors.distances))
            object.__setattr__(self, "neighbors", Neighbors(*lists, self.neighbors.recall))

    @property
    def n_samples(self) -> int:
        """How many samples the graph connects."""
        return self.weights.shape[0]

    @cached_property
    def degree(self) -> np.ndarray:
        """Sum of each sample's weights, D_ii."""
        return np.asarray(self.weights @ np.ones((self.n_samples, 1)), dtype=np.float64).ravel()

    @cached_property
    def laplacian(self) -> Any:
        """D - W: sparse for sparse weights, else a dense matrix (which no score asks for)."""
        if sp.issparse(self.weights):
            return sp.csr_array(sp.diags_array(self.degree) - self.weights)
        return np.diag(self.degree) - self.weights @ np.eye(self.n_samples)

    def __repr__(self) -> str:
        text = [f"Graph: {self.n_samples} samples"]
        if sp.issparse(self.weights):
            loops = int(np.count_nonzero(self.weights.diagonal()))
            edges = self.weights.nnz - loops
            text.append(
                f"{edges // 2 if self.symmetric else edges} edges{'' if self.symmetric else ' (directed)'}"
            )
        text.append(self.kind)
        text.append(f"degree {self.degree.min():.3g} to {self.degree.max():.3g}")
        if sp.issparse(self.weights):
            parts = sp.csgraph.connected_components(self.weights, directed=False)[0]
            text.append("connected" if parts == 1 else f"{parts} components")
        if self.neighbors is not None and self.neighbors.recall is not None:
            text.append(f"recall {self.neighbors.recall:.3f}")
        return ", ".join(text)


def _frozen(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def as_graph(graph: Any, X: Any, y: Any = None, *, symmetric: bool = False) -> Graph:
    """Turn what a score was given as ``graph`` into a Graph over the samples of X.

    Parameters
    ----------
    graph : builder, Graph, or sparse or dense matrix of weights
    X : matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,) or None
    symmetric : bool
        Whether the caller's equation holds for symmetric weights only.

    Raises
    ------
    ValueError
        When the graph has another number of samples, or weights that cannot be used.
    """
    if hasattr(graph, "build"):
        graph = graph.build(X, y)
    elif not isinstance(graph, Graph):
        graph = _from_matrix(graph)
    if graph.n_samples != X.shape[0]:
        raise ValueError(
            f"graph connects {graph.n_samples} samples but X has {X.shape[0]}: "
            "build it from the same rows, or pass a builder such as KNNGraph() instead."
        )
    if symmetric and not graph.symmetric:
        raise ValueError("graph must be symmetric here: use KNNGraph(symmetric=True), or W.maximum(W.T).")
    return graph


def _from_matrix(matrix: Any) -> Graph:
    if not sp.issparse(matrix) and not isinstance(matrix, np.ndarray):
        raise ValueError(
            "graph must be a builder such as KNNGraph(), a Graph, or an array of weights; "
            f"got {type(matrix).__name__}."
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"graph must be a square matrix of weights between samples, got shape {matrix.shape}."
        )
    weights: Any = (
        np.array(matrix, dtype=np.float64) if isinstance(matrix, np.ndarray) else sp.csr_array(matrix)
    )
    values = weights
    if sp.issparse(weights):
        weights = weights.astype(np.float64)
        weights.sum_duplicates()
        weights.eliminate_zeros()
        values = weights.data
    if not np.isfinite(values).all() or values.min(initial=0.0) < 0:
        raise ValueError("graph holds weights that are negative, NaN or infinite: weights must be >= 0.")
    return Graph(weights, symmetric=bool(abs(weights - weights.T).max() <= 1e-12 * abs(weights).max()))


def nearest_in(graph: Any, X: Any, n_neighbors: int) -> np.ndarray:
    """The first ``n_neighbors`` neighbours of each sample, from the lists of a graph or of its builder."""
    neighbors = as_graph(graph, X).neighbors
    if neighbors is None:
        raise ValueError("graph must hold neighbour lists here: build it with KNNGraph(n_neighbors).")
    if neighbors.indices.shape[1] < n_neighbors:
        raise ValueError(
            f"n_neighbors={n_neighbors} but graph lists {neighbors.indices.shape[1]} neighbours "
            "of each sample: build it with more."
        )
    return neighbors.indices[:, :n_neighbors]
