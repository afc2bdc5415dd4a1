"""The table that compares each method with random selection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.evaluation.statistics import Interval, corrected_interval, holm, outcome, verdict, wilcoxon_p

if TYPE_CHECKING:
    from featsieve.evaluation.results import Comparison

# Gains are rounded to this many digits, so that rounding errors do not count as wins or losses.
GAIN_DIGITS = 12


def compare_with_random(comparison: Comparison, keys: Sequence[str]) -> pd.DataFrame:
    """Return a row per method with its gain over random selection, averaged over the measures."""
    measures, ratio = [comparison.measures[key] for key in keys], comparison.test_ratio()
    sign = 1 if measures[0]["direction"] == "larger" else -1
    percent = all(measure.get("percent") for measure in measures)
    areas = comparison.areas(keys)
    rows, gains = [], []
    for label in comparison.labels:
        differences = _paired_differences(areas, label, sign)
        area = corrected_interval(list(areas[label].values()), ratio)
        gain = corrected_interval(differences, ratio)
        gains.append(gain)
        is_tested = label not in (RANDOM, ALL)
        measured = [cell for cell in comparison.cells if cell.method == label and cell.split >= 0]
        rows.append(
            {
                "method": label,
                "measure": "+".join(keys),
                "splits": len(areas[label]),
                "failed": sum(cell.status != "ok" for cell in measured),
                "auc": area.mean,
                "auc_low": area.low,
                "auc_high": area.high,
                "gain": gain.mean,
                "gain_low": gain.low,
                "gain_high": gain.high,
                "p": gain.p if is_tested else math.nan,
                "p_wilcoxon": wilcoxon_p(differences) if is_tested else math.nan,
                "wins": int((differences > 0).sum()),
                "ties": int((differences == 0).sum()),
                "losses": int((differences < 0).sum()),
            }
        )
    table = pd.DataFrame(rows)
    table["p_holm"], table["p_wilcoxon_holm"] = holm(table["p"]), holm(table["p_wilcoxon"])
    judged = [
        _judge(row, gain, percent, comparison.errors(row["method"]))
        for row, gain in zip(table.to_dict("records"), gains, strict=True)
    ]
    table["outcome"], table["verdict"] = zip(*judged, strict=True)
    return table


def _paired_differences(areas: dict[str, dict[int, float]], label: str, sign: int) -> np.ndarray:
    """Return the gain over random selection on each split that both finished."""
    own, reference = areas[label], areas.get(RANDOM, {})
    shared = sorted(set(own) & set(reference)) if label != RANDOM else []
    return np.round([sign * (own[split] - reference[split]) for split in shared], GAIN_DIGITS)


def _judge(row: Mapping[Any, Any], gain: Interval, percent: bool, errors: list[str]) -> tuple[str, str]:
    """Return the outcome and the verdict of a method."""
    if row["splits"] == 0:
        return ("failed", f"failed: {errors[0]}") if row["failed"] else ("missing", "not measured")
    if row["method"] == RANDOM:
        return "reference", "the reference"
    # all features are not one of the methods that p-values are corrected for
    p = gain.p if row["method"] == ALL else row["p_holm"]
    if math.isnan(gain.mean):
        return outcome(gain, p), "not compared: random selection did not finish"
    scale, unit = (100, "points") if percent else (1, "")
    scaled = Interval(gain.mean * scale, gain.low * scale, gain.high * scale, gain.p)
    return outcome(gain, p), verdict(scaled, p, unit)
