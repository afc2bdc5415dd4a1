from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import chi2

from featsieve.engines.arrays import as_matrix
from featsieve.graphs.labels import labels_of
from featsieve.registry import method
from featsieve.selectors import N_FEATURES, Ranker


def chi_square_score(X: Any, y: Any) -> np.ndarray:
    r"""Chi-square statistic between a count or frequency and the class, by scikit-learn.

    .. math:: \sum_c \frac{(o_c - e_c)^2}{e_c}, \quad o_c = \sum_{i \in c} f_i,
              \quad e_c = \frac{n_c}{n} \sum_i f_i

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
        Not negative.
    y : array of shape (n_samples,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better, from 0; a constant feature gets 0 up to rounding.
    """
    X = as_matrix(X)
    labels_of(y, X)
    lowest = X.min(axis=0)
    lowest = lowest.toarray().ravel() if hasattr(lowest, "toarray") else lowest
    if lowest.min() < 0:
        raise ValueError(
            f"Negative values in data passed to X, in column {lowest.argmin()}: chi-square is for counts. "
            "Scale X to 0..1 (sklearn.preprocessing.MinMaxScaler), or use fisher."
        )
    with np.errstate(invalid="ignore"):  # an all-zero feature is 0 / 0 there
        return np.nan_to_num(chi2(X, y)[0], nan=0.0)


@method(
    "chi-square",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse",),
    reference="Liu & Setiono, ICTAI 1995",
)
class ChiSquareScore(Ranker, BaseEstimator):
    """Chi-square statistic between a count or frequency and the class.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.chi_square_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ChiSquareScore
    >>> ChiSquareScore().fit(*load_iris(return_X_y=True)).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict = {"n_features_to_select": N_FEATURES}

    def __init__(self, *, n_features_to_select: Any = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return chi_square_score(X, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
