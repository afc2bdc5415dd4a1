"""Work on a matrix in blocks that respect ``sklearn.config_context(working_memory=...)``, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn import get_config

from featsieve.engines.arrays import is_tensor, namespace
from featsieve.engines.progress import track

# On the host: wide enough that a row of a block fills cache lines, small enough to stay near the cores.
_HOST_BYTES = 2**25
# A device wants few, large kernels.
_DEVICE_BYTES = 2**30


def n_threads() -> int:
    """How many threads to use, by the rule of OpenMP: OMP_NUM_THREADS, else the cores there are."""
    return int(os.environ.get("OMP_NUM_THREADS") or joblib.cpu_count())


def slices(length: int, bytes_each: int, like: Any, host_bytes: int = _HOST_BYTES) -> list[slice]:
    """Consecutive slices of ``range(length)``, each of at most the bytes that may be in use at a time."""
    working = get_config()["working_memory"] * 2**20
    limit = min(working, _DEVICE_BYTES) if is_tensor(like) else min(working / n_threads(), host_bytes)
    step = max(1, int(limit // max(1, bytes_each)))
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def in_order(
    function: Callable[[slice], Any], parts: list[slice], like: Any, name: str | None = None
) -> Iterator[Any]:
    """Yield ``function(part)`` for each part, in order; in threads when ``like`` is on the host.

    The steps are reported under ``name``, if there is one.
    """
    workers = 1 if is_tensor(like) else min(n_threads(), len(parts))
    if workers <= 1:
        yield from track(map(function, parts), len(parts), name)
        return
    with ThreadPoolExecutor(workers) as pool:
        # scikit-learn's configuration and NumPy's error state live in the context of the calling thread
        contexts = [copy_context() for _ in parts]
        config = get_config()
        jobs = pool.map(
            lambda context, part: context.run(_configured, config, function, part), contexts, parts
        )
        yield from track(jobs, len(parts), name)


def _configured(config: dict, function: Callable[[slice], Any], part: slice) -> Any:
    from sklearn import config_context

    with config_context(**config):
        return function(part)


def map_columns(
    function: Callable[[Any], Any], X: Any, *, name: str, temporaries: int = 4, sparse: bool = False
) -> Any:
    """Apply ``function`` to blocks of columns of X and join what it returns along the last axis.

    ``function`` gets a fresh matrix of (n_samples, width), which it may overwrite, and returns an array
    whose last axis is the width. Blocks of a sparse X are dense unless ``sparse`` is true, when they are
    CSC matrices of float64. ``temporaries`` is how many arrays of the block's size ``function`` holds.
    """
    xp = namespace(X)
    n_samples, n_features = X.shape
    if sp.issparse(X):
        X = X.tocsc()
        width = max(1, int(X.nnz / max(1, n_features))) if sparse else n_samples
        parts = slices(n_features, 8 * width * temporaries, X)

        def run(part: slice) -> Any:
            block = X[:, part]
            return function(block.astype(np.float64) if sparse else block.toarray())
    else:
        parts = slices(n_features, n_samples * X.dtype.itemsize * temporaries, X)

        def run(part: slice) -> Any:
            return function(xp.asarray(X[:, part], copy=True))

    return xp.concat(list(in_order(run, parts, X, name)), axis=-1)
