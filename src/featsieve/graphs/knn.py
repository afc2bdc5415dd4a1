from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.graphs.graph import Graph, Neighbors
from featsieve.graphs.neighbors import ALGORITHMS, nearest_neighbors
from featsieve.types import MatrixLike

# A positive number, or the median squared distance between neighbors.
Bandwidth: TypeAlias = float | Literal["median"]
BANDWIDTH: list[Any] = [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")]


class KNNGraph(BaseEstimator):
    """Builder of the k-nearest-neighbor graph.

    .. math:: w_{ij} = exp(-|x_i - x_j|^2 / t)

    if i is among the k nearest neighbors of j or j among those of i, else 0.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbors k. A sample is not its own neighbor.
    weights : {"heat", "binary"}, default="heat"
        Edge weights: "heat" for the equation above, "binary" for 1.
    bandwidth : float or "median", default="median"
        Bandwidth t of the heat weights. "median" is the median squared distance between a sample and its
        neighbors, which makes the weights independent of the scale of the data.
    symmetric : bool, default=True
        Whether to connect two samples if either is a neighbor of the other. If False, the graph is directed.
    algorithm : {"exact", "scikit-learn", "faiss", "approximate"}, default="exact"
        Neighbor search, see :func:`featsieve.graphs.nearest_neighbors`. "approximate" needs the extra of
        that name, or ``cuvs`` for tensors on a CUDA device; the graph then reports the recall of the search.

    Attributes
    ----------
    requires_y : bool
        Whether ``build`` needs labels: False.

    See Also
    --------
    ClassGraph : Connect the samples of each class.
    RBFGraph : Connect all samples.

    Notes
    -----
    Ties between equal distances are broken by the content of the samples, not by their order in X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph
    >>> KNNGraph(5, weights="binary").build(load_iris().data)
    Graph: 150 samples, 513 edges, binary weights, degree 5 to 14, 2 components
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"heat", "binary"})],
        "bandwidth": BANDWIDTH,
        "symmetric": ["boolean"],
        "algorithm": [StrOptions(set(ALGORITHMS))],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["heat", "binary"] = "heat",
        bandwidth: Bandwidth = "median",
        symmetric: bool = True,
        algorithm: Literal["exact", "scikit-learn", "faiss", "approximate"] = "exact",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.bandwidth = bandwidth
        self.symmetric = symmetric
        self.algorithm = algorithm

    requires_y = False

    def build(self, X: MatrixLike, y: ArrayLike | None = None) -> Graph:
        """Build the graph over the samples of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
            Samples.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        Graph
            The graph, with its neighbor lists.
        """
        self._validate_params()
        X = as_matrix(X)
        return self.build_from_neighbors(nearest_neighbors(X, self.n_neighbors, algorithm=self.algorithm))

    def build_from_neighbors(self, neighbors: Neighbors) -> Graph:
        """Build the graph from neighbor lists that have already been computed.

        Parameters
        ----------
        neighbors : Neighbors
            Neighbor lists of all samples.

        Returns
        -------
        Graph
            The graph, with its neighbor lists.
        """
        if self.weights == "binary":  # known without the distances
            return self._graph(neighbors, lambda: np.ones(neighbors.indices.shape), "binary weights")
        values, kind = self.edge_weights(neighbors.distances)
        return self._graph(neighbors, lambda: values, kind)

    def _graph(self, neighbors: Neighbors, compute_values: Callable[[], np.ndarray], kind: str) -> Graph:
        """Create the graph, whose matrix is built when it is needed: the LLE score reads the lists only."""
        symmetric = self.symmetric

        def weights() -> sp.csr_array:
            matrix = rows_to_csr(neighbors.indices, compute_values())
            return sp.csr_array(matrix.maximum(matrix.T)) if symmetric else matrix

        return Graph.from_valid_weights(weights, kind, neighbors=neighbors, symmetric=symmetric)

    def edge_weights(self, distances: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
        """Compute edge weights from squared distances.

        Parameters
        ----------
        distances : ndarray
            Squared lengths of the edges.

        Returns
        -------
        weights : ndarray
            Weights of the edges.
        kind : str
            Description of the weights.
        """
        if self.weights == "binary":
            return np.ones(distances.shape), "binary weights"
        bandwidth = resolve_bandwidth(self.bandwidth, distances)
        weights = np.exp(-distances / bandwidth)
        if not weights.any():
            raise ValueError(
                f"`bandwidth` must be large enough for positive weights; got {self.bandwidth!r}. Raise it "
                f"towards {np.median(distances):.3g}, the median squared neighbor distance, "
                "or use bandwidth='median'."
            )
        return weights, f"heat weights (bandwidth {bandwidth:.4g})"


def resolve_bandwidth(bandwidth: Bandwidth, distances: NDArray[np.float64]) -> float:
    """Return the bandwidth as a number: "median" is the median of the squared distances.

    If the median is zero, it is the median of the positive distances; without any, it is 1.
    """
    if bandwidth != "median":
        return float(bandwidth)
    median = float(np.median(distances)) if distances.size else 0.0
    if median > 0:
        return median
    positive = distances[distances > 0]
    return float(np.median(positive)) if positive.size else 1.0


def rows_to_csr(indices: NDArray[np.intp], values: NDArray[np.float64]) -> sp.csr_array:
    """Build the n x n CSR matrix with ``values[i]`` in the columns ``indices[i]`` of row i."""
    n_samples, n_columns = indices.shape
    indptr = np.arange(0, n_samples * n_columns + 1, n_columns)
    # copy, because sorting must not change the order of the caller's neighbor lists
    matrix = sp.csr_array((values.ravel(), indices.ravel(), indptr), shape=(n_samples, n_samples), copy=True)
    matrix.sort_indices()
    return matrix
