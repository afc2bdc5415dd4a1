"""Statistics of comparisons: areas, intervals, tests, ranks, stability. Functions of arrays only."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve.types import Direction

# Standard errors below this multiple of the values are rounding errors of equal values.
EQUAL_RTOL = 1e-12


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval and p-value.

    Parameters
    ----------
    mean : float
        Mean.
    low, high : float
        Bounds of the confidence interval.
    p : float
        P-value of the hypothesis that the mean is zero.

    See Also
    --------
    corrected_interval : Compute the interval of values from overlapping splits.

    Examples
    --------
    >>> from featsieve.evaluation import Interval
    >>> Interval(0.2, 0.1, 0.3, 0.004).low
    0.1
    """

    mean: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Friedman:
    """Mean ranks of methods over datasets, with Friedman's test.

    Parameters
    ----------
    mean_ranks : ndarray of shape (n_methods,)
        Mean ranks; 1 is best.
    statistic : float
        Chi-square statistic of Friedman's test.
    p : float
        Probability of a statistic at least as large if all methods are equally good.
    critical_difference : float
        Smallest difference of two mean ranks that is significant, by Nemenyi's test.

    See Also
    --------
    friedman : Compute the ranks and the test.

    Examples
    --------
    >>> from featsieve.evaluation import friedman
    >>> friedman([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]]).mean_ranks
    array([1., 2., 3.])
    """

    mean_ranks: np.ndarray
    statistic: float
    p: float
    critical_difference: float


@dataclass(frozen=True)
class Stability:
    """Stability of a selection with its confidence interval.

    Parameters
    ----------
    value : float
        Stability.
    low, high : float
        Bounds of the confidence interval.

    See Also
    --------
    stability : Compute the stability of selections.

    Examples
    --------
    >>> from featsieve.evaluation import stability
    >>> stability([[1, 0, 0], [1, 0, 0]]).value
    1.0
    """

    value: float
    low: float
    high: float


def log_auc(values: ArrayLike, sizes: ArrayLike) -> np.ndarray:
    r"""Compute the mean height of curves over the logarithm of the number of features.

    .. math:: \frac{1}{\log m_T - \log m_1} \int_{\log m_1}^{\log m_T} v \, d \log m

    by the trapezoid rule, so that the step from 1 to 10 features counts as much as that from 10 to 100.

    Parameters
    ----------
    values : array-like of shape (..., n_sizes)
        Curves.
    sizes : array-like of shape (n_sizes,)
        Numbers of features, ascending.

    Returns
    -------
    ndarray of shape (...,)
        Mean heights, in the unit of the values. For a single size, its value.

    Examples
    --------
    >>> from featsieve.evaluation import log_auc
    >>> round(float(log_auc([0.5, 0.7, 0.9], [1, 10, 100])), 6)
    0.7
    """
    values, log_sizes = np.asarray(values, dtype=np.float64), np.log(np.asarray(sizes, dtype=np.float64))
    if values.shape[-1] != log_sizes.size:
        raise ValueError(
            f"`values` must have an entry for each size; "
            f"got {values.shape[-1]} entries for {log_sizes.size} sizes."
        )
    if log_sizes.size == 1:
        return values[..., 0]
    return np.trapezoid(values, log_sizes, axis=-1) / (log_sizes[-1] - log_sizes[0])


def corrected_interval(values: ArrayLike, test_ratio: float = 0.0, confidence: float = 0.95) -> Interval:
    r"""Compute the corrected resampled t interval of the mean of values from overlapping splits.

    .. math:: \bar v \pm t_{J-1} \sqrt{\left( \frac{1}{J} + \frac{n_{test}}{n_{train}} \right) s^2}

    The training sets of repeated splits overlap, so the values are not independent; with 1/J alone the
    interval would shrink to zero as splits are added.

    Parameters
    ----------
    values : array-like of shape (n_splits,)
        One value per split.
    test_ratio : float, default=0.0
        Number of test samples per training sample; 0 is the usual t interval.
    confidence : float, default=0.95
        Confidence level.

    Returns
    -------
    Interval
        With fewer than two values, everything but the mean is NaN.

    References
    ----------
    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    values = np.asarray(values, dtype=np.float64)
    count, nan = values.size, math.nan
    if count < 2:
        return Interval(float(values.mean()) if count else nan, nan, nan, nan)
    mean = float(values.mean())
    error = corrected_error(values, test_ratio)
    if error <= EQUAL_RTOL * max(1.0, float(np.abs(values).max())):
        return Interval(mean, mean, mean, 1.0 if abs(mean) < EQUAL_RTOL else 0.0)
    margin = float(stats.t.ppf((1 + confidence) / 2, count - 1)) * error
    return Interval(mean, mean - margin, mean + margin, float(2 * stats.t.sf(abs(mean) / error, count - 1)))


def corrected_error(values: np.ndarray, test_ratio: float) -> float:
    """Return the standard error of the mean of values from overlapping splits; 0 for a single value."""
    variance = values.var(ddof=1) if values.size > 1 else 0.0
    return math.sqrt((1 / values.size + test_ratio) * variance)


def wilcoxon_p(differences: ArrayLike) -> float:
    """Compute the two-sided p-value of Wilcoxon's signed-rank test.

    Zeros are ranked and then dropped (Pratt). The test assumes independent differences. Those of
    overlapping splits are not independent, so their p-values are too small.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        Paired differences.

    Returns
    -------
    float
        1 if all differences are zero, NaN if there are none.
    """
    differences = np.round(np.asarray(differences, dtype=np.float64), 12)
    if differences.size == 0:
        return math.nan
    if not differences.any():
        return 1.0
    with warnings.catch_warnings():  # SciPy warns that few differences or ties make the p-value approximate
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(differences, zero_method="pratt").pvalue)


def holm(p: ArrayLike) -> np.ndarray:
    r"""Correct p-values for multiple testing by Holm's step-down method.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1) \, p_{(j)})

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        P-values. NaN stays NaN and does not count as a test.

    Returns
    -------
    ndarray of shape (n_tests,)
        Corrected p-values.

    Examples
    --------
    >>> from featsieve.evaluation import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, dtype=np.float64)
    corrected = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1)))
    return corrected


def friedman(values: ArrayLike, direction: Direction = "larger", alpha: float = 0.05) -> Friedman:
    r"""Compute mean ranks of methods over datasets, Friedman's test and Nemenyi's critical difference.

    .. math:: CD = \frac{q_\alpha}{\sqrt 2} \sqrt{\frac{k (k + 1)}{6 N}}

    with k methods, N datasets and the quantile q of the studentized range.

    Parameters
    ----------
    values : array-like of shape (n_datasets, n_methods)
        One value per dataset and method, without NaN; at least 2 datasets and 3 methods.
    direction : {"larger", "smaller"}, default="larger"
        Which values are better.
    alpha : float, default=0.05
        Significance level of the critical difference.

    Returns
    -------
    Friedman
        Mean ranks, test and critical difference.

    References
    ----------
    Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 3 or np.isnan(values).any():
        raise ValueError(
            "`values` must have at least 2 datasets (rows) and 3 methods (columns), without NaN."
        )
    n_datasets, n_methods = values.shape
    ranks = stats.rankdata(-values if direction == "larger" else values, axis=1)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore")
        test = stats.friedmanchisquare(*values.T)
    statistic, p = float(test.statistic), float(test.pvalue)
    if math.isnan(statistic):  # all methods are tied on every dataset
        statistic, p = 0.0, 1.0
    quantile = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) / math.sqrt(2)
    critical_difference = quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
    return Friedman(ranks.mean(axis=0), statistic, p, critical_difference)


def verdict(gain: Interval, unit: str = "points") -> str:
    """Describe in a short sentence whether a method is better than random selection.

    Parameters
    ----------
    gain : Interval
        Gain over random selection, in the unit; larger is better.
    unit : str, default="points"
        Unit of the gain.

    Returns
    -------
    str
        The verdict, without a full stop. The method is better or worse if the interval does not contain 0.

    Examples
    --------
    >>> from featsieve.evaluation.statistics import Interval, verdict
    >>> verdict(Interval(4.13, 2.0, 6.3, 0.001))
    'beats random by 4.1 points (2.0 to 6.3)'
    >>> verdict(Interval(0.3, -1.0, 1.6, 0.7))
    'not clearly different from random: +0.3 points (-1.0 to 1.6)'
    """
    if math.isnan(gain.mean):
        return "not measured"
    digits = 1 if unit == "points" else 3
    unit = f" {unit}" if unit else ""
    if math.isnan(gain.low):
        return f"too few splits for a verdict: {gain.mean:+.{digits}f}{unit}"
    result = outcome(gain)
    bounds = (-gain.high, -gain.low) if result == "worse" else (gain.low, gain.high)
    low, high = (_format_bound(bound, digits) for bound in bounds)
    interval = f"({low} to {high})"
    if result == "better":
        return f"beats random by {gain.mean:.{digits}f}{unit} {interval}"
    if result == "worse":
        return f"worse than random by {-gain.mean:.{digits}f}{unit} {interval}"
    return f"not clearly different from random: {gain.mean:+.{digits}f}{unit} {interval}"


def _format_bound(bound: float, digits: int) -> str:
    """Format a bound with enough digits to show its sign."""
    while bound and digits < 12 and not float(f"{bound:.{digits}f}"):
        digits += 1
    return f"{bound:.{digits}f}"


def outcome(gain: Interval) -> Literal["better", "unclear", "worse", "untested"]:
    """Return on which side of 0 the interval of a gain over random selection is, as a word."""
    if math.isnan(gain.low):
        return "untested"
    if gain.low > 0:
        return "better"
    return "worse" if gain.high < 0 else "unclear"


def stability(selections: ArrayLike, confidence: float = 0.95) -> Stability:
    r"""Compute how well several selections of features agree, corrected for chance.

    .. math:: \Phi = 1 - \frac{\frac{1}{d} \sum_f s_f^2}{\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    with :math:`s_f^2` the unbiased variance of the selection of feature f and :math:`\bar k` the mean
    number of selected features.

    Parameters
    ----------
    selections : array-like of bool of shape (n_selections, n_features)
        Whether each selection contains each feature; at least two selections.
    confidence : float, default=0.95
        Confidence level.

    Returns
    -------
    Stability
        1 for identical selections, about 0 for random ones. Selections of all or of no features have
        stability 1.

    References
    ----------
    Nogueira, Sechidis and Brown, On the stability of feature selection algorithms, JMLR 18, 2018.

    Examples
    --------
    >>> from featsieve.evaluation import stability
    >>> round(stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value, 3)
    0.333
    """
    selected = np.asarray(selections, dtype=np.float64)
    if selected.ndim != 2 or selected.shape[0] < 2:
        raise ValueError("`selections` must have at least two rows, one per selection.")
    if not np.isin(selected, (0, 1)).all():
        raise ValueError("`selections` must be True or False for each feature.")
    count, d = selected.shape
    frequency, sizes = selected.mean(axis=0), selected.sum(axis=1)
    mean = sizes.mean() / d
    chance = mean * (1 - mean)
    if chance == 0:
        return Stability(1.0, 1.0, 1.0)
    value = 1 - count / (count - 1) * np.mean(frequency * (1 - frequency)) / chance
    influence = (
        selected @ frequency / d
        - sizes * mean / d
        + value / 2 * (2 * mean * sizes / d - sizes / d - mean + 1)
    ) / chance
    error = math.sqrt(4 / count**2 * np.sum((influence - influence.mean()) ** 2))
    margin = float(stats.norm.ppf((1 + confidence) / 2)) * error
    return Stability(float(value), max(-1.0, float(value - margin)), min(1.0, float(value + margin)))
