"""Arrays in files that other processes can open: a pickle of them holds the name of the file, not values."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np


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

    def __getitem__(self, key: Any) -> np.ndarray:
        """Read a part of the dataset."""
        return self.dataset[key]

    def __getstate__(self) -> tuple[str, str]:
        return self.dataset.file.filename, self.dataset.name

    def __setstate__(self, state: tuple[str, str]) -> None:
        import h5py

        self.__init__(h5py.File(state[0], "r")[state[1]])  # type: ignore[misc]


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
