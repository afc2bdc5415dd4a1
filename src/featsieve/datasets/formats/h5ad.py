"""Annotated matrices of single cells: .h5ad, read with h5py alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from featsieve.datasets.errors import DataError, list_names, quote, require
from featsieve.datasets.formats import Format
from featsieve.datasets.table import Table

if TYPE_CHECKING:
    import numpy as np


EXTRA = "h5ad"


def read_h5ad(path: Path, samples: str | None, target: str | None) -> Table:
    """Read the matrix X, or the layer ``samples``, with genes as columns and a column of obs as labels."""
    h5py = require("h5py", EXTRA, f"reading {path.name}")
    from featsieve.datasets.arrays import check_matrix

    with h5py.File(path, "r") as file:
        X = check_matrix(_read_matrix(_find_matrix(file, samples, path.name), path.name), path.name)
        names, notes = _number_duplicates(_read_index(file["var"]))
        obs = file["obs"]
        columns = [name for name in _column_names(obs) if name != _index_name(obs)]
        label_names = [target] if target in columns else [c for c in columns if c.lower() == "target"][:1]
        labels = {str(name): _read_column(obs, str(name)) for name in label_names}
        lengths = [*_stored_length(obs), *map(len, labels.values())]
    if len(names) != X.shape[1] or any(length != X.shape[0] for length in lengths):
        raise DataError(
            f"{path.name}: the numbers of names and labels differ from the shape {X.shape} of the matrix."
        )
    return Table(X, names, labels, label_candidates=tuple(columns), notes=notes)


def _find_matrix(file: Any, samples: str | None, name: str) -> Any:
    if samples in (None, "X"):
        if "X" in file:
            return file["X"]
        raise DataError(f"{name} has no matrix X.")
    layers = list(file.get("layers", ()))
    if samples not in layers:
        raise DataError(f"{name} has no layer {quote(samples)}. The layers are {list_names(layers, 10)}.")
    return file["layers"][samples]


def _read_matrix(node: Any, name: str) -> Any:
    from featsieve.datasets.arrays import compressed_matrix
    from featsieve.datasets.hdf5 import read_dataset

    if hasattr(node, "dtype"):
        return read_dataset(node)
    encoding = _decode_text(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", b"")))
    shape = tuple(int(size) for size in node.attrs.get("shape", node.attrs.get("h5sparse_shape")))
    if len(shape) != 2:
        raise DataError(f"{name}: the data must have the shape (samples, features); got {shape}.")
    values, indices, pointers = (read_dataset(node[part]) for part in ("data", "indices", "indptr"))
    axis = "column" if encoding.startswith("csc") else "row"
    return compressed_matrix(values, indices, pointers, shape, axis, f"{name}: the data")


def _index_name(table: Any) -> str:
    return _decode_text(table.attrs.get("_index", "index" if "index" in _column_names(table) else "_index"))


def _read_index(table: Any) -> list[str]:
    return [str(name) for name in _read_column(table, _index_name(table))]


def _column_names(table: Any) -> list[str]:
    if hasattr(table, "dtype"):  # a structured array, as the first versions wrote it
        return list(table.dtype.names)
    return [name for name in table if not name.startswith("__")]


def _stored_length(table: Any) -> list[int]:
    """Return the number of rows of a table in a list, which is empty if the number is not stored."""
    node = table if hasattr(table, "dtype") else table.get(_index_name(table))
    return [int(node.shape[0])] if getattr(node, "shape", None) else []


def _read_column(table: Any, name: str) -> np.ndarray:
    from featsieve.datasets.hdf5 import read_dataset

    node = table[name]
    if not hasattr(node, "dtype") and "codes" in node:  # a categorical
        return _decode_categories(read_dataset(node["codes"]), _read_values(node["categories"]))
    if not hasattr(node, "dtype") and "mask" in node:  # numbers with missing values
        values, is_missing = _read_values(node["values"]), read_dataset(node["mask"]).astype(bool)
        if is_missing.any():
            values = values.astype(object)
            values[is_missing] = None
        return values
    categories: Any = table["__categories"] if not hasattr(table, "dtype") and "__categories" in table else {}
    if name in categories:  # as older versions wrote categoricals
        return _decode_categories(read_dataset(node), _read_values(categories[name]))
    return _read_values(node)


def _decode_categories(codes: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """Return the category of each code; the code -1 is a missing value."""
    values = categories.astype(object)[codes]
    values[codes < 0] = None
    return values if (codes < 0).any() else values.astype(categories.dtype)


def _read_values(node: Any) -> np.ndarray:
    import numpy as np

    from featsieve.datasets.hdf5 import read_dataset

    values = np.asarray(read_dataset(node) if hasattr(node, "dtype") and hasattr(node, "id") else node)
    if values.dtype.kind in "SO":
        return np.array([_decode_text(value) for value in values])
    return values


def _decode_text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _number_duplicates(names: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Make names unique by numbering repeated ones, because genes often share a name."""
    counts = Counter(names)
    duplicates = [name for name, count in counts.items() if count > 1]
    if not duplicates:
        return names, ()
    taken, occurrences, unique = set(names), Counter[str](), []
    for name in names:
        occurrences[name] += 1
        new_name = name
        while occurrences[name] > 1 and (new_name := f"{name}-{occurrences[name] - 1}") in taken:
            occurrences[name] += 1
        taken.add(new_name)
        unique.append(new_name)
    note = f"Several columns have the name {list_names(duplicates)}; the later ones were numbered."
    return unique, (note,)


FORMATS = (
    Format(
        title="an HDF5 file",
        help="Annotated matrix of single cells, with labels from a column of obs",
        extensions=(".h5ad",),
        read=read_h5ad,
        magic=(b"\x89HDF",),
        fragile=True,
        has_named_arrays=True,
        extra=EXTRA,
    ),
)
