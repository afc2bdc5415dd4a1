"""Sparse samples as text: ``label place:value place:value``."""

from __future__ import annotations

from pathlib import Path

from featsieve.datasets.arrays import matrix, numbered
from featsieve.datasets.errors import DataError, reading
from featsieve.datasets.formats import open_bytes
from featsieve.datasets.table import Table

# Places beyond this are a mistake in the file rather than a feature.
_MOST_FEATURES = 50_000_000


def read_svmlight(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """A file in svmlight (libsvm) format as a sparse matrix, with its labels."""
    from sklearn.datasets import load_svmlight_file

    with reading(path.name, "svmlight"), open_bytes(path) as handle:
        X, y = load_svmlight_file(handle)
        if X.shape[1] > _MOST_FEATURES:
            raise DataError(
                f"{path.name} names feature {X.shape[1]}: is it svmlight, with places like 7:0.5?"
            )
        X = matrix(X, path.name)
    return Table(X, numbered(X.shape[1]), {"y": y})
