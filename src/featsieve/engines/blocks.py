"""Work on a matrix in blocks that respect ``sklearn.config_context(working_memory=...)``, on all cores."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from threading import Lock
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn import config_context, get_config
from threadpoolctl import ThreadpoolController

from featsieve.engines.arrays import is_tensor, namespace
from featsieve.engines.progress import track

# On the host: wide enough that a row of a block fills cache lines, small enough to stay near the cores.
_HOST_BYTES = 2**25
# A device wants few, large kernels.
_DEVICE_BYTES = 2**30


def n_threads() -> int:
    """How many threads to use, by the rule of OpenMP: OMP_NUM_THREADS, else the cores there are."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return max(1, int(wanted)) if wanted.isdigit() else _cpu_count()


_cpu_count = cache(joblib.cpu_count)
# Looking for the BLAS libraries that are loaded takes milliseconds, and so does starting threads.
blas_libraries = cache(ThreadpoolController)


@cache
def _one_core(process: int) -> Lock:
    """Held by who has limited BLAS; a forked process gets its own."""
    return Lock()


@cache
def _pool(process: int, workers: int) -> ThreadPoolExecutor:
    """Threads that are kept for the next call; a forked process gets its own."""
    return ThreadPoolExecutor(workers, thread_name_prefix="featsieve")


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """A context in which BLAS starts no threads.

    For work that is spread over threads already, and for products of a matrix and a vector, which wait for
    memory: there threads of BLAS only wait for each other. The limit is the whole process's. Two that set it
    and take it back out of turn would leave it there for good, so that the second does neither: it has what
    the first has set, for as long as that lasts.
    """
    lock = _one_core(os.getpid())
    if not lock.acquire(blocking=False):
        yield
        return
    try:
        with blas_libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        lock.release()


def slices(length: int, bytes_each: int, like: Any, host_bytes: int | None = None) -> list[slice]:
    """Consecutive slices of ``range(length)``, each of at most the bytes that may be in use at a time."""
    working = get_config()["working_memory"] * 2**20
    if is_tensor(like):
        limit = min(working, _DEVICE_BYTES)
    else:
        limit = min(working / n_threads(), host_bytes or _HOST_BYTES)
    step = max(1, int(limit // max(1, bytes_each)))
    if not is_tensor(like) and length * bytes_each > 2**20:
        step = min(step, -(-length // n_threads()))  # a part for every thread, if there is work for it
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def parallel_map(
    function: Callable[[Any], Any], parts: Sequence[Any], like: Any, name: str | None = None
) -> Iterator[Any]:
    """Yield ``function(part)`` for each part, in order; in threads when ``like`` is on the host.

    The steps are reported under ``name``, if there is one. Each thread has BLAS to itself, and no more
    than two results for each thread wait to be taken.
    """
    workers = 1 if is_tensor(like) else min(n_threads(), len(parts))
    if workers <= 1:
        yield from serial_map(function, parts, like, name)
    else:
        pool = _pool(os.getpid(), n_threads())
        with single_threaded_blas():
            yield from track(_ahead(pool, function, parts, 2 * workers), len(parts), name)


def serial_map(
    function: Callable[[Any], Any], parts: Sequence[Any], like: Any, name: str | None = None
) -> Iterator[Any]:
    """Yield ``function(part)`` for each part, in this thread."""
    yield from track(map(function, parts), len(parts), name)


def _ahead(pool: ThreadPoolExecutor, function: Callable[[Any], Any], parts: Sequence[Any], depth: int) -> Any:
    config = get_config()
    waiting: deque[Any] = deque()
    try:
        for part in parts:
            # scikit-learn's configuration and NumPy's error state live in the context of the calling thread
            waiting.append(pool.submit(copy_context().run, _configured, config, function, part))
            if len(waiting) == depth:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # after an error or an interrupt, start nothing more and leave nothing running
        wait([job for job in waiting if not job.cancel()])


def _configured(config: dict, function: Callable[[Any], Any], part: Any) -> Any:
    with config_context(**config):
        return function(part)


def map_columns(
    function: Callable[[Any], Any],
    X: Any,
    *,
    name: str,
    temporaries: int = 4,
    sparse: Any = None,
    host_bytes: int | None = None,
    threads: bool = True,
) -> Any:
    """Apply ``function`` to blocks of columns of X and join what it returns along the last axis.

    ``function`` gets a fresh dense matrix of (n_samples, width), which it may overwrite, and returns an
    array whose last axis is the width. Columns of a sparse X that are at least half zero go to ``sparse``
    instead, if it is given, as CSC matrices of float64. ``temporaries`` is how many arrays of the block's
    size ``function`` holds, and ``host_bytes`` what they may take together on the host, less than usual
    where ``function`` goes over a block many times. Without ``threads`` blocks come one after the other,
    for a ``function`` whose work is a dense product that BLAS spreads over the cores itself.
    """
    xp = namespace(X)
    n_samples, n_features = X.shape
    if not sp.issparse(X):
        parts = slices(n_features, n_samples * X.dtype.itemsize * temporaries, X, host_bytes)
        found = parallel_map if threads else serial_map
        return xp.concat(list(found(lambda part: function(_block(X[:, part])), parts, X, name)), axis=-1)
    X = X.tocsc()
    stored = np.diff(X.indptr)
    thin = np.flatnonzero(2 * stored <= n_samples) if sparse else np.empty(0, dtype=np.intp)
    thick = np.setdiff1d(np.arange(n_features), thin)
    joined: list[Any] = []
    if thick.size:
        parts = slices(thick.size, n_samples * 8 * temporaries, X)
        joined += parallel_map(lambda part: function(X[:, thick[part]].toarray()), parts, X, name)
    if thin.size:
        parts = slices(thin.size, 8 * (1 + int(stored[thin].mean())) * 20 * temporaries, X)
        joined += parallel_map(lambda part: sparse(X[:, thin[part]].astype(np.float64)), parts, X, name)
    values = np.concatenate(joined, axis=-1)
    out = np.empty_like(values)
    out[..., np.concatenate([thick, thin])] = values
    return out


def _block(columns: Any) -> Any:
    """A copy of the columns; in float64 where their squares would leave the range of float32."""
    xp = namespace(columns)
    block = xp.asarray(columns, copy=True)
    if block.dtype == xp.float32 and not is_tensor(block):
        largest = np.abs(block).max()
        if largest > 1e15 or 0 < largest < 1e-12:
            return block.astype(np.float64)
    return block
