from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.registry import method
from featsieve.selectors import N_FEATURES, Ranker


def information_gain_score(X: Any, y: Any, n_bins: int = 10) -> np.ndarray:
    """Bits that a binned feature tells about the class.

    .. math:: H(y) - H(y | bin(f))

    A feature of at most ``n_bins`` different values is taken as it is. Any other is cut at its
    quantiles 1/B, ..., (B-1)/B; a value on a cut belongs to the bin below.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Class labels.
    n_bins : int
        B.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better, from 0 to the entropy of y; a constant feature gets 0.

    Notes
    -----
    One sort of each feature: O(d n (log n + B)). It does not change under increasing transformations of a
    feature.
    """
    X = as_matrix(X)
    codes, counts = check_labels(y, X)
    collect = class_indicator(codes, counts.size).T.tocsr()
    n = codes.size
    # the quantile i/B lies at the place (n-1) i/B of the sorted values, and no value lies between the one
    # before that place and the one after it: whole numbers are enough to tell who is above the cut
    places = (n - 1) * np.arange(1, n_bins) // n_bins

    def gain(B: np.ndarray) -> np.ndarray:
        ranked = np.sort(B, axis=0)
        cuts = ranked[places]
        new = ranked[1:] != ranked[:-1]
        for column in np.flatnonzero(new.sum(axis=0) < n_bins):
            values = ranked[:-1, column][new[:, column]]
            cuts[:, column] = np.inf
            cuts[: values.size, column] = values
        bins = np.sum(B[None, :, :] > cuts[:, None, :], axis=0, dtype=np.int16)
        conditional = np.zeros(B.shape[1])
        for b in range(n_bins):
            table = (collect @ (bins == b).astype(np.float64)) / n
            conditional += xlogy(table, table).sum(axis=0)
            conditional -= xlogy(table.sum(axis=0), table.sum(axis=0))
        entropy = -xlogy(counts / n, counts / n).sum()
        return np.maximum(entropy + conditional, 0.0) / np.log(2)

    return map_columns(gain, X, name="information gain", temporaries=n_bins + 4)


@method(
    "information-gain",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse",),
    reference="Feng, Chen & Xu, 2013; Cover & Thomas, Elements of Information Theory",
)
class InformationGain(Ranker, BaseEstimator):
    """Bits that a binned feature tells about the class.

    Parameters
    ----------
    n_bins : int, default=10
        Bins of about equal size. A feature of at most so many different values is taken as it is.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.information_gain_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import InformationGain
    >>> InformationGain().fit(*load_iris(return_X_y=True)).scores_.round(2)
    array([0.73, 0.4 , 1.34, 1.35])
    """

    _parameter_constraints: dict = {
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(self, *, n_bins: int = 10, n_features_to_select: Any = None) -> None:
        self.n_bins = n_bins
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return information_gain_score(X, y, self.n_bins)
