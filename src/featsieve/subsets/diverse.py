from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import StrOptions

from featsieve.engines.arrays import as_matrix, round_to_bits
from featsieve.options import check_option
from featsieve.registry import Input, method
from featsieve.scores.laplacian import LaplacianScore
from featsieve.selectors import Ranker, constant_features
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._greedy import ROUNDING_RTOL, rank_greedily
from featsieve.types import Direction, Mask, MatrixLike, NFeatures

Penalty = Literal["correlation", "squared"]


def score_quality(scores: ArrayLike, direction: Direction, constant: ArrayLike) -> NDArray[np.float64]:
    r"""Convert scores of either direction into qualities from 0 to 1; larger is better.

    .. math:: \frac{v - \min v}{\max v - \min v} \cdot \frac{\operatorname{rank}(v)}{m}

    v are the scores of the m features that are not constant, with the sign changed if smaller is better. The
    first factor preserves the differences between scores. The second factor preserves their order when an
    outlier makes all other values of the first factor nearly equal. Scores that differ only by rounding, such
    as those of copies, have the same rank.

    Parameters
    ----------
    scores : array-like of shape (n_features,)
        Scores.
    direction : {"smaller", "larger"}
        Whether smaller or larger scores are better.
    constant : array-like of shape (n_features,)
        Mask of the constant features.

    Returns
    -------
    ndarray of shape (n_features,)
        Qualities: 0 for constant features, 1 for all others if their scores are equal. An infinite score has
        quality 1 or 0.

    Examples
    --------
    >>> from featsieve.subsets import score_quality
    >>> score_quality([0.2, 0.6, 1.0, 0.0], "smaller", [False, False, False, True]).round(2)
    array([1.  , 0.33, 0.  , 0.  ])
    """
    values = np.asarray(scores, dtype=np.float64) * (1 if direction == "larger" else -1)
    varies = ~np.asarray(constant, dtype=bool)
    quality = np.zeros(values.size)
    if not varies.any():
        return quality
    v = values[varies]
    rounded = round_to_bits(v)
    finite = np.isfinite(v)
    ranks = rankdata(rounded) / v.size
    if finite.any() and rounded[finite].max() > rounded[finite].min():
        low, high = v[finite].min(), v[finite].max()
        half_range = high / 2 - low / 2  # the range may exceed the largest float
        quality[varies] = (np.clip(v, low, high) / 2 - low / 2) / half_range * ranks
        quality[varies & (values == np.inf)] = 1.0
    else:
        quality[varies] = np.where(v == -np.inf, 0.0, 1.0)
    return quality


class _Novelty:
    """Criterion of :func:`diverse_ranking`."""

    def __init__(self, columns: UnitColumns, quality: NDArray[np.float64], power: int) -> None:
        self.columns, self.quality, self.power = columns, quality, power
        self.novelty = np.ones(quality.size)
        self.errors = ROUNDING_RTOL  # qualities and novelties are at most 1

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        return self.quality * self.novelty

    def add(self, j: int) -> NDArray[np.float64]:
        correlations = self.columns.correlations(j)
        self.novelty = np.minimum(self.novelty, 1 - correlations**self.power)
        return correlations


def diverse_ranking(
    X: MatrixLike, quality: ArrayLike, n_features: int, penalty: Penalty = "correlation"
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    r"""Rank features by quality times novelty, choosing one at a time.

    .. math:: \arg\max_j q_j \Bigl(1 - \max_{s \in S} |r_{js}|\Bigr)

    S contains the features chosen so far, q are qualities and r are correlations.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    quality : array-like of shape (n_features,)
        Quality q of each feature, from 0 to 1; see :func:`score_quality`.
    n_features : int
        Number of features to choose.
    penalty : {"correlation", "squared"}, default="correlation"
        Whether the novelty is 1 - max abs(r) or 1 - max r^2.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Quality times novelty of each feature at its choice; features that are not chosen get their value
        after the last choice.
    order : ndarray of shape (n_features,)
        Feature indices, best first. Copies of chosen features come after all distinct features, and
        constant features come last.

    Notes
    -----
    Each choice computes the correlations with one feature in O(n d). No d x d matrix is computed.
    """
    check_option("penalty", penalty, ("correlation", "squared"))
    columns = UnitColumns(as_matrix(X))
    power = 1 if penalty == "correlation" else 2
    return rank_greedily(_Novelty(columns, np.asarray(quality, dtype=np.float64), power), n_features)


@method(
    "diverse",
    family="subset",
    supervised="optional",
    direction="larger",
    inputs=("sparse", "array_api"),
    reference="featsieve; penalty of Carbonell & Goldstein, SIGIR 1998",
)
class Diverse(Ranker, BaseEstimator):
    """Diverse ranking: choose features that score well and are not correlated with each other.

    Parameters
    ----------
    ranker : estimator, default=None
        Ranker that scores the features; None is ``LaplacianScore()``. In the command, ``diverse:fisher`` is
        ``Diverse(FisherScore())``.
    penalty : {"correlation", "squared"}, default="correlation"
        Whether a quality is multiplied by 1 - max abs(r) or 1 - max r^2, where r are the correlations with
        the features chosen before.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.
    quality_ : ndarray of shape (n_features,)
        Quality of each feature from 0 to 1, see :func:`featsieve.subsets.score_quality`.

    See Also
    --------
    featsieve.subsets.diverse_ranking : The equation.
    featsieve.MRMR : Combine the relevance for labels with the mean correlation.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from featsieve import Diverse, FisherScore
    >>> X, y = load_wine(return_X_y=True)
    >>> FisherScore(n_features_to_select=3).fit(X, y).order_[:3]
    array([ 6, 12, 11])
    >>> Diverse(FisherScore(), n_features_to_select=3).fit(X, y).order_[:3]
    array([ 6, 12,  9])
    """

    _parameter_constraints: dict[str, Any] = {
        "ranker": [Ranker, None],
        "penalty": [StrOptions({"correlation", "squared"})],
    }

    def __init__(
        self,
        ranker: BaseEstimator | None = None,
        *,
        penalty: Penalty = "correlation",
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.ranker = ranker
        self.penalty = penalty
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        self.ranker_ = clone(self._inner).fit(X, y)
        constant: Mask = constant_features(X)
        self.quality_ = score_quality(self.ranker_.scores_, self.ranker_._direction, constant)
        n_choices = self._resolve_n_features(X.shape[1])
        return diverse_ranking(X, self.quality_, n_choices, self.penalty)

    @property
    def _inner(self) -> Any:
        return LaplacianScore() if self.ranker is None else self.ranker

    @property
    def _inputs(self) -> frozenset[Input]:
        return self.method.inputs & self._inner._inputs

    def _requires_y(self) -> bool:
        return self._inner._requires_y()
