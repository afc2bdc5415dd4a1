"""Writing annotated matrices (.h5ad): a subset of the variables of a file, with a ranking in ``var``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DataError
from featsieve.datasets.formats.h5ad import read_index, read_matrix
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import number_duplicates

# Parts of a file with one entry per cell, which are copied as they are.
COPIED = ("obs", "obsm", "obsp", "uns", "raw")


def write_subset(selection: Selection, source: Any, target: Any) -> None:
    """Copy an open file with the chosen variables only, in their order."""
    names, _ = number_duplicates([str(name) for name in read_index(source["var"])])
    position = {name: index for index, name in enumerate(names)}
    columns = selection.features.columns
    if not position.keys() >= set(columns):
        raise DataError("the features are not the variables of the file: write .csv or .npz.")
    if hasattr(source["var"], "dtype"):
        raise DataError("the source has a table from an old version of anndata: write it again with anndata.")
    kept = np.array([position[column] for column in columns])
    _copy_attributes(source, target)
    for part in COPIED:
        if part in source:
            source.copy(part, target)
    if "X" in source:
        _subset_matrix(source["X"], target, "X", kept)
    for part, axes in (("layers", 1), ("varm", 0), ("varp", 2)):
        if part in source:
            _copy_attributes(source[part], target.create_group(part))
            for name, node in source[part].items():
                _subset_part(node, target[part], name, kept, axes)
    _copy_attributes(source["var"], target.create_group("var"))
    for name, node in source["var"].items():
        _subset_column(node, target["var"], name, kept)
    add_ranking(selection, target["var"])


def write_new(selection: Selection, target: Any) -> None:
    """Write the features as X, the names and labels of the samples to ``obs``, and the ranking to ``var``."""
    dataset = selection.dataset
    target.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    X = selection.matrix()
    if sp.issparse(X):
        _write_sparse(target, "X", X, {"encoding-type": f"{X.format}_matrix", "encoding-version": "0.1.0"})
    else:
        _write_array(target, "X", np.asarray(X))
    names = dataset.sample_names
    obs = _write_frame(target, "obs", [str(i) for i in range(X.shape[0])] if names is None else names)
    if dataset.y is not None and dataset.y.ndim == 1:
        _add_column(obs, "target", dataset.y)
    var = _write_frame(target, "var", selection.features.columns)
    add_ranking(selection, var)


def add_ranking(selection: Selection, var: Any) -> None:
    """Add the columns featsieve_rank, featsieve_score and featsieve_selected."""
    if selection.ranking is None:
        return
    ranking = selection.ranking.reindex(selection.features.columns)
    for column in ranking:
        name = f"featsieve_{column}"
        if name in var:
            del var[name]
        _add_column(var, name, ranking[column].to_numpy())


def is_annotated(path: Path | None) -> bool:
    """Return whether the data comes from an .h5ad file."""
    return path is not None and path.suffix.lower() == ".h5ad"


def _subset_part(node: Any, group: Any, name: str, kept: np.ndarray, axes: int) -> None:
    """Subset an array whose rows (0), columns (1) or both (2) are the variables."""
    if axes == 1:
        _subset_matrix(node, group, name, kept)
        return
    matrix = read_matrix(node, name) if hasattr(node, "dtype") or "indptr" in node else None
    if matrix is None:  # a table
        _copy_attributes(node, group.create_group(name))
        for column, values in node.items():
            _subset_column(values, group[name], column, kept)
        return
    matrix = matrix[kept] if axes == 0 else matrix[kept][:, kept]
    _write_like(node, group, name, matrix)


def _subset_matrix(node: Any, group: Any, name: str, kept: np.ndarray) -> None:
    _write_like(node, group, name, read_matrix(node, name)[:, kept])


def _write_like(node: Any, group: Any, name: str, matrix: Any) -> None:
    """Write a matrix with the attributes of another one."""
    if sp.issparse(matrix):
        _write_sparse(group, name, matrix, dict(node.attrs))
    else:
        _copy_attributes(node, group.create_dataset(name, data=matrix, compression=node.compression))


def _subset_column(node: Any, group: Any, name: str, kept: np.ndarray) -> None:
    if name == "__categories":
        group.file.copy(node, group, name)
    elif hasattr(node, "dtype"):
        values = node[()][kept]
        _copy_attributes(node, group.create_dataset(name, data=values, dtype=node.dtype))
    else:
        _copy_attributes(node, group.create_group(name))
        for part, values in node.items():
            if part == "categories":
                values.file.copy(values, group[name], part)
            else:
                _subset_column(values, group[name], part, kept)


def _copy_attributes(source: Any, target: Any) -> None:
    for name, value in source.attrs.items():
        target.attrs[name] = value


def _write_sparse(group: Any, name: str, matrix: Any, attributes: dict[str, Any]) -> None:
    part = group.create_group(name)
    part.attrs.update(attributes)
    part.attrs["h5sparse_shape" if "h5sparse_shape" in attributes else "shape"] = matrix.shape
    for field in ("data", "indices", "indptr"):
        part.create_dataset(field, data=getattr(matrix, field), compression="gzip")


def _write_array(group: Any, name: str, values: np.ndarray) -> None:
    import h5py

    is_text = values.dtype.kind in "UO"
    data = values.astype(object) if is_text else values
    node = group.create_dataset(name, data=data, dtype=h5py.string_dtype() if is_text else values.dtype)
    node.attrs["encoding-type"] = "string-array" if is_text else "array"
    node.attrs["encoding-version"] = "0.2.0"


def _write_frame(file: Any, name: str, index: Any) -> Any:
    frame = file.create_group(name)
    frame.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
    frame.attrs["column-order"] = np.array([], dtype=object).astype("S1")
    _write_array(frame, "_index", np.array([str(value) for value in index], dtype=object))
    return frame


def _add_column(frame: Any, name: str, values: np.ndarray) -> None:
    import h5py

    _write_array(frame, name, values)
    order = [_decode(column) for column in frame.attrs.get("column-order", [])]
    order = [*(column for column in order if column != name), name]
    frame.attrs.create("column-order", order, dtype=h5py.string_dtype())


def _decode(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
