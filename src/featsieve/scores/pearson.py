from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import type_of_target

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.options import check_option
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums, ratio, sparse_spread
from featsieve.selectors import N_FEATURES, Ranker


def pearson_score(X: Any, y: Any, target: str = "auto") -> np.ndarray:
    r"""Absolute correlation with the target.

    .. math:: \max_c \left| \frac{\sum_i (f_i - \mu)(t_{ic} - \tau_c)}{|f - \mu| \, |t_c - \tau_c|} \right|

    t is the target itself when it is numeric or has two classes, else the indicators of its classes.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    target : {"auto", "numeric", "classes"}
        What y holds. "auto" takes numbers with a fractional part for numeric and all else for classes,
        as scikit-learn does: say "numeric" for a regression target of whole numbers.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better, from 0 to 1; a constant feature gets 0.
    """
    check_option("target", target, ("auto", "numeric", "classes"))
    X = as_matrix(X)
    y = column_or_1d(y)
    if target == "numeric" or (target == "auto" and type_of_target(y) == "continuous"):
        targets = np.asarray(y, dtype=np.float64)[:, None]
    else:
        codes, counts = check_labels(y, X)
        targets = class_indicator(codes, counts.size).toarray()[:, 1 if counts.size == 2 else 0 :]
    targets = targets - targets.mean(axis=0)
    lengths = np.linalg.norm(targets, axis=0)
    if not lengths.all():
        raise ValueError("y holds a single value, and nothing correlates with that: check the target column.")
    targets /= lengths

    def largest(joint: np.ndarray, spread: np.ndarray) -> np.ndarray:
        return np.minimum(ratio(np.abs(joint).max(axis=0), np.sqrt(spread), 0.0), 1.0)

    def dense(B: np.ndarray) -> np.ndarray:
        center(B)
        return largest(targets.astype(B.dtype).T @ B, column_sums(B * B))

    def sparse(B: Any) -> np.ndarray:
        return largest(targets.T @ B, sparse_spread(B, np.ones(B.shape[0]))[0])

    return map_columns(dense, X, name="correlation", temporaries=3, sparse=sparse)


@method(
    "pearson",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse",),
    reference="Guyon & Elisseeff, JMLR 2003",
)
class PearsonScore(Ranker, BaseEstimator):
    """Absolute correlation with the target.

    Parameters
    ----------
    target : {"auto", "numeric", "classes"}, default="auto"
        What y holds. "auto" takes numbers with a fractional part for numeric and all else for classes,
        as scikit-learn does: say "numeric" for a regression target of whole numbers.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.pearson_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from featsieve import PearsonScore
    >>> X, y = load_diabetes(return_X_y=True)
    >>> PearsonScore(target="numeric", n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 8])
    """

    _parameter_constraints: dict = {
        "target": [StrOptions({"auto", "numeric", "classes"})],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(self, *, target: str = "auto", n_features_to_select: Any = None) -> None:
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return pearson_score(X, y, self.target)
