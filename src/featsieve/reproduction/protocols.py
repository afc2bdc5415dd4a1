"""Evaluation protocols that several papers share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from featsieve.datasets.catalog import Entry, data_folder
from featsieve.datasets.errors import DataNotFoundError
from featsieve.evaluation.published import PublishedSplits
from featsieve.evaluation.splits import Split


@dataclass(frozen=True)
class LeadingSamples:
    """A single split that trains on the first samples and tests on the rest.

    Parameters
    ----------
    n_train : int
        Number of training samples.
    per_class : bool, default=False
        Whether ``n_train`` is the number of training samples per class.
    """

    n_train: int
    per_class: bool = False
    name: ClassVar[str] = "leading"
    transductive: ClassVar[bool] = False

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return 1

    @property
    def description(self) -> str:
        """The protocol in one sentence."""
        return f"Trains on the first {self.n_train} samples{' of each class' * self.per_class}."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return the split."""
        is_train = np.zeros(n_samples, dtype=bool)
        if self.per_class and classes is not None:
            for label in np.unique(classes):
                is_train[np.flatnonzero(classes == label)[: self.n_train]] = True
        else:
            is_train[: self.n_train] = True
        return [Split(np.flatnonzero(is_train), np.flatnonzero(~is_train))]

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that determine the split."""
        return asdict(self)


@dataclass(frozen=True)
class CatalogSplits:
    """The published splits of a dataset of the catalog.

    Parameters
    ----------
    n_train : int
        Number of training samples per class.
    """

    n_train: int

    def __call__(self, entry: Entry) -> PublishedSplits:
        """Return the protocol; raise DataNotFoundError if the file of the splits is missing."""
        folder, file = data_folder(), str(entry.splits).format(k=self.n_train)
        if folder is None or not (folder / file).is_file():
            raise DataNotFoundError(
                f"the published splits of {entry.name} must be in "
                f"{folder or 'the folder that FEATSIEVE_DATA names'} as {file}; the file was not found. "
                f"Download it from: {entry.source}."
            )
        return PublishedSplits(folder / file, isolated=True)
