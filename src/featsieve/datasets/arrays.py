"""Checks and conversions that all formats of arrays share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DAMAGED, DataError, list_names, unknown_name
from featsieve.datasets.table import Table, default_names
from featsieve.engines.sparse import compressed_error, structure_error

# Usual names of the arrays, in order of preference.
SAMPLE_NAMES = ("X", "fea", "data")
LABEL_NAMES = ("Y", "y", "gnd", "labels", "label", "target")
FEATURE_NAMES = "feature_names"  # as written by featsieve.datasets.save


def table_from_arrays(
    file_name: str,
    shapes: dict[str, Any],
    read_array: Callable[[str], Any],
    samples: str | None,
    labels: tuple[str, ...],
) -> Table:
    """Build a table from the arrays that are named, or from those with the usual names.

    ``shapes`` maps the names of the arrays to their shapes, or to None if only reading can find out.
    """
    name = samples or next((name for name in SAMPLE_NAMES if name in shapes), None) or _only_matrix(shapes)
    if name not in shapes and samples is not None:
        raise unknown_name(file_name, samples, list(shapes), "array")
    if name not in shapes:
        contents = f"it contains {list_names(list(shapes), 10)}" if shapes else "it contains no arrays"
        raise DataError(
            f"{file_name} has no array with the name X (samples x features): {contents}. "
            "Name the arrays with --samples NAME and --target NAME."
        )
    X = check_matrix(read_array(name), file_name)
    candidates = [candidate for candidate in shapes if candidate != name]
    label_vectors = {
        str(label_name): label_vector(read_array(label_name), X.shape, f"{file_name}: {label_name}")
        for label_name in wanted_labels(candidates, LABEL_NAMES, labels)
    }
    names = _column_names(read_array(FEATURE_NAMES), X.shape[1]) if FEATURE_NAMES in candidates else None
    return Table(X, names or default_names(X.shape[1]), label_vectors, label_candidates=tuple(candidates))


def wanted_labels(candidates: list[str], usual: Iterable[str], wanted: tuple[str, ...]) -> list[str]:
    """Return the usual labels and those that are wanted, as far as they are candidates."""
    default = [name for name in usual if name in candidates][:1]
    return list(dict.fromkeys([*default, *(name for name in wanted if name in candidates)]))


def check_matrix(X: Any, name: str) -> Any:
    """Check that X is a matrix of real numbers, and add up repeated entries if it is sparse."""
    check_sparse_structure(X, f"{name}: the data")
    if X.ndim != 2:
        raise DataError(f"{name}: the data must be a matrix of samples x features; got the shape {X.shape}.")
    if 0 in X.shape:
        raise DataError(f"{name}: the data has the shape {X.shape}, so there is nothing to rank.")
    if X.dtype.kind not in "buif":
        raise DataError(f"{name}: the data must be real numbers; got the type {X.dtype}.")
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        X.sum_duplicates()
    return X


def check_sparse_structure(X: Any, subject: str) -> None:
    """Check the index arrays of a sparse matrix before anything is computed from them."""
    fault = structure_error(X) if sp.issparse(X) else None
    if fault:
        raise _invalid_sparse(subject, fault)


def compressed_matrix(
    values: Any, indices: Any, pointers: Any, shape: tuple[int, int], axis: str, subject: str
) -> Any:
    """Build a CSR matrix (``axis`` "row") or CSC matrix ("column") from the arrays of a file."""
    fault = compressed_error(values, indices, pointers, shape, axis)
    if fault is None and len(values) != pointers[-1]:
        fault = f"the last {axis} pointer must be {len(values)}, the number of entries; got {pointers[-1]}"
    if fault:
        raise _invalid_sparse(subject, fault)
    arrays = tuple(
        array.astype(array.dtype.newbyteorder("="), copy=False) for array in (values, indices, pointers)
    )
    return (sp.csr_array if axis == "row" else sp.csc_array)(arrays, shape=shape)


def _invalid_sparse(subject: str, fault: str) -> DataError:
    return DataError(f"{subject} is not a valid sparse matrix: {fault}. {DAMAGED}")


def label_vector(labels: Any, shape: tuple[int, int], subject: str) -> np.ndarray:
    """Return labels as a vector with one label per row of X, whose shape is ``shape``."""
    if sp.issparse(labels):
        check_sparse_structure(labels, subject)
        labels = labels.toarray()
    size = max(labels.shape, default=1)
    if size != labels.size:
        raise DataError(f"{subject} must be a single column of labels; got the shape {labels.shape}.")
    if size != shape[0]:
        transposed = " Each row of X must be a sample: transpose X." if size == shape[1] else ""
        raise DataError(f"{subject} has {size} labels for the {shape[0]} rows of X.{transposed}")
    labels = labels.ravel()
    if labels.dtype.kind == "O":  # a cell array of MATLAB
        labels = np.array([_cell_value(cell, subject) for cell in labels])
    return np.char.strip(labels) if labels.dtype.kind == "U" else labels


def _only_matrix(shapes: dict[str, Any]) -> str | None:
    """Return the name of the only array with several rows and columns, if the shapes are known."""
    known = {name: shape for name, shape in shapes.items() if shape is not None and name != FEATURE_NAMES}
    matrices = [name for name, shape in known.items() if len(shape) == 2 and min(shape) > 1]
    return matrices[0] if len(matrices) == 1 else None


def _column_names(names: Any, count: int) -> list[str] | None:
    """Return the names as text if there is a unique one for each column."""
    if names.size != count or names.dtype.kind not in "UO":
        return None
    texts = [str(np.asarray(name).item() if np.size(name) == 1 else "").strip() for name in names.ravel()]
    return texts if len(set(texts)) == count else None


def _cell_value(cell: Any, subject: str) -> Any:
    if np.size(cell) != 1:
        raise DataError(f"{subject} must have one label per sample; got a cell with {np.size(cell)} values.")
    return np.asarray(cell).item()
