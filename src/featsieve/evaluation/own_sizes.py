"""The number of features at which each method is as good as at its best, on held-out samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.evaluation.held_out import smallest_sufficient
from featsieve.evaluation.statistics import EQUAL_RTOL, corrected_error

if TYPE_CHECKING:
    from featsieve.evaluation.results import Comparison


@dataclass(frozen=True, eq=False)
class Curves:
    """Means of the main measures of each split and size; larger is better.

    Attributes
    ----------
    values : dict of str to ndarray of shape (n_splits, n_sizes)
        Curves of the methods that finished on every split that random selection finished.
    random : ndarray of shape (n_splits, n_sizes)
        Curves of random selection.
    relative : bool
        Whether sizes are chosen by the gain over random selection; see :class:`Recommendation`.
    ratio : float
        Number of test samples per training sample.
    sign : int
        1, or -1 if the values are those of a measure with the sign changed.
    """

    values: dict[str, np.ndarray]
    random: np.ndarray
    relative: bool
    ratio: float
    sign: int

    @classmethod
    def of(cls, comparison: Comparison) -> Curves:
        """Collect the curves of a comparison."""
        sign = 1 if comparison.measures[comparison.main[0]]["direction"] == "larger" else -1
        by_split: dict[str, dict[int, np.ndarray]] = {}
        for cell, result in comparison.results():
            curves = [result["measures"][key] for key in comparison.main]
            by_split.setdefault(cell.method, {})[cell.split] = sign * np.mean(
                np.array(curves, dtype=np.float64), axis=0
            )
        splits = sorted(by_split.get(RANDOM, {}))
        complete = {
            label: np.array([found[split] for split in splits])
            for label, found in by_split.items()
            if splits and set(splits) <= set(found)
        }
        random = complete.pop(RANDOM, np.empty((0, len(comparison.sizes))))
        complete.pop(ALL, None)
        relative = comparison.info["dataset"]["target"] is None
        return cls(complete, random, relative, comparison.test_ratio(), sign)

    def criterion(self, label: str, splits: Any = slice(None)) -> np.ndarray:
        """Return the values by which sizes and methods are chosen."""
        return (self.values[label] - self.random if self.relative else self.values[label])[splits]

    def own_size(self, label: str, splits: Any = slice(None)) -> int:
        """Return the index of the smallest size within one standard error of the method's best."""
        return smallest_sufficient(self.criterion(label, splits))[1]

    def best(self, labels: Sequence[str], sizes: Mapping[str, int], splits: Any = slice(None)) -> list[str]:
        """Return the method with the best mean at its size, or several if their means are equal."""
        means = {
            label: round(float(self.criterion(label, splits)[:, sizes[label]].mean()), 12) for label in labels
        }
        best = max(means.values())
        return [label for label in labels if means[label] == best]

    def equally_good(self, labels: Sequence[str], splits: Any = slice(None)) -> dict[str, int]:
        """Return the methods within one standard error of the best, with the indices of their own sizes.

        The best method has the best mean at its own size. The standard error is that of the mean difference,
        corrected for the overlap of the training sets.
        """
        sizes = {label: self.own_size(label, splits) for label in labels}
        values = {label: self.criterion(label, splits)[:, size] for label, size in sizes.items()}
        best = values[self.best(labels, sizes, splits)[0]]
        deficits = {label: best - values[label] for label in labels}
        return {
            label: sizes[label]
            for label, deficit in deficits.items()
            if deficit.mean() <= corrected_error(deficit, self.ratio) + EQUAL_RTOL
        }

    def choose(self, labels: Sequence[str], splits: Any = slice(None)) -> tuple[list[str], int]:
        """Return the equally good method that needs the fewest features, and the index of its size.

        Of those with as many features, the one with the best mean is chosen, or several if their means are
        equal.
        """
        sizes = self.equally_good(labels, splits)
        smallest = min(sizes.values())
        fewest = [label for label, size in sizes.items() if size == smallest]
        return self.best(fewest, sizes, splits), smallest


def best_sizes(comparison: Comparison) -> pd.DataFrame:
    """Return the table of :meth:`Comparison.best_sizes`."""
    curves, sizes = Curves.of(comparison), comparison.sizes
    random = curves.sign * curves.random
    rows = []
    for label in comparison.labels:
        if label not in curves.values:
            continue
        values = curves.sign * curves.values[label].mean(axis=0)
        own = curves.own_size(label)
        peak = int(curves.criterion(label).mean(axis=0).argmax())
        rows.append(
            {
                "method": label,
                "n_features": sizes[own],
                "score": values[own],
                "random": random[:, own].mean(),
                "peak_n_features": sizes[peak],
                "peak": values[peak],
            }
        )
    columns = ["method", "n_features", "score", "random", "peak_n_features", "peak"]
    return pd.DataFrame(rows, columns=columns)


def sizes_by_method(comparison: Comparison) -> dict[Any, dict[Any, Any]]:
    """Return the rows of :meth:`Comparison.best_sizes` by the label of the method."""
    return {row["method"]: row for row in comparison.best_sizes().to_dict("records")}


def ordered_labels(comparison: Comparison) -> list[str]:
    """Return the labels as :meth:`Comparison.ordered_labels`."""
    curves, summary = Curves.of(comparison), comparison.summary()
    better = summary.loc[summary["outcome"] == "better", "method"].tolist()
    means = {
        label: float(curves.criterion(label)[:, curves.own_size(label)].mean())
        for label in better
        if label in curves.values
    }
    recommended = comparison.recommend().method  # goes before the methods with the same order
    first = sorted(better, key=lambda label: (-means.get(label, -np.inf), label != recommended))
    return [*first, *(label for label in summary["method"] if label not in better)]
