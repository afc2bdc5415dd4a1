from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.registry import method
from featsieve.scores.energy import center, ratio
from featsieve.selectors import N_FEATURES, Ranker


def chi_square_score(X: Any, y: Any) -> np.ndarray:
    r"""Chi-square statistic between a count or frequency and the class.

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
    codes, counts = check_labels(y, X)
    members = class_indicator(codes, counts.size).T.tocsr()
    lowest = X.min(axis=0)
    lowest = lowest.toarray().ravel() if hasattr(lowest, "toarray") else lowest
    if lowest.min() < 0:
        raise ValueError(
            f"Negative values in data passed to X, in column {lowest.argmin()}: chi-square is for counts. "
            "Scale X to 0..1 (sklearn.preprocessing.MinMaxScaler), or use fisher."
        )

    def statistic(excess: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return ratio(excess**2, counts[:, None] * mean, 0.0).sum(axis=0)

    def dense(B: np.ndarray) -> np.ndarray:
        mean = center(B)  # observed - expected, before large numbers are added up
        return statistic(members @ B, mean)

    def sparse(B: Any) -> np.ndarray:
        mean = np.ravel(B.mean(axis=0))
        return statistic((members @ B).toarray() - counts[:, None] * mean, mean)

    return map_columns(dense, X, name="chi-square", temporaries=2, sparse=sparse)


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
