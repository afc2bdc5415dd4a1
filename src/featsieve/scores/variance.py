from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums, sparse_spread
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike


def variance_score(X: MatrixLike) -> Array:
    r"""Compute the variance of each feature.

    .. math:: \frac{1}{n} \sum_i (f_i - \mu)^2

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0; larger is better. A constant feature gets exactly 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.scores import variance_score
    >>> variance_score(load_iris().data).round(3)
    array([0.681, 0.189, 3.096, 0.577])
    """
    X = as_matrix(X)
    n = X.shape[0]

    def dense(B: Array) -> Array:
        center(B)
        B *= B
        return column_sums(B) / n

    def sparse(B: Array) -> NDArray[np.float64]:
        return sparse_spread(B, np.ones(n))[0] / n

    return map_columns(dense, X, name="variance", temporaries=2, sparse=sparse)


@method(
    "variance",
    family="statistic",
    supervised="no",
    direction="larger",
    inputs=("sparse", "array_api", "chunked"),
    reference="Yao et al., IEEE TIP 2017, eq. 1",
)
class VarianceScore(Ranker, BaseEstimator):
    """Variance score: rank features by their variance.

    See Also
    --------
    featsieve.scores.variance_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import VarianceScore
    >>> VarianceScore().fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    def _score(self, X: Array, y: Array) -> Array:
        return variance_score(X)
