"""Arrays: .mat of MATLAB, .npz and .npy of NumPy."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DAMAGED, DataError, did_you_mean, listing, quoted, reading
from featsieve.datasets.formats import MAX_DEFLATE_RATIO, looks_like
from featsieve.datasets.mat5 import check_types
from featsieve.datasets.table import Table
from featsieve.engines.sparse import compressed_error, structure_error

# What people call the samples and the labels, the usual names first.
_SAMPLES = ("X", "fea", "data")
_LABELS = ("Y", "y", "gnd", "labels", "label", "target")
_NAMES = "feature_names"  # as featsieve select writes them


def read_mat(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """The arrays of a MATLAB file, of version 7.3 (HDF5) too."""
    from scipy.io import loadmat, whosmat

    with path.open("rb") as handle:
        if b"MATLAB 7.3" in handle.read(128):
            from featsieve.datasets.hdf5 import read_mat73

            return read_mat73(path, samples, target)
    with reading(path.name, "MATLAB"):
        check_types(path)
        found = {name: shape for name, shape, _ in whosmat(path)}

        def read(name: str) -> Any:
            return loadmat(path, variable_names=[name])[name]

        return choose(path, found, read, samples, target)


def read_variables(path: Path, *names: str) -> dict[str, Any]:
    """Those of the named arrays that a MATLAB file holds; exceptions are those of SciPy."""
    from scipy.io import loadmat

    check_types(path)
    found = loadmat(path, variable_names=list(names))
    for name, values in found.items():
        sound(values, f"{path.name}: {name}")
    return {
        name: found[name].toarray() if sp.issparse(found[name]) else found[name]
        for name in names
        if name in found
    }


def read_npz(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """The arrays of a NumPy archive; those that would have to be unpickled are refused."""
    with path.open("rb") as handle:
        archive = _load(handle, path)
        if isinstance(archive, np.ndarray):
            raise DataError(f"{path.name} holds a single array, as .npy files do: rename it.")

        def read(name: str) -> Any:
            try:
                _check_member(archive, name, path)
                return _checked_text(archive[name], f"{path.name}: {name}")
            except DataError:
                raise
            except Exception as error:
                raise DataError(_unreadable(f"{path.name}: {name}", error)) from error

        found = dict.fromkeys(archive.files)
        return choose(path, found, read, samples, target)


def read_npy(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """The array of a NumPy file."""
    with path.open("rb") as handle:
        array = _load(handle, path)
        if not isinstance(array, np.ndarray):
            raise DataError(f"{path.name} holds several arrays, as .npz files do: rename it.")
    X = matrix(array, path.name)
    return Table(X, numbered(X.shape[1]))


def choose(
    path: Path,
    found: dict[str, Any],
    read: Callable[[str], Any],
    samples: str | None,
    target: str | None,
) -> Table:
    """The table that the named or the usual arrays make.

    ``found`` maps the names of the arrays to their shapes, or to None where reading them tells.
    """
    name = samples or next((each for each in _SAMPLES if each in found), None) or _only_matrix(found)
    if name not in found:
        raise DataError(_about_samples(path, list(found), samples))
    X = matrix(read(name), path.name)
    others = [each for each in found if each != name]
    wanted = [target] if target in others else [each for each in _LABELS if each in others][:1]
    labels = {str(each): vector(read(each), X.shape, f"{path.name}: {each}") for each in wanted}
    columns = _column_names(read(_NAMES), X.shape[1]) if _NAMES in others else None
    return Table(X, columns or numbered(X.shape[1]), labels, (), tuple(others))


def matrix(X: Any, name: str) -> Any:
    """X, if it is a matrix of numbers; its repeated entries are added up if it is sparse."""
    sound(X, f"{name}: the data")
    if X.ndim != 2:
        raise DataError(f"{name}: the data has shape {X.shape}, but must be a matrix of samples x features.")
    if 0 in X.shape:
        raise DataError(f"{name}: the data has shape {X.shape}, so there is nothing to rank.")
    if X.dtype.kind not in "buif":
        raise DataError(f"{name}: the data is of type {X.dtype}, but must be real numbers.")
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        X.sum_duplicates()
    return X


def sound(X: Any, what: str) -> None:
    """Check the structure of a sparse matrix, before anything computes with it."""
    fault = structure_error(X) if sp.issparse(X) else None
    if fault:
        raise DataError(_invalid(what, fault))


def compressed(values: Any, indices: Any, pointers: Any, shape: tuple[int, int], axis: str, what: str) -> Any:
    """The CSR matrix (``axis`` "row") or CSC matrix ("column") of arrays that a file holds."""
    fault = compressed_error(values, indices, pointers, shape, axis)
    if fault is None and len(values) != pointers[-1]:
        fault = f"the last {axis} pointer must be {len(values)}, the number of entries; got {pointers[-1]}"
    if fault:
        raise DataError(_invalid(what, fault))
    parts = tuple(
        part.astype(part.dtype.newbyteorder("="), copy=False) for part in (values, indices, pointers)
    )
    return (sp.csr_array if axis == "row" else sp.csc_array)(parts, shape=shape)


def _invalid(what: str, fault: str) -> str:
    return f"{what} is not a valid sparse matrix: {fault}. {DAMAGED}"


def vector(labels: Any, shape: tuple[int, int], what: str) -> np.ndarray:
    """The labels as one column, as long as X."""
    if sp.issparse(labels):
        sound(labels, what)
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


def numbered(count: int) -> list[str]:
    """Names for columns that have none: x0, x1, and so on."""
    return [f"x{place}" for place in range(count)]


def _load(handle: Any, path: Path) -> Any:
    start = handle.read(2)
    if start not in (b"PK", b"\x93N"):
        hint = looks_like(path) or ": check its extension"
        raise DataError(f"{path.name} is not a NumPy file{hint}.")
    handle.seek(0)
    try:
        with reading(path.name, "NumPy"):
            if start == b"\x93N":
                _check_header(handle, path.stat().st_size, path.name)
                handle.seek(0)
            return np.load(handle, allow_pickle=False)
    except DataError as error:
        if error.__cause__ is None:
            raise
        raise DataError(_unreadable(path.name, error.__cause__)) from error


def _check_member(archive: Any, name: str, path: Path) -> None:
    """Check that an array of an archive is not larger than what is stored, before it is made."""
    member = name if name in archive.zip.namelist() else f"{name}.npy"
    about = archive.zip.getinfo(member)
    possible = min(about.compress_size, path.stat().st_size) * MAX_DEFLATE_RATIO
    with archive.zip.open(member) as handle:
        _check_header(handle, min(about.file_size, possible), f"{path.name}: {name}")


def _check_header(handle: Any, length: int, what: str) -> None:
    version = np.lib.format.read_magic(handle)
    if version > (2, 0):  # names of fields, which are no numbers
        return
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(handle)
    if not kind.hasobject and math.prod(shape) * kind.itemsize > length - handle.tell():
        size = " x ".join(map(str, shape))
        raise DataError(f"{what} claims to hold {size} values, but the file is too short. {DAMAGED}")


def _checked_text(array: np.ndarray, what: str) -> np.ndarray:
    """The array, if its text has no number beyond those of Unicode, which Python cannot handle."""
    if array.dtype.kind == "U" and array.dtype.itemsize:
        codes = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).view(np.uint32)
        if codes.max(initial=0) > sys.maxunicode:
            raise DataError(f"{what} holds text that is not Unicode. {DAMAGED}")
    return array


def _unreadable(what: str, error: BaseException) -> str:
    if "bject arrays" in str(error):
        return f"{what} holds Python objects: save it as .astype(float), or labels as .astype(str)."
    reason = " ".join(str(error).split())[:160]
    return f"{what} cannot be read, it may be cut short ({reason})."


def _only_matrix(found: dict[str, Any]) -> str | None:
    """The one array with more than one row and column, where the shapes are known."""
    shapes = {name: shape for name, shape in found.items() if shape is not None and name != _NAMES}
    matrices = [name for name, shape in shapes.items() if len(shape) == 2 and min(shape) > 1]
    return matrices[0] if len(matrices) == 1 else None


def _about_samples(path: Path, found: list[str], samples: str | None) -> str:
    if samples is not None:
        return f"{path.name} has no array {quoted(samples)}. {did_you_mean(samples, found, 'arrays')}"
    there = f"it holds {listing(found, 10)}" if found else "it holds no arrays"
    return (
        f"{path.name} has no array called X (samples x features): {there}. "
        "Name the arrays with --samples NAME and --target NAME."
    )


def _column_names(names: Any, count: int) -> list[str] | None:
    """The names, if they are one for each column and unlike each other."""
    if names.size != count or names.dtype.kind not in "UO":
        return None
    found = [str(np.asarray(name).item() if np.size(name) == 1 else "").strip() for name in names.ravel()]
    return found if len(set(found)) == count else None


def _cell(value: Any, what: str) -> Any:
    if np.size(value) != 1:
        raise DataError(f"{what} has a cell of {np.size(value)} values, but each sample has one label.")
    return np.asarray(value).item()
