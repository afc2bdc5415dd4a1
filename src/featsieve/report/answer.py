"""The result in words: which methods beat random selection, and how many features are sufficient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.evaluation.candidates import ALL
from featsieve.report.curves import BASELINES, split_values
from featsieve.report.text import brief, enumerate_names

if TYPE_CHECKING:
    from featsieve.evaluation import Comparison

# A subset is sufficient if its score is within this many percentage points of all features.
TOLERANCE = 1.0


def answer(comparison: Comparison) -> dict[str, Any]:
    """Return the verdict on each method by the main measures, and a summary in one or two sentences."""
    keys = comparison.main
    percent = all(comparison.measures[key].get("percent") for key in keys)
    measure = enumerate_names([comparison.measures[key]["name"] for key in keys])
    methods = comparison.info["methods"]
    verdicts = [
        _verdict(row, methods.get(row["method"], {}))
        for row in comparison.summary().to_dict("records")
        if row["method"] not in BASELINES
    ]
    best = comparison.recommend().method
    size = _sufficient_size(comparison, best, keys) if best is not None and percent else None
    n_columns = None if best is None or size is None else _count_columns(comparison, best, size)
    bounds = [v[key] for v in verdicts for key in ("low", "difference", "high") if np.isfinite(v[key])]
    low, high = min([0, *bounds]), max([0, *bounds])
    margin = 0.04 * (high - low) or 1
    return {
        "headline": _headline(verdicts),
        "sentence": _sentence(verdicts, measure, _describe_size(comparison, size, n_columns)),
        "verdicts": verdicts,
        "scale": [low - margin, high + margin],
        "sufficient_size": size,
        "columns": n_columns,
        "measure": measure,
        "percent": percent,
    }


def _verdict(row: dict[Any, Any], method: dict[str, Any]) -> dict[str, Any]:
    verdict = row["verdict"]
    n_splits = row["wins"] + row["ties"] + row["losses"]
    details = [f"better on {row['wins']} of {n_splits} splits"] if n_splits else []
    if row["failed"]:
        details.append(f"failed on {row['failed']}")
    details.append("uses labels" if method.get("uses_labels") else "does not use labels")
    return {
        "label": row["method"],
        "outcome": row["outcome"],
        "sentence": brief(verdict[:1].upper() + verdict[1:], 200),
        "details": "; ".join(details),
        "difference": row["gain"],
        "low": row["gain_low"],
        "high": row["gain_high"],
    }


def _no_result(verdicts: list[dict[str, Any]]) -> bool:
    return all(verdict["outcome"] in ("failed", "missing") for verdict in verdicts)


def _headline(verdicts: list[dict[str, Any]]) -> str:
    n_better = sum(verdict["outcome"] == "better" for verdict in verdicts)
    if _no_result(verdicts):
        return "No method finished"
    if len(verdicts) == 1:
        label = brief(verdicts[0]["label"])
        return f"{label} {'beats' if n_better else 'is not clearly better than'} random selection"
    if not n_better:
        return f"None of {len(verdicts)} methods is clearly better than random selection"
    if n_better == len(verdicts):
        return f"All {n_better} methods beat random selection"
    return f"{n_better} of {len(verdicts)} methods {'beats' if n_better == 1 else 'beat'} random selection"


def _sentence(verdicts: list[dict[str, Any]], measure: str, sufficient: str) -> str | None:
    """Return the best of the methods that beat random selection, and how few of its features suffice."""
    better = [verdict for verdict in verdicts if verdict["outcome"] == "better"]
    if _no_result(verdicts):
        return None
    if not better:
        return (
            f"Measured by {measure}, no method is clearly better than random selection. "
            "More samples may show a difference."
        )
    label, verdict = brief(better[0]["label"]), better[0]["sentence"]
    verdict = verdict[:1].lower() + verdict[1:]
    subject = f"the best method is {label}: it" if len(better) > 1 else label
    return f"Measured by {measure}, {subject} {verdict}.{sufficient}"


def _describe_size(comparison: Comparison, size: int | None, n_columns: int | None) -> str:
    n_features, n_all_columns = comparison.info["dataset"]["n_features"], len(comparison.columns)
    if size is None:
        return ""
    if size == n_features:
        return (
            f" No smaller subset scores within {TOLERANCE:g} point of using all features, so keep all of "
            "them if you can."
        )
    encoded = n_columns is not None and n_all_columns != n_features
    columns = f", derived from {n_columns} of {n_all_columns} columns," if encoded else ""
    subject, verb = ("top feature", "scores") if size == 1 else (f"top {size} features", "score")
    return f" Its {subject}{columns} {verb} within {TOLERANCE:g} point of using all {n_features}."


def _count_columns(comparison: Comparison, label: str, size: int) -> int | None:
    """Return the number of columns that the top features derive from; None without a ranking."""
    order = comparison.orders().get(label)
    return None if order is None else np.unique(comparison.origins[order[:size]]).size


def _sufficient_size(comparison: Comparison, label: str, keys: list[str]) -> int | None:
    """Return the smallest size that is nearly as good as all features; None if it is unknown."""
    curves = []
    for name in (label, ALL):
        values = [split_values(comparison, name, key) for key in keys]
        if not all(map(len, values)):
            return None
        curves.append(np.mean([by_split.mean(axis=0) for by_split in values], axis=0))
    selected, all_features = curves
    sign = 1 if comparison.measures[keys[0]]["direction"] == "larger" else -1
    sufficient = np.flatnonzero(sign * (all_features - selected) * 100 <= TOLERANCE)
    return int(comparison.sizes[sufficient[0]]) if sufficient.size else None
