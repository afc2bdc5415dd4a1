"""Sparse matrices whose structure is known to be sound.

SciPy checks the index arrays of a sparse matrix only in part, and its compiled loops trust them: an index out
of range reads or writes memory that belongs to something else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def check_sparse(X: Any, name: str = "X") -> Any:
    """X, checked if it is a sparse matrix; ValueError if its index arrays do not describe its shape.

    Unsorted and repeated indices are legal. Space reserved after the last entry is cut off, in a view.
    """
    if not sp.issparse(X):
        return X
    fault = structure_error(X)
    if fault:
        raise ValueError(
            f"{name} is not a valid sparse matrix: {fault}. Build it from its values, rows and columns: "
            "scipy.sparse.coo_array((values, (rows, columns)), shape=shape)."
        )
    if X.format in ("csr", "csc") and len(X.data) > X.indptr[-1]:
        used = slice(int(X.indptr[-1]))
        return type(X)((X.data[used], X.indices[used], X.indptr), shape=X.shape, copy=False)
    return X


def structure_error(X: Any) -> str | None:
    """What is wrong with the structure of a sparse matrix; None if it is sound."""
    if X.ndim != 2:
        return f"it must be two-dimensional, but has shape {X.shape}"
    n_rows, n_columns = X.shape
    if X.format in ("csr", "csc"):
        axis = "row" if X.format == "csr" else "column"
        return compressed_error(X.data, X.indices, X.indptr, X.shape, axis)
    if X.format == "bsr":
        return _bsr_fault(X)
    if X.format == "coo":
        rows, columns = X.coords
        if not len(rows) == len(columns) == len(X.data):
            counts = f"{len(rows)}, {len(columns)} and {len(X.data)}"
            return f"rows, columns and values must be equally many, but there are {counts}"
        return _index_fault(rows, n_rows, "row") or _index_fault(columns, n_columns, "column")
    if X.format == "lil":
        return _lil_fault(X)
    if X.format == "dia" and not (X.data.ndim == 2 and X.offsets.shape == X.data.shape[:1]):
        return f"it must have one offset per diagonal, but has {X.offsets.size} for data of {X.data.shape}"
    return None  # SciPy checks the keys of a dictionary, and a diagonal may lie outside of the matrix


def compressed_error(data: Any, indices: Any, indptr: Any, shape: Any, axis: str) -> str | None:
    """What is wrong with the arrays of a CSR matrix (``axis`` "row") or a CSC matrix ("column")."""
    n_major, n_minor = shape if axis == "row" else shape[::-1]
    other = "column" if axis == "row" else "row"
    fault = _pointer_fault(indptr, n_major, axis)
    if fault:
        return fault
    if np.ndim(data) != 1 or np.shape(indices) != np.shape(data):
        shapes = f"{np.shape(indices)} and {np.shape(data)}"
        return f"indices and data must be one-dimensional and equally long, but have shapes {shapes}"
    if indptr[-1] > len(data):
        return f"the last {axis} pointer must be at most {len(data)}, the number of entries; got {indptr[-1]}"
    return _index_fault(indices[: indptr[-1]], n_minor, other)


def _pointer_fault(indptr: Any, n_major: int, axis: str) -> str | None:
    if np.ndim(indptr) != 1 or len(indptr) != n_major + 1:
        return f"there must be {n_major + 1} {axis} pointers for {n_major} {axis}s; got {np.size(indptr)}"
    if indptr.dtype.kind not in "iu":
        return f"{axis} pointers must be integers; got {indptr.dtype}"
    if indptr[0] != 0:
        return f"the first {axis} pointer must be 0; got {indptr[0]}"
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        place = int(falls[0])
        return f"{axis} pointers must not decrease; got {indptr[place + 1]} after {indptr[place]}"
    return None


def _index_fault(indices: Any, size: int, axis: str) -> str | None:
    if indices.dtype.kind not in "iu":
        return f"{axis} indices must be integers; got {indices.dtype}"
    if not indices.size:
        return None
    low, high = indices.min(), indices.max()
    if low < 0 or high >= size:
        return f"{axis} indices must be at least 0 and less than {size}; got {low if low < 0 else high}"
    return None


def _bsr_fault(X: Any) -> str | None:
    if X.data.ndim != 3 or 0 in X.data.shape[1:]:
        return f"its blocks must be matrices, but the data has shape {X.data.shape}"
    height, width = X.data.shape[1:]
    if X.shape[0] % height or X.shape[1] % width:
        return f"blocks of {height} x {width} do not fill the shape {X.shape}"
    blocks = (X.shape[0] // height, X.shape[1] // width)
    return compressed_error(X.data[:, 0, 0], X.indices, X.indptr, blocks, "row")


def _lil_fault(X: Any) -> str | None:
    if X.rows.shape != X.shape[:1] or X.data.shape != X.shape[:1]:
        return f"there must be {X.shape[0]} lists of columns and of values"
    if any(len(columns) != len(values) for columns, values in zip(X.rows, X.data, strict=True)):
        return "columns and values must be equally many in each row"
    return _index_fault(
        np.array([each for row in X.rows for each in row], dtype=np.int64), X.shape[1], "column"
    )
