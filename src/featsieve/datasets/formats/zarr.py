"""Zarr stores: .zarr, a folder or a zip file with an array, a group of arrays, or an annotated matrix."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from featsieve.datasets.errors import require, too_short
from featsieve.datasets.formats import MAX_DEFLATE_RATIO, Format
from featsieve.datasets.formats.h5ad import read_annotated
from featsieve.datasets.table import Table, default_names

EXTRA = "zarr"


def read_zarr(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read a matrix, the arrays of a group, or an annotated matrix."""
    zarr = require("zarr", EXTRA, f"reading {path.name}")
    from featsieve.datasets.arrays import check_matrix, table_from_arrays

    store = str(path) if path.is_dir() else zarr.storage.ZipStore(path, mode="r")
    node = zarr.open(store, mode="r")
    size = _size(path)
    if hasattr(node, "dtype"):
        X = check_matrix(_read_array(node, size, path.name), path.name)
        return Table(X, default_names(X.shape[1]))
    for name, member in node.members(max_depth=None):
        if hasattr(member, "dtype"):
            _check_size(member, size, f"{path.name}: {name}")
    arrays = dict(node.arrays())
    if "obs" in node and "var" in node:
        return read_annotated(node, path.name, samples, labels)
    return table_from_arrays(
        path.name,
        {name: array.shape for name, array in arrays.items()},
        lambda name: _read_array(arrays[name], size, f"{path.name}: {name}"),
        samples,
        labels,
    )


def _read_array(array: Any, size: int, subject: str) -> Any:
    import numpy as np

    from featsieve.engines.memory import file_limit

    _check_size(array, size, subject)
    if array.ndim == 2 and array.dtype.kind in "buif" and array.nbytes > file_limit():
        from featsieve.engines.chunked import as_chunked

        return as_chunked(array)
    values = np.asarray(array[...])
    return values.astype(str) if values.dtype.kind in "TO" else values


def _check_size(array: Any, size: int, subject: str) -> None:
    """Check that an array is not larger than the store allows, before memory is allocated for it."""
    if math.prod(array.shape) * array.dtype.itemsize > MAX_DEFLATE_RATIO * size:
        raise too_short(subject, array.shape)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


FORMATS = (
    Format(
        "a Zarr store",
        "Zarr store: an array, a group with X and y, or an annotated matrix of single cells",
        (".zarr",),
        read_zarr,
        has_named_arrays=True,
        may_be_folder=True,
        extra=EXTRA,
    ),
)
