"""The graph that every graph score is given: who belongs with whom, and how strongly."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from featsieve.engines.arrays import to_device_of
from featsieve.engines.sparse import check_sparse


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The k nearest other samples of each sample, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
    distances : ndarray of shape (n_samples, n_neighbors)
        Squared Euclidean distances.
    recall : float or None
        None when exact; else the share of true neighbors found, measured on a sample of rows.
    """

    indices: np.ndarray
    distances: np.ndarray
    recall: float | None = None


@runtime_checkable
class GraphBuilder(Protocol):
    """A small estimator that builds a graph over the samples of X."""

    @property
    def requires_y(self) -> bool:
        """Whether :meth:`build` needs labels."""

    def build(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the rows of X."""


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

    def astype(self, dtype: Any) -> Product:
        """A copy of another precision."""
        return Product(self.left.astype(dtype), self.right.astype(dtype))

    def to_device_of(self, like: Any) -> Product:
        """A copy that multiplies tensors like ``like``."""
        return Product(to_device_of(self.left, like), to_device_of(self.right, like))


@dataclass(frozen=True, eq=False)
class Graph:
    """A weighted graph over samples, built once and passed to any score.

    Attributes
    ----------
    weights : sparse matrix, ndarray or Product, of shape (n_samples, n_samples)
        W. Multiplied as ``graph.weights @ X``; never changed.
    neighbors : Neighbors or None
        The directed neighbor lists that W was built from, for scores that reconstruct a sample from them.
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
    symmetric: bool = field(init=False)

    def __post_init__(self) -> None:
        """Check the weights and keep read-only copies, which scores can share."""
        weights = self.weights if isinstance(self.weights, Product) else _checked(self.weights)
        # products are symmetric as they are made
        alike = isinstance(weights, Product) or abs(weights - weights.T).max() <= 1e-12 * abs(weights).max()
        self._keep(weights, bool(alike))

    def _keep(self, weights: Any, symmetric: bool) -> None:
        if sp.issparse(weights):
            for name in ("data", "indices", "indptr"):
                setattr(weights, name, _frozen(getattr(weights, name)))
        elif isinstance(weights, np.ndarray):
            weights = _frozen(weights)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "symmetric", symmetric)
        if self.neighbors is not None:
            lists = (_frozen(self.neighbors.indices), _frozen(self.neighbors.distances))
            object.__setattr__(self, "neighbors", Neighbors(*lists, self.neighbors.recall))
        if self.classes is not None:
            object.__setattr__(self, "classes", _frozen(self.classes))

    @classmethod
    def from_valid_weights(
        cls, weights: Any, kind: str, *, neighbors: Neighbors | None = None, symmetric: bool = True
    ) -> Graph:
        """A graph of weights that a builder has just made: neither checked nor copied."""
        graph = cls.__new__(cls)
        for name, value in (("neighbors", neighbors), ("classes", None), ("kind", kind)):
            object.__setattr__(graph, name, value)
        graph._keep(weights, symmetric)
        return graph

    def subgraph(self, samples: np.ndarray) -> Graph:
        """The graph of these samples alone, itself if they are all."""
        if samples.size == self.n_samples:
            return self
        weights: Any = self.weights
        if isinstance(weights, Product):
            weights = Product(weights.left[samples], weights.right[:, samples])
        else:
            weights = weights[samples][:, samples]
        return Graph.from_valid_weights(weights, self.kind, symmetric=self.symmetric)

    def __deepcopy__(self, memo: Any) -> Graph:
        """A graph never changes, so copies of an estimator share it."""
        return self

    @property
    def n_samples(self) -> int:
        """How many samples the graph connects."""
        return self.weights.shape[0]

    @cached_property
    def degree(self) -> np.ndarray:
        """Sum of each sample's weights, D_ii."""
        return _frozen(np.asarray(self.weights @ np.ones((self.n_samples, 1)), dtype=np.float64).ravel())

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


def as_graph(graph: Any, X: Any, y: Any = None, *, symmetric: bool = False, signed: bool = False) -> Graph:
    """Turn what a score was given as ``graph`` into a Graph over the samples of X.

    Parameters
    ----------
    graph : builder, Graph, or sparse or dense matrix of weights
    X : matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,) or None
    symmetric : bool
        Whether the caller's equation holds for symmetric weights only.
    signed : bool
        Whether the caller's equation has a meaning for negative weights.

    Raises
    ------
    ValueError
        When the graph has another number of samples, or weights that cannot be used.
    """
    if hasattr(graph, "build") and not isinstance(graph, type):
        graph = graph.build(X, y)
    elif not isinstance(graph, Graph):
        graph = Graph(graph)
    if graph.n_samples != X.shape[0]:
        raise ValueError(
            f"graph connects {graph.n_samples} samples but X has {X.shape[0]}: "
            "build it from the same rows, or pass a builder such as KNNGraph() instead."
        )
    values = graph.weights.data if sp.issparse(graph.weights) else graph.weights
    if not signed and not isinstance(values, Product) and values.min(initial=0.0) < 0:
        raise ValueError("graph holds negative weights: weights must be >= 0 here.")
    if symmetric and not graph.symmetric:
        raise ValueError("graph must be symmetric here: use KNNGraph(symmetric=True), or W.maximum(W.T).")
    return graph


def _checked(matrix: Any) -> Any:
    """Weights as an array or CSR matrix of their own; ValueError if they cannot be weights."""
    if not sp.issparse(matrix) and not isinstance(matrix, np.ndarray):
        what = f"the class {matrix.__name__}" if isinstance(matrix, type) else type(matrix).__name__
        raise ValueError(
            f"graph must be a builder such as KNNGraph(), a Graph, or an array of weights; got {what}."
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"graph must be a square matrix of weights between samples, got shape {matrix.shape}."
        )
    weights: Any
    if sp.issparse(matrix):
        matrix = check_sparse(matrix, "graph")
        weights = sp.csr_array(matrix.astype(np.float64))  # before duplicates are added up
        weights.sum_duplicates()
        weights.eliminate_zeros()
        values = weights.data
    else:
        weights = values = np.array(matrix, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("graph holds weights that are NaN or infinite: weights must be finite.")
    return weights


def neighbor_indices(graph: Any, X: Any, n_neighbors: int | None = None) -> np.ndarray:
    """The first ``n_neighbors`` neighbors of each sample (None: all), from a graph or its builder."""
    neighbors = as_graph(graph, X).neighbors
    if neighbors is None:
        raise ValueError("graph must hold neighbor lists here: build it with KNNGraph(n_neighbors).")
    if n_neighbors is not None and neighbors.indices.shape[1] < n_neighbors:
        raise ValueError(
            f"n_neighbors={n_neighbors} but graph lists {neighbors.indices.shape[1]} neighbors "
            "of each sample: build it with more."
        )
    return neighbors.indices[:, :n_neighbors]
