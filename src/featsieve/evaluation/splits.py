"""Splits of the samples, and the interface of the protocols that make them."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np


class Split(NamedTuple):
    """Row indices of the training set and of the test set."""

    train: np.ndarray
    test: np.ndarray


class Splitter(Protocol):
    """Interface of a protocol such as :class:`RepeatedSplits`."""

    @property
    def name(self) -> str:
        """Name of the protocol."""

    @property
    def transductive(self) -> bool:
        """Whether features are selected on all samples."""

    @property
    def n_splits(self) -> int:
        """Number of splits."""

    @property
    def description(self) -> str:
        """One sentence for reports."""

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return the splits, which are the same for every method."""

    def parameters(self) -> dict[str, Any]:
        """Return everything that determines the splits, except the seed."""


def check_integer(name: str, value: int, minimum: int) -> None:
    """Raise ValueError unless the parameter is an integer of at least the minimum."""
    if not isinstance(value, int) or value < minimum:
        raise ValueError(f"`{name}` must be an integer of at least {minimum}; got {value!r}.")
