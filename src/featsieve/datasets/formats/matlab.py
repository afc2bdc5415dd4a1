"""Arrays of MATLAB: .mat of every version."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

from featsieve.datasets.formats import Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table

if TYPE_CHECKING:
    import numpy as np


def read_mat(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read the arrays of a MATLAB file; version 7.3 is HDF5."""
    from scipy.io import loadmat, whosmat

    from featsieve.datasets.arrays import table_from_arrays
    from featsieve.datasets.mat5 import check_types

    with path.open("rb") as handle:
        if b"MATLAB 7.3" in handle.read(128):
            from featsieve.datasets.mat73 import read_mat73

            return read_mat73(path, samples, labels)
    check_types(path)
    shapes = {name: shape for name, shape, _ in whosmat(path)}

    return table_from_arrays(
        path.name, shapes, lambda name: loadmat(path, variable_names=[name])[name], samples, labels
    )


def read_variables(path: Path, names: tuple[str, ...], isolated: bool = False) -> dict[str, np.ndarray]:
    """Read those of the named arrays that a MATLAB file contains; exceptions of SciPy are not converted.

    ``isolated`` reads the file in a separate process.
    """
    if isolated:
        from featsieve.datasets.isolated import read_isolated

        return read_isolated(f"{__name__}:read_variables", path, names)
    from scipy.io import loadmat
    from scipy.sparse import issparse

    from featsieve.datasets.arrays import check_sparse_structure
    from featsieve.datasets.mat5 import check_types

    check_types(path)
    arrays = loadmat(path, variable_names=list(names))
    for name, array in arrays.items():
        check_sparse_structure(array, f"{path.name}: {name}")
        arrays[name] = array.toarray() if issparse(array) else array
    return {name: arrays[name] for name in names if name in arrays}


def write_mat(selection: Selection, handle: IO[bytes]) -> None:
    """Write the features as X, the labels as Y and the names as feature_names."""
    import numpy as np
    from scipy.io import savemat

    y = selection.dataset.y
    arrays = {"X": selection.matrix(), "feature_names": np.array(selection.features.columns, dtype=object)}
    if y is not None:
        arrays["Y"] = (y.astype(object) if y.dtype.kind == "U" else y)[:, None]
    savemat(handle, arrays, do_compression=True)


FORMATS = (
    Format(
        "a MATLAB file",
        "Arrays of MATLAB: X and Y, or the names given (version 7.3 requires the extra h5ad)",
        (".mat",),
        read_mat,
        write_mat,
        magic=(b"MATLAB",),
        requires_magic=False,  # version 4 has none
        fragile=True,
        has_named_arrays=True,
    ),
)
