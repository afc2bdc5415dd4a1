from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import column_extremes, map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.registry import method
from featsieve.scores.energy import center, ratio
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike


def chi_square_score(X: MatrixLike, y: ArrayLike) -> NDArray[np.float64]:
    r"""Compute the chi-square statistic between each feature and the class.

    .. math:: \sum_c \frac{(o_c - e_c)^2}{e_c}, \quad o_c = \sum_{i \in c} f_i,
              \quad e_c = \frac{n_c}{n} \sum_i f_i

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples of counts or frequencies, not negative.
    y : array-like of shape (n_samples,)
        Class labels, at least two classes.

    Returns
    -------
    ndarray of shape (n_features,)
        Scores from 0; larger is better. A constant feature gets 0 up to rounding.
    """
    X = as_matrix(X)
    codes, counts = check_labels(y, X)
    class_sums = class_indicator(codes, counts.size).T.tocsr()
    minima = column_extremes(X)[0]
    if minima.min() < 0:
        raise ValueError(
            f"Negative values in data passed to X, in column {minima.argmin()}. Chi-square requires "
            "counts or frequencies: scale X to 0..1 (sklearn.preprocessing.MinMaxScaler), or use FisherScore."
        )

    def statistic(excess: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        return ratio(excess**2, counts[:, None] * mean, 0.0).sum(axis=0)

    def dense(B: Array) -> NDArray[np.float64]:
        mean = center(B)  # observed - expected, before the sums become large
        return statistic(class_sums @ B, mean)

    def sparse(B: Array) -> NDArray[np.float64]:
        mean = np.ravel(B.mean(axis=0))
        return statistic((class_sums @ B).toarray() - counts[:, None] * mean, mean)

    return map_columns(dense, X, name="chi-square", temporaries=2, sparse=sparse)


@method(
    "chi-square",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "chunked"),
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

    def _score(self, X: Array, y: Array) -> NDArray[np.float64]:
        return chi_square_score(X, y)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
