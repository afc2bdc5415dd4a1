"""Run experiments and store their results."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from featsieve.datasets import load
from featsieve.datasets.catalog import find_entry
from featsieve.datasets.errors import DataError
from featsieve.evaluation import Cell, Clustering, Comparison, Execution, Plan, RepeatedFolds, Store, compare
from featsieve.evaluation.data import prepare
from featsieve.evaluation.versions import LIBRARIES, versions
from featsieve.reproduction.outcome import Outcome, Repeats, RunResult
from featsieve.reproduction.protocols import LeadingSamples
from featsieve.reproduction.schema import Computation, Experiment, Run


@dataclass(eq=False)
class Session:
    """Run experiments; results that the store contains are not recomputed.

    Parameters
    ----------
    store : str or path, default=":memory:"
        SQLite file for finished results. An interrupted session resumes from it.
    quick : bool, default=True
        Whether to run the quick form of each run.
    n_jobs : int or None, default=-1
        As in the runner.
    progress : callable, default=None
        Called with the run, a finished cell and the number of cells; when a run starts, with its full form,
        None and 0.
    """

    store: str | os.PathLike[str] = ":memory:"
    quick: bool = True
    n_jobs: int | None = -1
    progress: Callable[[Run | Computation, Cell | None, int], object] | None = None

    def __post_init__(self) -> None:
        self._results: dict[Run | Computation, RunResult] = {}

    def run_experiment(self, experiment: Experiment) -> Outcome:
        """Run every part of the experiment for which data is available."""
        results, missing = {}, {}
        for run in experiment.runs:
            try:
                results[run.key] = self.run(run)
            except DataError as error:
                missing[run.key] = str(error)
        return Outcome(experiment, results, missing)

    def run(self, run: Run | Computation) -> RunResult:
        """Run a comparison or computation; raise DataError if its data is missing or unreadable."""
        if run not in self._results:
            form = run.quick_form() if self.quick else run
            if self.progress is not None:
                self.progress(run, None, 0)
            self._results[run] = self._compare(form) if isinstance(form, Run) else self._compute(form)
        return self._results[run]

    def _compare(self, run: Run) -> RunResult:
        dataset = load(run.dataset, isolated=True)
        protocol = run.protocol(find_entry(run.dataset)) if callable(run.protocol) else run.protocol
        X, y = dataset.raw if run.impute else dataset.X, dataset.y
        if run.prepare is not None:
            X, y = run.prepare(X, y)
        assert y is not None  # every dataset of the papers has classes
        sizes = range(1, X.shape[1] + 1) if run.sizes is None else run.sizes
        plan = Plan(protocol, sizes, run.measures, "classes", run.scale, run.impute, run.draws)
        progress = None if self.progress is None else partial(self.progress, run)
        # The rankings of the full data are not needed.
        execution = Execution(self.store, self.n_jobs, progress=progress, ranking=False, retry=True)
        prepared = replace(dataset, X=X, y=y, raw=X)
        result = _as_result(compare(prepared, methods=dict(run.methods), plan=plan, execution=execution))
        result.info.update(repeats=count_repeats(protocol, len(y)), comparable=run.comparable)
        return result

    def _compute(self, run: Computation) -> RunResult:
        dataset = None if run.dataset is None else load(run.dataset, isolated=True)
        X, y = (None, None) if dataset is None else (dataset.X, dataset.y)
        software = versions(run.function)
        info = {
            "computation": run.function.__qualname__,
            "dataset": {
                "name": run.dataset,
                "hash": None if dataset is None else prepare(dataset, None, "classes", False).info["hash"],
            },
            "parameters": json.loads(json.dumps(dict(run.parameters))),
            "versions": {name: software[name] for name in ("python", *LIBRARIES)},
        }
        run_id = hashlib.sha256(json.dumps(info, sort_keys=True).encode()).hexdigest()[:24]
        with Store(self.store) as store:
            if not store.cells(run_id):
                start = time.perf_counter()
                values = run.function(X, y, **run.parameters)
                seconds = time.perf_counter() - start
                store.add_run(run_id, info)
                store.put(run_id, Cell("values", 0, "ok", seconds=seconds, result=values))
            cell = store.cells(run_id)[0]
        info |= {
            "run": run_id,
            "finished": cell.finished,
            "repeats": Repeats(run.parameters.get("n_repeats", 1), "split"),
            "seed": run.parameters.get("seed"),
        }
        return RunResult(values=cell.result or {}, info=info)


def count_repeats(protocol: Any, n_samples: int) -> Repeats:
    """Count the independent repeats of a protocol: rounds of folds, clusterings, or splits.

    A single fixed split counts once per 1000 test samples.
    """
    if isinstance(protocol, RepeatedFolds):
        return Repeats(protocol.n_repeats, "round")
    if isinstance(protocol, LeadingSamples):
        n_test = 0 if protocol.per_class else len(protocol.splits(n_samples, None, 0)[0].test)
        return Repeats(max(1, n_test // 1000), "split")
    return Repeats(protocol.n_splits, "clustering" if isinstance(protocol, Clustering) else "split")


def _as_result(comparison: Comparison) -> RunResult:
    result = RunResult(sizes=comparison.sizes)
    finished = [cell for cell in comparison.cells if cell.status == "ok" and cell.result]
    for label in comparison.labels:
        splits = [
            cell.result for cell in finished if cell.method == label and cell.split >= 0 and cell.result
        ]
        for key, measure in comparison.measures.items() if splits else ():
            values = np.array([split["measures"][key] for split in splits], dtype=np.float64)
            values *= 100 if measure["percent"] else 1
            result.curves.setdefault(label, {})[key] = values.mean(axis=0)
            result.stds.setdefault(label, {})[key] = values.std(axis=0)
        if splits and splits[0].get("order") is not None:
            result.orders[label] = splits[0]["order"]
        scores = [split["scores"] for split in splits if split.get("scores")]
        if scores:
            tied = [max(Counter(split_scores).values()) / len(split_scores) for split_scores in scores]
            result.tied[label] = float(np.mean(tied))
        if errors := comparison.errors(label):
            result.errors[label] = errors
    data = comparison.info["dataset"]
    result.info.update(
        run=comparison.run_id,
        dataset={key: data[key] for key in ("name", "n_samples", "n_features", "n_classes", "hash")},
        protocol=comparison.info["protocol"]["description"],
        seed=comparison.info["seed"],
        draws=comparison.info["draws"],
        versions=comparison.info["versions"],
        finished=max((cell.finished for cell in finished), default=""),
    )
    return result
