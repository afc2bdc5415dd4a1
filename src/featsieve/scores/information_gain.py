from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import class_indicator
from featsieve.registry import method
from featsieve.selectors import Ranker
from featsieve.targets import TARGET, Targets, TargetType, encode_targets
from featsieve.types import Array, Indices, MatrixLike, NFeatures


def information_gain_score(
    X: MatrixLike, y: ArrayLike, n_bins: int = 10, target: TargetType = "auto"
) -> NDArray[np.float64]:
    """Compute the mutual information between each discretized feature and the target, in bits.

    .. math:: H(y) - H(y | bin(f))

    A feature with at most ``n_bins`` distinct values has one bin per value. Any other feature is cut at its
    quantiles 1/B, ..., (B-1)/B; a value equal to a cut is in the bin below. A numeric target
    is discretized in the same way; its bins are the classes.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
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
    ndarray of shape (n_features,)
        Scores from 0 to the entropy of y; larger is better. A constant feature gets 0.

    Notes
    -----
    Increasing transformations of a feature, or of a numeric target, do not change the score. One sort per
    feature: O(d n (log n + B)).
    """
    X = as_matrix(X)
    codes = target_classes(encode_targets(column_or_1d(y), X, target), n_bins)
    counts = np.bincount(codes)
    class_sums = class_indicator(codes, counts.size).T.tocsr()
    n = codes.size

    def gain(B: Array) -> NDArray[np.float64]:
        bins = discretize(B, n_bins)
        conditional = np.zeros(B.shape[1])
        for b in range(n_bins):
            joint = (class_sums @ (bins == b).astype(np.float64)) / n
            conditional += xlogy(joint, joint).sum(axis=0)
            conditional -= xlogy(joint.sum(axis=0), joint.sum(axis=0))
        entropy = -xlogy(counts / n, counts / n).sum()
        return np.maximum(entropy + conditional, 0.0) / np.log(2)

    return map_columns(gain, X, name="information gain", temporaries=n_bins + 4)


def target_classes(targets: Targets, n_bins: int) -> Indices:
    """Return the class indices of a target, or the bins of a numeric target."""
    if targets.codes is not None:
        return targets.codes
    return discretize(targets.values, n_bins)[:, 0].astype(np.intp)


def discretize(B: Array, n_bins: int) -> NDArray[np.int16]:
    """Return the bin of each value among at most ``n_bins`` bins of its column.

    A column with at most ``n_bins`` distinct values has one bin per value. Any other column is cut at its
    quantiles; a value equal to a cut is in the bin below.
    """
    ranked = np.sort(B, axis=0)
    # The quantile i/B is at position (n-1) i/B of the sorted values. No value lies between the values before
    # and after that position, so that the value before defines the same bins.
    cuts = ranked[(len(B) - 1) * np.arange(1, n_bins) // n_bins]
    increases = ranked[1:] != ranked[:-1]
    for column in np.flatnonzero(increases.sum(axis=0) < n_bins):
        distinct = ranked[:-1, column][increases[:, column]]
        cuts[:, column] = np.inf
        cuts[: distinct.size, column] = distinct
    return np.sum(B[None, :, :] > cuts[:, None, :], axis=0, dtype=np.int16)


@method(
    "information-gain",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse",),
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

    def _score(self, X: Array, y: Array) -> NDArray[np.float64]:
        return information_gain_score(X, y, self.n_bins, self.target)
