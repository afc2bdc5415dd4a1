"""The answer in words: whether each method beats random selection, and how many features are enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.report.curves import ALL, BASELINES, split_values
from featsieve.report.text import brief, listed

# A subset is as good as all features where it comes this close, in points of 100.
_CLOSE = 1.0


def answer(comparison: Any) -> dict[str, Any]:
    """The verdict on each method by the main measures, and the whole in a sentence or two."""
    table = comparison.summary()
    keys = comparison.main
    percent = all(comparison.measures[key].get("percent") for key in keys)
    measure = listed([comparison.measures[key]["name"] for key in keys])
    methods = comparison.info["methods"]
    verdicts = [
        _verdict(row, methods.get(row["method"], {}))
        for row in table.to_dict("records")
        if row["method"] not in BASELINES
    ]
    best = comparison.best()
    enough = _enough(comparison, best, keys) if best is not None and percent else None
    columns = None if enough is None else _columns(comparison, best, enough)
    ends = [v[part] for v in verdicts for part in ("low", "difference", "high") if np.isfinite(v[part])]
    begin, end = min([0, *ends]), max([0, *ends])
    margin = 0.04 * (end - begin) or 1
    return {
        "headline": _headline(verdicts),
        "sentence": _sentence(verdicts, measure, _told_enough(comparison, enough, columns)),
        "verdicts": verdicts,
        "scale": [begin - margin, end + margin],
        "enough": enough,
        "columns": columns,
        "measure": measure,
    }


def _verdict(row: dict[str, Any], method: dict[str, Any]) -> dict[str, Any]:
    verdict = row["verdict"]
    count = row["wins"] + row["ties"] + row["losses"]
    asides = [f"ahead on {row['wins']} of {count} splits"] if count else []
    if row["failed"]:
        asides.append(f"failed on {row['failed']}")
    asides.append("uses the labels" if method.get("uses_labels") else "needs no labels")
    return {
        "label": row["method"],
        "outcome": row["outcome"],
        "sentence": brief(verdict[:1].upper() + verdict[1:], 200),
        "aside": "; ".join(asides),
        "difference": row["gain"],
        "low": row["gain_low"],
        "high": row["gain_high"],
    }


def _nothing(verdicts: list[dict[str, Any]]) -> bool:
    return all(verdict["outcome"] in ("failed", "missing") for verdict in verdicts)


def _headline(verdicts: list[dict[str, Any]]) -> str:
    better = sum(verdict["outcome"] == "better" for verdict in verdicts)
    if _nothing(verdicts):
        return "No method was measured"
    if len(verdicts) == 1:
        return f"{brief(verdicts[0]['label'])} " + (
            "beats random selection" if better else "is not shown to beat random selection"
        )
    if not better:
        return f"None of {len(verdicts)} methods is shown to beat random selection"
    if better == len(verdicts):
        return f"All {better} methods beat random selection"
    return f"{better} of {len(verdicts)} methods {'beats' if better == 1 else 'beat'} random selection"


def _sentence(verdicts: list[dict[str, Any]], measure: str, enough: str) -> str | None:
    """The best of the methods that beat random selection, and how few of its features are enough."""
    better = [verdict for verdict in verdicts if verdict["outcome"] == "better"]
    if _nothing(verdicts):
        return None
    if not better:
        return f"By {measure}, no method does clearly better than random selection; more samples may tell."
    label, told = brief(better[0]["label"]), better[0]["sentence"]
    told = told[:1].lower() + told[1:]
    best = f"the best of them is {label}: it" if len(better) > 1 else label
    return f"By {measure}, {best} {told}.{enough}"


def _told_enough(comparison: Any, enough: int | None, columns: int | None) -> str:
    n_features, n_columns = comparison.info["dataset"]["n_features"], len(comparison.columns)
    if enough is None:
        return ""
    if enough == n_features:
        return " No smaller subset comes close to all features, so keep them all if you can."
    made = (
        "" if columns is None or n_columns == n_features else f", made of {columns} of {n_columns} columns,"
    )
    return (
        f" With its best {enough} of {n_features} features{made} it comes within {_CLOSE:g} point of all of "
        "them."
    )


def _columns(comparison: Any, label: str, count: int) -> int | None:
    """Of how many columns the first features of a method are made, None where it has no order."""
    order = comparison.orders().get(label)
    return None if order is None else np.unique(comparison.origins[order[:count]]).size


def _enough(comparison: Any, label: str, keys: list[str]) -> int | None:
    """Smallest size at which the method comes close to all features, None where that is not known."""
    own, every = (
        np.mean([split_values(comparison, name, key).mean(axis=0) for key in keys], axis=0)
        if all(len(split_values(comparison, name, key)) for key in keys)
        else None
        for name in (label, ALL)
    )
    if own is None or every is None:
        return None
    better = comparison.measures[keys[0]]["direction"]
    short = (every - own if better == "larger" else own - every) * 100
    close = np.flatnonzero(short <= _CLOSE)
    return int(comparison.sizes[close[0]]) if close.size else None
