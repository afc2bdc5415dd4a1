"""Splits that were published with a dataset."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from featsieve.datasets.errors import DataError
from featsieve.evaluation.splits import Split


@dataclass(frozen=True)
class PublishedSplits:
    """Splits that were published with a dataset.

    Parameters
    ----------
    path : str or path
        A .mat file with the arrays ``trainIdx`` and ``testIdx``: one split per row, samples numbered from 1.
    isolated : bool, default=False
        Whether to read the file in a separate process, as in :func:`featsieve.datasets.load`.

    See Also
    --------
    RepeatedSplits : Random splits.

    Examples
    --------
    >>> from featsieve.evaluation import PublishedSplits
    >>> PublishedSplits("splits/Yale_5Train.mat").name
    'published'
    """

    path: str | os.PathLike[str]
    isolated: bool = False
    name: ClassVar[str] = "published"
    transductive: ClassVar[bool] = False

    @cached_property
    def _splits(self) -> list[Split]:
        from featsieve.datasets.formats.matlab import read_variables

        file, names = Path(self.path).name, ("trainIdx", "testIdx")
        try:
            arrays = read_variables(Path(self.path), names, self.isolated)
        except DataError:
            raise
        except Exception as error:  # SciPy raises various exceptions on damaged files
            raise DataError(f"the splits {file} cannot be read as a .mat file: {error}.") from error
        for name in names:
            if name not in arrays or arrays[name].dtype.kind not in "iuf":
                raise DataError(f"the splits {file} must have an array of numbers called {name}.")
        indices = [np.atleast_2d(arrays[name]).astype(np.intp) - 1 for name in names]
        # a single split may be stored as two columns
        train, test = (
            rows.T
            if rows.shape[1] == 1 and rows.shape[0] > 1 and len(indices[0]) != len(indices[1])
            else rows
            for rows in indices
        )
        if len(train) != len(test) or not train.size or not test.size:
            raise DataError(f"the splits {file} must have a row for each split in both trainIdx and testIdx.")
        splits = [Split(*rows) for rows in zip(train, test, strict=True)]
        for number, split in enumerate(splits, start=1):
            if np.intersect1d(*split).size:
                raise DataError(f"split {number} of {file} has samples in both trainIdx and testIdx.")
        return splits

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self._splits)

    @property
    def description(self) -> str:
        """One sentence for reports."""
        return f"The {self.n_splits} published splits of {Path(self.path).name}."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return the splits, which are the same for every method."""
        rows = np.concatenate([np.concatenate(split) for split in self._splits])
        if rows.min() < 0 or rows.max() >= n_samples:
            raise ValueError(
                f"the splits {Path(self.path).name} have samples {rows.min() + 1} to {rows.max() + 1}, "
                f"and the data has {n_samples}."
            )
        return self._splits

    def parameters(self) -> dict[str, Any]:
        """Return everything that determines the splits."""
        content = b"".join(train.tobytes() + b"/" + test.tobytes() + b";" for train, test in self._splits)
        return {"file": Path(self.path).name, "hash": hashlib.sha256(content).hexdigest()[:16]}
