from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels
from featsieve.graphs.search import NeighborSearch
from featsieve.registry import method
from featsieve.scores.energy import ratio
from featsieve.selectors import N_FEATURES, Ranker


def relieff_score(X: Any, y: Any, n_neighbors: int = 10) -> Any:
    r"""How much farther apart a feature puts near samples of other classes than of the same class.

    .. math:: \frac{1}{n} \sum_i \left[ \sum_{c \ne y_i} \frac{P(c)}{1 - P(y_i)}
              \operatorname{mean}_{j \in N_c(i)} \frac{|f_i - f_j|}{r} -
              \operatorname{mean}_{j \in N_{y_i}(i)} \frac{|f_i - f_j|}{r} \right]

    N_c(i) are the k samples of class c nearest to i by the sum of |difference| / range over all features,
    and r is the range of f. All samples are used, none is drawn at random.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Class labels.
    n_neighbors : int
        k; all of a class that has fewer.

    Returns
    -------
    array of shape (n_features,)
        Larger is better, from -1 to 1; a constant feature gets 0.

    Notes
    -----
    The neighbor search is O(n^2 d), the score O(n C k d). Equal distances are decided by the content of
    the samples, not by their order.

    References
    ----------
    Robnik-Sikonja & Kononenko, Machine Learning 53, 2003.
    """
    X = as_matrix(X)
    xp = namespace(X)
    codes, counts = check_labels(y, X)
    n = codes.size
    span = xp.astype(xp.max(X, axis=0) - xp.min(X, axis=0), xp.float64)
    scale = ratio(xp.ones_like(span), span, 0.0)
    search = NeighborSearch(X, scale=scale)
    share = counts / n
    partners, weights = [], []
    for c in range(counts.size):
        pool = np.flatnonzero(codes == c)
        k = min(n_neighbors, pool.size)
        indices, distances = search.nearest(np.arange(n), pool, k)
        known = np.isfinite(distances)
        factor = np.where(codes == c, -1.0, share[c] / (1 - share[codes]))
        weights.append(factor[:, None] * known / np.maximum(known.sum(axis=1, keepdims=True), 1) / n)
        partners.append(indices)
    # neighbors as columns of one table: the j-th neighbor of every sample is one gather
    table = [to_device_of(column, X) for column in np.hstack(partners).T]
    factors = [to_device_of(column.astype(_host_dtype(X)), X) for column in np.hstack(weights).T]

    def contrast(B: Any) -> Any:
        total = xp.zeros(B.shape[1], dtype=xp.float64, device=B.device)
        for column, factor in zip(table, factors, strict=True):
            total += factor @ xp.abs(B - xp.take(B, column, axis=0))
        return total

    return map_columns(contrast, X, name="relief", temporaries=4, host_bytes=2**20) * scale


def _host_dtype(X: Any) -> Any:
    return np.float32 if X.dtype == namespace(X).float32 else np.float64


@method(
    "relieff",
    family="neighbor",
    supervised="yes",
    direction="larger",
    inputs=("array_api",),
    reference="Robnik-Sikonja & Kononenko, Machine Learning 2003",
)
class ReliefF(Ranker, BaseEstimator):
    """How much farther apart a feature puts near samples of other classes than of the same class.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbors taken from each class.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.relieff_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ReliefF
    >>> ReliefF().fit(*load_iris(return_X_y=True)).order_
    array([3, 2, 0, 1])
    """

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(self, n_neighbors: int = 10, *, n_features_to_select: Any = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return relieff_score(X, y, self.n_neighbors)
