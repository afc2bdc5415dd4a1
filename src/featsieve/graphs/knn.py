from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.graphs.graph import Graph, Neighbors
from featsieve.graphs.neighbors import ALGORITHMS, nearest_neighbors


class KNNGraph(BaseEstimator):
    """Builder of the k-nearest-neighbor graph.

    .. math:: w_{ij} = exp(-|x_i - x_j|^2 / t)  if i is among the k nearest of j or j of i, else 0

    Parameters
    ----------
    n_neighbors : int, default=5
        k. A sample is not its own neighbor.
    weights : {"heat", "binary"}, default="heat"
        "binary" gives every edge the weight 1.
    bandwidth : "median" or float, default="median"
        t. "median" is the median squared distance between a sample and its neighbors, which makes the
        weights independent of the scale of the data.
    symmetric : bool, default=True
        Whether an edge exists as soon as either end counts the other among its neighbors. False keeps
        the directed lists.
    algorithm : {"exact", "scikit-learn", "faiss", "approximate"}, default="exact"
        How neighbors are searched; see :func:`featsieve.graphs.nearest_neighbors`. "approximate" needs
        the extra of that name, and the graph then tells its measured recall.

    Notes
    -----
    Equal distances are decided by the content of the samples, not by their place in X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph
    >>> KNNGraph(5, weights="binary").build(load_iris().data)
    Graph: 150 samples, 513 edges, binary weights, degree 5 to 14, 2 components
    """

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"heat", "binary"})],
        "bandwidth": [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")],
        "symmetric": ["boolean"],
        "algorithm": [StrOptions(set(ALGORITHMS))],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "heat",
        bandwidth: Any = "median",
        symmetric: bool = True,
        algorithm: str = "exact",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.bandwidth = bandwidth
        self.symmetric = symmetric
        self.algorithm = algorithm

    @property
    def requires_y(self) -> bool:
        """Whether :meth:`build` needs labels: False."""
        return False

    def build(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the rows of X; y is not used.

        Returns
        -------
        Graph
        """
        self._validate_params()
        X = as_matrix(X)
        return self.build_from_neighbors(nearest_neighbors(X, self.n_neighbors, algorithm=self.algorithm))

    def build_from_neighbors(self, neighbors: Neighbors) -> Graph:
        """Build the graph from neighbors that are known already.

        Returns
        -------
        Graph
        """
        values, kind = self.edge_weights(neighbors.distances)
        weights = rows_to_csr(neighbors.indices, values)
        if self.symmetric:
            weights = sp.csr_array(weights.maximum(weights.T))
        return Graph.from_valid_weights(weights, kind, neighbors=neighbors, symmetric=self.symmetric)

    def edge_weights(self, distances: np.ndarray) -> tuple[np.ndarray, str]:
        """Weights of edges of these squared lengths, and what they are called."""
        if self.weights == "binary":
            return np.ones(distances.shape), "binary weights"
        bandwidth = resolve_bandwidth(self.bandwidth, distances)
        values = np.exp(-distances / bandwidth)
        if not values.any():
            raise ValueError(
                f"bandwidth={self.bandwidth!r} is so small that every weight vanishes: raise it towards "
                f"{np.median(distances):.3g}, the median squared neighbor distance, "
                "or use bandwidth='median'."
            )
        return values, f"heat weights (bandwidth {bandwidth:.4g})"


def resolve_bandwidth(bandwidth: Any, distances: np.ndarray) -> float:
    """The number that ``bandwidth`` stands for: itself, or the median of the squared distances.

    Where more than half of the distances are zero, the median of the others; where all are, 1.
    """
    if bandwidth != "median":
        return float(bandwidth)
    median = float(np.median(distances)) if distances.size else 0.0
    if median > 0:
        return median
    positive = distances[distances > 0]
    return float(np.median(positive)) if positive.size else 1.0


def rows_to_csr(indices: np.ndarray, values: np.ndarray) -> sp.csr_array:
    """The n x n CSR matrix with ``values[i]`` at the columns ``indices[i]`` of row i."""
    n_samples, width = indices.shape
    pointers = np.arange(0, n_samples * width + 1, width)
    # copied, because sorting a row's columns must not disturb the caller's nearest-first order
    matrix = sp.csr_array(
        (values.ravel(), indices.ravel(), pointers), shape=(n_samples, n_samples), copy=True
    )
    matrix.sort_indices()
    return matrix
