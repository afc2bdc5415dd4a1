"""Convert a comparison to plain data: everything that the report shows, independent of its appearance."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.report.answer import answer
from featsieve.report.curves import BASELINES, curves, redundancy, stability
from featsieve.report.pixels import ImageShape, mean_image, resolve_image_shape
from featsieve.report.rankings import agreement, feature_table, ranks_by_method
from featsieve.report.text import clean
from featsieve.types import MatrixLike
from featsieve.wording import counted

if TYPE_CHECKING:
    from featsieve.evaluation import Cell, Comparison

# Number of classes that are listed with their counts, largest first.
MAX_CLASSES = 200
# Number of highlighted features if none are recommended.
DEFAULT_HIGHLIGHTED = 10
# Number of curves that are visible at first; the legend shows the others on request.
MAX_VISIBLE_CURVES = 4


def summarize(
    comparison: Comparison,
    X: MatrixLike | None = None,
    image_shape: ImageShape | tuple[int, int] | str | None = None,
) -> dict[str, Any]:
    """Convert a comparison to a dict of plain data that contains everything the report shows.

    Parameters
    ----------
    comparison : Comparison
        Results of :func:`featsieve.evaluation.compare`, finished or not.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        The compared data; used only to draw the mean image behind the selected pixels.
    image_shape : ImageShape, tuple of (rows, columns), str or None, default=None
        Shape of the image whose pixels are the features, such as "32x32", or "32x32F" for images stored
        column by column. With None, pixels are drawn only if the features are named pixel_ROW_COLUMN.

    Returns
    -------
    dict
        Data that can be converted to JSON, with the keys data, protocol, warnings, sizes, methods, answer,
        features, curves, agreement, stability, redundancy, pixels, cost, repeat and created. A section
        without content is None.

    Raises
    ------
    ValueError
        If X or image_shape does not match the number of features.
    """
    comparison = _clean_comparison(comparison)
    info = comparison.info
    columns, n_features = comparison.columns, info["dataset"]["n_features"]
    shape = resolve_image_shape(image_shape, info["dataset"]["feature_names"])
    if shape is not None and len(columns) != n_features:
        raise ValueError(
            "`image_shape` must be None because some features are not pixels: they are derived from text or "
            "dates."
        )
    if X is not None and np.shape(X)[1] != n_features:
        raise ValueError(f"`X` must have the {n_features} features of the comparison; got {np.shape(X)[1]}.")
    labels = [label for label in comparison.ordered_labels() if label not in BASELINES]
    n_top = comparison.recommend().n_features or min(DEFAULT_HIGHLIGHTED, -(-len(columns) // 2))
    ranks = ranks_by_method(comparison, labels)
    features = feature_table(comparison, ranks, n_top, complete=shape is not None)
    summary = {
        "data": _data(comparison),
        "protocol": info["protocol"],
        "warnings": _warnings(comparison),
        "sizes": info["sizes"],
        "methods": _methods(comparison, labels),
        "answer": answer(comparison),
        "features": features,
        "curves": curves(comparison, labels),
        "agreement": agreement(ranks),
        "stability": stability(comparison, labels),
        "redundancy": redundancy(comparison, labels),
        "pixels": None if shape is None or features is None else _pixels(shape, X, n_top),
        "cost": _cost(comparison.cells, [*labels, *BASELINES]),
        "repeat": _repeat(info, labels),
        "created": _created(comparison.cells),
    }
    return clean(summary)


def _clean_comparison(comparison: Comparison) -> Comparison:
    """Return the comparison with names that every library used here can represent."""
    cells = [replace(cell, method=clean(cell.method), error=clean(cell.error)) for cell in comparison.cells]
    return replace(comparison, info=clean(comparison.info), cells=cells)


def _data(comparison: Comparison) -> dict[str, Any]:
    dataset = comparison.info["dataset"]
    counts = sorted((dataset.get("class_counts") or {}).items(), key=lambda pair: -pair[1])
    keys = ("name", "n_samples", "n_features", "n_classes", "target", "hash")
    return {key: dataset.get(key) for key in keys} | {
        "n_columns": len(comparison.columns),
        "class_range": _describe_class_sizes([count for _, count in counts]),
        "classes": [{"label": label, "count": count} for label, count in counts[:MAX_CLASSES]],
        "classes_left_out": max(0, len(counts) - MAX_CLASSES),
        "notes": [f"{note.rstrip('.')}." for note in [*comparison.notes, *comparison.left_out]],
        "scale": bool(comparison.info.get("scale")),
    }


def _describe_class_sizes(counts: list[int]) -> str | None:
    """Return the sizes of the smallest and the largest class; ``counts`` are descending."""
    if not counts:
        return None
    smallest = f"{counts[-1]:,} to " if counts[-1] != counts[0] else ""
    return f"{smallest}{counted(counts[0], 'sample', ',')} each"


def _warnings(comparison: Comparison) -> list[dict[str, str]]:
    """Return the limits of the comparison that a reader must know before any number."""
    protocol, cells = comparison.info["protocol"], comparison.cells
    n_failed = sum(cell.status != "ok" for cell in cells)
    warnings = (
        (
            protocol.get("transductive"),
            "Features were selected on the test samples",
            "The features were selected and tested on the same samples. The results describe these samples; "
            "on new samples they may be worse.",
        ),
        (
            protocol.get("sees_labels"),
            "Some methods have seen the test labels",
            "The labels that the features are tested with were also used to select them, so the results are "
            "too good. Compare them with each other, but not with other reports.",
        ),
        (
            n_failed,
            f"{n_failed} of {counted(len(cells), 'run')} did not finish",
            "Curves and tests use the other runs. The error messages are under Time and memory.",
        ),
        (
            not comparison.complete,
            "The comparison is not complete",
            f"The store contains {counted(len(cells), 'run')} so far. "
            "Rerun the same comparison to resume it.",
        ),
    )
    return [{"title": title, "text": text} for applies, title, text in warnings if applies]


def _methods(comparison: Comparison, labels: list[str]) -> list[dict[str, Any]]:
    """Return the methods, best first, and whether their curves are visible at first.

    The recommended method is visible, and of methods with the same order only the first.
    """
    recommended, hidden = comparison.recommend().method, set()
    distinct = [] if recommended is None else [recommended]
    for label in [*distinct, *labels]:
        if label not in hidden:
            distinct += [label] * (label not in distinct)
            hidden |= set(comparison.same_orders(label))
    visible = {*distinct[:MAX_VISIBLE_CURVES], "variance"}
    methods = comparison.info["methods"]
    return [
        {
            "label": label,
            "uses_labels": bool(methods.get(label, {}).get("uses_labels")),
            "visible": label in visible,
            "recommended": label == recommended,
        }
        for label in labels
    ]


def _pixels(shape: ImageShape, X: MatrixLike | None, n_top: int) -> dict[str, Any]:
    return {
        "height": shape.height,
        "width": shape.width,
        "positions": shape.positions.tolist(),
        "mean": mean_image(X),
        "start": n_top,
    }


def _cost(cells: list[Cell], labels: list[str]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for label in labels:
        runs = [cell for cell in cells if cell.method == label]
        if not runs:
            continue
        seconds = [cell.seconds for cell in runs if cell.seconds is not None]
        peaks = [cell.peak_bytes for cell in runs if cell.peak_bytes is not None]
        rows.append(
            {
                "label": BASELINES.get(label, label),
                "finished": sum(cell.status == "ok" for cell in runs),
                "cells": len(runs),
                "median_seconds": float(np.median(seconds)) if seconds else None,
                "total_seconds": float(np.sum(seconds)) if seconds else None,
                "peak_bytes": int(max(peaks)) if peaks else None,
            }
        )
    return {
        "total": _describe_time(sum(row["total_seconds"] or 0 for row in rows)),
        "rows": rows,
        "failures": _failures(cells),
    }


def _describe_time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} seconds"
    return f"{seconds / 60:.1f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"


def _failures(cells: list[Cell]) -> list[dict[str, Any]]:
    """Return a row for each method and error message, with the splits that it concerns."""
    splits: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        if cell.status != "ok":
            status = {"timeout": "timed out"}.get(cell.status, cell.status)
            label = BASELINES.get(cell.method, cell.method)
            name = "all samples" if cell.split < 0 else str(cell.split + 1)
            splits.setdefault((label, status, cell.error or ""), []).append(name)
    return [
        {"label": label, "status": status, "message": message, "split": ", ".join(names)}
        for (label, status, message), names in splits.items()
    ]


def _repeat(info: dict[str, Any], labels: list[str]) -> dict[str, Any]:
    methods = info["methods"]
    return {
        "command": info.get("command"),
        "seed": info.get("seed"),
        "versions": {str(key): str(value) for key, value in (info.get("versions") or {}).items()},
        "protocol": _describe_parameters(info["protocol"].get("parameters")),
        "methods": [
            {
                "label": label,
                "labels": "used" if methods[label].get("uses_labels") else "not used",
                "parameters": _describe_parameters(methods[label].get("parameters")),
            }
            for label in labels
            if label in methods
        ],
    }


def _describe_parameters(parameters: dict[str, Any] | None) -> str:
    """Return the parameters that are not None."""

    def describe(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

    values = {key: value for key, value in (parameters or {}).items() if value is not None}
    return ", ".join(f"{key}={describe(value)}" for key, value in values.items()) or "defaults"


def _created(cells: list[Cell]) -> str | None:
    """Return the day of the last run."""
    finished = [str(cell.finished) for cell in cells if cell.finished]
    return max(finished)[:10] if finished else None
