"""Compare methods: run every method on every split in worker processes and store each result."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike

from featsieve.engines.tasks import active_client
from featsieve.evaluation import worker
from featsieve.evaluation.candidates import Candidate, choose_candidates, names_groups
from featsieve.evaluation.cluster import Cluster
from featsieve.evaluation.correlated import correlated_features
from featsieve.evaluation.data import Data, prepare, ranges_differ
from featsieve.evaluation.grouped import keep_groups, without_strata
from featsieve.evaluation.measures import Measure, are_uneven, choose_measures
from featsieve.evaluation.plan import Execution, Plan
from featsieve.evaluation.process import ProcessPool, dump, start_context, thread_limits
from featsieve.evaluation.protocols import RepeatedSplits
from featsieve.evaluation.remote import RemoteCells
from featsieve.evaluation.results import Comparison
from featsieve.evaluation.splits import Split, Splitter
from featsieve.evaluation.store import Cell, Store, now, to_json
from featsieve.evaluation.suitability import describe_slow, leave_out
from featsieve.evaluation.versions import LIBRARIES, defining_modules, versions
from featsieve.evaluation.worker import Setting, Task
from featsieve.types import MatrixLike


def compare(
    X: MatrixLike,
    y: ArrayLike | None = None,
    methods: Any = None,
    plan: Plan | Splitter | None = None,
    execution: Execution | None = None,
) -> Comparison:
    """Compare feature selection methods with each other and with random selection.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or Dataset
        Samples, or the dataset that :func:`featsieve.datasets.load` returns.
    y : array-like of shape (n_samples,), default=None
        Classes or numeric target. None uses the labels of the Dataset, if there are any.
    methods : str, estimator, iterable of them, or dict of str to estimator, default=None
        Names of methods (see :func:`featsieve.methods`), "all", "unsupervised", "supervised" or estimators.
        A name followed by "+labels" passes the labels to a method that can do without. None selects every
        method that suits the data; of large data, those that are estimated to fit into the budget. Random
        selection, all features and variance are always included. ``Comparison.left_out`` has the others.
    plan : Plan or protocol, default=None
        Settings that determine the results. A protocol stands for ``Plan(protocol)``.
    execution : Execution, default=None
        Settings of the computation: store, parallel cells, timeout.

    Returns
    -------
    Comparison
        Curves, tables and rankings.

    Notes
    -----
    Imputation, scaling, graphs and selection are fitted on the training set of each split only, unless the
    protocol is transductive. All methods use the same splits. The cells (method, split) run in worker
    processes, so that a timeout can stop a cell, its peak memory can be measured, and a crash is recorded as
    any other failure. Each finished cell is stored at once; the same call resumes an interrupted comparison.
    The random numbers of a cell depend on the seed, the method and the split only. With an active
    ``dask.distributed`` client, the cells are computed on its cluster, with the same results.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Plan, RepeatedSplits, compare
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = compare(X, y, ["fisher", "laplacian"], Plan(RepeatedSplits(3), draws=5))
    >>> comparison.summary()["method"].tolist()[0]
    'laplacian'
    """
    execution = Execution() if execution is None else execution
    plan = Plan() if plan is None else plan if isinstance(plan, Plan) else Plan(plan)
    data = prepare(X, y, plan.target, plan.impute)
    plan = replace(plan, protocol=keep_groups(plan.protocol, data.groups))
    protocol = plan.protocol
    n_entries = data.X.shape[0] * data.X.shape[1]
    candidates = choose_candidates(methods, data.y is not None, data.target == "numeric")
    scale = ranges_differ(data.X) if plan.scale == "auto" else bool(plan.scale)
    splits = protocol.splits(data.X.shape[0], data.classes, plan.seed)
    min_test_size = min(len(split.test) for split in splits)
    measures = choose_measures(
        plan.measures, data.target, plan.is_clustering, min_test_size, are_uneven(data.info["class_counts"])
    )
    info = _describe(data, plan, measures, scale)
    info |= {"command": execution.command, "ranking": execution.ranking, "selection": execution.selection}
    with Store(execution.store or ":memory:") as store:
        run_id = _run_id(info, measures)
        stored = store.runs().get(run_id)
        left_out: list[dict[str, str]] = []
        if methods is None or names_groups(methods):
            budget = execution.budget if methods is None or execution.budget else math.inf
            n_fits = 1 + (1 if protocol.transductive else protocol.n_splits)
            if stored is None:
                candidates, left_out = leave_out(candidates, data, n_fits, budget)
                slow = describe_slow(candidates, data, n_fits) if budget == math.inf else None
                if slow and execution.notify:
                    execution.notify(slow)
            else:  # a resumed comparison has the same methods, whatever the times are now
                left_out = stored.get("left_out") or []
                excluded = {row["method"] for row in left_out}
                candidates = [candidate for candidate in candidates if candidate.label not in excluded]
        info["left_out"] = left_out
        store.add_run(run_id, info)
        for candidate in candidates:
            store.add_method(run_id, candidate.label, candidate.info(), candidate.source)
        run = _Run(store, run_id, execution, candidates, protocol.transductive)
        tasks = _make_tasks(candidates, splits, execution.ranking)
        tasks = [task for task in tasks if not run.is_done(task)]
        if tasks:
            with tempfile.TemporaryDirectory(prefix="featsieve-") as folder:
                file = str(Path(folder) / "data.joblib")
                joblib.dump((data.X, data.y), file)
                setting = Setting(
                    file,
                    info["sizes"],
                    measures,
                    scale,
                    data.impute,
                    plan.draws_per_split,
                    protocol.parameters().get("n_starts", 1),
                    plan.seed,
                    protocol.transductive,
                )
                run.compute(setting, tasks, n_entries)
        comparison = Comparison.of(store, run_id)
        update: dict[str, Any] = {"correlated": correlated_features(data.X, _recommended_order(comparison))}
        if execution.selection:
            update |= {"selection": list(execution.selection)}
        store.update_run(run_id, update)
        return Comparison.of(store, run_id)


def _recommended_order(comparison: Comparison) -> np.ndarray:
    """Return the first features of the recommended method, none if nothing is recommended."""
    recommendation = comparison.recommend()
    order = comparison.orders().get(recommendation.method or "")
    if order is None:
        return np.empty(0, dtype=np.intp)
    names = {feature.name for feature in recommendation.features}
    columns = [index for index, name in enumerate(comparison.columns) if name in names]
    return order[np.isin(comparison.origins[order], columns)]


def _make_tasks(candidates: list[Candidate], splits: list[Split], ranking: bool) -> list[Task]:
    tasks = [
        Task(candidate, number, split) for number, split in enumerate(splits) for candidate in candidates
    ]
    ranked = [candidate for candidate in candidates if ranking and candidate.estimator is not None]
    return tasks + [Task(candidate, -1, None) for candidate in ranked]


def _describe(data: Data, plan: Plan, measures: list[Measure], scale: bool) -> dict[str, Any]:
    """Return the description of a run that is stored."""
    protocol: Any = plan.protocol
    described = without_strata(protocol) if data.classes is None else protocol
    notes = list(data.info["notes"])
    if plan.scale == "auto" and scale:
        scope = "on each training set"
        if protocol.transductive:
            scope = "on all samples for selection and on each training set for the measures"
        notes.append(f"The columns have different units, so they are standardized {scope}.")
    n_singletons = sum(count == 1 for count in (data.info["class_counts"] or {}).values())
    if n_singletons and isinstance(protocol, RepeatedSplits) and protocol.stratified:
        classes = "1 class has" if n_singletons == 1 else f"{n_singletons} classes have"
        notes.append(f"{classes} a single sample, which is always in the training set.")
    return {
        "dataset": data.info | {"notes": notes},
        "protocol": {
            "name": protocol.name,
            "description": described.description,
            "n_splits": protocol.n_splits,
            "parameters": protocol.parameters(),
            "transductive": protocol.transductive,
            "sees_labels": False,
        },
        "sizes": plan.check_sizes(data.X.shape[1]),
        "measures": [measure.info() for measure in measures],
        "seed": plan.seed,
        "draws": plan.draws_per_split,
        "versions": versions(worker, protocol, *(measure.curve for measure in measures)),
        "scale": scale,
        "impute": data.impute,
    }


def _run_id(info: dict[str, Any], measures: list[Measure]) -> str:
    """Hash everything that determines the results, except the methods."""
    content = {key: info[key] for key in ("sizes", "seed", "draws", "scale", "impute")} | {
        "data": info["dataset"]["hash"],
        "target": info["dataset"]["n_classes"],
        "protocol": [info["protocol"]["name"], info["protocol"]["parameters"]],
        "measures": [[measure.key, getattr(measure.curve, "__qualname__", "")] for measure in measures],
        "versions": {library: info["versions"][library] for library in LIBRARIES},
    }
    text = json.dumps(json.loads(to_json(content)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class _Run:
    """The cells of a run that remain to be computed, and the processes that compute them."""

    def __init__(
        self, store: Store, run_id: str, execution: Execution, candidates: list[Candidate], transductive: bool
    ) -> None:
        self.store, self.run_id, self.execution = store, run_id, execution
        # all splits of a transductive protocol share one fit
        self.fits: dict[str, Cell] | None = None
        if transductive:
            self.fits = {cell.method: cell for cell in store.cells(run_id) if cell.status == "ok"}
        # all cells must run the code that was hashed, even if a file changes in the meantime
        self.modules = defining_modules(part for candidate in candidates for part in candidate.components)
        self.lock = threading.Lock()
        # a process computes the cells of one split after the other, because they share its samples
        self.groups: dict[int, list[Task]] = {}
        self.stopped = False
        self.n_tasks = 0

    def is_done(self, task: Task) -> bool:
        """Return whether the cell is stored, and did not fail if failures are to be retried."""
        candidate = task.candidate
        status = self.store.status(self.run_id, candidate.label, task.number, candidate.source)
        return status == "ok" or (status is not None and not self.execution.retry)

    def compute(self, setting: Setting, tasks: list[Task], n_entries: int) -> None:
        """Compute the cells in parallel and store each as soon as it is finished."""
        self.n_tasks = len(tasks)
        for task in tasks:
            self.groups.setdefault(0 if self.fits is not None else task.number, []).append(task)
        client = active_client()
        if client is not None:
            cells = RemoteCells.of(setting, self.modules, n_entries)
            Cluster(client, cells, self.execution).compute(self._take_tasks, self._record)
            return
        n_jobs = min(joblib.effective_n_jobs(self.execution.n_jobs), len(tasks))
        n_threads = max(1, joblib.cpu_count() // n_jobs)
        limits = thread_limits(n_threads, n_entries)
        processes = ProcessPool(start_context(self.modules), setting, limits)
        pool = joblib.Parallel(n_jobs=n_jobs, backend="threading", batch_size=1)
        try:
            pool(joblib.delayed(self._compute_cells)(processes) for _ in range(n_jobs))
        finally:
            self._stop(processes)

    def _compute_cells(self, processes: ProcessPool) -> None:
        """Compute one cell after the other until none is left."""
        try:
            for task in self._take_tasks():
                answer = processes.compute(dump(task), task.number, self.execution.timeout)
                if answer is None:
                    return
                self._record(task, answer)
        except BaseException:
            self._stop(processes)  # the other threads too
            raise

    def _take_tasks(self) -> Iterator[Task]:
        """Yield the tasks of one group after the other, until all groups are empty."""
        group: list[Task] = []
        while True:
            with self.lock:
                group = group or max(self.groups.values(), key=_priority)
                if self.stopped or not group:
                    return
                task = group.pop(0)
            if self.is_done(task):  # another process may have finished it in the same store
                continue
            if self.fits is not None and not task.candidate.seeds:
                task = replace(task, fitted=self.fits.get(task.candidate.label))
            yield task

    def _record(self, task: Task, answer: dict[str, Any]) -> None:
        candidate = task.candidate
        status = answer.pop("status", "failed" if "error" in answer else "ok")
        cell = Cell(candidate.label, task.number, status, finished=now(), source=candidate.source, **answer)
        self.store.put(self.run_id, cell, replace=self.execution.retry)
        if self.fits is not None and status == "ok":
            self.fits.setdefault(candidate.label, cell)
        if self.execution.progress is not None:
            self.execution.progress(cell, self.n_tasks)

    def _stop(self, processes: ProcessPool) -> None:
        self.stopped = True
        processes.stop()


def _priority(group: list[Task]) -> tuple[bool, int]:
    """Rank the tasks of all samples first, so that no process waits for them at the end."""
    return any(task.number < 0 for task in group), len(group)
