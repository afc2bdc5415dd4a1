"""Curves over the number of selected features, with bands, and tables of the areas under them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.evaluation.measures.measure import mean_bounds
from featsieve.report.text import brief

if TYPE_CHECKING:
    import pandas as pd

    from featsieve.evaluation import Comparison

BASELINES = {RANDOM: "random selection", ALL: "all features"}
REDUNDANCY = "redundancy"
# Key of the mean of the main measures, by which methods are compared and recommended.
SCORE = "score"
# Outcome of each comparison with random selection, as shown in the tables.
OUTCOMES = {
    "better": "better",
    "unclear": "not clearly different",
    "worse": "worse",
    "untested": "too few splits",
    "reference": "baseline",
    "failed": "failed",
    "missing": "no result",
}
# Percentage of single random selections inside the band.
BAND_COVERAGE = 95


def curves(comparison: Comparison, labels: list[str]) -> list[dict[str, Any]]:
    """Return curves and tables of the score and each measure, main measures first, without redundancy."""
    table, keys = comparison.table(), sorted(comparison.measures, key=lambda key: key not in comparison.main)
    summaries = [
        _curve(comparison, key, labels, table[table["measure"] == key]) for key in keys if key != REDUNDANCY
    ]
    if len(comparison.main) > 1 and SCORE not in comparison.measures:
        summaries.insert(0, _curve(comparison, SCORE, labels, comparison.summary()))
    return [summary for summary in summaries if summary["rows"]]


def _curve(comparison: Comparison, key: str, labels: list[str], table: pd.DataFrame) -> dict[str, Any]:
    measure = _measure(comparison, key)
    scale = _scale(measure)
    drawn = measure_lines(comparison, key, labels)
    lines, random, everything = list(drawn["methods"].values()), drawn["random"], drawn["all"]
    names = [*labels, BASELINES[RANDOM], BASELINES[ALL]]
    return {
        "key": key,
        "name": drawn["name"],
        "title": drawn["name"][:1].upper() + drawn["name"][1:],
        "direction": measure["direction"],
        "digits": 1 if scale == 100 else 3,
        "methods": lines,
        "random": random,
        "all": None if everything is None else {"mean": everything["mean"]},
        "rows": _rows(names, [*lines, random, everything]),
        "table": [_row(row, measure) for row in _sort_by_gain(table)],
    }


def measure_lines(comparison: Comparison, key: str, labels: list[str]) -> dict[str, Any]:
    """Return the name of a measure, the line of each method, and those of random selection and all features.

    A line has ``mean`` at each size, and ``low`` and ``high`` of its band, which may be None; it is None if
    the method has no result.
    """
    measure = _measure(comparison, key)
    return {
        "name": measure["name"] + (" (%)" if _scale(measure) == 100 else ""),
        "methods": {label: _line(comparison, label, measure) for label in labels},
        "random": _random_line(comparison, measure),
        "all": _line(comparison, ALL, measure),
    }


def _measure(comparison: Comparison, key: str) -> dict[str, Any]:
    """Return the record of a measure or the score, with the ``keys`` that it averages and its ``range``."""
    is_score = key == SCORE and SCORE not in comparison.measures
    keys = comparison.main if is_score else [key]
    parts = [comparison.measures[part] for part in keys]
    record = parts[0] | {"keys": keys, "range": mean_bounds(parts)}
    if is_score:
        record |= {"key": SCORE, "name": "score", "percent": all(part.get("percent") for part in parts)}
    return record


def _scale(measure: dict[str, Any]) -> int:
    return 100 if measure.get("percent") else 1


def _sort_by_gain(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the rows from the largest to the smallest gain, baselines last."""
    rows = table.sort_values("gain", ascending=False, kind="stable").to_dict("records")
    return sorted(rows, key=lambda row: row["method"] in BASELINES)


def _row(row: dict[Any, Any], measure: dict[str, Any]) -> dict[str, Any]:
    scale = _scale(measure)
    return {
        "label": BASELINES.get(row["method"], row["method"]),
        "area": row["mean_over_sizes"] * scale,
        "area_low": _clip(row["mean_over_sizes_low"] * scale, measure),
        "area_high": _clip(row["mean_over_sizes_high"] * scale, measure),
        "difference": row["gain"] * scale,
        "low": row["gain_low"] * scale,
        "high": row["gain_high"] * scale,
        "p": row["p_corrected"],
        "verdict": OUTCOMES[row["outcome"]],
    }


def split_values(comparison: Comparison, label: str, keys: list[str]) -> np.ndarray:
    """Return the mean of measures of a method, of shape (n_splits, n_sizes), for the splits that finished."""
    values = [[result["measures"][key] for key in keys] for _, result in comparison.results(label)]
    return np.array(values, dtype=np.float64).reshape(len(values), len(keys), len(comparison.sizes)).mean(1)


def _line(comparison: Comparison, label: str, measure: dict[str, Any]) -> dict[str, Any] | None:
    """Return the mean of a curve over the splits and its interval at each size."""
    from featsieve.evaluation.statistics import corrected_interval

    values = split_values(comparison, label, measure["keys"]) * _scale(measure)
    if not len(values):
        return None
    ratio = comparison.test_ratio()
    intervals = [corrected_interval(column, ratio) for column in values.T]
    mean, low, high = ([getattr(i, name) for i in intervals] for name in ("mean", "low", "high"))
    return _band(measure, mean, low, high)


def _band(measure: dict[str, Any], mean: Any, low: Any, high: Any) -> dict[str, Any]:
    """Return a line and its band, clipped to the range of the measure; no band if it is unknown."""
    if np.isnan(low).all():
        return {"mean": list(mean), "low": None, "high": None}
    return {"mean": list(mean), "low": _clip(low, measure), "high": _clip(high, measure)}


def _clip(bounds: Any, measure: dict[str, Any]) -> Any:
    """Clip the bounds of intervals to the range of the measure."""
    lowest, highest = measure["range"]
    return np.clip(bounds, lowest * _scale(measure), highest * _scale(measure)).tolist()


def _random_line(comparison: Comparison, measure: dict[str, Any]) -> dict[str, Any] | None:
    """Return the mean of random selection and the band of single draws without differences of splits."""
    scale, values = _scale(measure), split_values(comparison, RANDOM, measure["keys"])
    if not len(values):
        return None
    mean = scale * values.mean(axis=0)
    deviations = []
    for _, result in comparison.results(RANDOM):
        parts = [(result.get("draws") or {}).get(key) or [] for key in measure["keys"]]
        draws = np.array(parts, dtype=np.float64)  # one block per measure, with a row per draw
        if draws.ndim == 3:
            deviations.append(draws.mean(axis=0) - draws.mean(axis=(0, 1)))
    if not deviations:
        return _band(measure, mean, np.nan, np.nan)
    tail = (100 - BAND_COVERAGE) / 2
    low, high = np.percentile(scale * np.concatenate(deviations), [tail, 100 - tail], axis=0)
    return _band(measure, mean, mean + low, mean + high)


def stability(comparison: Comparison, labels: list[str]) -> dict[str, Any] | None:
    """Return the stability index of Nogueira et al. over the training sets, by method and size."""
    frame = comparison.stability()
    # Selecting all features is always stable.
    frame = frame[frame["size"] < comparison.info["dataset"]["n_features"]]
    if frame.empty:
        return None
    sizes = [int(size) for size in sorted(frame["size"].unique())]
    lines: list[dict[str, Any] | None] = []
    for label in labels:
        values = frame[frame["method"] == label].sort_values("size")
        line = {"mean": list(values["value"]), "low": list(values["low"]), "high": list(values["high"])}
        lines.append(line if len(values) == len(sizes) else None)
    rows = _rows(labels, lines)
    return {"sizes": sizes, "methods": lines, "rows": rows} | _extremes(rows)


def _rows(labels: list[str], lines: list[dict[str, Any] | None]) -> list[dict[str, Any]]:
    return [{"label": label, "mean": line["mean"]} for label, line in zip(labels, lines, strict=True) if line]


def _extremes(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the rows with the largest and the smallest mean over the sizes."""
    means = [float(np.mean(row["mean"])) for row in rows]
    return {
        name: {"label": brief(rows[index]["label"]), "mean": means[index]}
        for name, index in (("most", int(np.argmax(means))), ("least", int(np.argmin(means))))
    }


def redundancy(comparison: Comparison, labels: list[str]) -> dict[str, Any] | None:
    """Return the mean absolute correlation of the selected features, if it was measured."""
    if REDUNDANCY not in comparison.measures:
        return None
    indices = [index for index, size in enumerate(comparison.sizes) if size > 1]
    measure = _measure(comparison, REDUNDANCY) | {"percent": False}
    lines = [_take(_line(comparison, label, measure), indices) for label in labels]
    random = _take(_random_line(comparison, measure), indices)
    rows = _rows(labels, lines)
    if not rows or not indices:
        return None
    if random:
        rows.append({"label": BASELINES[RANDOM], "mean": random["mean"]})
    sizes = [comparison.sizes[index] for index in indices]
    return {"sizes": sizes, "methods": lines, "random": random, "rows": rows}


def _take(line: dict[str, Any] | None, indices: list[int]) -> dict[str, Any] | None:
    """Return the line at some of the sizes."""
    if line is None:
        return None
    return {key: values and [values[index] for index in indices] for key, values in line.items()}
