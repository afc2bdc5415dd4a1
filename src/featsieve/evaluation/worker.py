"""One cell: fit a method on the training part, measure its order on the test part; a process does this."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer

from featsieve.engines.blocks import blas_libraries
from featsieve.evaluation.candidates import ALL, Candidate, feature_order
from featsieve.evaluation.curves import Fold
from featsieve.evaluation.data import make_scaler
from featsieve.evaluation.measures import Meter
from featsieve.evaluation.protocols import Split
from featsieve.evaluation.store import Cell

# Different warnings that a cell keeps.
_MOST_WARNINGS = 5


@dataclass(frozen=True, eq=False)
class Setting:
    """What all cells of a run share.

    Attributes
    ----------
    data : str
        File with X and y, to be mapped into memory.
    sizes, measures : list
    scale, impute : bool
    draws : int
        Random selections for each split.
    n_starts : int
        Starts of k-means.
    seed : int
    transductive : bool
        Whether methods learn from all samples, whatever the training part is.
    """

    data: str
    sizes: list[int]
    measures: list[str]
    scale: bool
    impute: bool
    draws: int
    n_starts: int
    seed: int
    transductive: bool = False

    def read(self) -> tuple[Any, Any]:
        """X and y, mapped into memory."""
        return joblib.load(self.data, mmap_mode="r")

    def random(self, label: str, split: int) -> np.random.Generator:
        """Random numbers of one cell, whenever and wherever it is computed."""
        entropy = [self.seed, split + 1, zlib.crc32(label.encode())]
        return np.random.default_rng(np.random.SeedSequence(entropy))


@dataclass(frozen=True, eq=False)
class Task:
    """A cell to compute: a candidate on a split, number -1 for all samples without measuring.

    ``fitted`` is the cell of another split that has the same training part, where fitting anew would give
    the same.
    """

    candidate: Candidate
    number: int
    split: Split | None
    fitted: Cell | None = None


def compute(setting: Setting, task: Task) -> dict[str, Any]:
    """The result, seconds and peak memory of a cell; exceptions are those of the method."""
    X, y = setting.read()
    candidate, label = task.candidate, task.candidate.label
    random = setting.random(label, task.number)
    everything = np.arange(X.shape[0])
    split = Split(everything, everything[:0]) if task.split is None else task.split
    raw, parts = _prepared(setting, X, split)
    labels = [None if y is None else np.asarray(y[part]) for part in split]
    fold = Fold(parts[0], parts[1], labels[0], labels[1])
    if candidate.estimator is None:
        found: dict[str, Any] = {"order": None, "scores": None}
        seconds: float | None = 0.0
        peak: int | None = 0
    elif task.fitted is not None:
        found = {key: (task.fitted.result or {})[key] for key in ("order", "scores")}
        seconds, peak = task.fitted.seconds, task.fitted.peak_bytes
    else:
        if setting.transductive and len(split.train) < X.shape[0]:
            raw, parts = _prepared(setting, X, (everything,))
            labels = [None if y is None else np.asarray(y)]
        found, seconds, peak = _fit(candidate, raw[0] if candidate.raw else parts[0], labels[0], random)
    result = found | {"measures": {}, "n_train": len(split.train), "n_test": len(split.test)}
    if task.split is not None:
        kmeans = None
        if y is not None and not {"acc", "nmi", "ari"}.isdisjoint(setting.measures):
            state = int(setting.random("k-means", task.number).integers(2**31))
            kmeans = KMeans(np.unique(y).size, n_init=setting.n_starts, random_state=state)
        meter = Meter(fold, setting.measures, kmeans)
        result |= _measured(setting, label, meter, found["order"], random)
    return {"result": result, "seconds": seconds, "peak_bytes": peak}


def _prepared(setting: Setting, X: Any, rows: Sequence[np.ndarray]) -> tuple[list[Any], list[Any]]:
    """Parts of the samples with gaps filled, and those also scaled, both by the first part."""
    raw = [_rows(X, part) for part in rows]
    if setting.impute:
        imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(raw[0])
        raw = [imputer.transform(part) if part.shape[0] else part for part in raw]
    if not setting.scale:
        return raw, raw
    scaler = make_scaler(X).fit(raw[0])
    return raw, [scaler.transform(part) if part.shape[0] else part for part in raw]


def _rows(X: Any, rows: np.ndarray) -> Any:
    part = X[rows]
    return part if part.dtype in (np.float32, np.float64) else part.astype(np.float64)


def _fit(
    candidate: Candidate, X: Any, y: Any, random: np.random.Generator
) -> tuple[dict[str, Any], float, int | None]:
    if candidate.uses_labels and y is None:
        raise ValueError("this method needs labels, and there are none.")
    estimator = candidate.estimator
    estimator.set_params(**{name: int(random.integers(2**31)) for name in candidate.seeds})
    before, start = _peak(), time.perf_counter()
    estimator.fit(X, y if candidate.uses_labels else None)
    seconds, after = time.perf_counter() - start, _peak()
    order = feature_order(estimator, X.shape[1])
    scores = getattr(estimator, "scores_", None)
    if scores is not None and np.shape(scores) != order.shape:
        scores = None
    found = {"order": order.tolist(), "scores": None if scores is None else np.asarray(scores).tolist()}
    return found, seconds, None if before is None or after is None else after - before


def _measured(
    setting: Setting, label: str, meter: Meter, order: Any, random: np.random.Generator
) -> dict[str, Any]:
    n_features, sizes = meter.fold.X_test.shape[1], setting.sizes
    if order is not None:
        return {"measures": meter.curves(np.array(order), sizes)}
    if label == ALL:
        values = meter.curves(np.arange(n_features), [n_features])
        return {"measures": {key: value * len(sizes) for key, value in values.items()}}
    draws = [meter.curves(random.permutation(n_features), sizes) for _ in range(setting.draws)]
    by_key = {key: [draw[key] for draw in draws] for key in setting.measures}
    return {
        "measures": {key: np.mean(each, axis=0).tolist() for key, each in by_key.items()},
        "draws": by_key,
    }


def _peak() -> int | None:
    """The most memory that this process has had so far, in bytes."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(payload: bytes, n_threads: int, connection: Any) -> None:
    """Compute the cell of the payload and send what came of it; exit with the process that asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asked stops us
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = str(n_threads)
    try:
        with warnings.catch_warnings(record=True) as caught, blas_libraries().limit(limits=n_threads):
            warnings.simplefilter("always")
            answer = compute(*pickle.loads(payload))
        messages = dict.fromkeys(" ".join(str(each.message).split()) for each in caught)
        answer["result"]["warnings"] = list(messages)[:_MOST_WARNINGS]
    except MemoryError:
        answer = {"error": "not enough memory"}
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        answer = {"error": kind + (" ".join(str(error).split()) or type(error).__name__)}
    connection.send(answer)
    connection.close()


def _leave_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
