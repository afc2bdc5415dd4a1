"""What to measure, and how to go about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

import numpy as np

from featsieve.evaluation.protocols import Clustering, RepeatedSplits, Splitter
from featsieve.evaluation.store import Cell


@dataclass(frozen=True)
class Plan:
    """Everything that decides the results of a comparison, apart from data and methods.

    Parameters
    ----------
    protocol : protocol, default=RepeatedSplits()
        Which samples to learn from and which to measure on.
    sizes : sequence of int, default=None
        Numbers of features to measure at; None is about 20 from 1 to all, evenly on a log scale.
    measures : sequence of str, default=None
        Keys of the measures; None is what suits the target.
    target : {"auto", "classes", "numeric"}, default="auto"
        What the labels are. "auto" takes numbers with a fraction for quantities, and whole ones of which
        there are more than 20, and more than one for every five samples.
    scale : {"auto"} or bool, default="auto"
        Standardize the columns by the training part. "auto" does so where the largest range of a column is
        more than 10 times the lower quartile of the ranges: pixels share a unit, the columns of most tables
        do not. Sparse data is left as it is.
    impute : bool, default=False
        Fill missing values with the median of their column in the training part. A Dataset that has
        missing values is always imputed so.
    draws : int, default=20
        Random selections for each split; for the protocol "clustering" in all repeats together.
    seed : int, default=0
    """

    protocol: Splitter = field(default_factory=RepeatedSplits)
    sizes: Sequence[int] | None = None
    measures: Sequence[str] | None = None
    target: Literal["auto", "classes", "numeric"] = "auto"
    scale: Literal["auto"] | bool = "auto"
    impute: bool = False
    draws: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.scale not in ("auto", True, False):
            raise ValueError(f"scale must be 'auto', True or False, got {self.scale!r}.")
        if self.target not in ("auto", "classes", "numeric"):
            raise ValueError(f"target must be 'auto', 'classes' or 'numeric', got {self.target!r}.")
        if not isinstance(self.draws, int) or self.draws < 1:
            raise ValueError(f"draws must be a whole number of at least 1, got {self.draws!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number of at least 0, got {self.seed!r}.")

    def checked_sizes(self, n_features: int) -> list[int]:
        """The sizes for data with so many features."""
        if self.sizes is None:
            return default_sizes(n_features)
        sizes = sorted(set(self.sizes))
        if not all(isinstance(size, Integral) for size in sizes):
            raise ValueError(f"sizes must be whole numbers, got {list(self.sizes)}.")
        if not sizes or sizes[0] < 1 or sizes[-1] > n_features:
            raise ValueError(f"sizes must lie between 1 and {n_features}, the number of features.")
        return [int(size) for size in sizes]

    @property
    def clusters(self) -> bool:
        """Whether clusters are measured, on the same samples every time."""
        return self.protocol.name == Clustering.name

    def draws_each(self) -> int:
        """Random selections for one split."""
        return -(-self.draws // self.protocol.n_splits) if self.clusters else self.draws


@dataclass(frozen=True)
class Execution:
    """How a comparison is carried out; nothing here changes its results.

    Parameters
    ----------
    store : str or path, default=None
        SQLite file that keeps each finished cell; the same call with the same store goes on where it
        stopped. None keeps nothing.
    n_jobs : int, default=None
        Cells to compute at a time, as in scikit-learn; -1 is one for each core. The cores are shared out
        among them.
    timeout : float, default=None
        Seconds that a cell may take before it is stopped and recorded so.
    retry : bool, default=False
        Compute cells again that failed or ran out of time.
    progress : callable, default=None
        Called with each finished cell and how many there will be.
    command : str, default=None
        What to repeat the comparison by, for the report.
    ranking : bool, default=True
        Whether each method is also fitted on all samples, which the ranking needs.
    """

    store: str | os.PathLike[str] | None = None
    n_jobs: int | None = None
    timeout: float | None = None
    retry: bool = False
    progress: Callable[[Cell, int], Any] | None = None
    command: str | None = None
    ranking: bool = True

    def __post_init__(self) -> None:
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"timeout must be a positive number of seconds, got {self.timeout!r}.")
        if self.n_jobs == 0:
            raise ValueError("n_jobs must not be 0: 1 is one at a time, -1 one for each core.")


def default_sizes(n_features: int, count: int = 20) -> list[int]:
    """About ``count`` whole numbers from 1 to ``n_features``, evenly on a log scale.

    Examples
    --------
    >>> from featsieve.evaluation import default_sizes
    >>> default_sizes(30)
    [1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 18, 21, 25, 30]
    """
    return np.unique(np.geomspace(1, n_features, count).round().astype(int)).tolist()
