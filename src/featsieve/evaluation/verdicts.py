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
# The intervals of this number of methods hold together: with a probability of at least 95%, no method that is
# as good as random selection is called better (Bonferroni). More methods than these are compared, but many of
# them agree with each other. The number is fixed, so that the verdict on a method does not depend on which
# others are compared.
MAX_METHODS = 20
CONFIDENCE = 1 - 2 * 0.05 / MAX_METHODS
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
        gain = _simultaneous_interval(differences, ratio)
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
            "p": gain.p,
            "p_corrected": float(np.minimum(1, gain.p * MAX_METHODS / 2)),
            "p_wilcoxon": wilcoxon_p(differences),
            "wins": int((differences > 0).sum()),
            "ties": int((differences == 0).sum()),
            "losses": int((differences < 0).sum()),
        }
        row["outcome"], row["verdict"] = _judge(row, gain, percent, comparison.errors(label))
        rows.append(row)
    return pd.DataFrame(rows)


def _simultaneous_interval(differences: np.ndarray, ratio: float) -> Interval:
    """Return the interval that decides the verdict; only the mean if there are too few splits."""
    gain = corrected_interval(differences, ratio, CONFIDENCE)
    return gain if differences.size >= MIN_SPLITS else Interval(gain.mean, math.nan, math.nan, math.nan)


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
        return "untested", "not compared: random selection did not finish"
    scale, unit = (100, "points") if percent else (1, "")
    scaled = Interval(gain.mean * scale, gain.low * scale, gain.high * scale, gain.p)
    return outcome(gain), verdict(scaled, unit)
