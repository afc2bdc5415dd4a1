"""Carrying out experiments, once: what a store holds already is read from it."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from featsieve.datasets import load
from featsieve.datasets.catalog import find_entry
from featsieve.datasets.errors import DataError
from featsieve.evaluation import (
    Cell,
    Clustering,
    Comparison,
    Execution,
    Plan,
    RepeatedFolds,
    Store,
    compare,
)
from featsieve.evaluation.data import prepare as describe
from featsieve.evaluation.versions import LIBRARIES, versions
from featsieve.reproduction.outcome import Finding, Outcome
from featsieve.reproduction.protocols import Leading
from featsieve.reproduction.schema import Computation, Experiment, Paper, Run, Verdict


@dataclass(eq=False)
class Session:
    """Carries out experiments and remembers what they gave.

    Parameters
    ----------
    store : str or path
        SQLite file that keeps every finished piece; the same call goes on where it stopped.
    quick : bool, default=True
        Take the quick form of each run.
    n_jobs : int, default=-1
        As in the runner.
    progress : callable, default=None
        Called with the run and, for comparisons, the finished cell and how many there will be.
    """

    store: Any = ":memory:"
    quick: bool = True
    n_jobs: int | None = -1
    progress: Callable[[Any, Cell | None, int], Any] | None = None

    def __post_init__(self) -> None:
        self._known: dict[Any, Finding] = {}

    def carry_out(self, experiment: Experiment) -> Outcome:
        """Every run of the experiment whose data is there."""
        findings, missing = {}, {}
        for run in experiment.runs:
            try:
                findings[run.key] = self.finding(run)
            except DataError as error:
                missing[run.key] = str(error)
        return Outcome(experiment, findings, missing)

    def finding(self, run: Run | Computation) -> Finding:
        """What the run gives; DataError where its data is not there or cannot be read."""
        if run not in self._known:
            chosen = run.quickly() if self.quick else run
            if self.progress is not None:
                self.progress(chosen, None, 0)
            self._known[run] = self._compare(chosen) if isinstance(chosen, Run) else self._compute(chosen)
        return self._known[run]

    def _compare(self, run: Run) -> Finding:
        dataset = load(run.dataset, isolated=True)
        protocol = run.protocol(find_entry(run.dataset)) if callable(run.protocol) else run.protocol
        X, y = dataset.raw if run.impute else dataset.X, dataset.y
        if run.prepare is not None:
            X, y = run.prepare(X, y)
        assert y is not None  # what papers use has classes
        sizes = range(1, X.shape[1] + 1) if run.sizes is None else run.sizes
        plan = Plan(protocol, sizes, run.measures, "classes", run.scale, run.impute, run.draws)
        tell = None if self.progress is None else lambda cell, total: self.progress(run, cell, total)  # type: ignore[misc]
        # nothing of a paper is learnt from all samples and measured on none
        execution = Execution(self.store, self.n_jobs, progress=tell, ranking=False, retry=True)
        known = replace(dataset, X=X, y=y, raw=X)
        found = _found(compare(known, methods=dict(run.methods), plan=plan, execution=execution))
        found.info.update(repeats=_repeats(protocol, len(y)), comparable=run.comparable)
        return found

    def _compute(self, run: Computation) -> Finding:
        dataset = None if run.dataset is None else load(run.dataset, isolated=True)
        X, y = (None, None) if dataset is None else (dataset.X, dataset.y)
        info = {
            "computation": run.function.__qualname__,
            "dataset": {
                "name": run.dataset,
                "hash": None if dataset is None else describe(dataset, None, "classes", False).info["hash"],
            },
            "parameters": json.loads(json.dumps(dict(run.parameters))),
            "versions": {name: versions(run.function)[name] for name in ("python", *LIBRARIES)},
        }
        run_id = hashlib.sha256(json.dumps(info, sort_keys=True).encode()).hexdigest()[:24]
        with Store(self.store) as store:
            if not store.cells(run_id):
                start = time.perf_counter()
                values = run.function(X, y, **run.parameters)
                store.add_run(run_id, info)
                store.put(
                    run_id, Cell("values", 0, "ok", None, time.perf_counter() - start, None, "", values)
                )
            cell = store.cells(run_id)[0]
        values = cell.result or {}
        repeats = (run.parameters.get("n_repeats", 1), "split")
        info |= {"run": run_id, "finished": cell.finished, "repeats": repeats}
        info["seed"] = run.parameters.get("seed")
        return Finding(values=values, info=info)


def _found(comparison: Comparison) -> Finding:
    curves: dict[str, dict[str, np.ndarray]] = {}
    spreads: dict[str, dict[str, np.ndarray]] = {}
    orders: dict[str, list[int]] = {}
    tied: dict[str, float] = {}
    good = [cell for cell in comparison.cells if cell.status == "ok" and cell.result]
    for label in comparison.labels:
        results = [cell.result for cell in good if cell.method == label and cell.split >= 0 and cell.result]
        for key, measure in comparison.measures.items():
            if results:
                values = np.array([each["measures"][key] for each in results], dtype=np.float64)
                values *= 100 if measure["percent"] else 1
                curves.setdefault(label, {})[key] = values.mean(axis=0)
                spreads.setdefault(label, {})[key] = values.std(axis=0)
        if results and results[0].get("order") is not None:
            orders[label] = results[0]["order"]
        scores = [each["scores"] for each in results if each.get("scores")]
        if scores:
            tied[label] = float(np.mean([max(Counter(each).values()) / len(each) for each in scores]))
    data = comparison.info["dataset"]
    info = {
        "run": comparison.run_id,
        "dataset": {key: data[key] for key in ("name", "n_samples", "n_features", "n_classes", "hash")},
        "protocol": comparison.info["protocol"]["description"],
        "seed": comparison.info["seed"],
        "draws": comparison.info["draws"],
        "versions": comparison.info["versions"],
        "finished": max((cell.finished for cell in good), default=""),
    }
    errors = {label: comparison.errors(label) for label in comparison.labels}
    errors = {label: found for label, found in errors.items() if found}
    return Finding(comparison.sizes, curves, spreads, orders, {}, info, errors, tied)


def _repeats(protocol: Any, n_samples: int) -> tuple[int, str]:
    """How many independent looks a mean comes from: rounds of folds, clusterings, splits.

    A split that is fixed counts once for each 1000 samples it is measured on.
    """
    if isinstance(protocol, RepeatedFolds):
        return protocol.n_repeats, "round"
    if isinstance(protocol, Leading):
        test = protocol.splits(n_samples, None, 0)[0].test if not protocol.per_class else ()
        return max(1, len(test) // 1000), "split"
    return protocol.n_splits, "clustering" if isinstance(protocol, Clustering) else "split"


def judge(paper: Paper, outcomes: Mapping[str, Outcome]) -> list[tuple[Any, Verdict]]:
    """The claims that the outcomes say something about, with their verdicts."""
    found = []
    for claim in paper.claims:
        if claim.check is None:
            if all(each.key in outcomes for each in paper.experiments):
                found.append((claim, Verdict("cannot be tested", claim.reason)))
        elif all(key in outcomes for key in claim.experiments):
            empty = [key for key in claim.experiments if not outcomes[key].findings]
            if empty:
                why = f"{', '.join(empty)} could not be run: data is missing, or cannot be read."
                found.append((claim, Verdict("cannot be tested", why)))
            else:
                found.append((claim, claim.check(outcomes)))
    return found
