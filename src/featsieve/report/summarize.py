"""From a comparison to plain data: all that the page shows, and nothing about how it looks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from featsieve.report.answer import answer
from featsieve.report.curves import BASELINES, measured, redundancy, stability
from featsieve.report.pixels import mean_image, shape_of
from featsieve.report.rankings import ALL_SAMPLES, agreement, feature_table, ranks_by_method
from featsieve.report.text import clean

# So many classes are listed with their counts, the largest first.
MOST_CLASSES = 200
# As many features are marked as are enough, where that is a number to look at; else so many.
MOST_MARKED, MARKED = 50, 10
# So many curves are shown at first; the others wait in the legend.
MOST_CURVES = 4


def summarize(comparison: Any, X: Any = None, image_shape: Any = None) -> dict[str, Any]:
    """All that a report shows, as a dict that JSON can hold.

    Parameters
    ----------
    comparison : featsieve.evaluation.results.Comparison
        Finished or not: what is missing is left out or told of.
    X : array or sparse matrix of shape (n_samples, n_features), default=None
        The data. Needed only to draw the mean image under the pixels.
    image_shape : ImageShape, (rows, columns), str or None, default=None
        How the features lie in an image; a text such as "32x32", or "32x32F" for images stored by columns.
        None draws pixels only where the features are named pixel_ROW_COLUMN.

    Returns
    -------
    dict
        Keys: data, protocol, marks, sizes, methods, answer, features, curves, agreement, stability,
        redundancy, pixels, cost, repeat. A part that there is nothing to say of is None.

    Raises
    ------
    ValueError
        When X or image_shape does not fit the number of features.
    """
    comparison = _readable(comparison)
    info = comparison.info
    names, n_features = comparison.columns, info["dataset"]["n_features"]
    shape = shape_of(image_shape, info["dataset"]["feature_names"])
    if shape is not None and len(names) != n_features:
        raise ValueError("the features are no image: some of them were made of text or dates.")
    if X is not None and X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the comparison has {n_features}.")
    labels = [label for label in comparison.summary()["method"] if label not in BASELINES]
    told = answer(comparison)
    few = told["columns"] is not None and told["columns"] <= min(MOST_MARKED, len(names) - 1)
    mark = told["columns"] if few else min(MARKED, -(-len(names) // 2))
    ranks = ranks_by_method(comparison, labels)
    features = feature_table(comparison, ranks, mark, whole=shape is not None)
    summary = {
        "data": _data(info, comparison.notes),
        "protocol": info["protocol"],
        "marks": _marks(comparison),
        "sizes": info["sizes"],
        "methods": _methods(info, labels),
        "answer": told,
        "features": features,
        "curves": measured(comparison, labels),
        "agreement": agreement(ranks),
        "stability": stability(comparison, labels),
        "redundancy": redundancy(comparison, labels),
        "pixels": None if shape is None or features is None else _pixels(shape, X, mark),
        "cost": _cost(comparison.cells, [*labels, *BASELINES]),
        "repeat": _repeat(info, labels),
        "created": _created(comparison.cells),
    }
    return clean(summary)


def _readable(comparison: Any) -> Any:
    """The comparison, with names that every library here can hold."""
    cells = [replace(cell, method=clean(cell.method), error=clean(cell.error)) for cell in comparison.cells]
    return replace(comparison, info=clean(comparison.info), cells=cells)


def _data(info: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    dataset = info["dataset"]
    counts = sorted((dataset.get("class_counts") or {}).items(), key=lambda pair: -pair[1])
    sizes = [count for _, count in counts]
    return {
        "name": dataset["name"],
        "n_samples": dataset["n_samples"],
        "n_features": dataset["n_features"],
        "n_columns": len(dataset.get("columns") or dataset["feature_names"]),
        "n_classes": dataset.get("n_classes"),
        "class_range": _range(sizes),
        "classes": [{"label": label, "count": count} for label, count in counts[:MOST_CLASSES]],
        "classes_left_out": max(0, len(counts) - MOST_CLASSES),
        "target": dataset.get("target"),
        "hash": dataset.get("hash"),
        "notes": notes,
        "scale": bool(info.get("scale")),
    }


def _range(counts: list[int]) -> str | None:
    if not counts:
        return None
    least, most = min(counts), max(counts)
    return f"{least:,} samples each" if least == most else f"{least:,} to {most:,} samples each"


def _marks(comparison: Any) -> list[dict[str, str]]:
    """What a reader must know before any number."""
    marks = []
    protocol, cells = comparison.info["protocol"], comparison.cells
    if protocol.get("transductive"):
        marks.append(
            {
                "title": "Transductive protocol",
                "text": "Features were chosen on the very samples that they are measured on, so the numbers "
                "say how well these samples are described, not how well new ones would be.",
            }
        )
    if protocol.get("sees_labels"):
        marks.append(
            {
                "title": "The protocol sees evaluation labels",
                "text": "Labels that measure the methods also steered them or the choice of what is reported,"
                " so the numbers are too good; compare methods with each other, not with other reports.",
            }
        )
    failed = sum(cell.status != "ok" for cell in cells)
    if failed:
        marks.append(
            {
                "title": f"{failed} of {len(cells)} runs did not finish",
                "text": "Curves and tests use those that did; the messages are under the costs.",
            }
        )
    if not comparison.complete:
        marks.append(
            {
                "title": "Not complete",
                "text": f"{len(cells)} runs are in the store so far; start the same comparison again to go "
                "on with it.",
            }
        )
    return marks


def _methods(info: dict[str, Any], labels: list[str]) -> list[dict[str, Any]]:
    """The methods in the order of their area, with those whose curves are shown at first."""
    shown = set(labels[:MOST_CURVES])
    return [
        {
            "label": label,
            "uses_labels": bool(info["methods"].get(label, {}).get("uses_labels")),
            "shown": label in shown or label == "variance",
        }
        for label in labels
    ]


def _pixels(shape: Any, X: Any, mark: int) -> dict[str, Any]:
    return {
        "height": shape.height,
        "width": shape.width,
        "places": shape.places.tolist(),
        "mean": mean_image(X),
        "start": max(mark, shape.places.size // 10),
    }


def _cost(cells: list[Any], labels: list[str]) -> dict[str, Any]:
    rows = []
    for label in labels:
        own = [cell for cell in cells if cell.method == label]
        if not own:
            continue
        seconds = [cell.seconds for cell in own if cell.seconds is not None]
        peaks = [cell.peak_bytes for cell in own if cell.peak_bytes is not None]
        rows.append(
            {
                "label": BASELINES.get(label, label),
                "finished": sum(cell.status == "ok" for cell in own),
                "cells": len(own),
                "median_seconds": float(np.median(seconds)) if seconds else None,
                "total_seconds": float(np.sum(seconds)) if seconds else None,
                "peak_bytes": int(max(peaks)) if peaks else None,
            }
        )
    return {
        "total": _time(sum(row["total_seconds"] or 0 for row in rows)),
        "rows": rows,
        "failures": [_failure(cell) for cell in cells if cell.status != "ok"],
    }


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} seconds"
    return f"{seconds / 60:.1f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"


def _failure(cell: Any) -> dict[str, str]:
    return {
        "label": BASELINES.get(cell.method, cell.method),
        "where": "all samples" if cell.split == ALL_SAMPLES else f"split {cell.split + 1}",
        "what": {"timeout": "time-out"}.get(cell.status, cell.status),
        "message": cell.error or "",
    }


def _repeat(info: dict[str, Any], labels: list[str]) -> dict[str, Any]:
    methods = info["methods"]
    return {
        "command": info.get("command"),
        "seed": info.get("seed"),
        "versions": {str(key): str(value) for key, value in (info.get("versions") or {}).items()},
        "protocol": _parameters(info["protocol"].get("parameters")),
        "methods": [
            {
                "label": label,
                "labels": "used" if methods[label].get("uses_labels") else "not used",
                "parameters": _parameters(methods[label].get("parameters")),
            }
            for label in labels
            if label in methods
        ],
    }


def _parameters(values: dict[str, Any] | None) -> str:
    """Parameters that are set."""

    def told(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

    given = {key: value for key, value in (values or {}).items() if value is not None}
    return ", ".join(f"{key}={told(value)}" for key, value in given.items()) or "as they come"


def _created(cells: list[Any]) -> str | None:
    """Day of the last run."""
    finished = [str(cell.finished) for cell in cells if cell.finished]
    return max(finished)[:10] if finished else None
