"""Settings of a comparison: what determines its results, and how it is computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Literal

import numpy as np

from featsieve.evaluation.measures.measure import Measure
from featsieve.evaluation.protocols import Clustering, RepeatedSplits
from featsieve.evaluation.splits import Splitter, check_integer
from featsieve.evaluation.store import Cell
from featsieve.options import check_option


@dataclass(frozen=True)
class Plan:
    """Settings that determine the results of a comparison, besides data and methods.

    Parameters
    ----------
    protocol : protocol, default=RepeatedSplits()
        Training set and test set of each split.
    sizes : sequence of int, default=None
        Numbers of features to measure. None is about 20 sizes from 1 to all features, evenly spaced on a
        log scale.
    measures : sequence of str or Measure, default=None
        Keys of measures, or records. None selects the measures that suit the labels.
    target : {"auto", "classes", "numeric"}, default="auto"
        Kind of the labels. "auto" treats labels as numeric if they have fractions, or if they are integers
        with more than 20 distinct values and more than one value per five samples.
    scale : {"auto"} or bool, default="auto"
        Whether to standardize the columns by the training set. "auto" does so if the largest range of a
        column is more than 10 times the lower quartile of the ranges, as in most tables, but not in images.
        It leaves sparse data unscaled.
    impute : bool, default=False
        Whether to impute missing values by the median of their column in the training set. A Dataset with
        missing values is always imputed.
    draws : int, default=20
        Number of random orders per split; of the protocol "clustering", in all repeats together.
    seed : int, default=0
        Seed of splits, random orders and randomized methods.

    See Also
    --------
    compare : Compare methods.
    Execution : Settings that do not change the results.

    Examples
    --------
    >>> from featsieve.evaluation import Plan, RepeatedFolds
    >>> Plan(RepeatedFolds(5), sizes=[1, 10], measures=["nn"]).protocol.n_splits
    50
    """

    protocol: Splitter = field(default_factory=RepeatedSplits)
    sizes: Sequence[int] | None = None
    measures: Sequence[str | Measure] | None = None
    target: Literal["auto", "classes", "numeric"] = "auto"
    scale: Literal["auto"] | bool = "auto"
    impute: bool = False
    draws: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        check_option("scale", self.scale, ("auto", True, False))
        check_option("target", self.target, ("auto", "classes", "numeric"))
        check_integer("draws", self.draws, 1)
        check_integer("seed", self.seed, 0)

    def check_sizes(self, n_features: int) -> list[int]:
        """Return the sizes for a number of features, ascending."""
        if self.sizes is None:
            return default_sizes(n_features)
        sizes = sorted(set(self.sizes))
        if not all(isinstance(size, Integral) for size in sizes):
            raise ValueError(f"`sizes` must be integers; got {list(self.sizes)}.")
        if not sizes or sizes[0] < 1 or sizes[-1] > n_features:
            raise ValueError(
                f"`sizes` must be between 1 and {n_features}, the number of features; got {sizes}."
            )
        return [int(size) for size in sizes]

    @property
    def is_clustering(self) -> bool:
        """Whether the protocol clusters all samples in every repeat."""
        return self.protocol.name == Clustering.name

    @property
    def draws_per_split(self) -> int:
        """Number of random orders of one split."""
        return -(-self.draws // self.protocol.n_splits) if self.is_clustering else self.draws


@dataclass(frozen=True)
class Execution:
    """Settings of the computation, which do not change the results.

    Parameters
    ----------
    store : str or path, default=None
        SQLite file that each finished cell is written to. The same call with the same store resumes an
        interrupted comparison. None stores nothing.
    n_jobs : int, default=None
        Number of cells to compute in parallel, as in scikit-learn; -1 uses all cores, which are divided
        among the cells. The workers of an active Dask client compute as many cells as they have threads.
    timeout : float, default=None
        Seconds after which a cell is stopped.
    retry : bool, default=False
        Whether to recompute cells that failed or were stopped.
    progress : callable, default=None
        Function that is called with each finished cell and the number of cells to compute.
    command : str, default=None
        Command that repeats the comparison, for reports.
    ranking : bool, default=True
        Whether to fit each method on all samples too, for the ranking.
    selection : sequence of str, default=None
        Arguments of ``featsieve select`` that read the same data and, at the end, name the file to write.
        The recommendation completes them with the method and the number of features.
    budget : float, default=None
        Seconds for the fits of all methods, on one core. If methods are not named, their times are estimated
        first and the slowest ones left out. None is 600 for X with more than 200,000 entries, and no limit
        otherwise.
    notify : callable, default=None
        Function that is called before the computation with a sentence on the methods that are expected to
        take long, if groups of methods, such as "all", are compared without a budget.

    See Also
    --------
    Plan : Settings that determine the results.

    Examples
    --------
    >>> from featsieve.evaluation import Execution
    >>> Execution("results.sqlite", n_jobs=-1, timeout=600).retry
    False
    """

    store: str | os.PathLike[str] | None = None
    n_jobs: int | None = None
    timeout: float | None = None
    retry: bool = False
    progress: Callable[[Cell, int], object] | None = None
    command: str | None = None
    ranking: bool = True
    selection: Sequence[str] | None = None
    budget: float | None = None
    notify: Callable[[str], object] | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"`timeout` must be a positive number of seconds; got {self.timeout!r}.")
        if self.budget is not None and not self.budget > 0:
            raise ValueError(f"`budget` must be a positive number of seconds; got {self.budget!r}.")
        if self.n_jobs == 0:
            raise ValueError("`n_jobs` must not be 0: 1 computes one cell at a time, -1 uses all cores.")


def default_sizes(n_features: int, count: int = 20) -> list[int]:
    """Return integers from 1 to the number of features, evenly spaced on a log scale.

    Parameters
    ----------
    n_features : int
        Largest size.
    count : int, default=20
        Number of sizes before duplicates are removed.

    Returns
    -------
    list of int
        Sizes, ascending.

    Examples
    --------
    >>> from featsieve.evaluation import default_sizes
    >>> default_sizes(30)
    [1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 18, 21, 25, 30]
    """
    return np.unique(np.geomspace(1, n_features, count).round().astype(int)).tolist()
