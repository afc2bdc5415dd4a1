from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import column_extremes, map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.registry import method
from featsieve.scores.energy import center, ratio
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike


def chi_square_score(X: MatrixLike, y: ArrayLike) -> Array:
    r"""Compute the chi-square statistic between each feature and the class.

    .. math:: \sum_c \frac{(o_c - e_c)^2}{e_c}, \quad o_c = \sum_{i \in c} f_i,
              \quad e_c = \frac{n_c}{n} \sum_i f_i

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples of counts or frequencies, not negative.
    y : array-like of shape (n_samples,)
        Class labels, at least two classes.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0; larger is better. A constant feature gets 0 up to rounding.
    """
    X = as_matrix(X)
    codes, counts = check_labels(y, X)
    xp = namespace(X)
    class_sums = to_device_of(class_indicator(codes, counts.size).T.tocsr(), X)
    sizes = xp.astype(to_device_of(counts, X), xp.float64)[:, None]
    minima = column_extremes(X)[0]
    if minima.min() < 0:
        raise ValueError(
            f"Negative values in data passed to X, in column {int(minima.argmin())}. Chi-square requires "
            "counts or frequencies: scale X to 0..1 (sklearn.preprocessing.MinMaxScaler), or use FisherScore."
        )

    def statistic(excess: Array, mean: Array) -> Array:
        return xp.sum(ratio(excess**2, sizes * mean, 0.0), axis=0)

    def dense(B: Array) -> Array:
        B = xp.astype(B, xp.float64, copy=False)  # the mean can be small relative to single values
        mean = center(B)  # observed - expected, before the sums become large
        return statistic(class_sums @ B, mean)

    def sparse(B: Array) -> Array:
        mean = np.ravel(B.mean(axis=0))
        return statistic((class_sums @ B).toarray() - sizes * mean, mean)

    return map_columns(dense, X, name="chi-square", temporaries=3, sparse=sparse)


@method(
    "chi-square",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "array_api", "chunked"),
    reference="Liu & Setiono, ICTAI 1995",
)
class ChiSquareScore(Ranker, BaseEstimator):
    """Chi-square score: rank counts or frequencies by their dependence on the class.

    See Also
    --------
    featsieve.scores.chi_square_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ChiSquareScore
    >>> ChiSquareScore().fit(*load_iris(return_X_y=True)).order_
    array([2, 3, 0, 1])
    """

    def _score(self, X: Array, y: Array) -> Array:
        return chi_square_score(X, y)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
