"""HDF5 files: .mat of MATLAB 7.3, which keeps matrices turned and text as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.arrays import choose
from featsieve.datasets.errors import DataError, need, reading
from featsieve.datasets.table import Table


def read_mat73(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """The arrays of a file of MATLAB 7.3."""
    h5py = need("h5py", "h5ad", f"{path.name} is a MATLAB 7.3 (HDF5) file, and reading it")
    with reading(path.name, "MATLAB 7.3"), h5py.File(path, "r") as file:
        found = {name: _shape(file[name]) for name in file if not name.startswith("#")}
        return choose(path, found, lambda name: _read(file, file[name], name), samples, target)


def _shape(node: Any) -> tuple[int, ...] | None:
    if not hasattr(node, "shape"):
        return _sparse_shape(node) if "MATLAB_sparse" in node.attrs else None
    return None if _class(node) in ("cell", "char") else tuple(node.shape[::-1])


def _class(node: Any) -> str:
    kind = node.attrs.get("MATLAB_class", b"")
    return kind.decode() if isinstance(kind, bytes) else str(kind)


def _read(file: Any, node: Any, name: str) -> Any:
    if "MATLAB_sparse" in node.attrs:
        starts = np.asarray(node["jc"]).astype(np.int64)
        entries = (node["data"], node["ir"]) if "ir" in node else ([], [])  # none where all is zero
        values, rows = (np.asarray(each) for each in entries)
        matrix = sp.csc_array((values, rows.astype(np.int64), starts), shape=_sparse_shape(node))
        matrix.check_format()
        return matrix
    if not hasattr(node, "shape"):
        raise DataError(f"{Path(file.filename).name}: {name} is a structure, but must be an array.")
    if "MATLAB_empty" in node.attrs:
        return np.empty((0, 0))
    values = node[()].T
    if _class(node) == "cell":
        cells = np.empty(values.shape, dtype=object)
        cells[...] = [[_text_or_value(file[each]) for each in row] for row in values]
        return cells
    if _class(node) == "char":  # a word in each row
        return np.array(["".join(map(chr, row)).rstrip() for row in values])
    return values


def _text_or_value(node: Any) -> Any:
    values = node[()]
    if _class(node) == "char":
        return "".join(map(chr, values.ravel()))
    return values.item() if values.size == 1 else values


def _sparse_shape(node: Any) -> tuple[int, int]:
    return int(node.attrs["MATLAB_sparse"]), int(node["jc"].shape[0]) - 1
