"""Validate the structure of sparse matrices.

SciPy checks only some properties of the index arrays of a sparse matrix, and its compiled loops trust them:
an index out of range reads or writes foreign memory.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config


def check_sparse(X: Any, name: str = "X") -> Any:
    """Return X, and raise ValueError if it is a sparse matrix whose index arrays do not match its shape.

    Unsorted and repeated indices are valid. Reserved space after the last entry is cut off in a view.
    """
    if not sp.issparse(X):
        return X
    if error := structure_error(X):
        raise ValueError(
            f"{name} is not a valid sparse matrix: {error}. Build it from its values, rows and columns: "
            "scipy.sparse.coo_array((values, (rows, columns)), shape=shape)."
        )
    if X.format in ("csr", "csc") and len(X.data) > X.indptr[-1]:
        used = slice(int(X.indptr[-1]))
        return type(X)((X.data[used], X.indices[used], X.indptr), shape=X.shape, copy=False)
    return X


def canonicalize(X: Any) -> Any:
    """Return X, or a copy with sorted, unique and nonzero entries if X is sparse and has others."""
    if not sp.issparse(X):
        return X
    view = type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False)  # has no outdated cached flag
    if not (view.has_canonical_format and np.all(X.data)):
        X = view.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        if not np.isfinite(X.data).all():
            raise ValueError(
                "X must store each entry once; got repeated entries, and their sum is infinite. "
                "Remove the repetitions."
            )
    return X


def structure_error(X: Any) -> str | None:
    """Describe the error in the structure of a sparse matrix; None if it is valid."""
    if X.ndim != 2:
        return f"it must be two-dimensional; got shape {X.shape}"
    if X.format in ("csr", "csc"):
        axis = "row" if X.format == "csr" else "column"
        return compressed_error(X.data, X.indices, X.indptr, X.shape, axis)
    if X.format == "bsr":
        return _bsr_error(X)
    if X.format == "coo":
        rows, columns = X.coords
        if not len(rows) == len(columns) == len(X.data):
            counts = f"{len(rows)}, {len(columns)} and {len(X.data)}"
            return f"rows, columns and values must be equally many; got {counts}"
        return _index_error(rows, X.shape[0], "row") or _index_error(columns, X.shape[1], "column")
    if X.format == "lil":
        return _lil_error(X)
    if X.format == "dia" and not (X.data.ndim == 2 and X.offsets.shape == X.data.shape[:1]):
        return f"it must have one offset per diagonal; got {X.offsets.size} for data of shape {X.data.shape}"
    return None  # SciPy checks the keys of DOK matrices, and diagonals outside the matrix are valid


def compressed_error(data: Any, indices: Any, indptr: Any, shape: Any, axis: str) -> str | None:
    """Describe the error in the arrays of a CSR matrix (``axis`` "row") or a CSC matrix ("column")."""
    (n_major, n_minor), minor_axis = (shape, "column") if axis == "row" else (shape[::-1], "row")
    if np.ndim(indptr) != 1 or len(indptr) != n_major + 1:
        return f"there must be {n_major + 1} {axis} pointers for {n_major} {axis}s; got {np.size(indptr)}"
    if indptr.dtype.kind not in "iu":
        return f"{axis} pointers must be integers; got {indptr.dtype}"
    if indptr[0] != 0:
        return f"the first {axis} pointer must be 0; got {indptr[0]}"
    decreases = np.flatnonzero(indptr[1:] < indptr[:-1])
    if decreases.size:
        before, after = indptr[decreases[0] :][:2]
        return f"{axis} pointers must not decrease; got {after} after {before}"
    if np.ndim(data) != 1 or np.shape(indices) != np.shape(data):
        shapes = f"{np.shape(indices)} and {np.shape(data)}"
        return f"indices and data must be one-dimensional and equally long; got shapes {shapes}"
    if indptr[-1] > len(data):
        return f"the last {axis} pointer must be at most {len(data)}, the number of entries; got {indptr[-1]}"
    return _index_error(indices[: indptr[-1]], n_minor, minor_axis)


def _index_error(indices: Any, size: int, axis: str) -> str | None:
    if indices.dtype.kind not in "iu":
        return f"{axis} indices must be integers; got {indices.dtype}"
    if not indices.size:
        return None
    low, high = indices.min(), indices.max()
    if low < 0 or high >= size:
        return f"{axis} indices must be at least 0 and less than {size}; got {low if low < 0 else high}"
    return None


def _bsr_error(X: Any) -> str | None:
    if X.data.ndim != 3 or 0 in X.data.shape[1:]:
        return f"its blocks must be matrices; got data of shape {X.data.shape}"
    height, width = X.data.shape[1:]
    if X.shape[0] % height or X.shape[1] % width:
        return f"blocks must divide the shape {X.shape}; got blocks of {height} x {width}"
    blocks = (X.shape[0] // height, X.shape[1] // width)
    return compressed_error(X.data[:, 0, 0], X.indices, X.indptr, blocks, "row")


def _lil_error(X: Any) -> str | None:
    if X.rows.shape != X.shape[:1] or X.data.shape != X.shape[:1]:
        return f"there must be {X.shape[0]} lists of columns and of values"
    if any(len(columns) != len(values) for columns, values in zip(X.rows, X.data, strict=True)):
        return "columns and values must be equally many in each row"
    columns = np.fromiter(chain.from_iterable(X.rows), dtype=np.int64)
    return _index_error(columns, X.shape[1], "column")


def densify_small(X: Any) -> Any:
    """Return a sparse matrix as an array if it then takes at most a quarter of the working memory."""
    is_small = X.shape[0] * X.shape[1] * 8 <= get_config()["working_memory"] * 2**18
    return X.toarray() if sp.issparse(X) and is_small else X
