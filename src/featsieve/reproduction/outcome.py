"""Results of an experiment next to the published numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from featsieve.reproduction.formatting import format_number
from featsieve.reproduction.schema import CellKey, Experiment, Mark, PublishedNumber, Row

# Accuracies are fractions of at most about 10,000 samples, so smaller differences are rounding.
MAXIMUM_ATOL = 1e-7
# Published tables are truncated to two decimals.
TRUNCATION = 0.01
# Statistics that must be equal.
COUNTS = ("argmax", "dimension")


class Repeats(NamedTuple):
    """Number of independent repeats that a mean is computed from.

    Attributes
    ----------
    number : int
        How often the measurement was repeated.
    unit : str
        "split", "round", "clustering" or "timing".
    """

    number: int
    unit: str


@dataclass(frozen=True, eq=False)
class RunResult:
    """Results of one run.

    Attributes
    ----------
    sizes : list of int, default=[]
        Numbers of features.
    curves : dict, default={}
        Label to measure to the mean over splits at each size, in percent for fractions.
    stds : dict, default={}
        Label to measure to the standard deviation over splits at each size.
    orders : dict, default={}
        Label to the order of the features in the first split, best first.
    values : dict, default={}
        Result of a computation.
    info : dict, default={}
        Run, hash of the data, protocol, seed, versions, and time of completion.
    errors : dict, default={}
        Label to the messages of failed splits.
    tied : dict, default={}
        Label to the largest fraction of features that share one score, averaged over splits. If it is 1,
        the method selects nothing.
    """

    sizes: list[int] = field(default_factory=list)
    curves: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    stds: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    orders: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)
    tied: dict[str, float] = field(default_factory=dict)

    @property
    def repeats(self) -> Repeats:
        """Number of independent repeats and their unit."""
        return Repeats(*self.info.get("repeats", (1, "split")))

    @property
    def n_samples(self) -> int:
        """Number of samples; 0 if unknown."""
        return self.info.get("dataset", {}).get("n_samples") or 0

    @property
    def n_features(self) -> int:
        """Number of features of the dataset, which may exceed the largest size."""
        return self.info.get("dataset", {}).get("n_features") or max(self.sizes, default=0)

    def statistic(self, label: str, measure: str, name: str, preferred_size: Any = None) -> Any:
        """Return a statistic of a method, or None if it was not measured.

        If several sizes reach the maximum, "argmax" is ``preferred_size`` if that is one of them, otherwise
        the smallest.
        """
        if name == "order":
            order = self.orders.get(label)
            return None if order is None else ", ".join(str(feature + 1) for feature in order)
        if label in self.values:
            return self.values[label].get(name)
        curve = self.curves.get(label, {}).get(measure)
        if curve is None or np.isnan(curve).any():
            return None
        if name == "mean":
            return float(curve.mean())
        if name == "max":
            return float(curve.max())
        if name == "argmax":
            best = [self.sizes[index] for index in np.flatnonzero(curve > curve.max() - MAXIMUM_ATOL)]
            return int(preferred_size) if preferred_size in best else best[0]
        size = int(name.removeprefix("size "))
        return float(curve[self.sizes.index(size)]) if size in self.sizes else None


@dataclass(frozen=True)
class Cell:
    """Our number next to the published one.

    Attributes
    ----------
    paper, ours : float, str or None
        The two numbers; None where there is none.
    difference : float or None, default=None
        Our number minus the published one.
    same : bool or None, default=None
        Whether they agree; None if they cannot be compared.
    mark, evidence : str, default=""
        Kind of error in the published number and its evidence.
    """

    paper: float | str | None
    ours: float | str | None
    difference: float | None = None
    same: bool | None = None
    mark: str = ""
    evidence: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """An experiment and the results of its runs.

    Attributes
    ----------
    experiment : Experiment
        The table or figure.
    results : dict
        Key of the run to its result, for the completed runs.
    missing : dict
        Key of the run to the reason why it could not be run.
    """

    experiment: Experiment
    results: dict[str, RunResult]
    missing: dict[str, str]

    def rows(self) -> list[Row]:
        """Return the methods to show."""
        return [row for row in self.experiment.rows if row.statistics]

    def value(self, row: str, column: str, measure: str, statistic: str) -> Any:
        """Return our number, or None if it was not measured."""
        label = self.experiment.row(row).label_for(measure, column)
        if column not in self.results:
            return None
        printed = self.experiment.published.get(CellKey(row, column, measure, statistic))
        preferred_size = None if printed is None else printed.value
        return self.results[column].statistic(label, measure, statistic, preferred_size)

    def cells(self) -> dict[CellKey, Cell]:
        """Return every number, ordered by measure, row, statistic and column."""
        keys = (
            CellKey(row.name, run.key, measure, statistic)
            for measure in self.experiment.measures
            for row in self.rows()
            for shown in row.statistics
            for statistic in (("max", "argmax") if shown == "max" else (shown,))
            for run in self.experiment.runs
        )
        return {key: self.cell(key) for key in keys}

    def cell(self, key: CellKey) -> Cell:
        """Return our number and the published one."""
        printed, ours = self.experiment.published.get(key), self.value(*key)
        if printed is None:
            return Cell(None, ours)
        difference, same = None, None
        if ours is not None and not isinstance(printed.value, str):
            difference = float(ours) - printed.value
            same = abs(difference) <= self._tolerance(key, printed.value)
        elif ours is not None:
            same = ours == printed.value
        mark, evidence = "", ""
        if printed.mark is not None and self._is_confirmed(key, printed.mark):
            mark, evidence = printed.mark.kind, self._evidence(key, printed, printed.mark, ours)
        result = self.results.get(key.column)
        counted = printed.counted and (result is None or result.info.get("comparable", True))
        if mark or not counted or (key.statistic == "argmax" and not self.experiment.same_splits):
            same = None
        return Cell(printed.value, ours, difference, same, mark, evidence)

    def agreement(self) -> tuple[int, int]:
        """Count the unmarked published numbers that are reproduced, and those that are compared."""
        same = [cell.same for cell in self.cells().values() if cell.same is not None]
        return sum(same), len(same)

    def _tolerance(self, key: CellKey, printed: float) -> float:
        if key.statistic in COUNTS:
            return 0.0
        relative = self.experiment.relative_tolerance
        return self.experiment.tolerance if relative is None else relative * abs(printed)

    def _is_confirmed(self, key: CellKey, mark: Mark) -> bool:
        """Whether measurements confirm a mark: a maximum is impossible if all features reach more."""
        all_features = self._all_features(key)
        if mark.kind != "impossible" or mark.evidence or all_features is None:
            return True
        maximum = self.experiment.published[key._replace(statistic="max")].value
        return all_features > float(maximum) + TRUNCATION

    def _all_features(self, key: CellKey) -> float | None:
        result = self.results.get(key.column)
        return None if result is None else result.statistic("all", key.measure, "mean")

    def _evidence(self, key: CellKey, printed: PublishedNumber, mark: Mark, ours: Any) -> str:
        sentences = [f"{mark.evidence}."] if mark.evidence else []
        if mark.source is not None:
            sentences += self._source_evidence(key, printed, mark.source)
        all_features = self._all_features(key)
        if mark.kind == "impossible" and not mark.evidence and all_features is not None:
            sentences.append(
                f"All features reach {format_number(all_features)} here, and the maximum includes them."
            )
        if mark.kind == "misprint":
            unmarked = [
                other
                for other, number in self.experiment.published.items()
                if other.row == key.row and number.mark is None
            ]
            same = [agrees for other in unmarked if (agrees := self.cell(other).same) is not None]
            sentences.append(f"{sum(same)} of the {len(same)} unmarked cells of this row are reproduced.")
        if ours is not None:
            sentences.append(f"Measured: {format_number(ours)}.")
        return " ".join(sentences)

    def _source_evidence(self, key: CellKey, printed: PublishedNumber, source: CellKey) -> Iterator[str]:
        """Yield whether the same number, or our measurement of one cell, is printed in the other cell."""
        other = self.experiment.published[source].value
        measure = source.measure.upper() if source.measure != key.measure else ""
        changed = [part for part in (source.row, source.column) if part not in key]
        location = " ".join(filter(None, (measure, *changed))) or "another cell"
        number = format_number(other)
        if other == printed.value:
            yield f"The same number is printed for {location} ({number})."
            return
        for measured, printed_at, sentence in (
            (key, source, f"Our measurement is printed for {location} ({number})"),
            (source, key, f"The printed number is our measurement for {location}"),
        ):
            if not self._is_printed_at(measured, printed_at):
                continue
            same_size = key.statistic != "max" or self._is_printed_at(
                measured._replace(statistic="argmax"), printed_at._replace(statistic="argmax")
            )
            yield f"{sentence}." if same_size else f"{sentence}, with a different number of features."

    def _is_printed_at(self, measured: CellKey, printed_at: CellKey) -> bool:
        """Whether our number for one cell is printed in another."""
        ours, paper = self.value(*measured), float(self.experiment.published[printed_at].value)
        return ours is not None and abs(float(ours) - paper) <= self._tolerance(measured, paper)
