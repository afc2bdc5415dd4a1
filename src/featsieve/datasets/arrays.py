"""Arrays: .mat of MATLAB, .npz and .npy of NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DataError, listing

_LABELS = ("Y", "y")


def read_arrays(path: Path, target: str | None = None) -> tuple[Any, list[str], dict[str, Any]]:
    """Values, column names ``x0, x1, ...`` and label arrays of a file.

    ``target`` is an array to read as labels besides Y and y.
    """
    readers = {".mat": _read_mat, ".npz": _read_npz, ".npy": _read_npy}
    X, labels = readers[path.suffix.lower()](path, target)
    X = _matrix(X, path.name)
    labels = {name: _vector(values, X.shape, f"{path.name}: {name}") for name, values in labels.items()}
    return X, [f"x{place}" for place in range(X.shape[1])], labels


def _read_mat(path: Path, target: str | None) -> tuple[Any, dict[str, Any]]:
    from scipy.io import loadmat, whosmat

    try:
        found = [name for name, _, _ in whosmat(path)]
        wanted = _wanted(found, target, path)
        read = loadmat(path, variable_names=["X", *wanted])
    except DataError:
        raise
    except NotImplementedError as error:
        raise DataError(
            f"{path.name} is a MATLAB 7.3 (HDF5) file: save it again in MATLAB with save(..., '-v7')."
        ) from error
    except Exception as error:  # the reader fails in many ways on bytes that are no .mat file
        raise DataError(f"{path.name} is not a MATLAB file, or is cut short ({error}).") from error
    return read["X"], {name: read[name] for name in wanted}


def _read_npz(path: Path, target: str | None) -> tuple[Any, dict[str, Any]]:
    with path.open("rb") as handle:
        archive = _load(handle, path)
        if isinstance(archive, np.ndarray):
            raise DataError(f"{path.name} holds a single array, as .npy files do: rename it.")
        wanted = _wanted(archive.files, target, path)
        return _member(archive, "X", path), {name: _member(archive, name, path) for name in wanted}


def _read_npy(path: Path, target: str | None) -> tuple[Any, dict[str, Any]]:
    with path.open("rb") as handle:
        array = _load(handle, path)
        if not isinstance(array, np.ndarray):
            raise DataError(f"{path.name} holds several arrays, as .npz files do: rename it.")
        return array, {}


def _load(handle: Any, path: Path) -> Any:
    start = handle.read(2)
    if start not in (b"PK", b"\x93N"):
        raise DataError(f"{path.name} is not a NumPy file: check its extension.")
    handle.seek(0)
    try:
        return np.load(handle, allow_pickle=False)
    except Exception as error:  # bytes cut anywhere fail in many ways
        raise DataError(_unreadable(path.name, error)) from error


def _member(archive: Any, name: str, path: Path) -> np.ndarray:
    try:
        return archive[name]
    except Exception as error:
        raise DataError(_unreadable(f"{path.name}: {name}", error)) from error


def _unreadable(what: str, error: Exception) -> str:
    if "bject arrays" in str(error):
        return f"{what} holds Python objects: save it as .astype(float), or labels as .astype(str)."
    return f"{what} cannot be read, it may be cut short ({error})."


def _wanted(found: list[str], target: str | None, path: Path) -> list[str]:
    """The arrays of labels to read."""
    if "X" not in found:
        there = f"it holds {listing(found, 10)}" if found else "it holds no arrays"
        raise DataError(
            f"{path.name} has no array called X (samples x features): {there}. Save the samples as X."
        )
    if target in found and target != "X":
        return [str(target)]
    return [name for name in _LABELS if name in found][:1]


def _matrix(X: Any, name: str) -> Any:
    if X.ndim != 2:
        raise DataError(f"{name}: the data has shape {X.shape}, but must be a matrix of samples x features.")
    if 0 in X.shape:
        raise DataError(f"{name}: the data has shape {X.shape}, so there is nothing to rank.")
    if X.dtype.kind not in "buif":
        raise DataError(f"{name}: the data is of type {X.dtype}, but must be real numbers.")
    return X


def _vector(labels: Any, shape: tuple[int, int], what: str) -> np.ndarray:
    if sp.issparse(labels):
        labels = labels.toarray()
    size = max(labels.shape, default=1)
    if size != labels.size:
        raise DataError(f"{what} has shape {labels.shape}, but labels are one column.")
    if size != shape[0]:
        turned = " Each row of X must be a sample: transpose X." if size == shape[1] else ""
        raise DataError(f"{what} has {size} labels for the {shape[0]} rows of X.{turned}")
    labels = labels.ravel()
    if labels.dtype.kind == "O":  # a cell array of MATLAB
        labels = np.array([_cell(value, what) for value in labels])
    return np.char.strip(labels) if labels.dtype.kind == "U" else labels


def _cell(value: Any, what: str) -> Any:
    if np.size(value) != 1:
        raise DataError(f"{what} has a cell of {np.size(value)} values, but each sample has one label.")
    return np.asarray(value).item()
