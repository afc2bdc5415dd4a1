"""From what was measured to the cases by which claims are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from featsieve.evaluation.measures import MEASURES
from featsieve.reproduction.checks import (
    TIE,
    Case,
    Cases,
    almost_same,
    as_good,
    best_with_fewer,
    better,
    counted,
)
from featsieve.reproduction.outcome import Finding, Outcome
from featsieve.reproduction.schema import Place, Row, Run, Verdict

Outcomes = Mapping[str, Outcome]
Check = Callable[[Outcomes], Verdict]
Statistic = Literal["mean", "max"]
BESIDE = ("Random selection", "All features")


class Part(NamedTuple):
    """What some methods reach in one run by one measure, larger is better; None where it was not measured."""

    name: str
    finding: Finding
    sizes: list[int]
    values: dict[str, np.ndarray | None]


@dataclass(frozen=True)
class Scope:
    """Where a claim is looked at.

    Attributes
    ----------
    experiments : tuple of str
        Their keys.
    measures, columns : tuple of str or None
        None for all.
    least, below, share, beyond : float
        Numbers of features from ``least`` on, strictly below ``below``, up to one share of all features and
        from another on. All features themselves are left out.
    statistic : str
        "mean" or "max" over these sizes, or a number that a computation gives.
    by_size : bool
        Whether each size is a case, as for a claim about one panel.
    """

    experiments: tuple[str, ...]
    measures: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    least: int = 1
    below: float = np.inf
    share: float = 1.0
    beyond: float = 0.0
    statistic: str = "mean"
    by_size: bool = False

    def parts(self, outcomes: Outcomes, names: tuple[str, ...]) -> Iterator[Part | tuple[str, str]]:
        """What the rows of these names reach, case by case; a name and a reason where there is no data."""
        for outcome, run, measure, name in self._asked(outcomes):
            finding = outcome.findings.get(run.key)
            if finding is None:
                yield name, "no data"
                continue
            sizes = [size for size in finding.sizes if self._holds(size, finding.n_features)]
            values = {
                each: self._value(_row(outcomes, outcome, each), finding, run.key, measure, sizes)
                for each in names
            }
            if self.by_size:
                for place, size in enumerate(sizes):
                    one = {key: None if all_ is None else all_[[place]] for key, all_ in values.items()}
                    yield Part(f"{name} with {size}", finding, [size], one)
            else:
                yield Part(name, finding, sizes, values)

    def _asked(self, outcomes: Outcomes) -> Iterator[tuple[Outcome, Any, str, str]]:
        for key in self.experiments:
            outcome = outcomes[key]
            measures = self.measures or outcome.experiment.measures
            for measure in measures:
                for run in outcome.experiment.runs:
                    there = not isinstance(run, Run) or measure in run.measures
                    if there and (self.columns is None or run.key in self.columns):
                        title = outcome.experiment.title if len(self.experiments) > 1 else ""
                        several = measure.upper() if len(measures) > 1 else ""
                        yield outcome, run, measure, " ".join(filter(None, (title, run.key, several)))

    def _holds(self, size: int, n_features: int) -> bool:
        there = self.beyond * n_features <= size <= self.share * n_features
        return there and self.least <= size < min(self.below, n_features)

    def _value(
        self, row: Row, finding: Finding, column: str, measure: str, sizes: list[int]
    ) -> np.ndarray | None:
        label = row.label_for(measure, column)
        # its mean would be over other splits, or it has chosen nothing
        if label in finding.errors or finding.tied.get(label) == 1:
            return None
        if label in finding.values:
            value = finding.values[label].get(self.statistic)
            return None if value is None else np.array([value], dtype=np.float64)
        curve = finding.curves.get(label, {}).get(measure)
        if curve is None or not sizes:
            return None
        found = np.asarray(curve)[[finding.sizes.index(size) for size in sizes]]
        sign = -1.0 if measure in MEASURES and MEASURES[measure].direction == "smaller" else 1.0
        return None if np.isnan(found).any() else sign * found

    def reduce(self, values: np.ndarray) -> float:
        """The number of a case."""
        return float(values.max() if self.statistic == "max" else values.mean())

    @property
    def what(self) -> str:
        """In words."""
        if self.statistic not in ("mean", "max"):
            return ""
        limits = [f"from {self.least}"] * (self.least > 1)
        limits += [f"below {self.below:g}"] * (self.below < np.inf)
        limits += [f"up to {self.share:.0%} of all"] * (self.share < 1)
        limits += [f"from {self.beyond:.0%} of all on"] * (self.beyond > 0)
        sizes = f"sizes {', '.join(limits)}" if limits else "the sizes below all features"
        return f"at {sizes}" if self.by_size else f"{self.statistic} over {sizes}"


def _row(outcomes: Outcomes, outcome: Outcome, name: str) -> Row:
    """The row of that name, of the experiment itself or of another one that shares its runs."""
    known = [outcome, *outcomes.values()]
    return next(row for each in known for row in each.experiment.rows if row.name == name)


def against(scope: Scope, outcomes: Outcomes, own: str, others: tuple[str, ...]) -> Cases:
    """By how much a method is better than the best of others, random selection and all features beside."""
    found, left_out = [], {}
    for part in scope.parts(outcomes, (own, *others, *BESIDE)):
        if not isinstance(part, Part):
            left_out[part[0]] = part[1]
            continue
        level = {name: None if all_ is None else scope.reduce(all_) for name, all_ in part.values.items()}
        missing = [name for name in (own, *others) if level[name] is None]
        mine = level[own]
        if missing or mine is None:
            left_out[part.name] = f"{', '.join(missing)} failed, or gives all features the same score"
            continue
        rival = max(value for name in others if (value := level[name]) is not None)
        beside = {
            name.lower(): mine - value
            for name in BESIDE
            if name not in (own, *others) and (value := level[name]) is not None
        }
        found.append(Case(part.name, mine - rival, *part.finding.repeats, beside=beside))
    return Cases(tuple(found), left_out, scope.what)


def apart(scope: Scope, outcomes: Outcomes, own: str, other: str) -> Cases:
    """By how much two methods differ on average over the sizes, whichever is better."""
    signed = against(scope, outcomes, own, (other,))
    parts = {part.name: part for part in scope.parts(outcomes, (own, other)) if isinstance(part, Part)}
    found = []
    for case in signed.found:
        a, b = (parts[case.name].values[name] for name in (own, other))
        found.append(replace(case, gap=float(np.mean(np.abs(np.asarray(a) - np.asarray(b))))))
    return replace(signed, found=tuple(found), what="mean difference")


def gains(scope: Scope, outcomes: Outcomes, own: tuple[str, ...]) -> Cases:
    """By how much each method's best of fewer features exceeds all features, random selection's beside."""
    found: list[Case] = []
    left_out: dict[str, str] = {}
    scope = replace(scope, statistic="max")
    for name in own:
        cases = against(scope, outcomes, name, ("All features",))
        for case in cases.found:
            chance = case.gap - case.beside["random selection"] if "random selection" in case.beside else None
            beside = dict(case.beside) | ({} if chance is None else {"maximum of random selection": chance})
            found.append(replace(case, name=f"{name}, {case.name}", beside=beside))
        left_out |= {f"{name}, {key}": why for key, why in cases.left_out.items()}
    return Cases(tuple(found), left_out, "best of fewer features")


def is_better(
    scope: Scope, own: str, others: str | tuple[str, ...], wording: float, much: bool = False
) -> Check:
    """A check: whether a method is better than another, or than the best of others."""
    rivals = (others,) if isinstance(others, str) else others
    return lambda outcomes: better(against(scope, outcomes, own, rivals), wording, much)


def is_as_good(scope: Scope, own: str, other: str, wording: float) -> Check:
    """A check: whether a method is as good as another, or better."""
    return lambda outcomes: as_good(against(scope, outcomes, own, (other,)), wording)


def is_almost_same(scope: Scope, own: str, other: str, wording: float) -> Check:
    """A check: whether two methods give almost the same."""
    return lambda outcomes: almost_same(apart(scope, outcomes, own, other), wording)


def is_best_with_fewer(scope: Scope, own: tuple[str, ...], wording: float) -> Check:
    """A check: whether methods are best with fewer than all features."""
    return lambda outcomes: best_with_fewer(gains(scope, outcomes, own), wording)


def as_printed(
    scope: Scope, outcomes: Outcomes, own: str, others: tuple[str, ...], statistic: Statistic
) -> str:
    """How the printed numbers that have no mark compare, in words; "" where there are none."""
    gaps = []
    for outcome, run, measure, _ in scope._asked(outcomes):
        places = [Place(name, run.key, measure, statistic) for name in (own, *others)]
        numbers = [outcome.experiment.published.get(place) for place in places]
        if all(number is not None and number.mark is None for number in numbers):
            mine, *rivals = (float(number.value) for number in numbers if number is not None)
            gaps.append(mine - max(rivals))
    won, _, lost = counted(gaps, [TIE] * len(gaps))
    text = f" As printed, without the marked cells: above in {sum(gap > 0 for gap in gaps)} of {len(gaps)}"
    return f"{text}, by more than {TIE:g} in {won}, below by as much in {lost}." if gaps else ""
