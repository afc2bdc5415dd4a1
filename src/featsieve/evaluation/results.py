"""Results of a comparison: curves, tables, rankings, from a store that may be incomplete."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from featsieve.datasets.errors import list_names
from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.evaluation.own_sizes import best_sizes, ordered_labels
from featsieve.evaluation.protocols import Clustering
from featsieve.evaluation.recommendation import Recommendation, recommend
from featsieve.evaluation.statistics import log_auc, stability
from featsieve.evaluation.store import Cell, Store
from featsieve.evaluation.suitability import describe_left_out
from featsieve.evaluation.verdicts import compare_with_random
from featsieve.notebook import comparison_html
from featsieve.wording import counted


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of one run.

    Parameters
    ----------
    run_id : str
        Identifier of the run in its store.
    info : dict
        Dataset, protocol, sizes, measures, methods, seed and versions; see
        :mod:`featsieve.evaluation.store`.
    cells : list of Cell
        Finished cells.

    See Also
    --------
    compare : Run a comparison.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Plan, RepeatedSplits, compare
    >>> comparison = compare(*load_iris(return_X_y=True), "fisher", Plan(RepeatedSplits(2), draws=2))
    >>> comparison.labels
    ['random', 'all', 'variance', 'fisher']
    """

    run_id: str
    info: dict[str, Any]
    cells: list[Cell]

    def __repr__(self) -> str:
        dataset = self.info["dataset"]
        n_methods = sum(label not in (RANDOM, ALL) for label in self.labels)
        return (
            f"<Comparison of {counted(n_methods, 'method')} on {dataset['name']}: "
            f"{counted(dataset['n_samples'], 'sample')}, {counted(dataset['n_features'], 'feature')}, "
            f"{counted(self.info['protocol']['n_splits'], 'split')}>"
        )

    def _repr_html_(self) -> str:
        return comparison_html(self)

    @classmethod
    def read(cls, path: str | os.PathLike[str], run_id: str | None = None) -> Comparison:
        """Read a run from a store.

        Parameters
        ----------
        path : str or path
            File of the store.
        run_id : str, default=None
            Identifier of the run, or its first characters. None reads the latest run.

        Returns
        -------
        Comparison
            Results of the run.
        """
        with Store(path, create=False) as store:
            return cls.of(store, run_id)

    @classmethod
    def of(cls, store: Store, run_id: str | None = None) -> Comparison:
        """Read a run from an open store, as :meth:`read`."""
        runs = store.runs()
        if not runs:
            raise ValueError(f"the store {store.path} has no runs.")
        matches = list(runs) if run_id is None else [known for known in runs if known.startswith(run_id)]
        if not matches or (run_id is not None and run_id not in matches and len(matches) > 1):
            known = ", ".join(run[:12] for run in runs)
            raise ValueError(f"the store {store.path} has no run {run_id!r}; it has {known}.")
        run = run_id if run_id in matches else matches[-1]
        methods, info = store.methods(run), runs[run]
        protocol = info["protocol"]
        sees_labels = protocol["transductive"] and any(method["uses_labels"] for method in methods.values())
        info |= {"methods": methods, "protocol": protocol | {"sees_labels": sees_labels}}
        return cls(run, info, store.cells(run))

    @property
    def sizes(self) -> list[int]:
        """Numbers of features at which the measures were computed."""
        return self.info["sizes"]

    @property
    def measures(self) -> dict[str, dict[str, Any]]:
        """Measures by key."""
        return {measure["key"]: measure for measure in self.info["measures"]}

    @property
    def labels(self) -> list[str]:
        """Labels of the methods, in the order in which they were added."""
        return list(self.info["methods"])

    @property
    def notes(self) -> list[str]:
        """Sentences on decisions about the data and the methods."""
        dataset = self.info["dataset"]
        notes = list(dataset.get("notes") or [])
        if any(key.startswith("balanced") for key in self.main):
            notes.append(
                "The classes have different sizes, so the measures count every class equally, however small."
            )
        for label, method in self.info["methods"].items():
            share = (method.get("parameters") or {}).get("step", 1)
            if share < 1 and (step := int(share * dataset["n_features"])) > 1:
                notes.append(
                    f"{label} drops {step} features in each round; IterativeScore() drops one at a time."
                )
        return notes

    @property
    def left_out(self) -> list[str]:
        """Sentences on the methods that were left out, and why."""
        return describe_left_out(self.info.get("left_out") or [])

    @property
    def complete(self) -> bool:
        """Whether every method has a cell, computed or failed, for every split and for the ranking."""
        n_ranked = sum(cell.split < 0 for cell in self.cells)
        expected = len(self.labels) - 2 if n_ranked or self.info.get("ranking", True) else 0
        n_measured = len(self.cells) - n_ranked
        return n_ranked >= expected and n_measured >= len(self.labels) * self.info["protocol"]["n_splits"]

    @property
    def main(self) -> list[str]:
        """Keys of the main measures; methods are compared by the mean of these."""
        return [key for key, measure in self.measures.items() if measure.get("main")]

    def results(
        self, label: str | None = None, ranking: bool = False
    ) -> Iterator[tuple[Cell, dict[str, Any]]]:
        """Yield the computed cells, of the splits or of the ranking, and their results."""
        for cell in self.cells:
            matches = (cell.split < 0) == ranking and label in (None, cell.method)
            if matches and cell.status == "ok" and cell.result:
                yield cell, cell.result

    def to_frame(self) -> pd.DataFrame:
        """Return the curves: one row per method, split, size and measure."""
        rows = [
            (cell.method, cell.split, size, key, math.nan if value is None else value)
            for cell, result in self.results()
            for key, curve in result["measures"].items()
            for size, value in zip(self.sizes, curve, strict=True)
        ]
        return pd.DataFrame(rows, columns=["method", "split", "size", "measure", "value"])

    def areas(self, keys: Sequence[str] | None = None) -> dict[str, dict[int, float]]:
        """Return the area under the curve over log sizes by method and split, averaged over the measures."""
        keys = self.main if keys is None else keys
        areas: dict[str, dict[int, float]] = {label: {} for label in self.labels}
        for cell, result in self.results():
            curves = np.array([result["measures"][key] for key in keys], dtype=np.float64)
            areas.setdefault(cell.method, {})[cell.split] = float(log_auc(curves, self.sizes).mean())
        return areas

    def table(self) -> pd.DataFrame:
        """Compare each method with random selection, by each measure.

        Returns
        -------
        DataFrame
            One row per method and measure: the numbers of ``splits`` that were computed and that ``failed``;
            ``mean_over_sizes``, the mean height of the curve over log sizes, with its 95% interval; ``gain``
            over random selection, positive if the method is better, with an interval that holds for 20
            methods together, see :func:`featsieve.evaluation.verdicts.simultaneous_interval`; ``p`` of the
            corrected resampled t test and ``p_corrected`` for 20 methods;
            ``p_wilcoxon`` of Wilcoxon's test, which assumes independent splits, so that it is too small;
            ``wins``, ``ties`` and ``losses`` against random selection over the splits; ``outcome``
            ("better", "unclear", "worse", "untested" with fewer than 5 splits, "reference", "failed" or
            "missing"); ``verdict``, a short sentence. A method is better or worse if the interval of its gain
            does not contain 0.
        """
        return pd.concat([compare_with_random(self, [key]) for key in self.measures], ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """Compare each method with random selection by the mean of the main measures, best first.

        Returns
        -------
        DataFrame
            One row per method, with the columns of :meth:`table`.
        """
        table = compare_with_random(self, self.main)
        return table.sort_values("gain", ascending=False, kind="stable", ignore_index=True)

    @property
    def columns(self) -> list[str]:
        """Columns of the table. They are the features, unless text or dates were encoded as several."""
        dataset = self.info["dataset"]
        return dataset.get("columns") or dataset["feature_names"]

    @property
    def origins(self) -> np.ndarray:
        """Index of the column that each feature was encoded from."""
        dataset = self.info["dataset"]
        return np.array(dataset.get("origins") or range(dataset["n_features"]))

    def orders(self) -> dict[str, np.ndarray]:
        """Return the order of the features, best first, of each method fitted on all samples."""
        orders = {
            cell.method: np.array(result["order"])
            for cell, result in self.results(ranking=True)
            if result.get("order")
        }
        return {label: orders[label] for label in self.labels if label in orders}

    def leaders(self, order: np.ndarray) -> np.ndarray:
        """Return the best feature of each column in an order of the features, the best column first."""
        _, first = np.unique(self.origins[order], return_index=True)
        return order[np.sort(first)]

    def ranking(self) -> pd.DataFrame:
        """Rank the columns of the table by each method fitted on all samples.

        Returns
        -------
        DataFrame
            Indexed by the names of the columns, in the order of the recommended method, or of the data if
            there is none. It has the ranks (1 is best) by each method; ``column``, the index of the column;
            and ``consensus``, the mean rank over the methods that beat random selection, NaN if there are
            none. A column that was encoded as several features has the rank of the best of them.
        """
        summary, method = self.summary(), self.recommend().method
        ranks = {
            label: np.argsort(self.origins[self.leaders(order)]) + 1 for label, order in self.orders().items()
        }
        frame = pd.DataFrame(ranks, index=pd.Index(self.columns, name="name"))
        frame.insert(0, "column", np.arange(len(frame)))
        better = summary.loc[summary["outcome"] == "better", "method"]
        frame["consensus"] = frame[[label for label in better if label in ranks]].mean(axis=1)
        return frame.sort_values(method if method in ranks else "column", kind="stable")

    def best_sizes(self) -> pd.DataFrame:
        """Compute how many features each method needs, by the mean of the main measures.

        Returns
        -------
        DataFrame
            One row per method that finished on every split: ``n_features``, the smallest size within one
            standard error of the method's own best, with its mean ``score`` and that of as many ``random``
            features; ``peak_n_features`` and ``peak``, the best size and its mean. Without labels, the best
            size is that of the largest gain over random selection.
        """
        return best_sizes(self)

    def ordered_labels(self) -> list[str]:
        """Return the labels of the methods and of random selection.

        Those that beat random selection come first, sorted by their mean at their own size; the others follow
        by their gain.
        """
        return ordered_labels(self)

    @property
    def reference_scores(self) -> dict[str, float]:
        """Mean of the main measures with all features ("all"), and without any ("trivial").

        "trivial" always predicts the largest class, or the mean of a numeric target. Without labels, there is
        neither: all features preserve all neighbors.
        """
        areas, dataset = self.areas().get(ALL), self.info["dataset"]
        if dataset["target"] is None:
            return {}
        scores = {ALL: float(np.mean(list(areas.values())))} if areas else {}
        counts = list((dataset.get("class_counts") or {}).values())
        shares = {"majority": max(counts) / sum(counts), "even": 1 / len(counts)} if counts else {}
        trivial: list[Any] = [self.measures[key].get("trivial") for key in self.main]
        if None not in trivial:
            scores["trivial"] = float(np.mean([shares.get(value, value) for value in trivial]))
        return scores

    def recommend(self) -> Recommendation:
        """Recommend a method, a number of features, and the features.

        Returns
        -------
        Recommendation
            The recommendation; its ``method`` is None if no method beats random selection.
        """
        return self._recommendation

    @cached_property
    def _recommendation(self) -> Recommendation:
        return recommend(self)

    def select(self, X: Any) -> Any:
        """Reduce X to the recommended columns.

        Parameters
        ----------
        X : {DataFrame, ndarray, sparse matrix} of shape (n_samples, n_columns)
            Samples with the columns of the comparison. The columns of a data frame, of pandas or polars, are
            found by their names, others by their positions.

        Returns
        -------
        X_selected : {DataFrame, ndarray, sparse matrix}
            The recommended columns, in the order of X.
        """
        recommendation = self.recommend()
        if recommendation.method is None:
            raise ValueError(f"there are no recommended features. {recommendation.reason}")
        names = {feature.name for feature in recommendation.features}
        if hasattr(X, "columns"):
            missing = names.difference(map(str, X.columns))
            if missing:
                listed = list_names(sorted(missing))
                raise ValueError(f"`X` must have the recommended columns; it has none named {listed}.")
            return X[[column for column in X.columns if str(column) in names]]
        if X.shape[1] != len(self.columns):
            raise ValueError(f"`X` must have {len(self.columns)} columns; got {X.shape[1]}.")
        return X[:, [index for index, column in enumerate(self.columns) if column in names]]

    def same_orders(self, label: str) -> tuple[str, ...]:
        """Return the other methods that order the features in the same way on every split."""
        return tuple(other for other in self._twins.get(label, ()) if other != label)

    @cached_property
    def _twins(self) -> dict[str, list[str]]:
        orders: dict[str, dict[int, Any]] = {}
        for cell, result in self.results():
            if result.get("order"):
                orders.setdefault(cell.method, {})[cell.split] = tuple(result["order"])
        groups: dict[Any, list[str]] = {}
        for label in self.labels:
            if label in orders:
                groups.setdefault(frozenset(orders[label].items()), []).append(label)
        return {label: group for group in groups.values() for label in group}

    def seconds(self) -> dict[str, float]:
        """Return the median wall time of a fit by method."""
        times: dict[str, list[float]] = {}
        for cell, _ in self.results():
            if cell.seconds and cell.method not in (RANDOM, ALL):
                times.setdefault(cell.method, []).append(cell.seconds)
        return {label: float(np.median(seconds)) for label, seconds in times.items()}

    def stability(self) -> pd.DataFrame:
        """Compute how well the chosen features agree between splits, by method and size.

        Returns
        -------
        DataFrame
            Columns ``method``, ``size``, ``value``, ``low`` and ``high``. It is empty for a transductive
            protocol, where methods are fitted on the same samples in every split.
        """
        n_features, rows = self.info["dataset"]["n_features"], []
        for label in [] if self.info["protocol"]["transductive"] else self.labels:
            orders = [result["order"] for _, result in self.results(label) if result.get("order")]
            for size in self.sizes if len(orders) > 1 else []:
                selected = np.zeros((len(orders), n_features), dtype=bool)
                np.put_along_axis(selected, np.array(orders)[:, :size], True, axis=1)
                agreement = stability(selected)
                rows.append((label, size, agreement.value, agreement.low, agreement.high))
        return pd.DataFrame(rows, columns=["method", "size", "value", "low", "high"])

    def test_ratio(self) -> float:
        """Return the number of test samples per training sample, 0 if all splits have the same samples."""
        if self.info["protocol"]["name"] == Clustering.name:
            return 0.0
        ratios = [result["n_test"] / result["n_train"] for _, result in self.results()]
        return float(np.mean(ratios)) if ratios else 0.0

    def errors(self, label: str) -> list[str]:
        """Return the distinct error messages of a method."""
        messages = (
            cell.error or cell.status for cell in self.cells if cell.method == label and cell.status != "ok"
        )
        return list(dict.fromkeys(messages))
