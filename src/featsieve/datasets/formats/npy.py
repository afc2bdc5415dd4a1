"""Arrays of NumPy: .npy and .npz."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from featsieve.datasets.errors import DAMAGED, DataError, too_short
from featsieve.datasets.formats import MAX_DEFLATE_RATIO, Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table, default_names

# Arrays in every file of scipy.sparse.save_npz, and further ones.
SPARSE_MEMBERS = {"data", "format", "shape"}
SPARSE_INDICES = {"indices", "indptr", "row", "col", "offsets"}


def read_npy(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read a single array."""
    import numpy as np

    from featsieve.datasets.arrays import check_matrix
    from featsieve.engines.memory import file_limit

    with path.open("rb") as handle:
        _check_header(handle, path.stat().st_size, path.name)
        if path.stat().st_size > file_limit():
            from featsieve.engines.chunked import as_chunked

            mapped = check_matrix(np.load(path, mmap_mode="r"), path.name)
            return Table(as_chunked(mapped), default_names(mapped.shape[1]))
        handle.seek(0)
        X = check_matrix(np.load(handle, allow_pickle=False), path.name)
    return Table(X, default_names(X.shape[1]))


def read_npz(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read the arrays of an archive; Python objects are refused, because they would have to be unpickled."""
    import numpy as np

    from featsieve.datasets.arrays import table_from_arrays

    with path.open("rb") as handle, np.load(handle, allow_pickle=False) as archive:

        def read_array(name: str) -> Any:
            _check_member(archive, name, path)
            array = archive[name]
            _check_text(array, f"{path.name}: {name}")
            return array

        names = dict.fromkeys(archive.files)
        if not SPARSE_MEMBERS.issubset(names):
            return table_from_arrays(path.name, names, read_array, samples, labels)
        others = {"X": None} | {name: None for name in names if name not in SPARSE_MEMBERS | SPARSE_INDICES}
        return table_from_arrays(
            path.name,
            others,
            lambda name: _read_sparse(read_array, path.name) if name == "X" else read_array(name),
            samples,
            labels,
        )


def _read_sparse(read_array: Callable[[str], Any], name: str) -> Any:
    """Read a matrix that scipy.sparse.save_npz wrote by rows or by columns."""
    from featsieve.datasets.arrays import compressed_matrix

    format_name, shape = read_array("format"), read_array("shape")
    text = str(format_name.astype(str)) if format_name.dtype.kind in "US" else ""
    axis = {"csr": "row", "csc": "column"}.get(text)
    if axis is None or shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise DataError(
            f"{name} must contain a sparse matrix in the format csr or csc; got {text!r} of the shape "
            f"{shape.tolist()}. Convert it with .tocsr() and save it again with scipy.sparse.save_npz."
        )
    values, indices, pointers = (read_array(part) for part in ("data", "indices", "indptr"))
    n_rows, n_columns = shape.tolist()
    return compressed_matrix(values, indices, pointers, (n_rows, n_columns), axis, f"{name}: the data")


def _check_member(archive: Any, name: str, path: Path) -> None:
    """Check that an array is not larger than its stored bytes allow, before memory is allocated for it."""
    member = name if name in archive.zip.namelist() else f"{name}.npy"
    info = archive.zip.getinfo(member)
    max_size = min(info.compress_size, path.stat().st_size) * MAX_DEFLATE_RATIO
    with archive.zip.open(member) as handle:
        _check_header(handle, min(info.file_size, max_size), f"{path.name}: {name}")


def _check_header(handle: Any, n_bytes: int, subject: str) -> None:
    import numpy as np

    version = np.lib.format.read_magic(handle)
    if version > (2, 0):  # structured arrays, which are refused later
        return
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(handle)
    if dtype.hasobject:
        raise DataError(
            f"{subject} contains Python objects: save it as .astype(float), or labels as .astype(str)."
        )
    if math.prod(shape) * dtype.itemsize > n_bytes - handle.tell():
        raise too_short(subject, shape)


def _check_text(array: Any, subject: str) -> None:
    """Check that text contains only code points of Unicode, because Python cannot represent others."""
    import numpy as np

    if array.dtype.kind == "U" and array.dtype.itemsize:
        codes = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).view(np.uint32)
        if codes.max(initial=0) > sys.maxunicode:
            raise DataError(f"{subject} contains text that is not Unicode. {DAMAGED}")


def write_npy(selection: Selection, handle: IO[bytes]) -> None:
    """Write the features without the labels."""
    import numpy as np

    np.save(handle, selection.dense_matrix())


def write_npz(selection: Selection, handle: IO[bytes]) -> None:
    """Write the features as X, the labels as y and the names as feature_names."""
    import numpy as np

    y = selection.dataset.y
    arrays = {"X": selection.dense_matrix(), "feature_names": np.array(selection.features.columns, dtype=str)}
    np.savez_compressed(handle, **arrays | ({} if y is None else {"y": y}))


FORMATS = (
    Format(
        "a NumPy file",
        "Single array of NumPy, without labels",
        (".npy",),
        read_npy,
        write_npy,
        magic=(b"\x93NUMPY",),
    ),
    Format(
        "a NumPy archive",
        "Arrays of NumPy: X, y and feature_names, or the names given; or a sparse matrix of SciPy",
        (".npz",),
        read_npz,
        write_npz,
        magic=(b"PK",),
        has_named_arrays=True,
    ),
)
