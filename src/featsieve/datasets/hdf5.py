"""HDF5 files: .mat of MATLAB 7.3, which keeps matrices turned and text as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.arrays import choose, compressed
from featsieve.datasets.errors import DAMAGED, DataError, need, reading
from featsieve.datasets.formats import MAX_DEFLATE_RATIO
from featsieve.datasets.table import Table

# Filters of HDF5 that compress no more than deflate: deflate, shuffle, checksums, LZF.
_KNOWN_FILTERS = {1, 2, 3, 32000}


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
        return _sparse(node, f"{Path(file.filename).name}: {name}")
    if not hasattr(node, "shape"):
        raise DataError(f"{Path(file.filename).name}: {name} is a structure, but must be an array.")
    if "MATLAB_empty" in node.attrs:
        return np.empty((0, 0))
    values = read_node(node).T
    if _class(node) == "cell":
        cells = np.empty(values.shape, dtype=object)
        cells[...] = [[_text_or_value(file[each]) for each in row] for row in values]
        return cells
    if _class(node) == "char":  # a word in each row
        return np.array(["".join(map(chr, row)).rstrip() for row in values])
    return values


def _sparse(node: Any, what: str) -> Any:
    starts = read_node(node["jc"])
    values, rows = np.empty(0), np.empty(0, dtype=np.int64)
    if "ir" in node:  # it is missing where all is zero
        values, rows = read_node(node["data"]), read_node(node["ir"])
    if starts.ndim == 1 and starts.size and starts.dtype.kind in "iu":
        used = slice(int(starts[-1]))  # MATLAB may reserve space for more entries
        values, rows = values[used], rows[used]
    return compressed(values, rows, starts, _sparse_shape(node), "column", what)


def read_node(node: Any) -> Any:
    """The values of a dataset, if the file is long enough to hold them."""
    path = Path(node.file.filename)
    if node.shape is not None and not _fits(node, path.stat().st_size):
        size = " x ".join(map(str, node.shape))
        raise DataError(
            f"{path.name}: {node.name} claims to hold {size} values, but the file is too short. {DAMAGED}"
        )
    return node[()]


def _fits(node: Any, length: int) -> bool:
    claimed = node.size * node.dtype.itemsize
    offset, stored = node.id.get_offset(), node.id.get_storage_size()
    if offset is not None and stored:  # in one piece; what was never written takes no space
        return claimed <= stored and offset + stored <= length
    settings = node.id.get_create_plist()
    filters = {settings.get_filter(place)[0] for place in range(settings.get_nfilters())}
    return claimed <= MAX_DEFLATE_RATIO * length or not filters <= _KNOWN_FILTERS


def _text_or_value(node: Any) -> Any:
    values = read_node(node)
    if _class(node) == "char":
        return "".join(map(chr, values.ravel()))
    return values.item() if values.size == 1 else values


def _sparse_shape(node: Any) -> tuple[int, int]:
    return int(node.attrs["MATLAB_sparse"]), int(node["jc"].shape[0]) - 1
