from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums, ratio, sparse_spread
from featsieve.selectors import Ranker
from featsieve.targets import TARGET, TargetType, encode_targets
from featsieve.types import Array, MatrixLike, NFeatures


def pearson_score(X: MatrixLike, y: ArrayLike, target: TargetType = "auto") -> Array:
    r"""Compute the absolute correlation of each feature with the target.

    .. math:: \max_c \left| \frac{\sum_i (f_i - \mu)(t_{ic} - \tau_c)}{|f - \mu| \, |t_c - \tau_c|} \right|

    t is the target if it is numeric or has two classes, else the indicators of its classes; mu and tau_c are
    means.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0 to 1; larger is better. A constant feature gets 0.
    """
    X = as_matrix(X)
    xp = namespace(X)
    targets = encode_targets(column_or_1d(y), X, target).centered
    targets /= np.linalg.norm(targets, axis=0)
    target_rows = to_device_of(np.ascontiguousarray(targets.T), X)

    def correlation(covariances: Array, spread: Array) -> Array:
        largest = xp.max(xp.abs(covariances), axis=0)
        return xp.clip(ratio(largest, xp.sqrt(spread), 0.0), None, 1.0)

    def dense(B: Array) -> Array:
        B = xp.astype(B, xp.float64, copy=False)  # small correlations are sums of large terms
        center(B)
        return correlation(target_rows @ B, column_sums(B * B))

    def sparse(B: Array) -> NDArray[np.float64]:
        return correlation(targets.T @ B, sparse_spread(B, np.ones(B.shape[0]))[0])

    return map_columns(dense, X, name="correlation", temporaries=5, sparse=sparse)


@method(
    "pearson",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "array_api", "chunked"),
    scale_invariant=True,
    reference="Guyon & Elisseeff, JMLR 2003",
)
class PearsonScore(Ranker, BaseEstimator):
    """Pearson score: rank features by their absolute correlation with the target.

    Parameters
    ----------
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    See Also
    --------
    featsieve.scores.pearson_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from featsieve import PearsonScore
    >>> X, y = load_diabetes(return_X_y=True)
    >>> PearsonScore(target="numeric", n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 8])
    """

    _parameter_constraints: dict[str, Any] = {"target": TARGET}

    def __init__(
        self,
        *,
        target: TargetType = "auto",
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> Array:
        return pearson_score(X, y, self.target)
