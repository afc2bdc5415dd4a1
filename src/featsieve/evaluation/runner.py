"""Compare methods: every method on every split, in processes of their own, each result kept at once."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import pickle
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import joblib

from featsieve.evaluation.candidates import SMALL, Candidate, choose
from featsieve.evaluation.data import Data, prepare, units_differ
from featsieve.evaluation.measures import Measure, choose_measures
from featsieve.evaluation.plan import Execution, Plan
from featsieve.evaluation.protocols import RepeatedSplits, Split
from featsieve.evaluation.results import Comparison
from featsieve.evaluation.store import Cell, Store, as_json, now
from featsieve.evaluation.versions import LIBRARIES, versions
from featsieve.evaluation.worker import Setting, Task, main

# Seconds that a pipe can be asked to wait; whoever says more means for ever.
_LONGEST = 10**6


def compare(
    X: Any, y: Any = None, methods: Any = None, plan: Any = None, execution: Execution | None = None
) -> Comparison:
    """Find out which selection of features helps, and whether it beats picking at random.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features) or Dataset
        Array, data frame or sparse matrix, or what :func:`featsieve.datasets.load` returns.
    y : array of shape (n_samples,), default=None
        Classes or numbers to be predicted; that of the Dataset where there is one.
    methods : str, estimator, iterable of them, or dict from label to estimator, default=None
        Names of methods (see :func:`featsieve.methods`), "all", "unsupervised" or "supervised". A method
        that can do without labels gets them under its name followed by "+labels". None is every method that
        the data allows, or the quick ones for data of more than 200,000 numbers. Random selection, all
        features and variance are always there.
    plan : Plan or protocol, default=None
        What decides the results. A protocol stands for ``Plan(protocol)``.
    execution : Execution, default=None
        Where to keep results, how many cells to compute at a time, how long each may take.

    Returns
    -------
    Comparison

    Notes
    -----
    Imputation, scaling, graphs and selection are fitted on the training part of each split alone, unless the
    protocol says otherwise, and all methods get the same splits. Every cell (method, split) runs in a process
    of its own: it can be stopped when its time is over, its peak memory is its own, and when it crashes that
    is recorded like any other failure. With a store, each finished cell is written at once, and the same call
    goes on where it stopped. Random numbers of a cell depend on the seed, the method and the split alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Plan, RepeatedSplits, compare
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare(X, y, ["fisher", "laplacian"], Plan(RepeatedSplits(3), draws=5))
    >>> found.summary()["method"].tolist()[0]
    'all'
    """
    execution = Execution() if execution is None else execution
    plan = Plan() if plan is None else plan if isinstance(plan, Plan) else Plan(plan)
    data = prepare(X, y, plan.target, plan.impute)
    small = data.X.shape[0] * data.X.shape[1] <= SMALL
    candidates = choose(methods, data.y is not None, data.target == "numeric", small)
    scale = units_differ(data.X) if plan.scale == "auto" else bool(plan.scale)
    splits = plan.protocol.splits(data.X.shape[0], data.classes, plan.seed)
    fewest = min(len(split.test) for split in splits)
    measures = choose_measures(plan.measures, data.target, plan.clusters, fewest)
    info = _info(data, plan, measures, scale)
    info |= {"command": execution.command, "ranking": execution.ranking}
    with Store(execution.store or ":memory:") as store:
        run_id = _run_id(info)
        store.add_run(run_id, info)
        for candidate in candidates:
            store.add_method(run_id, candidate.label, candidate.info())
        run = _Run(store, run_id, execution, plan.protocol.transductive)
        with tempfile.TemporaryDirectory(prefix="featsieve-") as folder:
            file = str(Path(folder) / "data.joblib")
            keys = [measure.key for measure in measures]
            n_starts = plan.protocol.parameters().get("n_starts", 1)
            setting = Setting(
                file,
                info["sizes"],
                keys,
                scale,
                data.impute,
                plan.draws_each(),
                n_starts,
                plan.seed,
                plan.protocol.transductive,
            )
            tasks = run.missing(_tasks(candidates, splits, execution.ranking))
            if tasks:
                joblib.dump((data.X, data.y), file)
                run.compute(setting, tasks)
        return Comparison.of(store, run_id)


def _tasks(candidates: list[Candidate], splits: list[Split], ranking: bool) -> list[Task]:
    found = [Task(each, number, split) for number, split in enumerate(splits) for each in candidates]
    fitted = [each for each in candidates if ranking and each.estimator is not None]
    return found + [Task(each, -1, None) for each in fitted]


def _info(data: Data, plan: Plan, measures: list[Measure], scale: bool) -> dict[str, Any]:
    protocol: Any = plan.protocol
    # without classes there is nothing to stratify by
    told = (
        replace(protocol, stratified=False)
        if data.classes is None and hasattr(protocol, "stratified")
        else protocol
    )
    notes = list(data.info["notes"])
    if plan.scale == "auto" and scale:
        by = "all samples to choose and by each training part to measure" if protocol.transductive else ""
        notes.append(
            f"The columns have different units, so they are standardized by {by or 'each training part'}."
        )
    single = sum(count == 1 for count in (data.info["class_counts"] or {}).values())
    if single and isinstance(protocol, RepeatedSplits) and protocol.stratified:
        classes = "1 class has" if single == 1 else f"{single} classes have"
        notes.append(f"{classes} a single sample, which is learnt from and never measured on.")
    return {
        "dataset": data.info | {"notes": notes},
        "protocol": {
            "name": protocol.name,
            "description": told.description,
            "n_splits": protocol.n_splits,
            "parameters": protocol.parameters(),
            "transductive": protocol.transductive,
            "sees_labels": False,
        },
        "sizes": plan.checked_sizes(data.X.shape[1]),
        "measures": [measure.info() for measure in measures],
        "seed": plan.seed,
        "draws": plan.draws_each(),
        "versions": versions(),
        "scale": scale,
        "impute": data.impute,
    }


def _run_id(info: dict[str, Any]) -> str:
    decides = {key: info[key] for key in ("sizes", "seed", "draws", "scale", "impute")} | {
        "data": info["dataset"]["hash"],
        "target": info["dataset"]["n_classes"],
        "protocol": [info["protocol"]["name"], info["protocol"]["parameters"]],
        "measures": [measure["key"] for measure in info["measures"]],
        "versions": {name: info["versions"][name] for name in LIBRARIES},
    }
    plain = json.dumps(json.loads(as_json(decides)), sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:24]


class _Run:
    """The cells of a run that are to be computed, and the processes that compute them."""

    def __init__(self, store: Store, run_id: str, execution: Execution, transductive: bool) -> None:
        self.store, self.run_id, self.execution = store, run_id, execution
        # where all splits have the same training part, a fit does for all of them
        self.fits: dict[str, Cell] | None = None
        if transductive:
            self.fits = {cell.method: cell for cell in store.cells(run_id) if cell.status == "ok"}
        kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self.context: Any = multiprocessing.get_context(kind)
        if kind == "forkserver":
            # all that decides results, as it is now
            self.context.set_forkserver_preload(
                ["featsieve.evaluation._preload", "featsieve.reproduction.readings"]
            )
        self.lock = threading.Lock()
        self.running: set[Any] = set()
        self.stopped = False
        self.total = 0

    def missing(self, tasks: list[Task]) -> list[Task]:
        """The tasks whose cells are not there, or failed and are to be tried again."""
        return [task for task in tasks if not self._done(task)]

    def _done(self, task: Task) -> bool:
        status = self.store.status(self.run_id, task.candidate.label, task.number)
        return status == "ok" or (status is not None and not self.execution.retry)

    def compute(self, setting: Setting, tasks: list[Task]) -> None:
        """Compute the cells, some at a time, and keep each as soon as it is there."""
        self.total = len(tasks)
        n_jobs = min(joblib.effective_n_jobs(self.execution.n_jobs), len(tasks))
        n_threads = max(1, joblib.cpu_count() // n_jobs)
        pool = joblib.Parallel(n_jobs=n_jobs, backend="threading", batch_size=1)
        try:
            pool(joblib.delayed(self._cell)(setting, task, n_threads) for task in tasks)
        finally:  # after an interrupt no process is left behind
            with self.lock:
                self.stopped = True
                for process in self.running:
                    process.kill()

    def _cell(self, setting: Setting, task: Task, n_threads: int) -> None:
        label = task.candidate.label
        if self.stopped or self._done(task):  # by another process that works on the same store
            return
        if self.fits is not None and not task.candidate.seeds:
            task = replace(task, fitted=self.fits.get(label))
        # by value where it comes from a script, which the other process does not know
        payload = pickle.dumps(joblib.wrap_non_picklable_objects((setting, task), keep_wrapper=False))
        answer = self._ask(payload, n_threads)
        if self.stopped:
            return
        status = answer.pop("status", "failed" if "error" in answer else "ok")
        cell = Cell(label, task.number, status, finished=now(), **answer)
        self.store.put(self.run_id, cell, replace=self.execution.retry)
        if self.fits is not None and status == "ok":
            self.fits.setdefault(label, cell)
        if self.execution.progress is not None:
            self.execution.progress(cell, self.total)

    def _ask(self, payload: bytes, n_threads: int) -> dict[str, Any]:
        """What a process of its own makes of the task."""
        receiver, sender = self.context.Pipe(duplex=False)
        process = self.context.Process(target=main, args=(payload, n_threads, sender), daemon=True)
        with self.lock:
            if self.stopped:
                return {}
            with _without_main():
                process.start()
            self.running.add(process)
        sender.close()
        timeout = self.execution.timeout
        try:
            if not receiver.poll(timeout if timeout is None or timeout < _LONGEST else None):
                return {"status": "timeout", "error": f"stopped after {timeout:g} seconds"}
            return receiver.recv()
        except EOFError:
            with self.lock:
                process.join()
            return {"error": f"the process died ({_reason(process.exitcode)})"}
        finally:
            receiver.close()
            process.kill()
            with self.lock:
                process.join()
                self.running.discard(process)
            process.close()


def _reason(code: int | None) -> str:
    if code == -9:
        return "killed, perhaps for want of memory"
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not run the script of the user again: they need nothing from it."""
    main_module = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main_module
