"""Sparse samples as text: ``label index:value index:value``."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from featsieve.datasets.errors import DataError, quote
from featsieve.datasets.formats import Format, open_bytes
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table, default_names

# A larger index is a mistake in the file, not a feature.
MAX_FEATURES = 50_000_000


def read_svmlight(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read a file in svmlight (libsvm) format as a sparse matrix with labels."""
    from sklearn.datasets import load_svmlight_file

    from featsieve.datasets.arrays import check_matrix

    with open_bytes(path) as handle:
        X, y = load_svmlight_file(handle)
    if X.shape[1] > MAX_FEATURES:
        raise DataError(
            f"{path.name}: feature indices must be at most {MAX_FEATURES}; got {X.shape[1]}. "
            "Check that the file is in svmlight format, with pairs like 7:0.5."
        )
    X = check_matrix(X, path.name)
    return Table(X, default_names(X.shape[1]), {"y": y})


def write_svmlight(selection: Selection, handle: IO[bytes]) -> None:
    """Write a file in svmlight format, with labels of 0 if there are none."""
    import numpy as np
    import scipy.sparse as sp
    from sklearn.datasets import dump_svmlight_file

    X, y = selection.matrix(), selection.dataset.y
    if y is not None and y.dtype.kind not in "buif":
        raise DataError(
            f"the labels are text ({quote(y[0])}), which {selection.suffix} files cannot contain: write .csv."
        )
    if sp.issparse(X) and X.nnz <= np.iinfo(np.int32).max:  # scikit-learn 1.7 accepts no 64-bit pointers
        X = sp.csr_array(X)
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    dump_svmlight_file(X, np.zeros(X.shape[0]) if y is None else y, handle, zero_based=False)


FORMATS = (
    Format(
        "an svmlight file",
        "Sparse samples of svmlight and libsvm",
        (".svmlight", ".libsvm", ".svm"),
        read_svmlight,
        write_svmlight,
        compressible=True,
    ),
)
