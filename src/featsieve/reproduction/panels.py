"""Summarize the lines of figures as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from featsieve.reproduction.formatting import measure_name
from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.schema import Sweep

Panel = dict[str, Any]


def figure_panels(outcome: Outcome) -> list[Panel]:
    """Return the panels of a figure: a line per method with its sizes, means and standard deviations."""
    if outcome.experiment.sweeps:
        return [_sweep_panel(outcome, sweep) for sweep in outcome.experiment.sweeps]
    return list(_size_panels(outcome))


def line_names(panels: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the lines of all panels in their order of first appearance."""
    return list(dict.fromkeys(line["name"] for panel in panels for line in panel["lines"]))


def line_value(panel: Mapping[str, Any], name: str) -> float | None:
    """Return the number that summarizes a line in tables, by default its mean; None if there is no line."""
    for line in panel["lines"]:
        if line["name"] == name:
            if line.get("value") is not None:
                return float(line["value"])
            means = [mean for mean in line["mean"] if mean is not None]
            return sum(means) / len(means) if means else None
    return None


def _size_panels(outcome: Outcome) -> Iterator[Panel]:
    """Yield a panel per measure and run, with the number or fraction of features on its axis."""
    experiment = outcome.experiment
    for measure in experiment.measures:
        name = measure_name(measure)
        for key, result in outcome.results.items():
            labels = {row.name: row.label_for(measure, key) for row in outcome.rows()}
            lines = [
                {"name": row, "label": label, **points}
                for row, label in labels.items()
                if (points := _points(result, label, measure)) is not None
            ]
            if not lines:
                continue
            title = key if len(experiment.measures) == 1 else f"{key}, {name}"
            if experiment.evaluated_at and len(lines[0]["sizes"]) == 1:
                title = f"{key}, {lines[0]['sizes'][0]} features"
            axis = "number of features"
            if experiment.axis_is_fraction:
                axis = "fraction of features"
                for line in lines:
                    line["sizes"] = [round(size / result.n_features, 4) for size in line["sizes"]]
            measured = name or "accuracy (%)"
            yield {"title": title, "measure": measured, "axis": axis, "log": False, "lines": lines}


def _points(result: RunResult, label: str, measure: str) -> dict[str, Any] | None:
    if label in result.values:
        values = result.values[label]
        if "sizes" not in values:
            return None
        return {key: values.get(key) for key in ("sizes", "mean", "std")} | {"value": values.get("accuracy")}
    curve = result.curves.get(label, {}).get(measure)
    if curve is None:
        return None
    means, stds = _as_list(curve), _as_list(result.stds[label][measure])
    return {"sizes": list(result.sizes), "mean": means, "std": stds}


def _as_list(values: np.ndarray) -> list[float | None]:
    """Round to 3 decimals, with None for NaN."""
    return [None if np.isnan(value) else round(float(value), 3) for value in values]


def _sweep_panel(outcome: Outcome, sweep: Sweep) -> Panel:
    """Return a panel over the values of a parameter. The baselines are constant."""
    measure, n_values, lines = outcome.experiment.measures[0], len(sweep.labels), []
    for key, result in outcome.results.items():
        size = sweep.sizes[key]
        name, statistic = f"{key}, {size} features", f"size {size}"
        line = {
            "name": name,
            "label": key,
            "sizes": list(sweep.labels),
            "mean": [result.statistic(label, measure, statistic) for label in sweep.labels.values()],
            "std": [None] * n_values,
        }
        lines.append(line)
        for label, description in (("random", f"{size} random features"), ("all", "all features")):
            level = result.statistic(label, measure, statistic)
            baseline = {"name": f"{key}, {description}", "label": label, "group": name}
            lines.append(line | baseline | {"mean": [level] * n_values})
    axis = {"axis": sweep.name, "log": sweep.log}
    return {"title": sweep.name, "measure": measure_name(measure), **axis, "lines": lines}
