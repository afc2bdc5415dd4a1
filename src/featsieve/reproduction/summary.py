"""What came of a paper, as plain data: for the terminal, for programs, for the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from featsieve.evaluation.measures import MEASURES
from featsieve.reproduction.outcome import COUNTS, Cell, Finding, Outcome, show
from featsieve.reproduction.schema import Paper, Place, Sweep
from featsieve.reproduction.session import judge

NAMES = {"mean": "mean", "max": "maximum", "order": "order"}


def summarize(paper: Paper, outcomes: Mapping[str, Outcome], quick: bool) -> dict[str, Any]:
    """Everything that is known of a paper now.

    Parameters
    ----------
    paper : Paper
    outcomes : dict
        By the key of the experiment.
    quick : bool
        Whether the quick forms were run.

    Returns
    -------
    dict
        Of strings, numbers, lists and dicts alone.
    """
    return {
        "key": paper.key,
        "title": paper.title,
        "authors": paper.authors,
        "venue": paper.venue,
        "year": paper.year,
        "form": "quick" if quick else "full",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "experiments": [_experiment(outcome) for outcome in outcomes.values()],
        "claims": [
            {
                "claim": claim.text,
                "where": claim.where,
                "experiments": list(claim.experiments),
                "verdict": verdict.judgment,
                "measured": verdict.text,
            }
            for claim, verdict in judge(paper, outcomes)
        ],
        "unjudged": sum(
            not asked.isdisjoint(outcomes) and not asked <= set(outcomes)
            for asked in (set(claim.experiments) for claim in paper.claims)
        ),
        "misprints": list(paper.misprints),
    }


def _experiment(outcome: Outcome) -> dict[str, Any]:
    experiment = outcome.experiment
    same, known = outcome.agreement()
    shown = {
        "key": experiment.key,
        "name": experiment.name,
        "title": experiment.title,
        "kind": experiment.kind,
        "notes": list(experiment.notes),
        "within": experiment.within,
        # whether numbers of features are compared
        "exactly": experiment.repeatable and any(p.statistic == "argmax" for p in experiment.published),
        "digits": experiment.digits,
        "same": same,
        "compared": known,
        "readings": [{"row": row.name, "reading": row.reading} for row in experiment.rows if row.reading],
        "columns": [run.key for run in experiment.runs],
        "missing": dict(outcome.missing),
        "runs": {key: finding.info for key, finding in outcome.findings.items()},
        "errors": {key: finding.errors for key, finding in outcome.findings.items() if finding.errors},
    }
    if experiment.kind == "table":
        cells = {cell.place: cell for cell in outcome.cells()}
        marked = [_mark(cell) for cell in cells.values() if cell.mark and cell.place.statistic != "argmax"]
        return shown | {
            "parts": [_part(outcome, measure, cells) for measure in experiment.measures],
            "marks": marked,
        }
    over = "values of the parameter" if experiment.sweeps else "sizes"
    numbers = f"at {experiment.at}" if experiment.at else f"mean over the {over}"
    return shown | {"panels": list(_panels(outcome)), "numbers": numbers}


def measure_name(key: str) -> str:
    """What a measure is called, for people."""
    measure = MEASURES.get(key)
    return "" if measure is None else measure.name + (" (%)" if measure.percent else "")


def _mark(cell: Cell) -> dict[str, Any]:
    return {
        "where": ", ".join(
            part for part in (cell.place.measure.upper(), *cell.place[:2], cell.place[3]) if part
        ),
        "mark": cell.mark,
        "paper": _counted(cell, cell.paper),
        "ours": _counted(cell, cell.ours),
        "evidence": cell.evidence,
    }


def _part(outcome: Outcome, measure: str, cells: Mapping[Place, Cell]) -> dict[str, Any]:
    """The numbers of a table by one measure: a line for each row and statistic."""
    lines = []
    for row in outcome.rows():
        for statistic in row.statistics:
            places = [Place(row.name, run.key, measure, statistic) for run in outcome.experiment.runs]
            entries = [
                _entry(cells[place], cells.get(place._replace(statistic="argmax"))) for place in places
            ]
            lines.append({"row": row.name, "statistic": _statistic(statistic), "cells": entries})
    return {"measure": measure, "name": measure_name(measure), "lines": lines}


def _statistic(name: str) -> str:
    if name.startswith("size "):
        count = name.removeprefix("size ")
        return f"with {count} feature{'s' * (count != '1')}"
    return NAMES.get(name, name)


def _counted(cell: Cell, value: Any) -> Any:
    """The number, without digits after the point where it is a count."""
    whole = cell.place.statistic in COUNTS and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value


def _entry(cell: Cell, size: Cell | None) -> dict[str, Any]:
    """A cell, and for a maximum the number of features where it is."""
    where = size is not None and cell.place.statistic == "max"
    return {
        "paper": _counted(cell, cell.paper),
        "ours": _counted(cell, cell.ours),
        "difference": cell.difference,
        "same": cell.same,
        "mark": cell.mark,
        "evidence": cell.evidence,
        "paper_size": size.paper if where and size else None,
        "ours_size": size.ours if where and size else None,
        "same_size": size.same if where and size else None,
    }


def _panels(outcome: Outcome) -> Iterable[dict[str, Any]]:
    if outcome.experiment.sweeps:
        yield from (_sweep(outcome, sweep) for sweep in outcome.experiment.sweeps)
        return
    for measure in outcome.experiment.measures:
        name = measure_name(measure)
        for key, finding in outcome.findings.items():
            lines = []
            for row in outcome.rows():
                label = row.label_for(measure, key)
                found = _line(finding, label, measure)
                if found is not None:
                    lines.append({"name": row.name, "label": label} | found)
            if lines:
                title = key if len(outcome.experiment.measures) == 1 else f"{key}, {name}"
                if outcome.experiment.at and len(lines[0]["sizes"]) == 1:
                    title = f"{key}, {lines[0]['sizes'][0]} features"
                axis = "number of features"
                if outcome.experiment.shares:
                    axis = "share of the features"
                    for line in lines:
                        line["sizes"] = [round(size / finding.n_features, 4) for size in line["sizes"]]
                panel = {"title": title, "measure": name or "accuracy (%)", "axis": axis}
                yield panel | {"log": False, "lines": lines}


def _sweep(outcome: Outcome, sweep: Sweep) -> dict[str, Any]:
    """A panel over the values of a parameter; random selection and all features do not depend on it."""
    measure, values, lines = outcome.experiment.measures[0], list(sweep.labels), []
    for key, finding in outcome.findings.items():
        size = sweep.sizes[key]
        name, at = f"{key}, {size} features", f"size {size}"
        own = [finding.statistic(label, measure, at) for label in sweep.labels.values()]
        blank: list[None] = [None] * len(values)
        line = {"name": name, "label": key, "sizes": values, "mean": own, "spread": blank}
        lines.append(line)
        for label, text in (("random", f"{size} random features"), ("all", "all features")):
            level = [finding.statistic(label, measure, at)] * len(values)
            lines.append(line | {"name": f"{key}, {text}", "label": label, "of": name, "mean": level})
    shown = {"title": sweep.name, "measure": measure_name(measure), "axis": sweep.name, "log": sweep.log}
    return shown | {"lines": lines}


def _line(finding: Finding, label: str, measure: str) -> dict[str, Any] | None:
    if label in finding.values:
        values = finding.values[label]
        if "sizes" not in values:
            return None
        return {key: values.get(key) for key in ("sizes", "mean", "spread")} | {"at": values.get("accuracy")}
    curve = finding.curves.get(label, {}).get(measure)
    if curve is None:
        return None
    spread = finding.spreads[label][measure]
    return {
        "sizes": list(finding.sizes),
        "mean": [None if value != value else round(float(value), 3) for value in curve],
        "spread": [None if value != value else round(float(value), 3) for value in spread],
    }


def names_of_lines(panels: Iterable[Mapping[str, Any]]) -> list[str]:
    """The lines of all panels, in the order in which they come up."""
    return list(dict.fromkeys(line["name"] for panel in panels for line in panel["lines"]))


def number_of_line(panel: Mapping[str, Any], name: str) -> float | None:
    """What tables show of a line: its mean, or the number that stands for it; None where there is none."""
    line: Mapping[str, Any] = next((each for each in panel["lines"] if each["name"] == name), {"mean": ()})
    if line.get("at") is not None:
        return float(line["at"])
    known = [value for value in line["mean"] if value is not None]
    return sum(known) / len(known) if known else None


def missing(experiment: Mapping[str, Any]) -> dict[str, str]:
    """The columns that could not be run, by the reason."""
    found: dict[str, list[str]] = {}
    for column, why in experiment["missing"].items():
        found.setdefault(why, []).append(column)
    return {why: ", ".join(columns) for why, columns in found.items()}


def text(value: Any, size: Any = None, digits: int = 2) -> str:
    """A number, with the number of features it belongs to in brackets."""
    return show(value, digits) if size is None else f"{show(value, digits)} ({size:g})"


def difference(cell: Mapping[str, Any], digits: int = 2) -> str:
    """How far ours is from the paper's number."""
    if cell["difference"] is None:
        return "" if cell["same"] is None else "same" if cell["same"] else "differs"
    whole = isinstance(cell["paper"], int) and isinstance(cell["ours"], int)
    found = f"{round(cell['difference'], digits) + 0.0:+.{0 if whole else digits}f}"  # no -0.00
    if cell["paper_size"] is None or cell["ours_size"] is None:
        return found
    return f"{found} ({cell['ours_size'] - cell['paper_size']:+g})"
