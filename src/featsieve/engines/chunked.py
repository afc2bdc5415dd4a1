"""Matrices that are read in chunks: dask arrays, memory maps, Zarr arrays and HDF5 datasets.

A :class:`Chunked` matrix wraps one dask array, whatever the source. Nothing is computed from the matrix as a
whole: functions get blocks of its columns, or of its rows, as NumPy arrays or SciPy matrices. Those that pass
over all blocks are in :mod:`featsieve.engines.tasks`.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils.sparsefuncs import min_max_axis

from featsieve.engines.memory import exceeds_memory
from featsieve.engines.sources import (
    CHUNK_BYTES,
    HDF5Array,
    ParquetFolder,
    StoredSparse,
    readable_source,
)
from featsieve.engines.sparse import canonicalize

# Chunks that are read at the same time take at most this share of the working memory.
_READING_SHARE = 1 / 8
# A block of columns takes at most this share of the working memory, which leaves room for computations.
_COLUMNS_SHARE = 0.4
# A stored entry of a sparse block: value, index, and a copy while the chunks are joined and transposed.
_SPARSE_ENTRY_BYTES = 36
_MODULES = ("dask", "h5py", "zarr")
_SOURCES = (HDF5Array, ParquetFolder, StoredSparse)


class Summary(NamedTuple):
    """Statistics of each column: smallest and largest value, mean, and number of stored entries."""

    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    mean: NDArray[np.float64]
    stored: NDArray[np.float64]


class Chunked:
    """A matrix of float32 or float64 that is read in chunks.

    ``array`` is a two-dimensional dask array whose chunks are NumPy arrays or CSR matrices. An index selects
    rows and columns without reading them.
    """

    ndim = 2

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape: tuple[int, int] = array.shape
        self.dtype: np.dtype[Any] = array.dtype
        self.is_sparse = sp.issparse(array._meta)

    def __getitem__(self, key: Any) -> Self:
        """Select rows and columns."""
        return type(self)(self.array[key])

    def scaled(self, offset: Any, factor: Any, dtype: Any) -> Chunked:
        """Return (X - offset) * factor for an offset and a factor of each column; X is dense."""
        precise = np.result_type(self.dtype, dtype)  # not rounded before it is converted to float64
        offset, factor = (np.broadcast_to(x, self.shape[1]).astype(precise) for x in (offset, factor))
        return Chunked(((self.array.astype(precise) - offset) * factor).astype(dtype))

    def load(self) -> Any:
        """Read the matrix into a NumPy array, or a CSR matrix."""
        if self._is_on_cluster:
            return self._load_from_cluster()
        import dask.array as da
        from dask.base import compute

        scheduler: dict[str, Any] = {"scheduler": "threads", "num_workers": self._n_readers()}
        if self.is_sparse:
            chunks = compute(self.array.to_delayed().tolist(), **scheduler)[0]
            return canonicalize(sp.csr_array(sp.block_array(chunks, format="csr")))
        values = np.empty(self.shape, self.dtype)
        da.store(self.array, values, lock=False, **scheduler)
        return values

    @cached_property
    def _is_on_cluster(self) -> bool:
        """Whether chunks are already in the memory of a cluster (``X.persist()``)."""
        distributed = sys.modules.get("distributed")
        if distributed is None:
            return False
        graph = self.array.__dask_graph__()
        return any(isinstance(getattr(v, "value", v), distributed.Future) for v in graph.values())

    def _load_from_cluster(self) -> Any:
        from distributed import get_client, worker_client

        if in_task():  # which must not block its worker
            with worker_client() as client:
                chunks = client.gather(client.compute(self.array.to_delayed().tolist()))
        else:
            chunks = get_client().compute(self.array.to_delayed().tolist(), sync=True)
        if self.is_sparse:
            return canonicalize(sp.csr_array(sp.block_array(chunks, format="csr")))
        return np.block(chunks)

    def _n_readers(self) -> int:
        """Return how many chunks may be read at the same time."""
        from featsieve.engines.blocks import n_threads

        if self.array.npartitions == 1:
            return 1  # not by the density, which is computed from a chunk
        room = get_config()["working_memory"] * 2**20 * _READING_SHARE
        return max(1, min(n_threads(), int(room // self._chunk_bytes)))

    @property
    def _chunk_bytes(self) -> int:
        itemsize = self.dtype.itemsize + (self.is_sparse and 4)
        return max(1, int(np.prod(self.array.chunksize) * itemsize * self.density))

    @property
    def reading_bytes(self) -> int:
        """Memory of the chunks that are read at the same time."""
        return self._n_readers() * self._chunk_bytes

    def column_blocks(self, n_tasks: int = 1, concurrency: int = 1) -> list[slice]:
        """Divide the columns into blocks of all rows that fit in memory.

        ``concurrency`` blocks are in memory at the same time. There are at least ``n_tasks`` blocks, unless
        there are fewer columns.
        """
        n_features, room = self.shape[1], get_config()["working_memory"] * 2**20 * _COLUMNS_SHARE
        width = max(1, int(room / concurrency // max(1.0, self.column_bytes)))
        width = min(width, -(-n_features // n_tasks))
        chunk = self.array.chunksize[1]
        if chunk < width:  # blocks of whole chunks, so that no chunk is read twice
            width -= width % chunk
        return [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]

    @property
    def column_bytes(self) -> float:
        """Memory of one column, on average."""
        itemsize = _SPARSE_ENTRY_BYTES if self.is_sparse else self.dtype.itemsize
        return self.shape[0] * itemsize * self.density

    @cached_property
    def density(self) -> float:
        """Share of the entries that are stored, in the first chunk; 1 if X is dense."""
        if not self.is_sparse:
            return 1.0
        first = type(self)(self.array.blocks[0, 0]).load()
        return max(1, first.nnz) / (first.shape[0] * first.shape[1])

    @cached_property
    def summary(self) -> Summary:
        """Statistics of the columns, from one pass over the chunks; ValueError unless all are finite."""
        from featsieve.engines.tasks import fold_chunks

        summary = Summary(*fold_chunks(_summarize_chunk, self.array, _join_summaries, "column statistics"))
        return summary._replace(mean=summary.mean / self.shape[0])


def in_task() -> bool:
    """Return whether this code runs in a task of a worker of dask.distributed."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def _summarize_chunk(chunk: Any) -> NDArray[np.float64]:
    """Return the smallest value, the largest value, the sum and the number of stored entries of columns."""
    if sp.issparse(chunk):
        chunk = canonicalize(chunk)
        sums = np.ones(chunk.shape[0]) @ chunk  # in float64, which a sum of float32 is not
        return np.stack([*min_max_axis(chunk, 0), sums, np.bincount(chunk.indices, minlength=chunk.shape[1])])
    with np.errstate(over="ignore", invalid="ignore"):
        sums = chunk.sum(axis=0, dtype=np.float64)
    stored = np.full(chunk.shape[1], float(len(chunk)))
    return np.stack([chunk.min(axis=0), chunk.max(axis=0), sums, stored])


def _join_summaries(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        joined = left + right
    joined[0], joined[1] = np.minimum(left[0], right[0]), np.maximum(left[1], right[1])
    return joined


def is_chunked(X: Any) -> bool:
    """Return whether X is to be read in chunks.

    A memory map is, if it does not fit in the working memory; otherwise it is a NumPy array as any other.
    """
    if isinstance(X, np.memmap):
        return X.ndim == 2 and exceeds_memory(X.nbytes) and readable_source(X) is not None
    if isinstance(X, (Chunked, *_SOURCES)):
        return True
    return type(X).__module__.split(".")[0] in _MODULES and hasattr(X, "shape")


def as_chunked(X: Any) -> Chunked:
    """Convert a dask array, a memory map, a Zarr array or an HDF5 dataset without reading its values.

    Float32 and float64 are preserved; other dtypes become float64. Raises ValueError unless X is a real,
    two-dimensional matrix of known shape.
    """
    if isinstance(X, Chunked):
        return X
    shape, dtype = tuple(X.shape), getattr(X, "dtype", None)
    if not isinstance(dtype, np.dtype):
        raise ValueError(
            f"X must be an array; got {type(X).__name__}. Convert a dask DataFrame by "
            "X.to_dask_array(lengths=True)."
        )
    if len(shape) != 2:
        raise ValueError(f"X must be two-dimensional; got an array of shape {shape}. Reshape it.")
    if any(size != size for size in shape):
        raise ValueError(f"X must have a known shape; got {shape}. Call X.compute_chunk_sizes() first.")
    if shape[0] < 2 or shape[1] < 1:
        raise ValueError(f"X must have at least 2 samples and 1 feature; got shape {shape}.")
    if dtype.kind == "c":
        raise ValueError("Complex data not supported. Pass the real and imaginary parts as columns.")
    if dtype.kind not in "buif":
        raise ValueError(f"X must contain numbers; got dtype {dtype}. Encode the columns as numbers.")
    array = _without_empty_chunks(as_dask_array(X))
    if isinstance(array._meta, np.ma.MaskedArray):
        raise ValueError(
            "X must have no masked values; got a dask array of masked arrays. Fill them by "
            "da.ma.filled(X, value)."
        )
    if sp.issparse(array._meta):  # chunks can have any format
        array = array.map_blocks(sp.csr_array, meta=sp.csr_array((0, 0), dtype=dtype))
    return Chunked(array if dtype in (np.float64, np.float32) else array.astype(np.float64))


def _without_empty_chunks(array: Any) -> Any:
    """Drop the chunks without rows or columns, which a selection of rows by a condition leaves."""
    for axis, sizes in enumerate(array.chunks):
        if 0 in sizes:
            kept = np.flatnonzero(sizes)
            array = array.blocks[kept if axis == 0 else (slice(None), kept)]
    return array


def as_dask_array(X: Any) -> Any:
    """Return X as a dask array; its chunks are multiples of the chunks of the source."""
    try:
        import dask.array as da
    except ImportError as error:
        raise ValueError(
            f"X of type {type(X).__name__} requires dask: pip install 'featsieve[dask]', or pass X[:], "
            "which reads it into memory."
        ) from error
    if isinstance(X, da.Array):
        return X
    source = readable_source(X)
    limit: Any = "auto"
    if isinstance(X, np.memmap):  # whole rows or columns, which are contiguous in the file
        limit = ("auto", -1) if X.strides[0] >= X.strides[1] else (-1, "auto")
    previous = getattr(X, "chunks", None)
    if isinstance(X, StoredSparse):
        limit, previous = X.chunks, None
    if isinstance(X, ParquetFolder):
        limit, previous = (X.chunks[0], "auto"), None
    chunks = da.core.normalize_chunks(
        limit, X.shape, limit=CHUNK_BYTES, dtype=X.dtype, previous_chunks=previous
    )
    meta = getattr(source, "meta", None)
    return da.from_array(source, chunks=chunks, name=False, fancy=False, meta=meta, asarray=meta is None)
