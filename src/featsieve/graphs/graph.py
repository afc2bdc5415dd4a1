"""The graph of a graph score: which samples belong together, and how strongly."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from featsieve.engines.arrays import is_tensor, to_device_of, to_host
from featsieve.engines.sparse import check_sparse
from featsieve.notebook import html_table
from featsieve.types import MatrixLike, SparseMatrix

# Largest asymmetry, relative to the largest weight, of weights that count as symmetric.
SYMMETRY_RTOL = 1e-12


class Neighbors:
    """Neighbor lists: the k nearest other samples of each sample, nearest first.

    Lists on a device stay there: they are copied to the host when an attribute is read for the first time.

    Parameters
    ----------
    indices : array of shape (n_samples, n_neighbors)
        Indices of the neighbors.
    distances : array of shape (n_samples, n_neighbors)
        Squared Euclidean distances to the neighbors.
    recall : float, default=None
        Fraction of the true neighbors that an approximate search found, estimated on a sample of rows. None
        for an exact search.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
        Indices of the neighbors, on the host.
    distances : ndarray of shape (n_samples, n_neighbors)
        Squared Euclidean distances to the neighbors, on the host.

    See Also
    --------
    featsieve.graphs.nearest_neighbors : Find the nearest neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.graphs import nearest_neighbors
    >>> nearest_neighbors(np.array([[0.0], [1.0], [3.0]]), 1).indices.ravel()
    array([1, 0, 1])
    """

    def __init__(self, indices: Any, distances: Any, recall: float | None = None) -> None:
        self._indices, self._distances, self.recall = indices, distances, recall

    @cached_property
    def indices(self) -> NDArray[np.intp]:
        """Indices of the neighbors, on the host."""
        return _read_only(to_host(self._indices))

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """Squared Euclidean distances to the neighbors, on the host."""
        return _read_only(to_host(self._distances))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self._indices.shape[0]

    def indices_like(self, X: Any) -> Any:
        """Return the indices on the device of X, where they are not copied if the search ran there."""
        return to_device_of(self._indices, X) if is_tensor(X) else self.indices

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the lists on the host."""
        return Neighbors, (self.indices, self.distances, self.recall)


@dataclass(frozen=True, eq=False)
class Product:
    """The matrix ``left @ right``, stored as its sparse factors.

    A class graph has up to n^2 weights, but its factors have n entries each.
    """

    left: Any
    right: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the product."""
        return (self.left.shape[0], self.right.shape[1])

    def __matmul__(self, X: Any) -> Any:
        """Multiply X by the right factor, then by the left factor."""
        return self.left @ (self.right @ X)

    def astype(self, dtype: DTypeLike) -> Product:
        """Convert both factors to a data type."""
        return Product(self.left.astype(dtype), self.right.astype(dtype))

    def to_device_of(self, like: Any) -> Product:
        """Copy both factors to the device of ``like``."""
        return Product(to_device_of(self.left, like), to_device_of(self.right, like))


@dataclass(frozen=True, eq=False)
class Graph:
    """Weighted graph over samples; any graph score accepts it.

    The weights are checked and stored read-only, so that scores can share a graph.

    Parameters
    ----------
    weights : {ndarray, sparse matrix, Product} of shape (n_samples, n_samples)
        Edge weights W.
    neighbors : Neighbors, default=None
        The directed neighbor lists that W was built from. Scores that reconstruct samples need them.
    classes : ndarray of shape (n_samples,), default=None
        Class index of each sample. Set by :class:`featsieve.ClassGraph`.
    kind : str, default="given weights"
        Description of the weights.

    Attributes
    ----------
    symmetric : bool
        Whether W is symmetric.
    n_samples : int
        Number of samples.
    degree : ndarray of shape (n_samples,)
        Sums of the weights of each sample, the diagonal of D.
    laplacian : {ndarray, sparse matrix} of shape (n_samples, n_samples)
        The graph Laplacian D - W.

    See Also
    --------
    featsieve.KNNGraph : Build the graph of nearest neighbors.
    featsieve.ClassGraph : Build the graph of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve import KNNGraph
    >>> KNNGraph(2).build(np.arange(12.0).reshape(6, 2))
    Graph: 6 samples, 7 edges, heat weights (bandwidth 8), degree 0.386 to 0.754, connected
    """

    weights: Any
    neighbors: Neighbors | None = None
    classes: NDArray[np.intp] | None = None
    kind: str = "given weights"
    symmetric: bool = field(init=False)

    def __post_init__(self) -> None:
        """Check the weights and store read-only copies."""
        if isinstance(self.weights, Product):  # all products are symmetric
            self._set_arrays(self.weights, symmetric=True)
            return
        weights = _check_weights(self.weights)
        asymmetry = abs(weights - weights.T).max()
        self._set_arrays(weights, bool(asymmetry <= SYMMETRY_RTOL * abs(weights).max()))

    def _set_arrays(self, weights: Any, symmetric: bool) -> None:
        if sp.issparse(weights):
            for name in ("data", "indices", "indptr"):
                setattr(weights, name, _read_only(getattr(weights, name)))
        elif isinstance(weights, np.ndarray):
            weights = _read_only(weights)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "symmetric", symmetric)
        if self.classes is not None:
            object.__setattr__(self, "classes", _read_only(self.classes))

    @classmethod
    def from_valid_weights(
        cls, weights: Any, kind: str, *, neighbors: Neighbors | None = None, symmetric: bool = True
    ) -> Self:
        """Create a graph from weights that a builder has computed, without checks and copies.

        ``weights`` may be a function that computes them: it is called when they are read for the first time.
        """
        graph = cls.__new__(cls)
        for name, value in (("neighbors", neighbors), ("classes", None), ("kind", kind)):
            object.__setattr__(graph, name, value)
        if callable(weights):
            object.__setattr__(graph, "symmetric", symmetric)
            object.__setattr__(graph, "_compute_weights", weights)
        else:
            graph._set_arrays(weights, symmetric)
        return graph

    def __getattr__(self, name: str) -> Any:
        """Compute the weights if they are not computed yet."""
        if name != "weights" or "_compute_weights" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._set_arrays(self.__dict__.pop("_compute_weights")(), self.symmetric)
        return self.weights

    def __getstate__(self) -> dict[str, Any]:
        """Pickle computed weights."""
        return self.__dict__ if self.weights is not None else {}

    def subgraph(self, samples: NDArray[np.intp]) -> Graph:
        """Restrict the graph to some samples; return the graph itself if these are all samples."""
        if samples.size == self.n_samples:
            return self
        weights: Any = self.weights
        if isinstance(weights, Product):
            weights = Product(weights.left[samples], weights.right[:, samples])
        else:
            weights = weights[samples][:, samples]
        return Graph.from_valid_weights(weights, self.kind, symmetric=self.symmetric)

    def __deepcopy__(self, memo: Any) -> Graph:
        """Return the graph itself: it is immutable, so that clones of an estimator can share it."""
        return self

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        if "_compute_weights" in self.__dict__ and self.neighbors is not None:
            return self.neighbors.n_samples
        return self.weights.shape[0]

    @cached_property
    def degree(self) -> NDArray[np.float64]:
        """Sums of the weights of each sample, the diagonal of D."""
        ones = np.ones((self.n_samples, 1))
        return _read_only(np.asarray(self.weights @ ones, dtype=np.float64).ravel())

    @cached_property
    def laplacian(self) -> Any:
        """The graph Laplacian D - W: sparse if the weights are sparse, else dense."""
        if sp.issparse(self.weights):
            return sp.csr_array(sp.diags_array(self.degree) - self.weights)
        return np.diag(self.degree) - self.weights @ np.eye(self.n_samples)

    def __repr__(self) -> str:
        """Describe the samples, edges, weights, degrees and components."""
        return f"Graph: {', '.join(self._properties().values())}"

    def _repr_html_(self) -> str:
        return html_table("Graph", [], self._properties().items())

    def _properties(self) -> dict[str, str]:
        """Return descriptions of the samples, edges, weights, degrees and components."""
        properties = {"samples": f"{self.n_samples} samples"}
        if sp.issparse(self.weights):
            n_entries = self.weights.nnz - int(np.count_nonzero(self.weights.diagonal()))
            properties["edges"] = (
                f"{n_entries // 2} edges" if self.symmetric else f"{n_entries} edges (directed)"
            )
        properties["weights"] = self.kind
        properties["degrees"] = f"degree {self.degree.min():.3g} to {self.degree.max():.3g}"
        if sp.issparse(self.weights):
            n_components = sp.csgraph.connected_components(self.weights, directed=False)[0]
            properties["components"] = "connected" if n_components == 1 else f"{n_components} components"
        if self.neighbors is not None and self.neighbors.recall is not None:
            properties["search"] = f"recall {self.neighbors.recall:.3f}"
        return properties


class GraphBuilder(Protocol):
    """An estimator that builds a graph over the samples of X."""

    @property
    def requires_y(self) -> bool:
        """Whether ``build`` needs labels."""

    def build(self, X: MatrixLike, y: ArrayLike | None = None) -> Graph:
        """Build the graph over the samples of X."""


# What scores accept as a graph.
GraphLike: TypeAlias = GraphBuilder | Graph | np.ndarray | SparseMatrix


def as_graph(
    graph: GraphLike, X: Any, y: Any = None, *, symmetric: bool = False, signed: bool = False
) -> Graph:
    """Convert the ``graph`` argument of a score into a Graph over the samples of X.

    A builder is applied to X and y; a matrix contains the weights. ``symmetric`` requires symmetric weights,
    and ``signed`` allows negative ones.
    """
    candidate: Any = graph
    if hasattr(candidate, "build") and not isinstance(candidate, type):
        builder, candidate = type(candidate).__name__, candidate.build(X, y)
        if not isinstance(candidate, Graph):
            raise ValueError(
                f"`{builder}.build` must return a Graph; got {type(candidate).__name__}. "
                "Return Graph(weights)."
            )
    elif not isinstance(candidate, Graph):
        candidate = Graph(candidate)
    if candidate.n_samples != X.shape[0]:
        raise ValueError(
            f"`graph` must have one vertex per sample of X ({X.shape[0]}); got {candidate.n_samples}. "
            "Build it from the same rows, or pass a builder such as KNNGraph()."
        )
    if not signed:
        _check_not_negative(candidate)
    if symmetric and not candidate.symmetric:
        raise ValueError(
            "`graph` must be symmetric; got directed weights. "
            "Use KNNGraph(symmetric=True), or symmetrize the matrix: W.maximum(W.T)."
        )
    return candidate


def neighbor_indices(graph: GraphLike, X: Any, n_neighbors: int | None = None) -> Any:
    """Get the nearest neighbors of each sample from the lists of a graph, by default all, like X."""
    neighbors = as_graph(graph, X).neighbors
    if neighbors is None:
        raise ValueError("`graph` must have neighbor lists; got none. Build it with KNNGraph(n_neighbors).")
    indices = neighbors.indices_like(X)
    n_listed = indices.shape[1]
    if n_neighbors is not None and n_listed < n_neighbors:
        raise ValueError(
            f"`n_neighbors` must be at most the number of neighbors in `graph` ({n_listed}); "
            f"got {n_neighbors}. Build the graph with more neighbors."
        )
    return indices[:, :n_neighbors]


def _check_weights(matrix: Any) -> Any:
    """Copy weights into a float64 array or CSR matrix; raise ValueError if they are invalid."""
    if not sp.issparse(matrix) and not isinstance(matrix, np.ndarray):
        kind = f"the class {matrix.__name__}" if isinstance(matrix, type) else type(matrix).__name__
        raise ValueError(
            f"`graph` must be a builder such as KNNGraph(), a Graph, or a matrix of weights; got {kind}."
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"`graph` must be a square matrix of weights; got shape {matrix.shape}.")
    if sp.issparse(matrix):
        matrix = check_sparse(matrix, "graph")
        weights: Any = sp.csr_array(matrix.astype(np.float64))  # convert before duplicates are summed
        weights.sum_duplicates()
        weights.eliminate_zeros()
        values = weights.data
    else:
        weights = values = np.array(matrix, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("`graph` must have finite weights; got NaN or infinity.")
    return weights


def _check_not_negative(graph: Graph) -> None:
    if "weights" not in graph.__dict__ or isinstance(graph.weights, Product):  # builders compute valid ones
        return
    values = graph.weights.data if sp.issparse(graph.weights) else graph.weights
    if values.min(initial=0.0) < 0:
        raise ValueError(f"`graph` must not have negative weights; got {values.min():.3g}.")


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
