"""What came of an experiment, beside what the paper prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from featsieve.reproduction.schema import Experiment, Mark, Number, Place, Row

# Accuracies are shares of at most some ten thousand samples: what differs by less is the same.
_SAME = 1e-7
# Tables cut digits off after two.
_CUT = 0.01
# Statistics that are counts and must be equal.
COUNTS = ("argmax", "dimension")


@dataclass(frozen=True, eq=False)
class Finding:
    """What one run gave.

    Attributes
    ----------
    sizes : list of int
    curves : dict
        Label to measure to the mean over the splits at each size, in percent where the measure is a share.
    spreads : dict
        The same of the standard deviation.
    orders : dict
        Label to the features, best first, of the first split.
    values : dict
        What a computation gave.
    info : dict
        Run, data hash, protocol, seed, versions, when it was finished.
    errors : dict
        Label to the messages of splits that failed.
    tied : dict
        Label to the largest share of the features that have one and the same score, on average over the
        splits: where it is 1 nothing was chosen.
    """

    sizes: list[int] = field(default_factory=list)
    curves: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    spreads: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    orders: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)
    tied: dict[str, float] = field(default_factory=dict)

    @property
    def repeats(self) -> tuple[int, str]:
        """How many splits, rounds of folds or clusterings the numbers are means of, and which of these."""
        count, unit = self.info.get("repeats", (1, "split"))
        return count, unit

    @property
    def n_samples(self) -> int:
        """How many samples there are; 0 where that is not known."""
        return self.info.get("dataset", {}).get("n_samples") or 0

    @property
    def n_features(self) -> int:
        """How many features there are, whatever the largest size is."""
        return self.info.get("dataset", {}).get("n_features") or max(self.sizes, default=0)

    def statistic(self, label: str, measure: str, name: str, near: Any = None) -> Any:
        """A number of a method, None where it was not measured; ``near`` decides between equal maxima."""
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
            best = [
                size for size, value in zip(self.sizes, curve, strict=True) if value > curve.max() - _SAME
            ]
            return int(near) if near in best else best[0]
        size = int(name.removeprefix("size "))
        return float(curve[self.sizes.index(size)]) if size in self.sizes else None


@dataclass(frozen=True)
class Cell:
    """A number beside the printed one.

    Attributes
    ----------
    place : Place
    paper, ours : float, str or None
    difference : float or None
    same : bool or None
        Whether they agree; None where there is nothing to compare, or the printed number cannot be right.
    mark : str
        What is wrong with the printed number, "" for nothing.
    evidence : str
    """

    place: Place
    paper: float | str | None
    ours: float | str | None
    difference: float | None = None
    same: bool | None = None
    mark: str = ""
    evidence: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """An experiment and what its runs gave.

    Attributes
    ----------
    experiment : Experiment
    findings : dict
        By the key of the run; those that could be carried out.
    missing : dict
        Why the others could not.
    """

    experiment: Experiment
    findings: dict[str, Finding]
    missing: dict[str, str]

    def rows(self) -> list[Row]:
        """The methods that are shown."""
        return [row for row in self.experiment.rows if row.statistics]

    def value(self, row: str, column: str, measure: str, statistic: str) -> Any:
        """What was measured there, None where nothing was."""
        record = next(each for each in self.experiment.rows if each.name == row)
        printed = self.experiment.published.get(Place(row, column, measure, statistic))
        if column not in self.findings:
            return None
        label = record.label_for(measure, column)
        near = None if printed is None else printed.value
        return self.findings[column].statistic(label, measure, statistic, near)

    def cells(self) -> Iterator[Cell]:
        """Every number, by measure, row, statistic and column."""
        for measure in self.experiment.measures:
            for row in self.rows():
                for statistic in row.statistics:
                    names = ("max", "argmax") if statistic == "max" else (statistic,)
                    for name in names:
                        for run in self.experiment.runs:
                            yield self.cell(Place(row.name, run.key, measure, name))

    def cell(self, place: Place) -> Cell:
        """The number at that place."""
        printed, ours = self.experiment.published.get(place), self.value(*place)
        if printed is None:
            return Cell(place, None, ours)
        difference, same = None, None
        if ours is not None and not isinstance(printed.value, str):
            difference = float(ours) - printed.value
            same = abs(difference) <= self._limit(place, printed.value)
            if place.statistic == "argmax" and not self.experiment.repeatable:
                same = None
        elif ours is not None:
            same = ours == printed.value
        if printed.given or not self._comparable(place.column):
            same = None
        if printed.mark is None or not self._stands(place, printed.mark):
            return Cell(place, printed.value, ours, difference, same)
        evidence = self._evidence(place, printed, printed.mark, ours)
        return Cell(place, printed.value, ours, difference, None, printed.mark.kind, evidence)

    def _limit(self, place: Place, printed: float) -> float:
        if place.statistic in COUNTS:
            return 0.0
        relative = self.experiment.relative
        return self.experiment.tolerance if relative is None else relative * abs(printed)

    def _comparable(self, column: str) -> bool:
        return column not in self.findings or self.findings[column].info.get("comparable", True)

    def _evidence(self, place: Place, printed: Number, mark: Mark, ours: Any) -> str:
        said = [f"{mark.text}."] if mark.text else []
        if mark.source is not None:
            said += self._exchange(place, printed, mark.source)
        every = self._all_features(place)
        if mark.kind == "impossible" and not mark.text and every is not None:
            said.append(f"All features reach {show(every)} here, and a maximum includes them.")
        if mark.kind == "misprint":
            places = [each for each in self.experiment.published if each.row == place.row]
            known = [same for each in places if (same := self.cell_unmarked(each)) is not None]
            said.append(f"{sum(known)} of the {len(known)} cells of this row that have no mark come out.")
        if ours is not None:
            said.append(f"Measured: {show(ours)}.")
        return " ".join(said)

    def _exchange(self, place: Place, printed: Number, source: Place) -> Iterator[str]:
        """What the other cell prints, and which of the two numbers was measured where."""
        other = self.experiment.published[source].value
        where = " ".join(part for part in source if part not in place) or "another cell"
        if other == printed.value:
            yield f"The same number stands under {where} ({show(other)})."
            return
        for measured, stands, text in (
            (place, source, f"The number measured here stands under {where} ({show(other)})."),
            (source, place, f"The printed number is what was measured for {where}."),
        ):
            there = self._stands_at(measured, stands)
            if there and place.statistic == "max":
                sizes = (each._replace(statistic="argmax") for each in (measured, stands))
                text = text if self._stands_at(*sizes) else f"{text[:-1]}, with another number of features."
            if there:
                yield text

    def _stands_at(self, measured: Place, printed: Place) -> bool:
        """Whether the number that was measured at one place is printed at another."""
        ours, paper = self.value(*measured), float(self.experiment.published[printed].value)
        return ours is not None and abs(float(ours) - paper) <= self._limit(measured, paper)

    def _all_features(self, place: Place) -> float | None:
        finding = self.findings.get(place.column)
        return None if finding is None else finding.statistic("all", place.measure, "mean")

    def _stands(self, place: Place, mark: Mark) -> bool:
        """Whether what was measured bears a mark out: a maximum is impossible below all features alone."""
        every = self._all_features(place)
        if mark.kind != "impossible" or mark.text or every is None:
            return True
        return every > float(self.experiment.published[place._replace(statistic="max")].value) + _CUT

    def cell_unmarked(self, place: Place) -> bool | None:
        """Whether the number there comes out; None where it has a mark or cannot be compared."""
        return None if self.experiment.published[place].mark else self.cell(place).same

    def agreement(self) -> tuple[int, int]:
        """How many printed numbers that have no mark come out, and how many there are."""
        known = [cell.same for cell in self.cells() if cell.same is not None]
        return sum(known), len(known)


def show(value: Any, digits: int = 2) -> str:
    """A number as tables print it; counts have no digits after the point."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, str | int) else f"{value:.{digits}f}"
