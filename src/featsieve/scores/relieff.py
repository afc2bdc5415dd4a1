from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels
from featsieve.graphs.search import NeighborSearch
from featsieve.registry import method
from featsieve.scores.energy import ratio
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike, NFeatures


def relieff_score(X: MatrixLike, y: ArrayLike, n_neighbors: int = 10) -> Array:
    r"""Compute the ReliefF score of each feature.

    .. math:: \frac{1}{n} \sum_i \left[ \sum_{c \ne y_i} \frac{P(c)}{1 - P(y_i)}
              \operatorname{mean}_{j \in N_c(i)} \frac{|f_i - f_j|}{r} -
              \operatorname{mean}_{j \in N_{y_i}(i)} \frac{|f_i - f_j|}{r} \right]

    N_c(i) are the k samples of class c nearest to i by the sum of absolute differences, divided by
    the range, over all features, and
    r is the range of f. The sum is over all samples, not over a random subset.

    Parameters
    ----------
    X : {array-like, tensor} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Class labels, at least two classes.
    n_neighbors : int, default=10
        Number of neighbors k in each class. Smaller classes contribute all their samples.

    Returns
    -------
    array of shape (n_features,)
        Scores from -1 to 1; larger is better. A constant feature gets 0.

    Notes
    -----
    The neighbor search is O(n^2 d), the score O(n C k d). Ties between equal distances are broken by the
    content of the samples, not by their order.

    References
    ----------
    Robnik-Sikonja & Kononenko, Machine Learning 53, 2003.
    """
    X = as_matrix(X)
    xp = namespace(X)
    codes, counts = check_labels(y, X)
    n = codes.size
    ranges = xp.astype(xp.max(X, axis=0) - xp.min(X, axis=0), xp.float64)
    scale = ratio(xp.ones_like(ranges), ranges, 0.0)
    search = NeighborSearch(X, scale=scale)
    prior = counts / n
    neighbors, weights = [], []
    for c in range(counts.size):
        members = np.flatnonzero(codes == c)
        indices, distances = search.nearest(np.arange(n), members, min(n_neighbors, members.size))
        valid = np.isfinite(distances)
        factor = np.where(codes == c, -1.0, prior[c] / (1 - prior[codes]))
        weights.append(factor[:, None] * valid / np.maximum(valid.sum(axis=1, keepdims=True), 1) / n)
        neighbors.append(indices)
    dtype = np.float32 if X.dtype == xp.float32 else np.float64
    # one column per neighbor: the j-th neighbors of all samples are one gather
    neighbor_columns = [to_device_of(column, X) for column in np.hstack(neighbors).T]
    weight_columns = [to_device_of(column.astype(dtype), X) for column in np.hstack(weights).T]

    def contrast(B: Array) -> Array:
        total = xp.zeros(B.shape[1], dtype=xp.float64, device=B.device)
        for neighbor, weight in zip(neighbor_columns, weight_columns, strict=True):
            total += weight @ xp.abs(B - xp.take(B, neighbor, axis=0))
        return total

    return map_columns(contrast, X, name="relief", temporaries=4, host_bytes=2**20) * scale


@method(
    "relieff",
    family="neighbor",
    supervised="yes",
    direction="larger",
    inputs=("array_api",),
    scale_invariant=True,
    reference="Robnik-Sikonja & Kononenko, Machine Learning 2003",
)
class ReliefF(Ranker, BaseEstimator):
    """ReliefF: rank features by how well they separate neighboring samples of different classes.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors in each class.

    See Also
    --------
    featsieve.scores.relieff_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ReliefF
    >>> ReliefF().fit(*load_iris(return_X_y=True)).order_
    array([3, 2, 0, 1])
    """

    _parameter_constraints: dict[str, Any] = {"n_neighbors": [Interval(Integral, 1, None, closed="left")]}

    def __init__(self, n_neighbors: int = 10, *, n_features_to_select: NFeatures = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> Array:
        return relieff_score(X, y, self.n_neighbors)
