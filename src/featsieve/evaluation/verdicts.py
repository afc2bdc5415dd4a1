"""The table that compares each method with random selection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.evaluation.statistics import Interval, corrected_interval, outcome, verdict, wilcoxon_p

if TYPE_CHECKING:
    from featsieve.evaluation.results import Comparison

# Gains are rounded to this many digits, so that rounding errors do not count as wins or losses.
GAIN_DIGITS = 12
# The intervals hold together for this number of methods (Bonferroni). More methods than these are compared,
# but many of them agree with each other. The number is fixed, so that the verdict on a method does not depend
# on which others are compared.
MAX_METHODS = 20
CONFIDENCE = 1 - 2 * 0.05 / MAX_METHODS
# Largest rho / (1 - rho) for the correlation rho of the gains on two splits, see `simultaneous_interval`.
MAX_OVERLAP = 1 / 3
# Fewer splits allow no verdict.
MIN_SPLITS = 5


def compare_with_random(comparison: Comparison, keys: Sequence[str]) -> pd.DataFrame:
    """Return a row per method with its gain over random selection, averaged over the measures."""
    measures, ratio = [comparison.measures[key] for key in keys], comparison.test_ratio()
    sign = 1 if measures[0]["direction"] == "larger" else -1
    percent = all(measure.get("percent") for measure in measures)
    areas = comparison.areas(keys)
    rows = []
    for label in comparison.labels:
        if label == ALL:
            continue
        differences = _paired_differences(areas, label, sign)
        area = corrected_interval(list(areas[label].values()), ratio)
        gain = simultaneous_interval(differences, ratio)
        measured = [cell for cell in comparison.cells if cell.method == label and cell.split >= 0]
        row = {
            "method": label,
            "measure": "+".join(keys),
            "splits": len(areas[label]),
            "failed": sum(cell.status != "ok" for cell in measured),
            "mean_over_sizes": area.mean,
            "mean_over_sizes_low": area.low,
            "mean_over_sizes_high": area.high,
            "gain": gain.mean,
            "gain_low": gain.low,
            "gain_high": gain.high,
            "p": corrected_interval(differences, ratio).p if differences.size >= MIN_SPLITS else math.nan,
            "p_corrected": gain.p,
            "p_wilcoxon": wilcoxon_p(differences),
            "wins": int((differences > 0).sum()),
            "ties": int((differences == 0).sum()),
            "losses": int((differences < 0).sum()),
        }
        row["outcome"], row["verdict"] = _judge(row, gain, percent, comparison.errors(label))
        rows.append(row)
    return pd.DataFrame(rows)


def simultaneous_interval(gains: np.ndarray, ratio: float) -> Interval:
    r"""Compute the interval of a mean gain over random selection that decides the verdict.

    .. math:: \bar v \pm s \max \left( t_{J-1, 0.975} \sqrt{\frac{1}{J} + r}, \;
              t_{J-1, 1 - 0.05/20} \sqrt{\frac{1}{J} + \min(r, \tfrac{1}{3})} \right)

    s is the standard deviation of the J gains and r the number of test samples per training sample. The first
    term is the 95% interval of one method (Nadeau and Bengio). It assumes that the gains on two splits have
    the correlation p = r / (1 + r), the share of the test samples, for features of any quality.

    The second term allows for 20 methods (Bonferroni), so that none is called better by chance. Then only
    features matter that are not related to the labels, and their gains correlate less: a gain by chance
    returns as far as both the training samples and the test samples return. Two random splits share 1 - p of
    the former and p of the latter on average, so that rho = p (1 - p) <= 1/4, or rho / (1 - rho) <= 1/3.

    Parameters
    ----------
    gains : ndarray of shape (n_splits,)
        Gain on each split.
    ratio : float
        Number r of test samples per training sample.

    Returns
    -------
    Interval
        ``p`` is corrected for 20 methods; it is below 0.05 if and only if the interval does not contain 0.
        With fewer than 5 splits, everything but the mean is NaN.

    Notes
    -----
    Both allowances in full leave random halves of small data without any verdict. The following figures
    are from simulations as in ``benchmarks/verdicts.py``. On noise with 60 to 200 samples, even or uneven
    classes or a numeric target, some method was called better in 2% of 796 draws with 5, 8 or 10 random
    halves, and in 4% and 5% of about 200 draws with 10 folds, and with 5 folds twice. With 3 informative
    features among 20, all intervals contained the mean gains over many draws in 91% to 98% of the draws.
    Two classes of 30 samples whose means differ by one standard deviation gave a verdict in 92% of the
    draws, instead of 64%.

    References
    ----------
    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    single = corrected_interval(gains, ratio)
    joint = corrected_interval(gains, min(ratio, MAX_OVERLAP), CONFIDENCE)
    if gains.size < MIN_SPLITS:
        return Interval(single.mean, math.nan, math.nan, math.nan)
    wider = max(single, joint, key=lambda interval: interval.high - interval.low)
    p = max(single.p, min(1.0, joint.p * MAX_METHODS / 2))
    return Interval(single.mean, wider.low, wider.high, p)


def _paired_differences(areas: dict[str, dict[int, float]], label: str, sign: int) -> np.ndarray:
    """Return the gain over random selection on each split that both finished."""
    own, reference = areas[label], areas.get(RANDOM, {})
    shared = sorted(set(own) & set(reference)) if label != RANDOM else []
    return np.round([sign * (own[split] - reference[split]) for split in shared], GAIN_DIGITS)


def _judge(row: Mapping[str, Any], gain: Interval, percent: bool, errors: list[str]) -> tuple[str, str]:
    """Return the outcome and the verdict of a method."""
    if row["splits"] == 0:
        return ("failed", f"failed: {errors[0]}") if row["failed"] else ("missing", "not measured")
    if row["method"] == RANDOM:
        return "reference", "the reference"
    if math.isnan(gain.mean):
        return "untested", "random selection did not finish"
    scale, unit = (100, "points") if percent else (1, "")
    scaled = Interval(gain.mean * scale, gain.low * scale, gain.high * scale, gain.p)
    return outcome(gain), verdict(scaled, unit)
