"""Statistics of comparisons: areas, intervals, tests, ranks. Functions of arrays; nothing is run or drawn."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

Better = Literal["larger", "smaller"]


@dataclass(frozen=True)
class Interval:
    """A mean, its confidence interval, and the p-value of its being zero."""

    mean: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Friedman:
    """Mean ranks of methods over datasets.

    Attributes
    ----------
    mean_ranks : ndarray of shape (n_methods,)
        1 is best.
    statistic, p : float
        Friedman's chi-square and the probability of one as large where all methods are alike.
    critical_difference : float
        Two mean ranks that differ by less are not told apart (Nemenyi).
    """

    mean_ranks: np.ndarray
    statistic: float
    p: float
    critical_difference: float


def log_auc(values: ArrayLike, sizes: ArrayLike) -> np.ndarray:
    r"""Mean height of curves over the logarithm of the subset size.

    .. math:: \frac{1}{\log m_T - \log m_1} \int_{\log m_1}^{\log m_T} v \, d \log m

    by the trapezoid rule, so that going from 1 to 10 features counts as much as going from 10 to 100.

    Parameters
    ----------
    values : array of shape (..., n_sizes)
    sizes : array of shape (n_sizes,)
        Ascending.

    Returns
    -------
    array of shape (...,)
        In the unit of the values; a single size gives its value.

    Examples
    --------
    >>> from featsieve.evaluation import log_auc
    >>> round(float(log_auc([0.5, 0.7, 0.9], [1, 10, 100])), 6)
    0.7
    """
    values, places = np.asarray(values, dtype=np.float64), np.log(np.asarray(sizes, dtype=np.float64))
    if values.shape[-1] != places.size:
        raise ValueError(f"values has {values.shape[-1]} entries for {places.size} sizes.")
    if places.size == 1:
        return values[..., 0]
    return np.trapezoid(values, places, axis=-1) / (places[-1] - places[0])


def corrected_interval(values: ArrayLike, test_ratio: float = 0.0, confidence: float = 0.95) -> Interval:
    r"""Mean of values from overlapping splits, with the corrected resampled t interval.

    .. math:: \bar v \pm t_{J-1} \sqrt{\left( \frac{1}{J} + \frac{n_{test}}{n_{train}} \right) s^2}

    Training parts of repeated splits overlap, so the values are not independent, and 1/J alone would make
    the interval shrink as splits are added.

    Parameters
    ----------
    values : array of shape (n_splits,)
    test_ratio : float, default=0.0
        Test samples for each training sample; 0 is the usual t interval.
    confidence : float, default=0.95

    Returns
    -------
    Interval
        All NaN but the mean for fewer than two values.

    References
    ----------
    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    values = np.asarray(values, dtype=np.float64)
    count, nan = values.size, math.nan
    if count < 2:
        return Interval(float(values.mean()) if count else nan, nan, nan, nan)
    mean = float(values.mean())
    error = math.sqrt((1 / count + test_ratio) * values.var(ddof=1))
    # equal values, computed in different ways, differ in their last digits
    if error <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return Interval(mean, mean, mean, 1.0 if abs(mean) < 1e-12 else 0.0)
    reach = float(stats.t.ppf((1 + confidence) / 2, count - 1)) * error
    return Interval(mean, mean - reach, mean + reach, float(2 * stats.t.sf(abs(mean) / error, count - 1)))


def wilcoxon_p(differences: ArrayLike) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test that paired differences are around zero.

    Zeros are ranked and left out (Pratt). Differences that are all zero give 1, none at all NaN. Differences
    are taken for independent: those of splits that overlap are not, and get p-values that are too small.
    """
    differences = np.round(np.asarray(differences, dtype=np.float64), 12)
    if differences.size == 0:
        return math.nan
    if not differences.any():
        return 1.0
    with warnings.catch_warnings():  # few differences or ties: the approximation is what there is
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(differences, zero_method="pratt").pvalue)


def holm(p: ArrayLike) -> np.ndarray:
    r"""P-values corrected for being many, by Holm's step-down rule.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1) \, p_{(j)})

    NaN stays NaN and does not count.

    Examples
    --------
    >>> from featsieve.evaluation import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, dtype=np.float64)
    out = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(order.size, 0, -1)
    out[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if order.size else steps
    return out


def friedman(values: ArrayLike, better: Better = "larger", alpha: float = 0.05) -> Friedman:
    r"""Mean ranks of methods over datasets, Friedman's test, and Nemenyi's critical difference.

    .. math:: CD = \frac{q_\alpha}{\sqrt 2} \sqrt{\frac{k (k + 1)}{6 N}}

    with k methods, N datasets and q from the studentised range.

    Parameters
    ----------
    values : array of shape (n_datasets, n_methods)
        At least 2 datasets and 3 methods, no NaN.
    better : {"larger", "smaller"}, default="larger"
    alpha : float, default=0.05

    Returns
    -------
    Friedman

    References
    ----------
    Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 3 or np.isnan(values).any():
        raise ValueError("values must hold at least 2 datasets (rows) and 3 methods (columns), without NaN.")
    n_datasets, n_methods = values.shape
    ranks = stats.rankdata(-values if better == "larger" else values, axis=1)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore")
        test = stats.friedmanchisquare(*values.T)
    statistic, p = float(test.statistic), float(test.pvalue)
    if math.isnan(statistic):  # every dataset ties all methods
        statistic, p = 0.0, 1.0
    width = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) / math.sqrt(2)
    critical = width * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
    return Friedman(ranks.mean(axis=0), statistic, p, critical)


def verdict(gain: Interval, p: float, unit: str = "points", alpha: float = 0.05) -> str:
    """Say in a short sentence whether a method is better than random selection.

    Parameters
    ----------
    gain : Interval
        Gain over random selection, larger is better, in the unit.
    p : float
        P-value corrected for the number of methods.
    unit : str, default="points"
    alpha : float, default=0.05
        Better or worse needs a p-value of at most this.

    Examples
    --------
    >>> from featsieve.evaluation.statistics import Interval, verdict
    >>> verdict(Interval(4.13, 2.0, 6.3, 0.001), 0.02)
    'beats random by 4.1 points (2.0 to 6.3)'
    >>> verdict(Interval(0.3, -1.0, 1.6, 0.7), 1.0)
    'not clearly different from random: +0.3 points (-1.0 to 1.6)'
    """
    if math.isnan(gain.mean):
        return "not measured"
    digits = 1 if unit == "points" else 3
    unit = f" {unit}" if unit else ""
    if math.isnan(gain.low):
        return f"one split says nothing: {gain.mean:+.{digits}f}{unit}"
    interval = f"({gain.low:.{digits}f} to {gain.high:.{digits}f})"
    found = outcome(gain, p, alpha)
    if found == "better":
        return f"beats random by {gain.mean:.{digits}f}{unit} {interval}"
    if found == "worse":
        low, high = -gain.high, -gain.low
        return f"worse than random by {-gain.mean:.{digits}f}{unit} ({low:.{digits}f} to {high:.{digits}f})"
    return f"not clearly different from random: {gain.mean:+.{digits}f}{unit} {interval}"


def outcome(gain: Interval, p: float, alpha: float = 0.05) -> Literal["better", "unclear", "worse"]:
    """Whether a gain over random selection is "better" or "worse", or "unclear" where p is above alpha."""
    if not p <= alpha or math.isnan(gain.low):
        return "unclear"
    return "better" if gain.mean > 0 else "worse"
