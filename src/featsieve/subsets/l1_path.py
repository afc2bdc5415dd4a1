from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix, round_to_bits
from featsieve.registry import method
from featsieve.selectors import Ranker
from featsieve.solvers.lasso import gram_pays, lasso_entries
from featsieve.subsets._columns import COPY_TOL, ZERO_TOL, UnitColumns
from featsieve.targets import TARGET, TargetType, encode_targets
from featsieve.types import Indices, Mask, MatrixLike, NFeatures

# Number of features whose correlations with all features are computed together.
_BLOCK = 64


def l1_path_ranking(
    X: MatrixLike, y: ArrayLike, n_features: int, target: TargetType = "auto"
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    r"""Rank features by the penalty at which they enter the lasso regression on a target.

    .. math:: \max_t \; \frac{1}{\lambda_t} \sup \{\lambda : a_{tj}(\lambda) \neq 0\}, \quad
              a_t(\lambda) = \arg\min_a |t - Z a|^2 / 2 + \lambda |a|_1, \quad
              \lambda_t = \max_j |z_j' t|

    Z are the features and t the targets, centered and of unit length: numbers, or the indicators of classes
    (one for two classes).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.
    n_features : int
        Number of features to choose.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Scores from 0 to 1; larger is better. A feature that enters no path, such as a constant one, gets 0.
    order : ndarray of shape (n_features,)
        Feature indices, best first. Features with score 0 are in the order of their largest absolute
        correlation with a target. Copies of chosen features come after all distinct features, and constant
        features come last.

    Notes
    -----
    The paths end at the penalty at which ``n_features`` features have entered. Features that would enter
    later get score 0.

    The cost is O(n d) for each knot of a path. The number of knots is slightly larger than the number of
    features that enter.

    References
    ----------
    Tibshirani, JRSS B 1996. Efron, Hastie, Johnstone & Tibshirani, Annals of Statistics 2004.
    """
    X = as_matrix(X)
    columns = UnitColumns(X)
    n, d = X.shape
    targets = UnitColumns(encode_targets(y, X, target).values)
    Z, T = columns.columns(np.arange(d)), targets.columns(np.arange(targets.n_features))
    covariances = T.T @ Z
    covariances[np.abs(covariances) < ZERO_TOL] = 0.0
    strengths, largest = np.abs(covariances).max(axis=0), np.abs(covariances).max(axis=1, keepdims=True)
    covariances /= np.where(largest > 0, largest, 1.0)
    n_entries = min(n_features, d)
    while True:
        n_nonzero = min(n_entries, -(-2 * n_entries // len(covariances)), n - 1)
        entries = lasso_entries(Z, covariances, n_entries, gram_pays(n, d, len(covariances), n_nonzero))
        scores = _move_to_first_copies(entries, columns)
        # copies that entered different paths count once
        n_copies = np.count_nonzero(entries) - np.count_nonzero(scores)
        missing = n_features - np.count_nonzero(scores)
        if missing <= 0 or not n_copies or np.count_nonzero(entries) < n_entries or n_entries == d:
            break
        n_entries = min(d, n_entries + max(n_entries, missing))
    ranks = np.where(scores > 0, 1 + scores, strengths)
    order = np.lexsort((-round_to_bits(ranks), columns.norms == 0))
    chosen, is_copy = _choose_distinct(columns, order, n_features)
    is_other = np.ones(d, dtype=bool)
    is_other[chosen] = False
    others = order[is_other[order]]
    last = np.lexsort((is_copy[others], columns.norms[others] == 0))
    return scores, np.concatenate([chosen, others[last]])


def _move_to_first_copies(scores: NDArray[np.float64], columns: UnitColumns) -> NDArray[np.float64]:
    """Assign the scores of copies to the first copy, because rounding decides which one enters the path."""
    moved = np.zeros_like(scores)
    entered = np.flatnonzero(scores)
    for start in range(0, entered.size, _BLOCK):
        block = entered[start : start + _BLOCK]
        is_copy = np.abs(columns.products(columns.columns(block))) >= 1 - COPY_TOL
        np.maximum.at(moved, is_copy.argmax(axis=1), scores[block])
    return moved


def _choose_distinct(columns: UnitColumns, order: Indices, n_choices: int) -> tuple[Indices, Mask]:
    """Return the first distinct features of an order that are not constant, and a mask of their copies."""
    is_copy = np.zeros(columns.n_features, dtype=bool)
    varying = order[columns.norms[order] > 0]
    chosen: list[int] = []
    for start in range(0, varying.size, _BLOCK):
        if len(chosen) == n_choices:
            break
        block = varying[start : start + _BLOCK]
        block = block[~is_copy[block]]
        for j, products in zip(block.tolist(), columns.products(columns.columns(block)), strict=True):
            if not is_copy[j] and len(chosen) < n_choices:
                chosen.append(j)
                is_copy |= np.abs(products) >= 1 - COPY_TOL
                is_copy[chosen] = False
    return np.array(chosen, dtype=np.intp), is_copy


@method(
    "l1-path",
    family="subset",
    supervised="yes",
    direction="larger",
    inputs=("multioutput",),
    scale_invariant=True,
    reference="Tibshirani, JRSS B 1996; Efron et al., Annals of Statistics 2004",
)
class L1Path(Ranker, BaseEstimator):
    """L1 path: rank features by the penalty at which they enter the lasso regression on the target.

    Parameters
    ----------
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    See Also
    --------
    featsieve.subsets.l1_path_ranking : The equation.
    featsieve.MCFS : Lasso regressions on the eigenvectors of a graph.
    featsieve.MRMR : Choose features that predict the target, but not each other.

    Notes
    -----
    Features are scaled to unit length, so that their units do not matter. A feature that is correlated with
    those that entered before it enters late.

    References
    ----------
    Tibshirani, JRSS B 1996. Efron, Hastie, Johnstone & Tibshirani, Annals of Statistics 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from featsieve import L1Path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> L1Path(target="numeric", n_features_to_select=4).fit(X, y).order_[:4]
    array([2, 8, 3, 6])
    """

    _parameter_constraints: dict[str, Any] = {"target": TARGET}

    def __init__(self, *, target: TargetType = "auto", n_features_to_select: NFeatures = None) -> None:
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        return l1_path_ranking(X, y, self._resolve_n_features(X.shape[1]), self.target)
