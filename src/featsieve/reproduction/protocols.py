"""Protocols of the papers that evaluation has no need of otherwise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from featsieve.datasets.catalog import Entry, data_folder
from featsieve.datasets.errors import DataNotFoundError
from featsieve.evaluation.protocols import PublishedSplits, Split


@dataclass(frozen=True)
class Leading:
    """Learn from the samples that come first, measure on the others.

    Parameters
    ----------
    n_train : int
        How many.
    per_class : bool, default=False
        So many of each class.
    """

    n_train: int
    per_class: bool = False
    name: ClassVar[str] = "leading"
    transductive: ClassVar[bool] = False

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return 1

    @property
    def description(self) -> str:
        """One sentence for people."""
        return f"The first {self.n_train} samples{' of each class' * self.per_class} are learnt from."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """The one split."""
        first = np.zeros(n_samples, dtype=bool)
        if self.per_class and classes is not None:
            for each in np.unique(classes):
                first[np.flatnonzero(classes == each)[: self.n_train]] = True
        else:
            first[: self.n_train] = True
        return [Split(np.flatnonzero(first), np.flatnonzero(~first))]

    def parameters(self) -> dict[str, Any]:
        """What decides the split."""
        return asdict(self)


@dataclass(frozen=True)
class Published:
    """The published splits of a dataset of the catalog, with so many training samples of each class."""

    n_train: int

    def __call__(self, entry: Entry) -> PublishedSplits:
        """The protocol; DataNotFoundError where the file is not there."""
        folder, file = data_folder(), str(entry.splits).format(k=self.n_train)
        if folder is None or not (folder / file).is_file():
            raise DataNotFoundError(
                f"the published splits of {entry.name} are looked for as {file} in "
                f"{folder or 'the folder that FEATSIEVE_DATA names'}, and are not there. "
                f"People get them from: {entry.source}."
            )
        return PublishedSplits(folder / file, isolated=True)
