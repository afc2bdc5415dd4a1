"""What a comparison found: curves, tables, rankings. Read from a store, whether it is complete or not."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.evaluation.metrics import stability
from featsieve.evaluation.protocols import Clustering
from featsieve.evaluation.statistics import (
    Friedman,
    Interval,
    corrected_interval,
    friedman,
    holm,
    log_auc,
    outcome,
    verdict,
    wilcoxon_p,
)
from featsieve.evaluation.store import Cell, Store

__all__ = ["Cell", "Comparison", "rank_over_datasets"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The cells of one run, and what they say.

    Attributes
    ----------
    run_id : str
    info : dict
        Dataset, protocol, sizes, measures, methods, seed, versions; see the layout of the store.
    cells : list of Cell
        The finished ones.
    """

    run_id: str
    info: dict[str, Any]
    cells: list[Cell]

    @classmethod
    def read(cls, path: str | os.PathLike[str], run_id: str | None = None) -> Comparison:
        """Read a run from a store.

        Parameters
        ----------
        path : str or path
        run_id : str, default=None
            Which run; its first characters are enough. None takes the latest.
        """
        with Store(path, create=False) as store:
            return cls.of(store, run_id)

    @classmethod
    def of(cls, store: Store, run_id: str | None = None) -> Comparison:
        """As :meth:`read`, from an open store."""
        runs = store.runs()
        if not runs:
            raise ValueError(f"the store {store.path} holds no runs.")
        found = list(runs) if run_id is None else [each for each in runs if each.startswith(run_id)]
        if not found or (run_id is not None and run_id not in found and len(found) > 1):
            known = ", ".join(each[:12] for each in runs)
            raise ValueError(f"the store {store.path} has no run {run_id!r}. It has {known}.")
        run = run_id if run_id in found else found[-1]
        methods, info = store.methods(run), runs[run]
        protocol = info["protocol"]
        sees = protocol["transductive"] and any(method["uses_labels"] for method in methods.values())
        return cls(
            run, info | {"methods": methods, "protocol": protocol | {"sees_labels": sees}}, store.cells(run)
        )

    @property
    def sizes(self) -> list[int]:
        """Subset sizes at which the measures were taken."""
        return self.info["sizes"]

    @property
    def measures(self) -> dict[str, dict[str, Any]]:
        """The measures by key."""
        return {measure["key"]: measure for measure in self.info["measures"]}

    @property
    def labels(self) -> list[str]:
        """The methods, in the order in which they were asked for."""
        return list(self.info["methods"])

    @property
    def notes(self) -> list[str]:
        """What was decided about the data and the methods, a sentence each."""
        dataset = self.info["dataset"]
        notes = list(dataset.get("notes") or [])
        for label, method in self.info["methods"].items():
            share = (method.get("parameters") or {}).get("step", 1)
            if share < 1 and (step := int(share * dataset["n_features"])) > 1:
                notes.append(
                    f"{label} drops {step} features in each round here; IterativeScore() drops one at a time."
                )
        return notes

    @property
    def complete(self) -> bool:
        """Whether every method has a cell, good or bad, for every split, and for all samples if asked for."""
        fitted = sum(cell.split < 0 for cell in self.cells)
        wanted = len(self.labels) - 2 if fitted or self.info.get("ranking", True) else 0
        measured = len(self.cells) - fitted
        return fitted >= wanted and measured >= len(self.labels) * self.info["protocol"]["n_splits"]

    @property
    def main(self) -> list[str]:
        """Keys of the measures that say what features are worth."""
        return [key for key, measure in self.measures.items() if measure.get("main")]

    def frame(self) -> pd.DataFrame:
        """The curves: a row for each method, split, size and measure, with the value."""
        rows = [
            (cell.method, cell.split, size, key, math.nan if value is None else value)
            for cell in self.cells
            if cell.status == "ok" and cell.split >= 0 and cell.result is not None
            for key, values in cell.result["measures"].items()
            for size, value in zip(self.sizes, values, strict=True)
        ]
        return pd.DataFrame(rows, columns=["method", "split", "size", "measure", "value"])

    def areas(self, keys: Sequence[str] | None = None) -> dict[str, dict[int, float]]:
        """Area under the curve over log sizes, averaged over the measures, by method and split."""
        keys = self.main if keys is None else keys
        found: dict[str, dict[int, float]] = {label: {} for label in self.labels}
        for cell in self.cells:
            if cell.status != "ok" or cell.split < 0 or cell.result is None:
                continue
            curves = np.array([cell.result["measures"][key] for key in keys], dtype=np.float64)
            found.setdefault(cell.method, {})[cell.split] = float(log_auc(curves, self.sizes).mean())
        return found

    def table(self) -> pd.DataFrame:
        """What each method is worth by each measure.

        Returns
        -------
        DataFrame
            A row for each method and measure: ``splits`` that worked and those ``failed``; ``auc``, the
            area under the curve over log sizes, with its interval; ``gain`` over random selection, positive
            is better whatever the direction of the measure, with its interval; ``p`` of the corrected
            resampled t test and ``p_holm`` corrected for the number of methods; the same of Wilcoxon's
            test, which takes splits for independent and so is too sure; ``wins``, ``ties`` and ``losses``
            against random over the splits; the ``outcome`` ("better", "unclear", "worse", "reference",
            "failed" or "missing"); and the ``verdict`` in words.
        """
        return pd.concat([self._judge([key]) for key in self.measures], ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """As :meth:`table`, a row for each method: the mean of the main measures, best first."""
        found = self._judge(self.main)
        return found.sort_values("gain", ascending=False, kind="stable", ignore_index=True)

    @property
    def columns(self) -> list[str]:
        """The columns of the table: the features, unless text or dates were encoded as several."""
        dataset = self.info["dataset"]
        return dataset.get("columns") or dataset["feature_names"]

    @property
    def origins(self) -> np.ndarray:
        """Which of the columns each feature comes from."""
        dataset = self.info["dataset"]
        return np.array(dataset.get("origins") or range(dataset["n_features"]))

    def orders(self) -> dict[str, np.ndarray]:
        """The features, best first, by each method fitted on all samples."""
        fitted = {
            cell.method: np.array(cell.result["order"])
            for cell in self.cells
            if cell.split == -1 and cell.status == "ok" and cell.result and cell.result.get("order")
        }
        return {label: fitted[label] for label in self.labels if label in fitted}

    def leaders(self, order: np.ndarray) -> np.ndarray:
        """The best feature of each column in an order of the features, the best column first."""
        _, first = np.unique(self.origins[order], return_index=True)
        return order[np.sort(first)]

    def ranking(self) -> pd.DataFrame:
        """The columns of the table by each method fitted on all samples.

        Returns
        -------
        DataFrame
            Indexed by the names of the columns, with ranks (1 is best) by each method, and their mean as
            ``consensus``; the best of the consensus first. ``column`` is the number of the column. One that
            was encoded as several features is ranked by the best of them.
        """
        ranks = {
            label: np.argsort(self.origins[self.leaders(order)]) + 1 for label, order in self.orders().items()
        }
        frame = pd.DataFrame(ranks, index=pd.Index(self.columns, name="name"))
        frame.insert(0, "column", np.arange(len(frame)))
        frame["consensus"] = frame[list(ranks)].mean(axis=1) if ranks else math.nan
        return frame.sort_values("consensus", kind="stable")

    def best(self) -> str | None:
        """The method with the largest gain of those that beat random selection, None where none does."""
        found = self.summary()
        found = found[(found["outcome"] == "better") & ~found["method"].isin([RANDOM, ALL])]
        return None if found.empty else str(found["method"].iloc[0])

    def seconds(self) -> dict[str, float]:
        """Median wall time of a fit, for the methods that fit anything."""
        times: dict[str, list[float]] = {}
        for cell in self.cells:
            if cell.split >= 0 and cell.status == "ok" and cell.seconds and cell.method not in (RANDOM, ALL):
                times.setdefault(cell.method, []).append(cell.seconds)
        return {label: float(np.median(each)) for label, each in times.items()}

    def stability(self) -> pd.DataFrame:
        """How much the chosen features agree from split to split: method, size, value, low, high.

        Empty for a transductive protocol: its methods choose on the same samples every time.
        """
        n_features, rows = self.info["dataset"]["n_features"], []
        for label in [] if self.info["protocol"]["transductive"] else self.labels:
            orders = [
                cell.result["order"]
                for cell in self.cells
                if cell.method == label and cell.split >= 0 and cell.status == "ok" and cell.result
                if cell.result.get("order") is not None
            ]
            for size in self.sizes if len(orders) > 1 and label != ALL else []:
                chosen = np.zeros((len(orders), n_features), dtype=bool)
                np.put_along_axis(chosen, np.array(orders)[:, :size], True, axis=1)
                found = stability(chosen)
                rows.append((label, size, found.value, found.low, found.high))
        return pd.DataFrame(rows, columns=["method", "size", "value", "low", "high"])

    def test_ratio(self) -> float:
        """Test samples for each training sample, 0 where the splits do not differ in samples."""
        if self.info["protocol"]["name"] == Clustering.name:
            return 0.0
        sizes = [
            (cell.result["n_test"], cell.result["n_train"])
            for cell in self.cells
            if cell.split >= 0 and cell.result
        ]
        return float(np.mean([test / train for test, train in sizes])) if sizes else 0.0

    def _judge(self, keys: list[str]) -> pd.DataFrame:
        measures, ratio = [self.measures[key] for key in keys], self.test_ratio()
        sign = 1 if measures[0]["better"] == "larger" else -1
        areas = self.areas(keys)
        reference = areas.get(RANDOM, {})
        rows: list[dict[str, Any]] = []
        gains: list[Interval] = []
        for label in self.labels:
            own = areas[label]
            shared = sorted(set(own) & set(reference))
            change = np.round([sign * (own[split] - reference[split]) for split in shared], 12)
            if label == RANDOM:
                change = np.zeros(0)
            tested = label not in (RANDOM, ALL)
            area, interval = (corrected_interval(each, ratio) for each in (list(own.values()), change))
            gains.append(interval)
            failed = sum(
                cell.method == label and cell.split >= 0 and cell.status != "ok" for cell in self.cells
            )
            rows.append(
                {
                    "method": label,
                    "measure": "+".join(keys),
                    "splits": len(own),
                    "failed": failed,
                    "auc": area.mean,
                    "auc_low": area.low,
                    "auc_high": area.high,
                    "gain": interval.mean,
                    "gain_low": interval.low,
                    "gain_high": interval.high,
                    "p": interval.p if tested else math.nan,
                    "p_wilcoxon": wilcoxon_p(change) if tested else math.nan,
                    "wins": int((change > 0).sum()),
                    "ties": int((change == 0).sum()),
                    "losses": int((change < 0).sum()),
                }
            )
        corrected = zip(
            holm([row["p"] for row in rows]), holm([row["p_wilcoxon"] for row in rows]), strict=True
        )
        percent = all(measure.get("percent") for measure in measures)
        for row, gain, (p, p_wilcoxon) in zip(rows, gains, corrected, strict=True):
            row |= {"p_holm": float(p), "p_wilcoxon_holm": float(p_wilcoxon)}
            row["outcome"] = self._outcome(row, gain)
            row["verdict"] = self._verdict(row, gain, percent)
        return pd.DataFrame(rows)

    @staticmethod
    def _outcome(row: dict[str, Any], gain: Interval) -> str:
        if row["splits"] == 0:
            return "failed" if row["failed"] else "missing"
        if row["method"] == RANDOM:
            return "reference"
        return outcome(gain, gain.p if row["method"] == ALL else row["p_holm"])

    def _verdict(self, row: dict[str, Any], gain: Interval, percent: bool) -> str:
        if row["splits"] == 0:
            return f"failed: {self.errors(row['method'])[0]}" if row["failed"] else "not measured"
        if row["method"] == RANDOM:
            return "the reference"
        if math.isnan(gain.mean):
            return "nothing to compare with: random selection did not finish"
        scale = 100 if percent else 1
        scaled = Interval(gain.mean * scale, gain.low * scale, gain.high * scale, gain.p)
        p = gain.p if row["method"] == ALL else row["p_holm"]
        return verdict(scaled, p, "points" if percent else "")

    def errors(self, label: str) -> list[str]:
        """The different messages of the cells of a method that failed or ran out of time."""
        bad = (
            cell.error or cell.status for cell in self.cells if cell.method == label and cell.status != "ok"
        )
        return list(dict.fromkeys(bad))


def rank_over_datasets(
    comparisons: Sequence[Comparison], measures: Sequence[str] | None = None
) -> tuple[list[str], Friedman]:
    """Mean ranks over datasets of the methods that were measured on all of them.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One for each dataset.
    measures : sequence of str, default=None
        Which to average; None takes the main ones of each comparison.

    Returns
    -------
    labels : list of str
        The methods, best mean rank first.
    ranks : Friedman
        In the order of ``labels``.
    """
    tables = [
        {
            label: float(np.mean(list(areas.values())))
            for label, areas in each.areas(measures).items()
            if areas
        }
        for each in comparisons
    ]
    labels = [label for label in (tables[0] if tables else {}) if all(label in table for table in tables)]
    if len(labels) < 3 or len(tables) < 2:
        raise ValueError("at least 2 comparisons that have 3 methods in common are needed.")
    keys = comparisons[0].main if measures is None else measures
    better = comparisons[0].measures[keys[0]]["better"]
    values = np.array([[table[label] for label in labels] for table in tables])
    mean_ranks = friedman(values, better).mean_ranks
    order = np.argsort(mean_ranks, kind="stable")
    return [labels[place] for place in order], friedman(values[:, order], better)
