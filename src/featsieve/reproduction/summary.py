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
    cells = {cell.key: cell for cell in outcome.cells()}
    return summary | {
        "measures": [
            {
                "measure": measure,
                "name": measure_name(measure),
                "lines": [
                    {
                        "row": row.name,
                        "statistic": _statistic_name(statistic),
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
            _summarize_mark(cell) for cell in cells.values() if cell.mark and cell.key.statistic != "argmax"
        ],
    }


def _statistic_name(statistic: str) -> str:
    if statistic.startswith("size ") and statistic not in STATISTIC_NAMES:
        return f"with {statistic.removeprefix('size ')} features"
    return STATISTIC_NAMES.get(statistic, statistic)


def _summarize_cell(cells: Mapping[CellKey, Cell], key: CellKey) -> dict[str, Any]:
    """Summarize a cell; for a maximum, together with its number of features."""
    cell = cells[key]
    size = cells.get(key._replace(statistic="argmax")) if key.statistic == "max" else None
    return {
        "paper": _as_count(cell, cell.paper),
        "ours": _as_count(cell, cell.ours),
        "difference": cell.difference,
        "same": cell.same,
        "mark": cell.mark,
        "evidence": cell.evidence,
        "paper_size": None if size is None else size.paper,
        "ours_size": None if size is None else size.ours,
        "same_size": None if size is None else size.same,
    }


def _summarize_mark(cell: Cell) -> dict[str, Any]:
    row, column, measure, statistic = cell.key
    return {
        "cell": ", ".join(filter(None, (measure.upper(), row, column, statistic))),
        "mark": cell.mark,
        "paper": _as_count(cell, cell.paper),
        "ours": _as_count(cell, cell.ours),
        "evidence": cell.evidence,
    }


def _as_count(cell: Cell, value: Any) -> Any:
    """Convert counts to int."""
    is_count = cell.key.statistic in COUNTS and isinstance(value, float) and value.is_integer()
    return int(value) if is_count else value
