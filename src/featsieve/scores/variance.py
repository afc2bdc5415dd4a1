from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums, sparse_spread
from featsieve.selectors import N_FEATURES, Ranker


def variance_score(X: Any) -> Any:
    r"""Variance of each feature.

    .. math:: \frac{1}{n} \sum_i (f_i - \mu)^2

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)

    Returns
    -------
    array of shape (n_features,)
        Larger is better, from 0; a constant feature gets exactly 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.scores import variance_score
    >>> variance_score(load_iris().data).round(3)
    array([0.681, 0.189, 3.096, 0.577])
    """
    X = as_matrix(X)
    n = X.shape[0]

    def dense(B: Any) -> Any:
        center(B)
        B *= B
        return column_sums(B) / n

    def sparse(B: Any) -> Any:
        return sparse_spread(B, np.ones(n))[0] / n

    return map_columns(dense, X, name="variance", temporaries=2, sparse=sparse)


@method(
    "variance",
    family="statistic",
    supervised="no",
    direction="larger",
    inputs=("sparse", "array_api"),
    reference="Yao et al., IEEE TIP 2017, eq. 1",
)
class VarianceScore(Ranker, BaseEstimator):
    """Variance of each feature.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.variance_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import VarianceScore
    >>> VarianceScore().fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict = {"n_features_to_select": N_FEATURES}

    def __init__(self, *, n_features_to_select: Any = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return variance_score(X)
