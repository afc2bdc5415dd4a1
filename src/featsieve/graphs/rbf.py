from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.metrics import euclidean_distances
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import row_norms

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.engines.progress import track
from featsieve.graphs.graph import Graph
from featsieve.graphs.knn import resolve_bandwidth
from featsieve.graphs.neighbors import pair_distances
from featsieve.graphs.search import content_keys

# Below this share of the squares of two samples, a product has cost their distance too many digits.
_LOST = 1e-8


def squared_distances(X: Any) -> np.ndarray:
    """Squared distances between all rows of X, in float64.

    By products of the centerd rows (those of sparse X are not centerd), and by direct differences where
    these would lose digits. Copies are at no distance.
    """
    centerd = X if sp.issparse(X) else X - X.mean(axis=0, dtype=np.float64)
    n, keys, norms = X.shape[0], content_keys(X), row_norms(centerd, squared=True)
    squared = np.empty((n, n))
    starts = range(0, n, 4096)
    for start in track(starts, len(starts), "distances"):
        part = slice(start, min(start + 4096, n))
        block = euclidean_distances(centerd[part], None if n <= 4096 else centerd, squared=True)
        copies = keys[part, None] == keys
        left, right = np.nonzero((block < _LOST * (norms[part, None] + norms)) & ~copies)
        block[left, right] = pair_distances(X, start + left, right)
        block[copies] = 0.0
        squared[part] = block
    return squared


class RBFGraph(BaseEstimator):
    """Builder of the complete graph with Gaussian weights, for SPEC as printed. Dense: n x n numbers.

    .. math:: w_{ij} = exp(-|x_i - x_j|^2 / t)

    Parameters
    ----------
    bandwidth : "median" or float, default="median"
        t, which is 2 sigma^2 in the usual notation. "median" is the median squared distance between two
        different samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import RBFGraph
    >>> RBFGraph(1.0).build(load_iris().data)
    Graph: 150 samples, Gaussian weights (bandwidth 1), degree 5.79 to 42.4
    """

    _parameter_constraints: dict = {
        "bandwidth": [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, bandwidth: Any = "median") -> None:
        self.bandwidth = bandwidth

    @property
    def requires_y(self) -> bool:
        """Whether :meth:`build` needs labels: False."""
        return False

    def build(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the rows of X; y is not used."""
        self._validate_params()
        X = as_matrix(X)
        weights = squared_distances(X if sp.issparse(X) else to_host(X))
        bandwidth = self.bandwidth
        if bandwidth == "median":
            bandwidth = resolve_bandwidth(bandwidth, weights[np.triu_indices_from(weights, 1)])
        weights /= -bandwidth
        np.exp(weights, out=weights)
        if weights.sum() <= len(weights):
            raise ValueError(
                f"bandwidth={self.bandwidth!r} is so small that every weight between two samples vanishes: "
                "raise it, or use bandwidth='median'."
            )
        return Graph.from_valid_weights(weights, f"Gaussian weights (bandwidth {bandwidth:.4g})")
