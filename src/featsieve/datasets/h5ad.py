"""Annotated matrices of single cells: .h5ad, read by h5py alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.arrays import compressed, matrix
from featsieve.datasets.errors import DataError, listing, need, quoted, reading
from featsieve.datasets.formats import looks_like
from featsieve.datasets.hdf5 import read_node
from featsieve.datasets.table import Table


def read_h5ad(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """The matrix X, or the layer ``samples``, its genes as columns, and a column of obs as labels."""
    h5py = need("h5py", "h5ad", f"reading {path.name}")
    with path.open("rb") as handle:
        if handle.read(4) != b"\x89HDF":
            raise DataError(f"{path.name} is not an HDF5 file{looks_like(path) or ': check its extension'}.")
    with reading(path.name, "h5ad"), h5py.File(path, "r") as file:
        X = matrix(_matrix(_node(file, samples, path), path.name), path.name)
        names, notes = _unique(_index(file["var"]))
        obs = file["obs"]
        found = [name for name in _columns(obs) if name != _index_name(obs)]
        wanted = [target] if target in found else [name for name in found if name.lower() == "target"][:1]
        labels = {str(name): _column(obs, str(name)) for name in wanted}
        lengths = [*_lengths(obs), *map(len, labels.values())]
    if len(names) != X.shape[1] or any(length != X.shape[0] for length in lengths):
        raise DataError(f"{path.name}: the names and labels do not fit the matrix of shape {X.shape}.")
    return Table(X, names, labels, (), tuple(found), notes)


def _node(file: Any, samples: str | None, path: Path) -> Any:
    if samples in (None, "X"):
        if "X" in file:
            return file["X"]
        raise DataError(f"{path.name} has no matrix X.")
    layers = list(file.get("layers", ()))
    if samples not in layers:
        raise DataError(f"{path.name} has no layer {quoted(samples)}. The layers are {listing(layers, 10)}.")
    return file["layers"][samples]


def _matrix(node: Any, name: str) -> Any:
    if hasattr(node, "dtype"):
        return read_node(node)
    kind = _text(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", b"")))
    shape = tuple(int(size) for size in node.attrs.get("shape", node.attrs.get("h5sparse_shape")))
    if len(shape) != 2:
        raise DataError(f"{name}: the data has shape {shape}, but must be a matrix of samples x features.")
    values, indices, pointers = (read_node(node[part]) for part in ("data", "indices", "indptr"))
    axis = "column" if kind.startswith("csc") else "row"
    return compressed(values, indices, pointers, shape, axis, f"{name}: the data")


def _index_name(table: Any) -> str:
    return _text(table.attrs.get("_index", "index" if "index" in _columns(table) else "_index"))


def _index(table: Any) -> list[str]:
    return [str(each) for each in _column(table, _index_name(table))]


def _columns(table: Any) -> list[str]:
    if hasattr(table, "dtype"):  # a compound array, as the first versions wrote it
        return list(table.dtype.names)
    return [name for name in table if not name.startswith("__")]


def _lengths(table: Any) -> list[int]:
    """How many rows a table has, where that is stored."""
    node = table if hasattr(table, "dtype") else table.get(_index_name(table))
    return [int(node.shape[0])] if getattr(node, "shape", None) else []


def _column(table: Any, name: str) -> np.ndarray:
    node = table[name]
    if not hasattr(node, "dtype") and "codes" in node:  # a categorical
        return _decode(read_node(node["codes"]), _values(node["categories"]))
    if not hasattr(node, "dtype") and "mask" in node:  # numbers with gaps
        values, gaps = _values(node["values"]), read_node(node["mask"]).astype(bool)
        if gaps.any():
            values = values.astype(object)
            values[gaps] = None
        return values
    older: Any = table["__categories"] if not hasattr(table, "dtype") and "__categories" in table else {}
    if name in older:
        return _decode(read_node(node), _values(older[name]))
    return _values(node)


def _decode(codes: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """The category of each code; the code -1 is missing."""
    values = categories.astype(object)[codes]
    values[codes < 0] = None
    return values if (codes < 0).any() else values.astype(categories.dtype)


def _values(node: Any) -> np.ndarray:
    values = np.asarray(read_node(node) if hasattr(node, "dtype") and hasattr(node, "id") else node)
    if values.dtype.kind in "SO":
        return np.array([_text(each) for each in values])
    return values


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _unique(names: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The names, numbered where several columns share one: genes often do."""
    count = Counter(names)
    twice = [name for name, times in count.items() if times > 1]
    if not twice:
        return names, ()
    taken, seen, found = set(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        new = name
        while seen[name] > 1 and (new := f"{name}-{seen[name] - 1}") in taken:
            seen[name] += 1
        taken.add(new)
        found.append(new)
    return found, (f"several columns are called {listing(twice)}; the later ones are numbered",)
