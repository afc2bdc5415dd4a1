from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import class_indicator
from featsieve.registry import method
from featsieve.selectors import Ranker
from featsieve.targets import TARGET, Targets, TargetType, encode_targets
from featsieve.types import Array, Indices, MatrixLike, NFeatures


def information_gain_score(
    X: MatrixLike, y: ArrayLike, n_bins: int = 10, target: TargetType = "auto"
) -> Array:
    """Compute the mutual information between each discretized feature and the target, in bits.

    .. math:: H(y) - H(y | bin(f))

    A feature with at most ``n_bins`` distinct values has one bin per value. Any other feature is cut at its
    quantiles 1/B, ..., (B-1)/B; a value equal to a cut is in the bin below. A numeric target
    is discretized in the same way; its bins are the classes.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target: at least two classes, or numbers.
    n_bins : int, default=10
        Number of bins B.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0 to the entropy of y; larger is better. A constant feature gets 0.

    Notes
    -----
    Increasing transformations of a feature, or of a numeric target, do not change the score. One sort per
    feature: O(d n (log n + B)).
    """
    X = as_matrix(X)
    xp = namespace(X)
    codes = target_classes(encode_targets(column_or_1d(y), X, target), n_bins)
    counts = np.bincount(codes)
    class_sums = to_device_of(class_indicator(codes, counts.size).T.tocsr(), X)
    n = codes.size
    entropy = -xlogy(counts / n, counts / n).sum()

    def gain(B: Array) -> Array:
        bins = discretize(B, n_bins)
        conditional = xp.zeros(B.shape[1], dtype=xp.float64, device=B.device)
        for b in range(n_bins):
            joint = (class_sums @ xp.astype(bins == b, xp.float64)) / n
            conditional += xp.sum(_x_log_x(joint), axis=0)
            conditional -= _x_log_x(xp.sum(joint, axis=0))
        return xp.clip(entropy + conditional, 0.0, None) / np.log(2)

    return map_columns(gain, X, name="information gain", temporaries=n_bins + 4)


def _x_log_x(x: Array) -> Array:
    xp = namespace(x)
    return x * xp.log(xp.where(x > 0, x, 1.0))


def target_classes(targets: Targets, n_bins: int) -> Indices:
    """Return the class indices of a target, or the bins of a numeric target."""
    if targets.codes is not None:
        return targets.codes
    return discretize(targets.values, n_bins)[:, 0].astype(np.intp)


def discretize(B: Array, n_bins: int) -> Array:
    """Return the bin of each value among at most ``n_bins`` bins of its column.

    A column with at most ``n_bins`` distinct values has one bin per value. Any other column is cut at its
    quantiles; a value equal to a cut is in the bin below.
    """
    xp, n = namespace(B), B.shape[0]
    ranked = xp.sort(B, axis=0)
    # The quantile i/B is at position (n-1) i/B of the sorted values. No value lies between the values before
    # and after that position, so that the value before defines the same bins.
    cuts = xp.stack([ranked[(n - 1) * b // n_bins, :] for b in range(1, n_bins)])
    is_discrete = xp.count_nonzero(ranked[1:, :] != ranked[:-1, :], axis=0) < n_bins
    if xp.any(is_discrete):
        values, cut = B[:, is_discrete], ranked[0, is_discrete]
        for b in range(n_bins - 1):  # the distinct values in ascending order, then infinity
            cuts[b, is_discrete] = cut
            cut = xp.min(xp.where(values > cut, values, xp.inf), axis=0)
    return xp.sum(B[None, :, :] > cuts[:, None, :], axis=0, dtype=xp.int16)


@method(
    "information-gain",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "array_api", "chunked"),
    scale_invariant=True,
    reference="Feng, Chen & Xu, 2013; Cover & Thomas, Elements of Information Theory",
)
class InformationGain(Ranker, BaseEstimator):
    """Information gain: rank discretized features by their mutual information with the target.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins of about equal size. A feature with at most ``n_bins`` distinct values has one bin per
        value. A numeric target is discretized in the same way.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    See Also
    --------
    featsieve.scores.information_gain_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import InformationGain
    >>> InformationGain().fit(*load_iris(return_X_y=True)).scores_.round(2)
    array([0.73, 0.4 , 1.34, 1.35])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "target": TARGET,
    }

    def __init__(
        self, *, n_bins: int = 10, target: TargetType = "auto", n_features_to_select: NFeatures = None
    ) -> None:
        self.n_bins = n_bins
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> Array:
        return information_gain_score(X, y, self.n_bins, self.target)
