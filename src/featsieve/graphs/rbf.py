"""Complete graph with Gaussian weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.engines.distances.direct import squared_distances
from featsieve.graphs.graph import Graph
from featsieve.graphs.knn import BANDWIDTH, Bandwidth, resolve_bandwidth
from featsieve.types import MatrixLike


class RBFGraph(BaseEstimator):
    """Complete graph with Gaussian weights, for SPEC as published.

    .. math:: w_{ij} = exp(-|x_i - x_j|^2 / t)

    Parameters
    ----------
    bandwidth : "median" or float, default="median"
        Bandwidth t, which is 2 sigma^2 in the usual notation. "median" is the median squared distance
        between two different samples.

    See Also
    --------
    featsieve.graphs.KNNGraph : Sparse graph of the nearest neighbors.

    Notes
    -----
    The graph is dense: it takes memory for n^2 numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph
    >>> RBFGraph(1.0).build(load_iris().data)
    Graph: 150 samples, Gaussian weights (bandwidth 1), degree 5.79 to 42.4
    """

    _parameter_constraints: dict[str, Any] = {"bandwidth": BANDWIDTH}

    def __init__(self, bandwidth: Bandwidth = "median") -> None:
        self.bandwidth = bandwidth

    requires_y = False

    def build(self, X: MatrixLike, y: ArrayLike | None = None) -> Graph:
        """Build the graph over the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
            The data.
        y : None
            Ignored.

        Returns
        -------
        Graph
            The complete graph.
        """
        self._validate_params()
        data: Any = as_matrix(X)
        weights = squared_distances(data if sp.issparse(data) else to_host(data))
        bandwidth = self.bandwidth
        if bandwidth == "median":
            bandwidth = resolve_bandwidth(bandwidth, weights[np.triu_indices_from(weights, 1)])
        weights /= -bandwidth
        np.exp(weights, out=weights)
        if weights.sum() <= len(weights):
            raise ValueError(
                f"`bandwidth` must be large enough for some weight between two samples to be positive; "
                f"got {self.bandwidth!r}. Raise it, or use bandwidth='median'."
            )
        return Graph.from_valid_weights(weights, f"Gaussian weights (bandwidth {bandwidth:.4g})")
