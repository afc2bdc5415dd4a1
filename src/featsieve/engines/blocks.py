"""Process a matrix in blocks within ``sklearn.config_context(working_memory=...)``, on all cores."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from functools import cache, lru_cache
from threading import Lock
from typing import Any, TypeVar

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn import config_context, get_config
from sklearn.utils.sparsefuncs import min_max_axis
from threadpoolctl import ThreadpoolController

from featsieve.engines.arrays import exceeds_float32, is_tensor, namespace
from featsieve.engines.chunked import Chunked
from featsieve.engines.progress import track
from featsieve.engines.streaming import Streamed
from featsieve.engines.tasks import map_blocks

# Host blocks: rows fill cache lines, and the block stays close to the cache. Devices prefer large kernels.
_HOST_BYTES = 2**25
_DEVICE_BYTES = 2**30
# Below this size a matrix is not divided among threads.
_MIN_PARALLEL_BYTES = 2**20
# Below this number of multiplications, BLAS threads cost more than they save where NumPy and SciPy alternate.
# Threads of one wait actively for about 25 ms after a call and take the cores from the other library.
_MIN_ALTERNATING_PRODUCTS = 10**10

S = TypeVar("S")
T = TypeVar("T")


def n_threads() -> int:
    """Return the number of threads to use: OMP_NUM_THREADS if it is set, otherwise the number of cores."""
    value = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return max(1, int(value)) if value.isdigit() else _cpu_count()


_cpu_count = cache(joblib.cpu_count)


def blas_libraries() -> ThreadpoolController:
    """Return the BLAS libraries that are loaded now."""
    return _find_libraries(len(sys.modules))


@lru_cache(maxsize=1)
def _find_libraries(n_modules: int) -> ThreadpoolController:
    """Search again only if a module was imported, which may load a library: a search takes milliseconds."""
    return ThreadpoolController()


@cache
def _blas_lock(process: int) -> Lock:
    """Return the lock of the BLAS limit; a forked process gets a new one."""
    return Lock()


# joblib.Parallel(backend="threading", return_as="generator") starts threads in each call and polls for
# results: with 4 blocks of 0.1 ms a call takes 15 to 30 times as long as with this pool, with 100 blocks of
# 0.3 ms 1.7 to 2 times (benchmarks/threads.py).
@cache
def _pool(process: int, workers: int) -> ThreadPoolExecutor:
    """Return the pool of threads, which lasts as long as the process; a forked process gets a new one."""
    return ThreadPoolExecutor(workers, thread_name_prefix="featsieve")


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread within this context.

    Use it around work that is already spread over threads, and around products of a matrix and a vector,
    which are bound by memory. The limit applies to the whole process. A context that opens while another one
    is open, possibly in another thread, changes nothing: contexts that close out of order would otherwise
    leave the limit in place.
    """
    lock = _blas_lock(os.getpid())
    if not lock.acquire(blocking=False):
        yield
        return
    try:
        with blas_libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        lock.release()


def alternating_blas(n_products: float) -> AbstractContextManager[None]:
    """Limit BLAS to one thread for alternating calls of NumPy and SciPy, unless they multiply often."""
    return single_threaded_blas() if n_products < _MIN_ALTERNATING_PRODUCTS else nullcontext()


def slices(length: int, bytes_each: int, like: Any, host_bytes: int | None = None) -> list[slice]:
    """Divide ``range(length)`` into consecutive slices that fit in memory.

    Parameters
    ----------
    length : int
        Number of items.
    bytes_each : int
        Memory of the temporary arrays for one item.
    like : array
        Array of the namespace that computes: the host divides the working memory among its threads.
    host_bytes : int, default=None
        Largest size of a block on the host, to keep blocks within a cache.

    Returns
    -------
    list of slice
        At least as many as there are threads, unless the work is small.
    """
    working = get_config()["working_memory"] * 2**20
    if is_tensor(like):
        limit = min(working, _DEVICE_BYTES)
    else:
        limit = min(working / n_threads(), host_bytes or _HOST_BYTES)
    step = max(1, int(limit // max(1, bytes_each)))
    if not is_tensor(like) and length * bytes_each > _MIN_PARALLEL_BYTES:
        step = min(step, -(-length // n_threads()))
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def thread_block_bytes() -> int:
    """Return the largest size of the temporary arrays of a thread on the host."""
    return int(min(get_config()["working_memory"] * 2**20 / n_threads(), _HOST_BYTES))


def parallel_map(
    function: Callable[[S], T], blocks: Sequence[S], like: Any, name: str | None = None, threads: bool = True
) -> Iterator[T]:
    """Yield ``function(block)`` for each block, in order; in threads when ``like`` is on the host.

    Progress is reported under ``name``, if it is given. BLAS uses one thread meanwhile. At most two results
    per thread wait to be consumed. Do not call it from within ``function``.
    """
    workers = min(n_threads(), len(blocks)) if threads and not is_tensor(like) else 1
    if workers <= 1:
        yield from track(map(function, blocks), len(blocks), name)
        return
    pool = _pool(os.getpid(), n_threads())
    with single_threaded_blas():
        yield from track(_map_in_order(pool, function, blocks, 2 * workers), len(blocks), name)


def _map_in_order(
    pool: ThreadPoolExecutor, function: Callable[[S], T], blocks: Sequence[S], max_pending: int
) -> Iterator[T]:
    config = get_config()
    pending: deque[Future[T]] = deque()

    def run(block: S) -> T:
        with config_context(**config):
            return function(block)

    try:
        for block in blocks:
            # scikit-learn's configuration and NumPy's error state are local to the calling thread
            pending.append(pool.submit(copy_context().run, run, block))
            if len(pending) == max_pending:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:  # after an error or an interrupt, cancel what has not started and wait for the rest
        wait([future for future in pending if not future.cancel()])


def map_columns(
    function: Callable[[Any], Any],
    X: Any,
    *,
    name: str | None,
    temporaries: int = 4,
    sparse: Callable[[Any], Any] | None = None,
    host_bytes: int | None = None,
    threads: bool = True,
) -> Any:
    """Apply ``function`` to blocks of columns of X and concatenate the results along the last axis.

    Parameters
    ----------
    function : callable
        Takes a dense block of shape (n_samples, width), which it may overwrite, and returns an array whose
        last axis has length ``width``.
    X : matrix of shape (n_samples, n_features)
        Dense, sparse, a tensor, or chunked: then a block of columns is in memory at a time.
    name : str or None
        Name of the task in progress reports; None reports nothing.
    temporaries : int, default=4
        Number of arrays of the size of a block that ``function`` needs.
    sparse : callable, default=None
        Takes the place of ``function`` for columns of a sparse X that are at least half zero, as CSC matrices
        of float64.
    host_bytes : int, default=None
        Largest size of these arrays together on the host. Smaller than by default for a ``function`` that
        passes over a block many times.
    threads : bool, default=True
        False processes one block after the other, for dense products that BLAS spreads over the cores.

    Returns
    -------
    array of shape (..., n_features)
        The results in the order of the columns.
    """
    xp = namespace(X)
    n_samples, n_features = X.shape
    if isinstance(X, Chunked):
        options: Any = {
            "temporaries": temporaries,
            "sparse": sparse,
            "host_bytes": host_bytes,
            "threads": threads,
        }
        mapped = map_blocks(lambda block: map_columns(function, block, name=None, **options), X, name or "")
        return np.concatenate(mapped, axis=-1)
    if not sp.issparse(X):
        blocks = slices(n_features, n_samples * X.dtype.itemsize * temporaries, X, host_bytes)
        parts = parallel_map(
            lambda block: function(_with_safe_squares(xp.asarray(X[:, block], copy=True))),
            blocks,
            X,
            name,
            threads,
        )
        return xp.concat(list(parts), axis=-1)
    X = X.tocsc()
    stored = np.diff(X.indptr)
    is_sparse = 2 * stored <= n_samples if sparse else np.zeros(n_features, dtype=bool)
    mostly_zero, dense = np.flatnonzero(is_sparse), np.flatnonzero(~is_sparse)
    results: list[np.ndarray] = []
    if dense.size:
        blocks = slices(dense.size, n_samples * 8 * temporaries, X)
        results += parallel_map(
            lambda block: function(_with_safe_squares(X[:, dense[block]].toarray())), blocks, X, name
        )
    if sparse and mostly_zero.size:
        blocks = slices(mostly_zero.size, 8 * (1 + int(stored[mostly_zero].mean())) * 20 * temporaries, X)
        results += parallel_map(
            lambda block: sparse(X[:, mostly_zero[block]].astype(np.float64)), blocks, X, name
        )
    joined = np.concatenate(results, axis=-1)
    out = np.empty_like(joined)
    out[..., np.concatenate([dense, mostly_zero])] = joined
    return out


def column_extremes(X: Any) -> tuple[Any, Any]:
    """Return the smallest and the largest value of each column."""
    if isinstance(X, Chunked):
        return X.summary.minimum, X.summary.maximum
    if sp.issparse(X):
        return min_max_axis(X, 0)
    xp = namespace(X)
    if isinstance(X, Streamed):
        bounds = map_columns(
            lambda B: xp.stack([xp.min(B, axis=0), xp.max(B, axis=0)]), X, name=None, temporaries=1
        )
        return bounds[0, :], bounds[1, :]
    return xp.min(X, axis=0), xp.max(X, axis=0)


def _with_safe_squares(block: Any) -> Any:
    """Return the block, as float64 where its squares would exceed the range of float32."""
    if block.dtype == np.float32 and exceeds_float32(np.abs(block).max()):
        return block.astype(np.float64)
    return block
