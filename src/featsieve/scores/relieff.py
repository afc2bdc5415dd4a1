from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, column_list, namespace, to_device_of
from featsieve.engines.blocks import column_extremes, map_columns
from featsieve.graphs.labels import check_labels
from featsieve.graphs.search import NeighborSearch
from featsieve.registry import method
from featsieve.scores.energy import ratio
from featsieve.selectors import Ranker
from featsieve.targets import TARGET, TargetType, encode_targets, is_numeric
from featsieve.types import Array, MatrixLike, NFeatures


def relieff_score(X: MatrixLike, y: ArrayLike, n_neighbors: int = 10, target: TargetType = "auto") -> Array:
    r"""Compute the ReliefF score of each feature, or the RReliefF score for a numeric target.

    For classes,

    .. math:: \frac{1}{n} \sum_i \left[ \sum_{c \ne y_i} \frac{P(c)}{1 - P(y_i)}
              \operatorname{mean}_{j \in N_c(i)} \frac{|f_i - f_j|}{r} -
              \operatorname{mean}_{j \in N_{y_i}(i)} \frac{|f_i - f_j|}{r} \right]

    N_c(i) are the k samples of class c nearest to i by the sum of absolute differences, divided by
    the range, over all features, and
    r is the range of f. The sum is over all samples, not over a random subset.

    For a numeric target,

    .. math:: \frac{1}{n k} \sum_i \sum_{j \in N(i)} \left[ \frac{t_{ij}}{p} -
              \frac{1 - t_{ij}}{1 - p} \right] \frac{|f_i - f_j|}{r}, \quad
              t_{ij} = \frac{|y_i - y_j|}{r_y}, \quad p = \frac{1}{n k} \sum_i \sum_{j \in N(i)} t_{ij}

    N(i) are the k samples nearest to i, and r_y is the range of y. The score is the difference of f between
    neighbors with different targets minus that between neighbors with similar targets. A quotient 0/0 counts
    as 0.

    Parameters
    ----------
    X : {array-like, tensor} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target: at least two classes, or numbers.
    n_neighbors : int, default=10
        Number of neighbors k, in each class if there are classes. Smaller classes contribute all their
        samples.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    Returns
    -------
    array of shape (n_features,)
        Scores from -1 to 1; larger is better. A constant feature gets 0.

    Notes
    -----
    The neighbor search is O(n^2 d), the score O(n C k d) for C classes, O(n k d) for numbers. Ties between
    equal distances are broken by the content of the samples, not by their order.

    References
    ----------
    Robnik-Sikonja & Kononenko, Machine Learning 53, 2003.
    """
    X = as_matrix(X)
    xp = namespace(X)
    y = np.asarray(column_or_1d(y))
    check_consistent_length(X, y)
    minima, maxima = column_extremes(X)
    ranges = xp.astype(maxima, xp.float64) - xp.astype(minima, xp.float64)
    scale = ratio(xp.ones_like(ranges), ranges, 0.0)
    contrasts = _target_contrasts if is_numeric(y, target) else _class_contrasts
    neighbors, weights = contrasts(NeighborSearch(X, scale=scale), y, n_neighbors)
    # one column per neighbor: the j-th neighbors of all samples are one gather
    neighbor_columns = column_list(neighbors)
    weight_columns = column_list(weights)

    def contrast(B: Array) -> Array:
        total = xp.zeros(B.shape[1], dtype=xp.float64, device=B.device)
        for neighbor, weight in zip(neighbor_columns, weight_columns, strict=True):
            # differences of float32 add up in float64, because hits and misses cancel
            total += weight @ xp.astype(xp.abs(B - xp.take(B, neighbor, axis=0)), xp.float64)
        return total

    return map_columns(contrast, X, name="relief", temporaries=4, host_bytes=2**20) * scale


def _class_contrasts(search: NeighborSearch, y: NDArray[Any], n_neighbors: int) -> tuple[Array, Array]:
    """Return the nearest hits and misses of each sample, and the weight of each."""
    X, xp = search.X, namespace(search.X)
    codes, counts = check_labels(y, X)
    n = codes.size
    prior = counts / n
    neighbors, weights = [], []
    for c in range(counts.size):
        members = np.flatnonzero(codes == c)
        indices, distances = search.nearest(np.arange(n), members, min(n_neighbors, members.size))
        factor = to_device_of(np.where(codes == c, -1.0, prior[c] / (1 - prior[codes])) / n, X)
        valid = xp.astype(xp.isfinite(distances), xp.float64)
        weights.append(factor[:, None] * valid / xp.clip(xp.sum(valid, axis=1, keepdims=True), 1.0, None))
        neighbors.append(indices)
    return xp.concat(neighbors, axis=1), xp.concat(weights, axis=1)


def _target_contrasts(search: NeighborSearch, y: NDArray[Any], n_neighbors: int) -> tuple[Array, Array]:
    """Return the nearest samples of each sample, and the weight of each: positive if the targets differ."""
    X, xp = search.X, namespace(search.X)
    values = encode_targets(y, X, "numeric").values[:, 0]
    samples = np.arange(values.size)
    neighbors, _ = search.nearest(samples, samples, min(n_neighbors, values.size - 1))
    on_device = to_device_of(values, X)
    different = xp.abs(on_device[neighbors] - on_device[:, None]) / np.ptp(values)
    share = float(xp.mean(different))
    # a share of 0 or 1 divides only zeros
    weights = different / (share or 1.0) - (1 - different) / (1 - share or 1.0)
    return neighbors, weights / (neighbors.shape[0] * neighbors.shape[1])


@method(
    "relieff",
    family="neighbor",
    supervised="yes",
    direction="larger",
    inputs=("array_api", "chunked"),
    scale_invariant=True,
    reference="Robnik-Sikonja & Kononenko, Machine Learning 2003",
)
class ReliefF(Ranker, BaseEstimator):
    """ReliefF: rank features by how they differ between neighbors with different classes or targets.

    A numeric target is ranked by RReliefF.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors, in each class if there are classes.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    See Also
    --------
    featsieve.scores.relieff_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ReliefF
    >>> ReliefF().fit(*load_iris(return_X_y=True)).order_
    array([3, 2, 0, 1])
    >>> from sklearn.datasets import load_diabetes
    >>> ReliefF(target="numeric").fit(*load_diabetes(return_X_y=True)).order_[:3]
    array([2, 8, 7])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "target": TARGET,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        target: TargetType = "auto",
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> Array:
        return relieff_score(X, y, self.n_neighbors, self.target)
