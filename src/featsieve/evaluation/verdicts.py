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
        area, gain = (
            corrected_interval(list(areas[label].values()), ratio),
            corrected_interval(differences, ratio),
        )
        is_tested = label not in (RANDOM, ALL)
        gains.append(gain)
        rows.append(
            {
                "method": label,
                "measure": "+".join(keys),
                "splits": len(areas[label]),
                "failed": sum(
                    cell.method == label and cell.split >= 0 and cell.status != "ok"
                    for cell in comparison.cells
                ),
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
    pairs = list(zip(table.to_dict("records"), gains, strict=True))
    table["outcome"] = [_outcome(row, gain) for row, gain in pairs]
    table["verdict"] = [_verdict(row, gain, percent, comparison.errors(row["method"])) for row, gain in pairs]
    return table


def _paired_differences(areas: dict[str, dict[int, float]], label: str, sign: int) -> np.ndarray:
    """Return the gain over random selection on each split that both finished."""
    own, reference = areas[label], areas.get(RANDOM, {})
    shared = sorted(set(own) & set(reference)) if label != RANDOM else []
    return np.round([sign * (own[split] - reference[split]) for split in shared], GAIN_DIGITS)


def _p_value(row: Mapping[Any, Any], gain: Interval) -> float:
    """Return the p-value of the verdict. All features are not one of the methods that are corrected for."""
    return gain.p if row["method"] == ALL else row["p_holm"]


def _outcome(row: Mapping[Any, Any], gain: Interval) -> str:
    if row["splits"] == 0:
        return "failed" if row["failed"] else "missing"
    if row["method"] == RANDOM:
        return "reference"
    return outcome(gain, _p_value(row, gain))


def _verdict(row: Mapping[Any, Any], gain: Interval, percent: bool, errors: list[str]) -> str:
    if row["splits"] == 0:
        return f"failed: {errors[0]}" if row["failed"] else "not measured"
    if row["method"] == RANDOM:
        return "the reference"
    if math.isnan(gain.mean):
        return "not compared: random selection did not finish"
    scale = 100 if percent else 1
    scaled = Interval(gain.mean * scale, gain.low * scale, gain.high * scale, gain.p)
    return verdict(scaled, _p_value(row, gain), "points" if percent else "")
