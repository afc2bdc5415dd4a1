"""Build the cases of a claim from the outcomes of experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from featsieve.evaluation.measures import MEASURES
from featsieve.reproduction.checks import (
    MIN_TIE_MARGIN,
    Case,
    Cases,
    combine,
    judge_best_with_fewer,
    judge_better,
    judge_small,
)
from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.schema import CellKey, Computation, Row, Run, Verdict

Outcomes = Mapping[str, Outcome]
Check = Callable[[Outcomes], Verdict]
Statistic = Literal["mean", "max"]
BASELINE_NAMES = ("Random selection", "All features")
Reading = TypeVar("Reading")


@dataclass(frozen=True)
class Measurement:
    """Results of some methods in one case, signed so that larger is better.

    Attributes
    ----------
    name : str
        Name of the case.
    result : RunResult
        Result of the run.
    sizes : list of int
        Numbers of features that the claim covers.
    values : dict
        Name of each measured method to its values at these sizes.
    levels : dict
        Name of each measured method to the statistic of its values.
    baselines : tuple of str
        Names of the baselines to compare with.
    """

    name: str
    result: RunResult
    sizes: list[int]
    values: Mapping[str, np.ndarray]
    levels: Mapping[str, float]
    baselines: tuple[str, ...]

    def case(self, difference: float, level: float | None = None, margin: float | None = None) -> Case:
        """Return the case; ``level`` is compared with the baselines."""
        baselines = {
            name.lower(): level - self.levels[name]
            for name in self.baselines
            if level is not None and name in self.levels
        }
        return Case(
            name=self.name,
            difference=difference,
            repeats=self.result.repeats,
            margin=margin,
            baselines=baselines,
        )


@dataclass(frozen=True)
class Scope:
    """The experiments, columns, measures and subset sizes that a claim covers.

    The full set of features is always excluded.

    Attributes
    ----------
    experiments : tuple of str
        Keys of the experiments.
    columns : tuple of str or None, default=None
        Keys of the runs. None means all.
    min_size : int, default=1
        Smallest number of features.
    size_limit : float, default=inf
        The number of features must be less than this.
    min_fraction, max_fraction : float, default=0.0 and 1.0
        Bounds of the fraction of features.
    statistic : str, default="mean"
        "mean" or "max" over the sizes, or a statistic of a computation.
    by_size : bool, default=False
        Whether each size is a separate case.
    """

    experiments: tuple[str, ...]
    _: KW_ONLY
    columns: tuple[str, ...] | None = None
    min_size: int = 1
    size_limit: float = np.inf
    min_fraction: float = 0.0
    max_fraction: float = 1.0
    statistic: str = "mean"
    by_size: bool = False

    @property
    def description(self) -> str:
        """The statistic and the sizes in words."""
        if self.statistic not in ("mean", "max"):
            return ""
        limits = [f"from {self.min_size}"] * (self.min_size > 1)
        limits += [f"below {self.size_limit:g}"] * (self.size_limit < np.inf)
        limits += [f"up to {self.max_fraction:.0%} of the features"] * (self.max_fraction < 1)
        limits += [f"at least {self.min_fraction:.0%} of the features"] * (self.min_fraction > 0)
        sizes = f" {', '.join(limits)}" * bool(limits)
        if self.by_size:
            return f"at each subset size{sizes}"
        return f"{'mean' if self.statistic == 'mean' else 'maximum'} over subset sizes{sizes}"

    def runs(self, outcomes: Outcomes) -> Iterator[tuple[Outcome, Run | Computation, str, str]]:
        """Yield the outcome, the run, the measure and the name of each case."""
        for key in self.experiments:
            outcome = outcomes[key]
            title = outcome.experiment.title if len(self.experiments) > 1 else ""
            measures = outcome.experiment.measures
            for measure in measures:
                measure_name = measure.upper() if len(measures) > 1 else ""
                for run in outcome.experiment.runs:
                    if measure in run.measures and (self.columns is None or run.key in self.columns):
                        yield outcome, run, measure, " ".join(filter(None, (title, run.key, measure_name)))

    def measurements(
        self, outcomes: Outcomes, methods: tuple[str, ...]
    ) -> tuple[list[Measurement], dict[str, str]]:
        """Return the results of some methods in each case, and the cases without data with the reason."""
        measurements, omitted = [], {}
        baselines = tuple(name for name in BASELINE_NAMES if name not in methods)
        reduce = np.max if self.statistic == "max" else np.mean
        for outcome, run, measure, name in self.runs(outcomes):
            result = outcome.results.get(run.key)
            if result is None:
                omitted[name] = "no data"
                continue
            sizes = [size for size in result.sizes if self._includes(size, result.n_features)]
            values = {}
            for method in (*methods, *baselines):
                row = _find_row(outcomes, outcome, method)
                curve = None if row is None else self._values(row, result, run.key, measure, sizes)
                if curve is not None:
                    values[method] = curve
            parts = [(name, sizes, values)]
            if self.by_size:
                parts = [
                    (f"{name} with {size}", [size], {key: curve[[index]] for key, curve in values.items()})
                    for index, size in enumerate(sizes)
                ]
            for part, part_sizes, curves in parts:
                levels = {method: float(reduce(curve)) for method, curve in curves.items()}
                measurements.append(Measurement(part, result, part_sizes, curves, levels, baselines))
        return measurements, omitted

    def _includes(self, size: int, n_features: int) -> bool:
        return (
            self.min_fraction * n_features <= size <= self.max_fraction * n_features
            and self.min_size <= size < min(self.size_limit, n_features)
        )

    def _values(
        self, row: Row, result: RunResult, column: str, measure: str, sizes: list[int]
    ) -> np.ndarray | None:
        label = row.label_for(measure, column)
        # With failed splits the mean is over different splits; with tied scores nothing was selected.
        if label in result.errors or result.tied.get(label) == 1:
            return None
        if label in result.values:
            value = result.values[label].get(self.statistic)
            return None if value is None else np.array([value], dtype=np.float64)
        curve = result.curves.get(label, {}).get(measure)
        if curve is None or not sizes:
            return None
        values = np.asarray(curve)[[result.sizes.index(size) for size in sizes]]
        sign = -1.0 if measure in MEASURES and MEASURES[measure].direction == "smaller" else 1.0
        return None if np.isnan(values).any() else sign * values


def _find_row(outcomes: Outcomes, outcome: Outcome, name: str) -> Row | None:
    """Return the row of the experiment, or of another experiment that shares its runs."""
    rows = (row for candidate in (outcome, *outcomes.values()) for row in candidate.experiment.rows)
    return next((row for row in rows if row.name == name), None)


def build_cases(
    scope: Scope,
    outcomes: Outcomes,
    methods: tuple[str, ...],
    compare: Callable[[Measurement], Case],
    description: str,
) -> Cases:
    """Build a case from each measurement in which no method failed.

    Parameters
    ----------
    scope : Scope
        What the claim covers.
    outcomes : dict
        Outcomes by the key of the experiment.
    methods : tuple of str
        Rows that must have been measured. The baselines are measured as well, but may have failed.
    compare : callable
        Maps a :class:`Measurement` to a :class:`Case`.
    description : str
        Meaning of the differences.

    Returns
    -------
    Cases
        The cases, and those omitted with the reason.
    """
    measurements, omitted = scope.measurements(outcomes, methods)
    cases = []
    for measurement in measurements:
        failed = [name for name in methods if name not in measurement.levels]
        if failed:
            omitted[measurement.name] = f"{', '.join(failed)} failed or gave all features the same score"
        else:
            cases.append(compare(measurement))
    return Cases(measured=tuple(cases), omitted=omitted, description=description)


def compare_with_best(scope: Scope, outcomes: Outcomes, own: str, others: tuple[str, ...]) -> Cases:
    """Compute by how much a method is better than the best of others."""

    def compare(measurement: Measurement) -> Case:
        level = measurement.levels[own]
        return measurement.case(level - max(measurement.levels[name] for name in others), level)

    return build_cases(scope, outcomes, (own, *others), compare, scope.description)


def absolute_differences(scope: Scope, outcomes: Outcomes, own: str, other: str) -> Cases:
    """Compute the mean absolute difference of two methods over the sizes."""

    def compare(measurement: Measurement) -> Case:
        differences = measurement.values[own] - measurement.values[other]
        return measurement.case(float(np.mean(np.abs(differences))), measurement.levels[own])

    description = "mean absolute difference over subset sizes"
    return build_cases(scope, outcomes, (own, other), compare, description)


def gains_over_all_features(scope: Scope, outcomes: Outcomes, methods: tuple[str, ...]) -> Cases:
    """Compute by how much the maximum over smaller subsets exceeds the value of all features.

    The gain of the maximum of random selection is among the baselines of each case.
    """
    cases: list[Case] = []
    omitted: dict[str, str] = {}
    scope = replace(scope, statistic="max")
    for method in methods:
        gains = compare_with_best(scope, outcomes, method, ("All features",))
        for case in gains.measured:
            baselines = dict(case.baselines)
            if "random selection" in baselines:
                random_gain = case.difference - baselines["random selection"]
                baselines["maximum of random selection"] = random_gain
            cases.append(replace(case, name=f"{method}, {case.name}", baselines=baselines))
        omitted |= {f"{method}, {name}": reason for name, reason in gains.omitted.items()}
    return Cases(measured=tuple(cases), omitted=omitted, description="maximum over smaller subsets")


def check_better(
    scope: Scope, own: str, others: str | tuple[str, ...], required: float, much: bool = False
) -> Check:
    """Return a check that a method is better than another, or than the best of several."""
    others = (others,) if isinstance(others, str) else others
    return lambda outcomes: judge_better(compare_with_best(scope, outcomes, own, others), required, much)


def check_almost_same(scope: Scope, own: str, other: str, required: float) -> Check:
    """Return a check that two methods are almost the same."""
    return lambda outcomes: judge_small(absolute_differences(scope, outcomes, own, other), required)


def check_best_with_fewer(scope: Scope, methods: tuple[str, ...], required: float) -> Check:
    """Return a check that methods are best with fewer than all features."""
    return lambda outcomes: judge_best_with_fewer(gains_over_all_features(scope, outcomes, methods), required)


def check_readings(readings: Mapping[str, Reading], judge: Callable[[Reading, Outcomes], Verdict]) -> Check:
    """Return a check that combines the verdicts under several readings of the paper."""
    return lambda outcomes: combine({name: judge(reading, outcomes) for name, reading in readings.items()})


def compare_printed(scope: Scope, outcomes: Outcomes, own: str, others: tuple[str, ...]) -> str:
    """Describe how the unmarked published numbers compare; "" if there are none."""
    differences = []
    for outcome, run, measure, _ in scope.runs(outcomes):
        keys = [CellKey(name, run.key, measure, scope.statistic) for name in (own, *others)]
        numbers = [outcome.experiment.published.get(key) for key in keys]
        if all(number is not None and number.mark is None for number in numbers):
            level, *rivals = (float(number.value) for number in numbers if number is not None)
            differences.append(level - max(rivals))
    if not differences:
        return ""
    higher, won, lost = (
        sum(sign * difference > margin for difference in differences)
        for sign, margin in ((1, 0), (1, MIN_TIE_MARGIN), (-1, MIN_TIE_MARGIN))
    )
    return (
        f" In the published numbers without a mark: higher in {higher} of {len(differences)}, by more than "
        f"{MIN_TIE_MARGIN:g} in {won}, lower by more than that in {lost}."
    )
