"""Compute something from each block of a chunked matrix, and combine the results.

The blocks are tasks of the active client of ``dask.distributed``, if there is one. Otherwise this process
works on one block after the other, with all its threads: then one block is in memory at a time. A task
reads its block itself, so that the scheduler moves results only, which are small, and so that the tasks of a
worker that is lost run again on the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from functools import reduce
from operator import add
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from sklearn import config_context, get_config

from featsieve.engines.chunked import Chunked, in_task
from featsieve.engines.progress import track
from featsieve.engines.stages import Stage, is_recording, record

# Results that a task combines.
_FAN_IN = 8
# Tasks for each thread of a cluster, so that the threads finish at about the same time.
_TASKS_PER_THREAD = 3

S = TypeVar("S")
T = TypeVar("T")


def active_client() -> Any:
    """Return the active client of dask.distributed, or None; None within a task of a worker."""
    distributed = sys.modules.get("distributed")
    if distributed is None or is_recording() or in_task():
        return None
    try:
        return distributed.default_client()
    except ValueError:
        return None


def parallelism() -> tuple[int, int]:
    """Return the number of tasks to divide work into, and the number of tasks that share a memory."""
    client = active_client()
    if client is None:
        return 1, 1
    threads = list(client.nthreads().values()) or [1]
    return _TASKS_PER_THREAD * sum(threads), max(threads)


def run_tasks(function: Callable[[S], T], items: Sequence[S], name: str) -> list[T]:
    """Return ``function(item)`` of each item."""
    client = active_client()
    if client is None:
        return list(track(map(function, items), len(items), name))
    return _gather(client, _delayed_calls(function, items, name))


def fold_tasks(function: Callable[[S], T], items: Sequence[S], combine: Callable[[T, T], T], name: str) -> T:
    """Combine ``function(item)`` of all items: one after the other, or in a tree on the cluster."""
    client = active_client()
    if client is None:
        return reduce(combine, track(map(function, items), len(items), name))
    return _gather(client, [_tree(_delayed_calls(function, items, name), combine, name)])[0]


def map_blocks(function: Callable[[Any], T], X: Chunked, name: str) -> list[T]:
    """Return ``function(block)`` of each block of columns of X, in order; the blocks are in memory."""
    record(lambda: Stage("columns", X.shape))
    return run_tasks(_Load(function), [X[:, block] for block in X.column_blocks(*parallelism())], name)


def sum_blocks(function: Callable[[Any, slice], Any], X: Chunked, name: str) -> Any:
    """Sum ``function(block, columns)`` over the blocks of columns of X; the blocks are in memory."""
    items = [(X[:, block], block) for block in X.column_blocks(*parallelism())]
    total = fold_tasks(_Load(function), items, add, name)
    record(lambda: Stage("columns", X.shape, result_bytes=total.nbytes))
    return total


def fold_chunks(function: Callable[[Any], Any], array: Any, combine: Callable[[T, T], T], name: str) -> Any:
    """Combine ``function(chunk)`` over the rows of chunks of a dask array, and join the columns."""
    from dask.base import compute
    from dask.delayed import delayed

    record(lambda: Stage("chunks", array.shape))
    call = delayed(function, pure=False)
    trees = []
    for index, column in enumerate(array.to_delayed().T.tolist()):
        key = _key(f"{name}-{index}")
        calls = [call(chunk, dask_key_name=f"{key}-{row}") for row, chunk in enumerate(column)]
        trees.append(_tree(calls, combine, name))
    client = active_client()
    if client is None:
        workers = Chunked(array)._n_readers()
        results = compute(*trees, scheduler="threads", num_workers=workers)
    else:
        results = _gather(client, trees)
    return np.concatenate(results, axis=-1)


class _Load:
    """Call a function with a block of a chunked matrix, read into memory."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, item: Any) -> Any:
        if isinstance(item, tuple):
            return self.function(item[0].load(), *item[1:])
        return self.function(item.load())


class _Configured:
    """Call a function with the configuration of scikit-learn that the client has."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.config = function, get_config()

    def __call__(self, item: Any) -> Any:
        with config_context(**self.config):
            return self.function(item)


def _key(name: str) -> str:
    """Return a key whose beginning the dashboard shows."""
    return f"{name.replace(' ', '-')}-{uuid4().hex}"


def _delayed_calls(function: Callable[[Any], Any], items: Sequence[Any], name: str) -> list[Any]:
    from dask.delayed import delayed

    call = delayed(_Configured(function), pure=False, traverse=False)
    key = _key(name)
    return [call(item, dask_key_name=f"{key}-{index}") for index, item in enumerate(items)]


def _tree(parts: list[Any], combine: Callable[[Any, Any], Any], name: str) -> Any:
    from dask.delayed import delayed

    def combine_all(results: list[Any]) -> Any:
        return reduce(combine, results)

    call, key = delayed(combine_all, pure=False), _key(f"{name} combine")
    level = 0
    while len(parts) > 1:
        groups = [parts[start : start + _FAN_IN] for start in range(0, len(parts), _FAN_IN)]
        parts = [call(group, dask_key_name=f"{key}-{level}-{i}") for i, group in enumerate(groups)]
        level += 1
    return parts[0]


def _gather(client: Any, tasks: list[Any]) -> list[Any]:
    import dask

    address = client.scheduler.address if client.scheduler else "unknown"
    try:
        # the arrays that a function needs, such as a graph, are part of its task
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            futures = client.compute(tasks)
        return client.gather(futures)
    except (OSError, CancelledError) as error:
        if client.status == "running":
            raise
        raise ConnectionError(
            f"The connection to the Dask scheduler {address} was lost. Start it again, connect, and "
            "repeat the call."
        ) from error
