"""Checks that claims of several papers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from featsieve.papers.outcome import Finding, Outcome
from featsieve.papers.schema import Verdict

# The share of cases in which a claim has to come out, by its wording.
EVERY, NEARLY_ALL, MOST = 1.0, 0.9, 0.6


def judged(won: int, total: int, measured: str, enough: float = NEARLY_ALL) -> Verdict:
    """A verdict by the share of cases in which a claim comes out: over half of them holds partly."""
    share = won / total if total else 0.0
    return Verdict(
        "holds" if share >= enough else "holds partly" if share > 0.5 else "does not hold", measured
    )


def above(
    experiment: str,
    own: str,
    other: str,
    *,
    most: int | None = None,
    share: float = 1.0,
    statistic: str = "mean",
    measures: tuple[str, ...] | None = None,
    column: str | None = None,
    enough: float = NEARLY_ALL,
) -> Callable[[Mapping[str, Outcome]], Verdict]:
    """Whether one method's curves lie above another's, with random selection and all features beside.

    Parameters
    ----------
    experiment : str
    own, other : str
        Rows.
    most : int or None
        Up to so many features.
    share : float
        Up to that share of the sizes.
    statistic : {"mean", "max"}
        Of the curve there.
    measures : tuple of str or None
        None for all of the experiment.
    column : str or None
        One run alone.
    enough : float
        The share of cases in which it has to be so.
    """

    def check(outcomes: Mapping[str, Outcome]) -> Verdict:
        outcome = outcomes[experiment]
        names = tuple(dict.fromkeys((own, other, "Random selection", "All features")))
        found = [
            {name: part(outcome, finding, key, measure, name) for name in names}
            for measure in measures or outcome.experiment.measures
            for key, finding in outcome.findings.items()
            if measure in finding.curves.get("all", {}) and column in (None, key)
        ]
        found = [each for each in found if None not in each.values()]
        if not found:
            return Verdict("cannot be tested", "The data that it needs is missing, or the methods failed.")
        gaps = {name: [each[own] - each[name] for each in found] for name in names if name != own}  # type: ignore[operator]
        won, total = sum(gap > 0 for gap in gaps[other]), len(found)
        text = f"{statistic.capitalize()} {where}: above in {won} of {total} cases, by {_range(gaps[other])}"
        beside = [
            f"{name.lower()} in {sum(gap > 0 for gap in gaps[name])} (mean {np.mean(gaps[name]):+.1f})"
            for name in names[1:]
            if name != other
        ]
        measured = f"{text} points (mean {np.mean(gaps[other]):+.1f}); above {' and '.join(beside)}."
        return judged(won, total, measured, enough)

    def part(outcome: Outcome, finding: Finding, key: str, measure: str, name: str) -> float | None:
        row: Any = next(each for each in outcome.experiment.rows if each.name == name)
        curve = finding.curves.get(row.label_for(measure, key), {}).get(measure)
        if curve is None:
            return None
        limit = finding.sizes[-1] * share if most is None else most
        few = curve[[place for place, size in enumerate(finding.sizes) if size <= limit]]
        return float(few.mean() if statistic == "mean" else few.max())

    where = "over all sizes"
    if most is not None or share < 1:
        where = f"up to {share:.0%} of the features" if most is None else f"up to {most} features"
    return check


def _range(gaps: list[float]) -> str:
    return f"{min(gaps):+.1f}" + (f" to {max(gaps):+.1f}" if len(gaps) > 1 else "")
