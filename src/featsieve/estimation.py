"""Estimate memory, passes and operations of a method before it runs on large data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import BaseEstimator, clone

from featsieve.engines.blocks import n_threads, thread_block_bytes
from featsieve.engines.chunked import Chunked, as_chunked, is_chunked
from featsieve.engines.stages import Stage, recorded_stages
from featsieve.engines.streaming import Streamed
from featsieve.engines.tasks import active_client, parallelism
from featsieve.graphs.blocked import block_shape, pair_bytes
from featsieve.graphs.graph import Graph
from featsieve.registry import get_method
from featsieve.targets import is_numeric
from featsieve.types import MatrixLike

# Shape of the random data on which a method is run to record its passes.
_ROWS, _COLUMNS = 64, 24
# Operations for each value of a block of columns, besides sums over neighbors.
_OPERATIONS_PER_VALUE = 10
# Memory of freed blocks that the allocator keeps, at most: fitted to measured peaks, see docs/scale.md.
_KEPT_BYTES = 180e6


@dataclass(frozen=True)
class Estimate:
    """Resources that a method takes, as estimated by :func:`featsieve.estimate`.

    Parameters
    ----------
    memory : int
        Largest resident memory of a process in bytes, with the libraries that are loaded: of this process,
        or of each worker if there is an active client.
    passes : float
        How many times all of X is read.
    operations : float
        Number of floating-point operations.

    See Also
    --------
    featsieve.estimate : Estimate the resources of a method.

    Examples
    --------
    >>> from featsieve import Estimate
    >>> Estimate(memory=250_000_000, passes=2, operations=4e9)
    250 MB of memory, 2.0 passes over X, 4.0e+09 floating-point operations
    """

    memory: int
    passes: float
    operations: float

    def __repr__(self) -> str:
        """Describe the resources in one line."""
        return (
            f"{self.memory / 1e6:,.0f} MB of memory, {self.passes:.1f} passes over X, "
            f"{self.operations:.1e} floating-point operations"
        )


def estimate(X: MatrixLike, method: str | BaseEstimator, y: Any = None) -> Estimate:
    """Estimate what a method takes on data that is read in chunks.

    Parameters
    ----------
    X : {dask array, memory map, Zarr array, HDF5 dataset, array-like} of shape (n_samples, n_features)
        The data, of which only the shape, the type and the chunks are used; of sparse data also the first
        chunk. An array in memory is treated as if it were read in chunks.
    method : str or estimator
        Name of a method, or a ranker. A graph that is already built as its parameter ``graph`` is not built
        again.
    y : array-like of shape (n_samples,), default=None
        Labels, of which only the number of classes is used, or that they are numeric; two classes by default.

    Returns
    -------
    Estimate
        Memory, passes over X, and operations.

    Raises
    ------
    ValueError
        If the method does not take data in chunks.

    See Also
    --------
    featsieve.methods : List the methods; ``inputs`` of those that take data in chunks contains "chunked".

    Notes
    -----
    The method runs on a small random matrix, and each pass over that matrix is scaled to the shape of X. The
    memory follows from the sizes of the blocks, which ``sklearn.config_context(working_memory=...)`` sets.
    Rows with ties and near-copies may need further passes, which are not estimated.

    Examples
    --------
    >>> import dask.array as da
    >>> import featsieve
    >>> X = da.zeros((100_000, 2_000), chunks=(10_000, 100))
    >>> featsieve.estimate(X, "variance").passes
    2.0
    """
    if isinstance(X, Streamed):
        raise ValueError(
            "X must not be a streamed matrix, whose memory on the device is not estimated. Pass the array "
            "that was given to featsieve.stream."
        )
    if not is_chunked(X):
        import dask.array as da

        X = da.from_array(X if sp.issparse(X) else np.asarray(X), asarray=not sp.issparse(X))
    data = as_chunked(X)
    estimator: Any = clone(get_method(method).make() if isinstance(method, str) else method, safe=False)
    is_regression = y is not None and is_numeric(np.asarray(y), getattr(estimator, "target", "auto"))
    n_classes = 2 if y is None or is_regression else np.unique(np.asarray(y)).size
    stages = _record_stages(estimator, data, n_classes, is_regression and hasattr(estimator, "target"))
    scaled = [_scale(stage, data) for stage in stages]
    blocks = max(memory for memory, _, _ in scaled)
    kept = int(min(blocks, _KEPT_BYTES))
    return Estimate(
        _resident_memory() + kept + blocks,
        sum(passes for _, passes, _ in scaled),
        sum(operations for _, _, operations in scaled),
    )


def _record_stages(estimator: Any, data: Chunked, n_classes: int, is_regression: bool) -> list[Stage]:
    """Run the estimator on a small random matrix of the same kind."""
    import dask.array as da

    parameters = estimator.get_params().items()
    counts = [value for name, value in parameters if name.endswith("n_neighbors") and value is not None]
    rows = max(_ROWS, 16 * n_classes, *(4 * count for count in counts))
    values = np.random.default_rng(0).gamma(2.0, size=(rows, min(_COLUMNS, data.shape[1])))
    array = da.from_array(values.astype(data.dtype), chunks=-1)
    if data.is_sparse:
        array = array.map_blocks(sp.csr_array)
    if _has_graph(estimator):
        links = np.arange(rows)
        ring = sp.csr_array((np.ones(rows), (links, np.roll(links, 1))), shape=(rows, rows))
        neighbors = estimator.graph.neighbors if isinstance(estimator.graph, Graph) else None
        if neighbors is None:
            estimator.set_params(graph=sp.csr_array(ring + ring.T))
        else:
            from featsieve.graphs import KNNGraph

            estimator.set_params(graph=KNNGraph(min(neighbors.indices.shape[1], rows - 1)).build(values))
    with recorded_stages() as stages, config_context(working_memory=1024):
        estimator.fit(array, np.arange(rows) / 2 if is_regression else np.arange(rows) % n_classes)
    # a pass over some rows only belongs to rows that are not settled
    return [stage for stage in stages if stage.kind != "columns" or stage.shape[0] == rows]


def _has_graph(estimator: Any) -> bool:
    """Return whether the parameter ``graph`` is a graph that is already built."""
    graph = getattr(estimator, "graph", None)
    return isinstance(graph, Graph) or sp.issparse(graph) or isinstance(graph, np.ndarray)


def _scale(stage: Stage, X: Chunked) -> tuple[int, float, float]:
    """Return the memory, the passes and the operations of a stage on all of X."""
    n_samples, n_features = X.shape
    values = n_samples * n_features * X.density
    growth = n_samples / stage.shape[0]
    reading = X.reading_bytes
    if stage.kind == "chunks":
        return reading, 1.0, 3 * values
    if stage.kind == "columns":
        n_tasks, concurrency = parallelism()
        blocks = X.column_blocks(n_tasks, concurrency)
        block = int((blocks[0].stop - blocks[0].start) * X.column_bytes)
        result = int(stage.result_bytes * growth)
        per_value = _OPERATIONS_PER_VALUE + stage.result_bytes / 4 / stage.shape[0]
        threads = 1 if active_client() else n_threads()
        working = threads * thread_block_bytes()
        memory = concurrency * (block + working + 2 * result) + reading
        return memory, _reads(blocks, X), per_value * values
    n_rows, n_pool = ceil(stage.shape[0] * growth), ceil(stage.pool * growth)
    row_bytes = X.column_bytes * n_features / n_samples if X.is_sparse else n_features * stage.itemsize
    shape = block_shape(max(n_rows, n_pool), row_bytes, n_features, stage.itemsize)
    memory = int(parallelism()[1] * pair_bytes(shape, row_bytes / n_features, stage.itemsize)) + reading
    n_left, n_right = ceil(n_rows / shape.rows), ceil(n_pool / shape.rows)
    if stage.symmetric:
        pairs, products = n_left * (n_left + 1) / 2, n_rows * n_pool
    else:
        pairs, products = n_left * n_right, 2 * n_rows * n_pool
    # the left block is read once if it is kept, else with each right block
    kept = shape.columns == n_features
    blocks_read = n_left + pairs - (n_left if stage.symmetric else 0) if kept else 2 * pairs
    return memory, blocks_read * _rows_read(shape.rows, X) / n_samples, products * n_features * X.density


def _reads(blocks: list[slice], X: Chunked) -> float:
    """Return how many times all of X is read: a chunk once for each block that overlaps it."""
    edges = np.cumsum([0, *X.array.chunks[1]])
    overlaps = sum(
        np.sum((edges[1:] > block.start) & (edges[:-1] < block.stop), dtype=float) for block in blocks
    )
    return float(overlaps / (edges.size - 1))


def _rows_read(step: int, X: Chunked) -> float:
    """Return how many rows are read for a block of ``step`` rows, on average: those of whole chunks."""
    edges = np.cumsum([0, *X.array.chunks[0]])
    starts = np.arange(0, X.shape[0], step)
    first = edges[np.searchsorted(edges, starts, side="right") - 1]
    last = edges[np.searchsorted(edges, np.minimum(starts + step, X.shape[0]))]
    return float(np.mean(last - first))


def _resident_memory() -> int:
    """Return the resident memory of this process, 0 if the system does not tell."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return 0
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
