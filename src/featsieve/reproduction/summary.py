"""Summarize the outcomes of a paper as plain data, for the terminal, the page and other programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from featsieve.reproduction.checks import judge
from featsieve.reproduction.formatting import measure_name
from featsieve.reproduction.outcome import COUNTS, Cell, Outcome
from featsieve.reproduction.panels import figure_panels
from featsieve.reproduction.schema import CellKey, Paper

STATISTIC_NAMES = {"max": "maximum", "size 1": "with 1 feature"}


def summarize(paper: Paper, outcomes: Mapping[str, Outcome], quick: bool) -> dict[str, Any]:
    """Summarize the outcomes of a paper.

    Parameters
    ----------
    paper : Paper
        The paper.
    outcomes : dict
        Outcomes by the key of the experiment.
    quick : bool
        Whether the quick forms were run.

    Returns
    -------
    dict
        Strings, numbers, lists and dicts that can be converted to JSON.
    """
    return {
        "key": paper.key,
        "title": paper.title,
        "authors": paper.authors,
        "venue": paper.venue,
        "year": paper.year,
        "form": "quick" if quick else "full",
        "has_quick_form": any(run.quick for outcome in outcomes.values() for run in outcome.experiment.runs),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "experiments": [_summarize_experiment(outcome) for outcome in outcomes.values()],
        "claims": [
            {
                "claim": claim.text,
                "section": claim.section,
                "experiments": list(claim.experiments),
                "verdict": verdict.judgment,
                "measured": verdict.text,
            }
            for claim, verdict in judge(paper, outcomes)
        ],
        "n_unjudged": sum(
            not outcomes.keys().isdisjoint(claim.experiments) and not outcomes.keys() >= {*claim.experiments}
            for claim in paper.claims
        ),
        "misprints": list(paper.misprints),
    }


def _summarize_experiment(outcome: Outcome) -> dict[str, Any]:
    experiment = outcome.experiment
    n_same, n_compared = outcome.agreement()
    summary = {
        "key": experiment.key,
        "name": experiment.name,
        "title": experiment.title,
        "kind": experiment.kind,
        "notes": list(experiment.notes),
        "tolerance": experiment.tolerance_text,
        "compares_sizes": experiment.same_splits
        and any(key.statistic == "argmax" for key in experiment.published),
        "digits": experiment.digits,
        "n_same": n_same,
        "n_compared": n_compared,
        "readings": [{"row": row.name, "reading": row.reading} for row in experiment.rows if row.reading],
        "columns": [run.key for run in experiment.runs],
        "missing": dict(outcome.missing),
        "runs": {key: result.info for key, result in outcome.results.items()},
        "errors": {key: result.errors for key, result in outcome.results.items() if result.errors},
    }
    if experiment.kind == "figure":
        axis = "values of the parameter" if experiment.sweeps else "sizes"
        value = f"at {experiment.evaluated_at}" if experiment.evaluated_at else f"mean over the {axis}"
        return summary | {"panels": figure_panels(outcome), "line_value": value}
    cells = outcome.cells()
    return summary | {
        "measures": [
            {
                "measure": measure,
                "name": measure_name(measure),
                "lines": [
                    {
                        "row": row.name,
                        "statistic": STATISTIC_NAMES.get(statistic, statistic),
                        "cells": [
                            _summarize_cell(cells, CellKey(row.name, run.key, measure, statistic))
                            for run in experiment.runs
                        ],
                    }
                    for row in outcome.rows()
                    for statistic in row.statistics
                ],
            }
            for measure in experiment.measures
        ],
        "marks": [
            _summarize_mark(cells, key)
            for key, cell in cells.items()
            if cell.mark and key.statistic != "argmax"
        ],
    }


def _summarize_cell(cells: Mapping[CellKey, Cell], key: CellKey) -> dict[str, Any]:
    """Summarize a cell; for a maximum, together with its number of features."""
    cell = cells[key]
    size = cells.get(key._replace(statistic="argmax")) if key.statistic == "max" else None
    return {
        "paper": _as_count(key.statistic, cell.paper),
        "ours": _as_count(key.statistic, cell.ours),
        "difference": cell.difference,
        "same": cell.same,
        "mark": cell.mark,
        "evidence": cell.evidence,
        **{f"{name}_size": getattr(size, name, None) for name in ("paper", "ours", "same")},
    }


def _summarize_mark(cells: Mapping[CellKey, Cell], key: CellKey) -> dict[str, Any]:
    row, column, measure, statistic = key
    cell = _summarize_cell(cells, key)
    position = ", ".join(filter(None, (measure.upper(), row, column, statistic)))
    return {"cell": position} | {name: cell[name] for name in ("mark", "paper", "ours", "evidence")}


def _as_count(statistic: str, value: Any) -> Any:
    """Convert counts to int."""
    return int(value) if statistic in COUNTS and isinstance(value, float) and value.is_integer() else value
