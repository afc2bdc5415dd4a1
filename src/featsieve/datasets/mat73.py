"""MATLAB 7.3 files: HDF5 that stores matrices transposed and text as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.arrays import compressed_matrix, table_from_arrays
from featsieve.datasets.errors import DataError, reader_errors, require
from featsieve.datasets.hdf5 import read_dataset
from featsieve.datasets.table import Table


def read_mat73(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read the arrays of a MATLAB 7.3 file."""
    h5py = require("h5py", "h5ad", f"{path.name} is a MATLAB 7.3 (HDF5) file, and reading it")
    with reader_errors(path.name, "a MATLAB 7.3 file"), h5py.File(path, "r") as file:
        shapes = {name: _shape(file[name]) for name in file if not name.startswith("#")}
        return table_from_arrays(path.name, shapes, lambda name: _read_array(file, name), samples, labels)


def _shape(node: Any) -> tuple[int, ...] | None:
    if not hasattr(node, "shape"):
        return _sparse_shape(node) if "MATLAB_sparse" in node.attrs else None
    return None if _matlab_class(node) in ("cell", "char") else tuple(node.shape[::-1])


def _matlab_class(node: Any) -> str:
    name = node.attrs.get("MATLAB_class", b"")
    return name.decode() if isinstance(name, bytes) else str(name)


def _read_array(file: Any, name: str) -> Any:
    node, subject = file[name], f"{Path(file.filename).name}: {name}"
    if "MATLAB_sparse" in node.attrs:
        return _read_sparse(node, subject)
    if not hasattr(node, "shape"):
        raise DataError(f"{subject} must be an array; got a structure.")
    if "MATLAB_empty" in node.attrs:
        return np.empty((0, 0))
    values = read_dataset(node).T
    if _matlab_class(node) == "cell":
        cells = np.empty(values.shape, dtype=object)
        cells[...] = [[_read_cell(file[reference]) for reference in row] for row in values]
        return cells
    if _matlab_class(node) == "char":  # each row is a word
        return np.array(["".join(map(chr, row)).rstrip() for row in values])
    return values


def _read_sparse(node: Any, subject: str) -> Any:
    pointers = read_dataset(node["jc"])
    values, rows = np.empty(0), np.empty(0, dtype=np.int64)
    if "ir" in node:  # absent if all entries are zero
        values, rows = read_dataset(node["data"]), read_dataset(node["ir"])
    if pointers.ndim == 1 and pointers.size and pointers.dtype.kind in "iu":
        used = slice(int(pointers[-1]))  # MATLAB may reserve space for more entries
        values, rows = values[used], rows[used]
    return compressed_matrix(values, rows, pointers, _sparse_shape(node), "column", subject)


def _sparse_shape(node: Any) -> tuple[int, int]:
    return int(node.attrs["MATLAB_sparse"]), int(node["jc"].shape[0]) - 1


def _read_cell(node: Any) -> Any:
    values = read_dataset(node)
    if _matlab_class(node) == "char":
        return "".join(map(chr, values.ravel()))
    return values.item() if values.size == 1 else values
