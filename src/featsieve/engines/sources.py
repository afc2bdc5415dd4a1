"""Arrays in files that other processes can open: a pickle of them holds the name of the file, not values."""

from __future__ import annotations

import mmap
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

# Size of the chunks of sources that are not dask arrays.
CHUNK_BYTES = 2**24


class MappedFile:
    """An array in a file, which is mapped while a part of it is copied and not longer.

    The pages of a mapping count as memory of the process as long as it lasts.
    """

    ndim = 2

    def __init__(self, X: np.memmap[Any, Any], root: np.memmap[Any, Any]) -> None:
        self.path: Any = root.filename
        self.shape, self.dtype, self.strides = X.shape, X.dtype, X.strides
        self.offset = root.offset + X.ctypes.data - root.ctypes.data

    def __getitem__(self, key: Any) -> np.ndarray:
        """Copy a part of the array."""
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
            view = np.ndarray(self.shape, self.dtype, pages, self.offset, self.strides)[key]
            copy = np.array(view)
            del view  # a map with views cannot be closed
        return copy


class HDF5Array:
    """A dataset of an HDF5 file, which is opened again by the process that unpickles it."""

    ndim = 2

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.shape, self.dtype, self.chunks = dataset.shape, dataset.dtype, dataset.chunks

    @classmethod
    def of_file(cls, path: str, name: str) -> Self:
        """Open a dataset of a file, which stays open."""
        import h5py

        return cls(h5py.File(path, "r")[name])

    def __getitem__(self, key: Any) -> np.ndarray:
        """Read a part of the dataset."""
        return self.dataset[key]

    def __getstate__(self) -> tuple[str, str]:
        return self.dataset.file.filename, self.dataset.name

    def __setstate__(self, state: tuple[str, str]) -> None:
        vars(self).update(vars(self.of_file(*state)))


class StoredSparse:
    """A sparse matrix in a group of an HDF5 file or a Zarr store: its values, indices and pointers.

    ``path`` is the file, and ``group`` the name of the group in it. ``axis`` is 0 if the entries of each row
    are together (CSR), 1 if those of each column are (CSC). Chunks are rows or columns.
    """

    ndim = 2

    def __init__(self, path: str, group: str, shape: tuple[int, int], axis: int) -> None:
        self.path, self.group, self.shape, self.axis = path, group, shape, axis
        node = self._node
        self.dtype = np.dtype(node["data"].dtype)
        self.pointers = node["indptr"][...]
        self.meta = sp.csr_array((0, 0), dtype=self.dtype)
        entry_bytes = self.dtype.itemsize + node["indices"].dtype.itemsize
        stored = max(1, int(self.pointers[-1])) / shape[axis]
        length = int(np.clip(CHUNK_BYTES / (stored * entry_bytes), 1, shape[axis]))
        self.chunks = (length, shape[1]) if axis == 0 else (shape[0], length)

    @cached_property
    def _node(self) -> Any:
        if Path(self.path).is_dir():
            import zarr

            return zarr.open_group(self.path, mode="r")[self.group]
        import h5py

        return h5py.File(self.path, "r")[self.group]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_node"}

    def __getitem__(self, key: tuple[slice, slice]) -> Any:
        """Read some rows and keep some columns of them, or the reverse, as a CSR matrix."""
        start, stop, _ = key[self.axis].indices(self.shape[self.axis])
        first, last = int(self.pointers[start]), int(self.pointers[stop])
        entries = self._node["data"][first:last], self._node["indices"][first:last]
        parts = (*entries, self.pointers[start : stop + 1] - first)
        if self.axis == 0:
            return sp.csr_array(parts, (stop - start, self.shape[1]))[:, key[1]]
        return sp.csc_array(parts, (self.shape[0], stop - start)).tocsr()[key[0]]


class ParquetFolder:
    """Columns of numbers of the Parquet files in a folder, in the order of the names of the files."""

    ndim = 2

    def __init__(self, path: str, columns: list[str]) -> None:
        import pyarrow.parquet as pq

        self.columns = columns
        self.groups = [
            (str(file), group)
            for file in sorted(Path(path).glob("**/*.parquet"))
            for group in range(pq.read_metadata(file).num_row_groups)
        ]
        self.sizes = [pq.read_metadata(file).row_group(group).num_rows for file, group in self.groups]
        self.starts = np.cumsum([0, *self.sizes])
        self.shape = (int(self.starts[-1]), len(columns))
        self.dtype = np.dtype(np.float64)
        self.chunks = (tuple(self.sizes), (len(columns),))

    def __getitem__(self, key: tuple[slice, slice]) -> np.ndarray:
        """Read the groups of rows that contain some rows, and only some columns of them."""
        import pyarrow.parquet as pq

        start, stop, _ = key[0].indices(self.shape[0])
        names = self.columns[key[1]]
        out = np.empty((stop - start, len(names)))
        overlapping = np.flatnonzero((self.starts[1:] > start) & (self.starts[:-1] < stop))
        for index in overlapping:
            file, group = self.groups[index]
            table = pq.ParquetFile(file).read_row_group(group, columns=names)
            first, last = max(start, self.starts[index]), min(stop, self.starts[index + 1])
            rows = slice(first - self.starts[index], last - self.starts[index])
            for position, name in enumerate(names):
                values = table.column(name).to_numpy()[rows]
                out[first - start : last - start, position] = values
        return out


def readable_source(X: Any) -> Any:
    """Return X, or an object that reads it from its file; None for a memory map without a file."""
    if isinstance(X, np.memmap):
        root = _mapped_root(X)
        return None if root is None or root.mode == "c" else MappedFile(X, root)
    return HDF5Array(X) if type(X).__module__.split(".")[0] == "h5py" else X


def _mapped_root(X: np.memmap[Any, Any]) -> Any:
    """Return the array that maps the file; X is this array or a view of it."""
    root: Any = X
    while isinstance(root, np.ndarray) and not isinstance(root.base, mmap.mmap):
        root = root.base
    return root if isinstance(root, np.memmap) and root.filename is not None else None
