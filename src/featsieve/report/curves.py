"""How good the methods are, in numbers: curves with bands, and tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.report.text import brief

BASELINES = {RANDOM: "random selection", ALL: "all features"}
REDUNDANCY = "redundancy"
# The outcomes of a comparison in a word or two; the numbers stand beside them.
OUTCOMES = {
    "better": "beats random",
    "unclear": "not shown",
    "worse": "worse",
    "reference": "the reference",
    "failed": "failed",
    "missing": "not measured",
}
# All measures end at 1, and all but these at 0.
_BELOW_ZERO = ("r2", "knn_r2", "ari")
# Of single random draws, this share lies inside the band.
_INSIDE = 95


def measured(comparison: Any, labels: list[str]) -> list[dict[str, Any]]:
    """Curves and tables of each measure, the main ones first; redundancy has its own section."""
    table = comparison.table()
    measures = sorted(comparison.measures.values(), key=lambda measure: measure["key"] not in comparison.main)
    curves = [
        _curve(comparison, measure, labels, table) for measure in measures if measure["key"] != REDUNDANCY
    ]
    return [curve for curve in curves if curve["rows"]]


def _curve(comparison: Any, measure: dict[str, Any], labels: list[str], table: Any) -> dict[str, Any]:
    key, scale = measure["key"], 100 if measure.get("percent") else 1
    lines = {label: _line(comparison, label, key, scale) for label in [*labels, ALL]}
    random = _random_line(comparison, key, scale)
    every = lines.pop(ALL)
    rows = [
        {"label": label, "mean": line["mean"]}
        for label, line in [*lines.items(), (BASELINES[RANDOM], random), (BASELINES[ALL], every)]
        if line
    ]
    return {
        "key": key,
        "name": measure["name"] + (" (%)" if scale == 100 else ""),
        "better": measure["direction"],
        "digits": 1 if scale == 100 else 3,
        "methods": list(lines.values()),
        "random": random,
        "all": None if every is None else {"mean": every["mean"]},
        "rows": rows,
        "table": [_row(row, key, scale) for row in _best_first(table[table["measure"] == key])],
    }


def _best_first(table: Any) -> list[dict[str, Any]]:
    """Rows by their gain, those that are no methods last."""
    rows = table.sort_values("gain", ascending=False, kind="stable").to_dict("records")
    return sorted(rows, key=lambda row: row["method"] in BASELINES)


def _row(row: dict[str, Any], key: str, scale: int) -> dict[str, Any]:
    return {
        "label": BASELINES.get(row["method"], row["method"]),
        "area": row["auc"] * scale,
        "area_low": _within(row["auc_low"] * scale, key, scale),
        "area_high": _within(row["auc_high"] * scale, key, scale),
        "difference": row["gain"] * scale,
        "low": row["gain_low"] * scale,
        "high": row["gain_high"] * scale,
        "p": row["p_holm"],
        "p_wilcoxon": row["p_wilcoxon_holm"],
        "verdict": OUTCOMES[row["outcome"]],
    }


def split_values(comparison: Any, label: str, key: str) -> np.ndarray:
    """Values of shape (n_splits, n_sizes) of the splits that worked."""
    found = [
        cell.result["measures"][key]
        for cell in comparison.cells
        if cell.method == label and cell.split >= 0 and cell.status == "ok"
        if cell.result and key in cell.result["measures"]
    ]
    return np.array(found, dtype=np.float64).reshape(len(found), len(comparison.sizes))


def _line(comparison: Any, label: str, key: str, scale: int) -> dict[str, Any] | None:
    """Mean of a curve over the splits, and its interval at each size."""
    from featsieve.evaluation.statistics import corrected_interval

    values = split_values(comparison, label, key) * scale
    if not len(values):
        return None
    ratio = comparison.test_ratio()
    intervals = [corrected_interval(column, ratio) for column in values.T]
    return _band(key, scale, *zip(*((each.mean, each.low, each.high) for each in intervals), strict=True))


def _band(key: str, scale: int, mean: Any, low: Any, high: Any) -> dict[str, Any]:
    """A line and its band, which ends where the measure ends; without one where it is not known."""
    if np.isnan(low).all():
        return {"mean": list(mean), "low": None, "high": None}
    return {"mean": list(mean), "low": _within(low, key, scale), "high": _within(high, key, scale)}


def _within(ends: Any, key: str, scale: int) -> Any:
    """Ends of intervals, cut where the measure ends."""
    return np.clip(ends, -np.inf if key in _BELOW_ZERO else 0, scale).tolist()


def _random_line(comparison: Any, key: str, scale: int) -> dict[str, Any] | None:
    """Mean of random selection, and where single draws fall once the differences between splits are out."""
    means, spreads = [], []
    for cell in comparison.cells:
        if cell.method != RANDOM or cell.split < 0 or cell.status != "ok" or not cell.result:
            continue
        if key not in cell.result["measures"]:
            continue
        means.append(cell.result["measures"][key])
        draws = np.array((cell.result.get("draws") or {}).get(key) or [], dtype=np.float64)
        if draws.ndim == 2:
            spreads.append(draws - draws.mean(axis=0))
    if not means:
        return None
    mean = scale * np.mean(np.array(means, dtype=np.float64), axis=0)
    if not spreads:
        return _band(key, scale, mean, np.nan, np.nan)
    tail = (100 - _INSIDE) / 2
    low, high = np.percentile(scale * np.concatenate(spreads), [tail, 100 - tail], axis=0)
    return _band(key, scale, mean, mean + low, mean + high)


def stability(comparison: Any, labels: list[str]) -> dict[str, Any] | None:
    """Nogueira's index over the training parts, by method and size."""
    frame = comparison.stability()
    d = comparison.info["dataset"]["n_features"]
    frame = frame[frame["size"] < d]  # all features are the same every time
    if frame.empty:
        return None
    sizes = [int(size) for size in sorted(frame["size"].unique())]
    lines = []
    for label in labels:
        own = frame[frame["method"] == label].sort_values("size")
        line = {"mean": own["value"].tolist(), "low": own["low"].tolist(), "high": own["high"].tolist()}
        lines.append(line if len(own) == len(sizes) else None)
    rows = _rows(labels, lines)
    return {"sizes": sizes, "methods": lines, "rows": rows} | _extremes(rows)


def _rows(labels: list[str], lines: list[dict[str, Any] | None]) -> list[dict[str, Any]]:
    return [{"label": label, "mean": line["mean"]} for label, line in zip(labels, lines, strict=True) if line]


def _extremes(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The rows with the largest and the smallest mean over the sizes."""
    means = [float(np.mean(row["mean"])) for row in rows]
    most, least = int(np.argmax(means)), int(np.argmin(means))
    return {
        name: {"label": brief(rows[place]["label"]), "mean": means[place]}
        for name, place in (("most", most), ("least", least))
    }


def redundancy(comparison: Any, labels: list[str]) -> dict[str, Any] | None:
    """Mean absolute correlation of the chosen features, where it was measured."""
    if REDUNDANCY not in comparison.measures:
        return None
    pairs = [place for place, size in enumerate(comparison.sizes) if size > 1]
    lines = [_at(_line(comparison, label, REDUNDANCY, 1), pairs) for label in labels]
    random = _at(_random_line(comparison, REDUNDANCY, 1), pairs)
    rows = _rows(labels, lines)
    if not rows or not pairs:
        return None
    if random:
        rows.append({"label": BASELINES[RANDOM], "mean": random["mean"]})
    sizes = [comparison.sizes[place] for place in pairs]
    return {"sizes": sizes, "methods": lines, "random": random, "rows": rows}


def _at(line: dict[str, Any] | None, places: list[int]) -> dict[str, Any] | None:
    """The line at some of the sizes only."""
    if line is None:
        return None
    return {key: values and [values[place] for place in places] for key, values in line.items()}
