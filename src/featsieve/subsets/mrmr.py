from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.engines.blocks import slices
from featsieve.graphs.labels import class_indicator
from featsieve.options import check_option
from featsieve.registry import Input, method
from featsieve.scores.energy import column_dots
from featsieve.scores.information_gain import target_classes
from featsieve.selectors import Ranker
from featsieve.subsets._bins import Bins
from featsieve.subsets._columns import ZERO_TOL, UnitColumns
from featsieve.subsets._greedy import ROUNDING_RTOL, rank_greedily
from featsieve.targets import TARGET, Targets, TargetType, encode_targets
from featsieve.types import Mask, MatrixLike, NFeatures

Relevance = Literal["f", "mutual_information"]
Scheme = Literal["quotient", "difference"]

# Lower bound of the redundancy, so that quotients stay bounded.
MIN_REDUNDANCY = 1e-3
# Unexplained shares below CANCELLATION_RTOL are computed from the residuals, because 1 - eta has lost digits.
# Unexplained shares below EXACT_RTOL count as 0.
CANCELLATION_RTOL, EXACT_RTOL = 1e-3, 1e-12


class _RelevanceAndRedundancy:
    """Criterion of :func:`mrmr_ranking`; the redundancy is the correlation unless bins are given."""

    def __init__(
        self, columns: UnitColumns, relevance: NDArray[np.float64], scheme: Scheme, bins: Bins | None = None
    ) -> None:
        self.columns, self.relevance, self.scheme, self.bins = columns, relevance, scheme, bins
        self.redundancy = np.zeros(columns.n_features)
        self.n_chosen = 0

    @property
    def errors(self) -> NDArray[np.float64]:
        """Bounds of the rounding errors of the last values; mutual information is a sum of terms up to 1."""
        errors = ROUNDING_RTOL * np.where(np.isfinite(self.relevance), 1 + self.relevance, 1.0)
        is_quotient = self.scheme == "quotient" and self.n_chosen
        return errors * self.n_chosen / self.redundancy if is_quotient else errors

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        if not self.n_chosen:
            return self.relevance
        mean = self.redundancy / self.n_chosen
        values = self.relevance / mean if self.scheme == "quotient" else self.relevance - mean
        return np.where(self.columns.norms > 0, values, 0.0)

    def add(self, j: int) -> NDArray[np.float64]:
        correlations = self.columns.correlations(j)
        redundancy = correlations if self.bins is None else self.bins.information(self.bins.codes[j])
        self.redundancy += np.maximum(redundancy, MIN_REDUNDANCY)
        self.n_chosen += 1
        return correlations


def _f_statistics(columns: UnitColumns, targets: Targets) -> NDArray[np.float64]:
    """Compute the F statistic of each feature: of the analysis of variance, or of the linear regression."""
    if targets.codes is None:
        basis, n_terms = UnitColumns(targets.values).column(0)[:, None], 1
    else:
        counts = np.bincount(targets.codes)
        basis = class_indicator(targets.codes, counts.size).toarray() / np.sqrt(counts)
        n_terms = counts.size - 1
    explained = (columns.products(basis - basis.mean(axis=0)) ** 2).sum(axis=0)
    explained[explained < ZERO_TOL**2] = 0.0
    unexplained = 1 - explained
    nearly_explained = np.flatnonzero(unexplained < CANCELLATION_RTOL)
    for block in slices(nearly_explained.size, 24 * columns.n_samples, basis):
        F = to_host(columns.columns(nearly_explained[block]))
        F = F - basis @ (basis.T @ F)
        unexplained[nearly_explained[block]] = column_dots(F, F)
    n_remaining = columns.n_samples - n_terms - 1
    is_explained = (unexplained <= EXACT_RTOL) | ((columns.norms > 0) & (n_remaining == 0))
    ratio = explained / np.where(is_explained, 1.0, unexplained)
    return np.where(is_explained, np.inf, ratio * n_remaining / n_terms)


def mrmr_ranking(
    X: MatrixLike,
    y: ArrayLike,
    n_features: int,
    *,
    relevance: Relevance = "f",
    scheme: Scheme = "quotient",
    target: TargetType = "auto",
    n_bins: int = 10,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    r"""Rank features by high relevance for the target and low redundancy, choosing one at a time.

    .. math:: \arg\max_j \; v_j \Big/ \frac{1}{|S|} \sum_{s \in S} r_{js} \quad \text{or} \quad
              \arg\max_j \; v_j - \frac{1}{|S|} \sum_{s \in S} r_{js}

    S contains the features chosen so far; the first choice has the largest relevance v. With
    ``relevance="f"``, v is the F statistic and r the absolute correlation of two features. With
    ``relevance="mutual_information"``, features are discretized; v is the mutual information with the target
    and r that of two features, in bits. Each r is at least 0.001.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples. Mutual information does not support tensors.
    y : array-like of shape (n_samples,)
        Target.
    n_features : int
        Number of features to choose.
    relevance : {"f", "mutual_information"}, default="f"
        Measure of relevance and redundancy.
    scheme : {"quotient", "difference"}, default="quotient"
        Whether the relevance is divided by the mean redundancy, or the mean redundancy is subtracted.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.
    n_bins : int, default=10
        Number of bins for mutual information, as in :func:`featsieve.scores.information_gain_score`. A
        numeric target is discretized in the same way.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Value of each feature at its choice; features that are not chosen get their value after the last
        choice. Larger is better. A constant feature gets 0.
    order : ndarray of shape (n_features,)
        Feature indices, best first. Copies of chosen features come after all distinct features, and
        constant features come last.

    Notes
    -----
    F is the statistic of the analysis of variance for classes, and of the linear regression for numbers. It
    is infinite for features without residuals: those that are constant in each class, or linear in the
    numeric target. Redundancy does not lower an infinite value. Such features are therefore chosen first, in
    column order, except copies of each other.

    F statistics have no upper bound, whereas correlations are at most 1. With the difference scheme,
    correlations therefore matter only between features of nearly equal F statistics.

    Each choice computes the redundancy of one feature with all others in O(n d), or O(d (n + n_bins^2)) for
    mutual information. No d x d matrix is computed.

    References
    ----------
    Ding & Peng, Journal of Bioinformatics and Computational Biology 2005. Peng, Long & Ding, IEEE TPAMI 2005.
    """
    check_option("relevance", relevance, ("f", "mutual_information"))
    check_option("scheme", scheme, ("quotient", "difference"))
    X = as_matrix(X)
    targets = encode_targets(column_or_1d(y), X, target)
    columns = UnitColumns(X)
    if relevance == "f":
        criterion = _RelevanceAndRedundancy(columns, _f_statistics(columns, targets), scheme)
    else:
        bins = Bins(X, n_bins)
        information = bins.information(target_classes(targets, n_bins))
        criterion = _RelevanceAndRedundancy(columns, information, scheme, bins)
    return rank_greedily(criterion, n_features)


@method(
    "mrmr",
    family="subset",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "array_api"),
    scale_invariant=True,
    reference="Ding & Peng, JBCB 2005; Peng, Long & Ding, IEEE TPAMI 2005",
)
class MRMR(Ranker, BaseEstimator):
    """Minimum redundancy, maximum relevance: choose features that predict the target, but not each other.

    Parameters
    ----------
    relevance : {"f", "mutual_information"}, default="f"
        F statistic with the target and correlations of features, or mutual information for both.
    scheme : {"quotient", "difference"}, default="quotient"
        Whether the relevance is divided by the mean redundancy with the features chosen before, or the mean
        redundancy is subtracted.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the target. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.
    n_bins : int, default=10
        Number of bins for mutual information, with about equally many samples each. A feature with at most
        ``n_bins`` distinct values has one bin per value.

    See Also
    --------
    featsieve.subsets.mrmr_ranking : The equations.
    featsieve.Diverse : Combine any score with the largest correlation.

    Notes
    -----
    The difference scheme suits mutual information, because both terms are in bits. F statistics have no upper
    bound, so with them the difference scheme hardly differs from ranking by F.

    References
    ----------
    Ding & Peng, Journal of Bioinformatics and Computational Biology 2005. Peng, Long & Ding, IEEE TPAMI 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from featsieve import MRMR
    >>> X, y = load_wine(return_X_y=True)
    >>> MRMR(n_features_to_select=3).fit(X, y).order_[:3]
    array([ 6,  9, 12])
    >>> MRMR(relevance="mutual_information", n_features_to_select=3).fit(X, y).order_[:3]
    array([ 6,  0, 12])
    """

    _parameter_constraints: dict[str, Any] = {
        "relevance": [StrOptions({"f", "mutual_information"})],
        "scheme": [StrOptions({"quotient", "difference"})],
        "target": TARGET,
        "n_bins": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        *,
        relevance: Relevance = "f",
        scheme: Scheme = "quotient",
        target: TargetType = "auto",
        n_bins: int = 10,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.relevance = relevance
        self.scheme = scheme
        self.target = target
        self.n_bins = n_bins
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        return mrmr_ranking(
            X,
            y,
            self._resolve_n_features(X.shape[1]),
            relevance=self.relevance,
            scheme=self.scheme,
            target=self.target,
            n_bins=self.n_bins,
        )

    @property
    def _inputs(self) -> frozenset[Input]:
        return self.method.inputs - ({"array_api"} if self.relevance == "mutual_information" else set())
