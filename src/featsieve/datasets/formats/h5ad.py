"""Annotated matrices of single cells: .h5ad, read with h5py alone."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from featsieve.datasets.errors import DataError, require, unknown_name
from featsieve.datasets.formats import Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table, number_duplicates

EXTRA = "h5ad"
# Beginning of the names of arrays in obsm, such as obsm/X_pca.
OBSM = "obsm/"


def read_h5ad(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read the matrix X, a layer or an embedding, with genes as columns and columns of obs as labels."""
    h5py = require("h5py", EXTRA, f"reading {path.name}")
    with h5py.File(path, "r") as file:
        return read_annotated(file, path.name, samples, labels)


def read_annotated(file: Any, name: str, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read the matrix X, a layer or an embedding of an open file or store, with columns of obs as labels."""
    from featsieve.datasets.arrays import check_matrix, wanted_labels

    node = _find_matrix(file, samples, name)
    X = open_large_matrix(node)
    X = check_matrix(read_matrix(node, name) if X is None else X, name)
    obs, var = file["obs"], file["var"]
    names, notes = number_duplicates([str(variable) for variable in read_index(var)])
    if samples is not None and samples.startswith(OBSM):
        names, notes = [f"{samples.removeprefix(OBSM)}_{index}" for index in range(X.shape[1])], ()
    columns = [column for column in _column_names(obs) if column != _index_name(obs)]
    usual = [column for column in columns if column.lower() == "target"]
    vectors = {column: _read_column(obs, column) for column in wanted_labels(columns, usual, labels)}
    lengths = [*_stored_length(obs), *map(len, vectors.values())]
    row_names = read_index(obs).astype(str) if _index_name(obs) in _column_names(obs) else None
    if len(names) != X.shape[1] or any(length != X.shape[0] for length in lengths):
        raise DataError(
            f"{name}: the numbers of names and labels differ from the shape {X.shape} of the matrix."
        )
    return Table(X, names, vectors, label_candidates=tuple(columns), notes=notes, row_names=row_names)


def read_index(table: Any) -> Any:
    """Read the names of the rows of ``obs`` or ``var``."""
    return _read_column(table, _index_name(table))


def _find_matrix(file: Any, samples: str | None, name: str) -> Any:
    """Return the matrix X, a layer, or the array ``obsm/NAME``."""
    if samples in (None, "X"):
        if "X" in file:
            return file["X"]
        raise DataError(f"{name} has no matrix X.")
    if samples.startswith(OBSM):
        embeddings = file.get("obsm", {})
        if samples.removeprefix(OBSM) not in embeddings:
            raise unknown_name(name, samples, [f"{OBSM}{key}" for key in embeddings], "array")
        return embeddings[samples.removeprefix(OBSM)]
    layers = file.get("layers", {})
    if samples not in layers:
        raise unknown_name(
            name, samples, [*layers, *(f"{OBSM}{key}" for key in file.get("obsm", ()))], "layer"
        )
    return layers[samples]


def read_matrix(node: Any, name: str) -> Any:
    """Read a dense or sparse matrix."""
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


def open_large_matrix(node: Any) -> Any:
    """Return a matrix that does not fit in the working memory without reading it; None for all others.

    ``chunked_files`` sets which do not fit.
    """
    from featsieve.engines.memory import file_limit

    is_hdf5 = hasattr(node, "id")
    path = node.file.filename if is_hdf5 else str(getattr(node.store, "root", ""))
    if hasattr(node, "dtype"):
        if node.ndim != 2 or node.size * node.dtype.itemsize <= file_limit():
            return None
        from featsieve.engines.chunked import as_chunked
        from featsieve.engines.sources import HDF5Array

        return as_chunked(HDF5Array.of_file(path, node.name) if is_hdf5 else node)
    encoding = _decode_text(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", b"")))
    values = node["data"]
    if values.size * (values.dtype.itemsize + 4) <= file_limit():
        return None
    n_samples, n_features = map(int, node.attrs.get("shape", node.attrs.get("h5sparse_shape")))
    from featsieve.engines.chunked import as_chunked
    from featsieve.engines.sources import StoredSparse

    group = node.name if is_hdf5 else node.path
    axis = 1 if encoding.startswith("csc") else 0
    return as_chunked(StoredSparse(path, group, (n_samples, n_features), axis))


def _is_group(table: Any) -> bool:
    """Return whether a table is a group of columns; the first versions wrote a structured array."""
    return not hasattr(table, "dtype")


def _index_name(table: Any) -> str:
    return _decode_text(table.attrs.get("_index", "index" if "index" in _column_names(table) else "_index"))


def _column_names(table: Any) -> list[str]:
    names = table if _is_group(table) else table.dtype.names
    return [name for name in names if not name.startswith("__")]


def _stored_length(table: Any) -> list[int]:
    """Return the number of rows of a table in a list, which is empty if the number is not stored."""
    node = table.get(_index_name(table)) if _is_group(table) else table
    return [int(node.shape[0])] if getattr(node, "shape", None) else []


def _read_column(table: Any, name: str) -> Any:
    from featsieve.datasets.hdf5 import read_dataset

    node = table[name]
    older_categories: Any = table.get("__categories", {}) if _is_group(table) else {}
    if name in older_categories:
        return _decode_categories(read_dataset(node), _read_values(older_categories[name]))
    if _is_group(node) and "codes" in node:  # a categorical
        return _decode_categories(read_dataset(node["codes"]), _read_values(node["categories"]))
    if _is_group(node) and "mask" in node:  # numbers with missing values
        return _set_missing(_read_values(node["values"]), read_dataset(node["mask"]).astype(bool))
    return _read_values(node)


def _decode_categories(codes: Any, categories: Any) -> Any:
    """Return the category of each code; the code -1 is a missing value."""
    return _set_missing(categories[codes], codes < 0)


def _set_missing(values: Any, is_missing: Any) -> Any:
    if is_missing.any():
        values = values.astype(object)
        values[is_missing] = None
    return values


def _read_values(node: Any) -> Any:
    import numpy as np

    from featsieve.datasets.hdf5 import read_dataset

    values = np.asarray(read_dataset(node) if hasattr(node, "dtype") else node)
    return np.array([_decode_text(value) for value in values]) if values.dtype.kind in "SO" else values


def _decode_text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def write_h5ad(selection: Selection, handle: IO[bytes]) -> None:
    """Write the source with the chosen variables only, or a new file if the source has another format."""
    h5py = require("h5py", EXTRA, "writing .h5ad")
    from featsieve.datasets.anndata import is_annotated, write_new, write_subset

    path = selection.dataset.path
    with h5py.File(handle.name, "w") as target:
        if path is not None and is_annotated(path):
            with h5py.File(path, "r") as source:
                write_subset(selection, source, target)
        else:
            write_new(selection, target)


FORMATS = (
    Format(
        "an HDF5 file",
        "Annotated matrix of single cells, with labels from a column of obs",
        (".h5ad",),
        read_h5ad,
        write_h5ad,
        magic=(b"\x89HDF",),
        fragile=True,
        has_named_arrays=True,
        extra=EXTRA,
    ),
)
