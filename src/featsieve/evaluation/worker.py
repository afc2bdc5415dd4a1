"""Compute cells in a separate process: fit a method on the training set, measure it on the test set."""

from __future__ import annotations

import gc
import os
import pickle
import random
import signal
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Hashable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from featsieve.datasets.missing import median_imputer
from featsieve.engines.blocks import blas_libraries
from featsieve.evaluation.candidates import ALL, Candidate, feature_order
from featsieve.evaluation.data import make_scaler
from featsieve.evaluation.folds import Fold, LastValues
from featsieve.evaluation.measures.measure import Measure
from featsieve.evaluation.memory import peak_memory, reset_peak_memory
from featsieve.evaluation.splits import Split
from featsieve.evaluation.store import Cell
from featsieve.graphs.graph import Neighbors
from featsieve.graphs.neighbors import shared_neighbors

# Distinct warnings that are stored with a cell.
MAX_WARNINGS = 5
OUT_OF_MEMORY = "not enough memory"


@dataclass(frozen=True, eq=False)
class Setting:
    """Settings that all cells of a run share; ``file`` contains X and y."""

    file: str
    sizes: list[int]
    measures: list[Measure]
    scale: bool
    impute: bool
    draws: int
    n_starts: int
    seed: int
    transductive: bool = False

    def load(self) -> tuple[Any, Any]:
        """Map X and y into memory."""
        return joblib.load(self.file, mmap_mode="r")

    def random_generator(self, label: str, split: int) -> np.random.Generator:
        """Return the random numbers of a cell, which do not depend on when and where it is computed."""
        entropy = [self.seed, split + 1, zlib.crc32(label.encode())]
        return np.random.default_rng(np.random.SeedSequence(entropy))


@dataclass(frozen=True, eq=False)
class Task:
    """A cell to compute.

    Attributes
    ----------
    candidate : Candidate
        Method to fit.
    number : int
        Index of the split; -1 for all samples.
    split : Split or None
        None fits on all samples without measures.
    fitted : Cell or None
        Cell of another split with the same training set, whose order can be reused.
    """

    candidate: Candidate
    number: int
    split: Split | None
    fitted: Cell | None = None


class Cells:
    """The cells of a run that a process computes. Successive cells of a split share its samples."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.X, self.y = setting.load()
        self.last = LastValues()

    def compute(self, task: Task) -> dict[str, Any]:
        """Return the result, seconds and peak memory of a cell. Exceptions of the method propagate."""
        setting, candidate = self.setting, task.candidate
        generator = setting.random_generator(candidate.label, task.number)
        _seed_global_generators(setting.random_generator(f"global {candidate.label}", task.number))
        everything = np.arange(self.X.shape[0])
        split = Split(everything, everything[:0]) if task.split is None else task.split
        samples, fold = self.last.share("split", task.number, lambda: self._prepare(split, task.number))
        seconds: float | None = 0.0
        peak: int | None = 0
        if candidate.estimator is None:
            fit: dict[str, Any] = {"order": None, "scores": None}
        elif task.fitted is not None:
            fit = {key: (task.fitted.result or {})[key] for key in ("order", "scores")}
            seconds, peak = task.fitted.seconds, task.fitted.peak_bytes
        else:
            if setting.transductive and len(split.train) < len(everything):
                whole = Split(everything, everything[:0])
                samples, _ = self.last.share("all samples", None, lambda: self._prepare(whole, -1))
            fit, seconds, peak = _fit(candidate, samples, generator)
        result = fit | {"measures": {}, "n_train": len(split.train), "n_test": len(split.test)}
        if task.split is not None:
            result |= _measure(setting, candidate.label, fold, fit["order"], generator)
        return {"result": result, "seconds": seconds, "peak_bytes": peak}

    def _prepare(self, split: Split, number: int) -> tuple[_Samples, Fold]:
        """Return the samples that methods are fitted on, and the fold that measures compare them on."""
        raw, scaled = _preprocess(self.setting, self.X, *split)
        y_train, y_test = (None if self.y is None else np.asarray(self.y[rows]) for rows in split)
        kmeans = _make_kmeans(self.setting, self.y, number)
        # columns are contiguous, because the curves reorder them
        X_train, X_test = (X if sp.issparse(X) else np.asfortranarray(X) for X in scaled)
        samples = _Samples(raw[0], scaled[0], y_train, _SharedNeighbors(scaled[0]))
        return samples, Fold(X_train, X_test, y_train, y_test, kmeans)


class _Samples(NamedTuple):
    """Samples that methods are fitted on, without and with scaling."""

    raw: Any
    X: Any
    y: np.ndarray | None
    neighbors: _SharedNeighbors


class _SharedNeighbors:
    """Neighbor lists of X, which are found once. Every fit that uses them is charged for the search."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.found: dict[Hashable, tuple[Neighbors, float, int]] = {}

    def start_fit(self) -> None:
        """Start to measure a fit."""
        reset_peak_memory()
        self.memory, self.start = peak_memory(), time.perf_counter()
        self.charged_seconds, self.charged_peak = 0.0, 0

    def cost(self) -> tuple[float, int | None]:
        """Return seconds and peak memory of the fit until now, as if it had found all lists itself."""
        seconds = time.perf_counter() - self.start + self.charged_seconds
        return seconds, None if self.memory is None else max(self._peak(), self.charged_peak)

    def _peak(self) -> int:
        return (peak_memory() or 0) - (self.memory or 0)

    def __call__(self, X: Any, key: Hashable, search: Callable[[], Neighbors]) -> Neighbors:
        if X is not self.X:
            return search()
        if key in self.found:
            lists, seconds, peak = self.found[key]
            self.charged_seconds += seconds
            self.charged_peak = max(self.charged_peak, peak)
            return lists
        start = time.perf_counter()
        lists = search()
        self.found[key] = lists, time.perf_counter() - start, self._peak()
        return lists


def _seed_global_generators(generator: np.random.Generator) -> None:
    """Seed the generators that an estimator may use without asking, so that earlier cells have no effect."""
    seed = int(generator.integers(2**32))
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def _preprocess(setting: Setting, X: Any, *subsets: np.ndarray) -> tuple[list[Any], list[Any]]:
    """Return subsets of the samples without and with scaling; imputer and scaler are fitted on the first."""
    raw = [_take(X, rows) for rows in subsets]
    if setting.impute:
        imputer = median_imputer().fit(raw[0])
        raw = [imputer.transform(subset) if subset.shape[0] else subset for subset in raw]
    if not setting.scale:
        return raw, raw
    scaler = make_scaler(X).fit(raw[0])
    return raw, [scaler.transform(subset) if subset.shape[0] else subset for subset in raw]


def _take(X: Any, rows: np.ndarray) -> Any:
    subset = X[rows]
    return subset if subset.dtype in (np.float32, np.float64) else subset.astype(np.float64)


def _make_kmeans(setting: Setting, y: Any, split: int) -> KMeans | None:
    if not any(measure.target == "clusters" for measure in setting.measures):
        return None
    seed = int(setting.random_generator("k-means", split).integers(2**31))
    return KMeans(np.unique(y).size, n_init=setting.n_starts, random_state=seed)


def _fit(
    candidate: Candidate, samples: _Samples, generator: np.random.Generator
) -> tuple[dict[str, Any], float, int | None]:
    if candidate.uses_labels and samples.y is None:
        raise ValueError("this method needs labels, and there are none.")
    estimator = candidate.estimator
    estimator.set_params(**{name: int(generator.integers(2**31)) for name in candidate.seeds})
    X = samples.raw if candidate.unscaled else samples.X
    y = samples.y if candidate.uses_labels else None
    if candidate.record is None:  # an estimator that overwrites its input must not affect other cells
        X, y = X.copy(), copy(y)
    samples.neighbors.start_fit()
    with shared_neighbors(samples.neighbors):
        estimator.fit(X, y)
    cost = samples.neighbors.cost()
    order = feature_order(estimator, X.shape[1])
    scores = getattr(estimator, "scores_", None)
    if scores is not None and np.shape(scores) != order.shape:
        scores = None
    fit = {"order": order.tolist(), "scores": None if scores is None else np.asarray(scores).tolist()}
    return fit, *cost


def _measure(
    setting: Setting, label: str, fold: Fold, order: list[int] | None, generator: np.random.Generator
) -> dict[str, Any]:
    n_features = fold.X_test.shape[1]
    everything = fold.share(
        "all features", None, lambda: _curves(setting, fold, np.arange(n_features), [n_features])
    )
    # with all features, all orders are the same
    sizes = [size for size in setting.sizes if size < n_features]
    n_repeats = len(setting.sizes) - (0 if label == ALL else len(sizes))
    ends = {key: point * n_repeats for key, point in everything.items()}
    if label == ALL:
        return {"measures": ends}

    def curves(order: np.ndarray) -> dict[str, list[float]]:
        if not sizes:
            return ends
        return {key: curve + ends[key] for key, curve in _curves(setting, fold, order, sizes).items()}

    if order is not None:
        return {"measures": curves(np.array(order))}
    draws = [curves(generator.permutation(n_features)) for _ in range(setting.draws)]
    by_key = {key: [draw[key] for draw in draws] for key in draws[0]}
    means = {key: np.mean(drawn, axis=0).tolist() for key, drawn in by_key.items()}
    return {"measures": means, "draws": by_key}


def _curves(setting: Setting, fold: Fold, order: np.ndarray, sizes: list[int]) -> dict[str, list[float]]:
    return {measure.key: _curve(measure, fold, order, sizes).tolist() for measure in setting.measures}


def _curve(measure: Measure, fold: Fold, order: np.ndarray, sizes: list[int]) -> np.ndarray:
    values = np.asarray(measure.curve(fold, order, sizes))
    if values.shape != (len(sizes),):
        found = values.size if values.ndim == 1 else f"an array of shape {values.shape}"
        raise ValueError(
            f"measure {measure.key!r} must return one value per size (here {len(sizes)}); got {found}."
        )
    return values


def serve(setting: bytes, limits: dict[str, int], connection: Connection) -> None:
    """Compute the tasks that the parent process sends, and send each answer; exit if the parent exits.

    ``limits`` are the numbers of threads of "openmp" and of "blas". Where the peak memory of a process cannot
    be reset, compute a single task.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops this process
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    # libraries that are loaded later read these variables
    for name, kind in (("OMP", "openmp"), ("OPENBLAS", "blas"), ("MKL", "blas"), ("BLIS", "blas")):
        os.environ[f"{name}_NUM_THREADS"] = str(limits[kind])
    gc.freeze()  # collect only the garbage of the cells
    cells: list[Cells] = []

    def compute(task: bytes) -> dict[str, Any]:
        if not cells:
            cells.append(Cells(pickle.loads(setting)))
        return cells[0].compute(pickle.loads(task))

    can_measure_again = reset_peak_memory()
    # the connection is closed when the parent ends
    with blas_libraries().limit(limits=limits), suppress(EOFError, ConnectionError):
        is_usable = True
        while is_usable:
            answer = _answer(compute, connection.recv_bytes())
            is_usable = can_measure_again and answer.get("error") != OUT_OF_MEMORY
            connection.send((answer, is_usable))


def _answer(compute: Callable[[bytes], dict[str, Any]], task: bytes) -> dict[str, Any]:
    """Return the result of a task and its warnings, or its error."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = compute(task)
    except MemoryError:
        return {"error": OUT_OF_MEMORY}
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        return {"error": kind + (" ".join(str(error).split()) or type(error).__name__)}
    messages = dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
    answer["result"]["warnings"] = list(messages)[:MAX_WARNINGS]
    return answer


def _exit_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
