"""Protocols: how the samples are split into training sets and test sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from featsieve.datasets.errors import DataNotFoundError, did_you_mean
from featsieve.evaluation.published import PublishedSplits
from featsieve.evaluation.splits import Split, Splitter, check_integer


@dataclass(frozen=True)
class RepeatedSplits:
    """Random splits into a training set and a test set.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of splits.
    test_size : float, default=0.5
        Share of the samples in the test set.
    stratified : bool, default=True
        Whether the classes have the same shares in both sets. The sample of a class with a single one is
        always in the training set.

    See Also
    --------
    RepeatedFolds : Cross-validation.
    SeenSplits : Splits after features were selected on all samples.

    Examples
    --------
    >>> from featsieve.evaluation import RepeatedSplits
    >>> RepeatedSplits(5, test_size=0.3).description
    '5 random splits, 30% of the samples of each class held out.'
    """

    n_repeats: int = 10
    test_size: float = 0.5
    stratified: bool = True
    name: ClassVar[str] = "splits"
    transductive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_integer("n_repeats", self.n_repeats, 1)
        if not 0 < self.test_size < 1:
            raise ValueError(f"`test_size` must be between 0 and 1; got {self.test_size}.")

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return self.n_repeats

    @property
    def description(self) -> str:
        """One sentence for reports."""
        times = f"{self.n_repeats} random split{'s' if self.n_repeats > 1 else ''}"
        samples = "samples of each class" if self.stratified else "samples"
        return f"{times}, {self.test_size:.0%} of the {samples} held out."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return the splits, which are the same for every method."""
        groups = _group_rows(n_samples, classes if self.stratified else None)
        _check_n_samples(n_samples, 2)
        if all(group.size == 1 for group in groups):
            raise ValueError(
                "at least one class must have 2 samples, but every sample has a different label. If the "
                "labels are numbers, use target='numeric' (--target-type numeric); if they are names of "
                "samples, do not use them as labels."
            )
        n_test = min(n_samples - 1, max(1, round(n_samples * self.test_size)))
        return [self._split(groups, n_test, _random_generator(seed, i)) for i in range(self.n_repeats)]

    def _split(self, groups: list[np.ndarray], n_test: int, random: np.random.Generator) -> Split:
        sizes = np.array([group.size for group in groups])
        shares = sizes * (n_test / sizes.sum())
        counts = np.minimum(shares.astype(int), sizes - 1)
        # the samples lost by rounding come from the groups with the largest fractions, ties at random
        fractions = np.where(counts < sizes - 1, shares - counts, -np.inf)
        while counts.sum() < n_test and np.isfinite(fractions).any():
            group = random.choice(np.flatnonzero(fractions >= fractions.max() - 1e-9))
            counts[group] += 1
            fractions[group] = shares[group] - counts[group] if counts[group] < sizes[group] - 1 else -np.inf
        shuffled = [random.permutation(group) for group in groups]
        test = np.sort(np.concatenate([group[:count] for group, count in zip(shuffled, counts, strict=True)]))
        return Split(np.setdiff1d(np.concatenate(groups), test), test)

    def parameters(self) -> dict[str, Any]:
        """Return everything that determines the splits, except the seed."""
        return asdict(self)


@dataclass(frozen=True)
class SeenSplits(RepeatedSplits):
    """Random splits after features were selected on all samples.

    Many papers report this protocol. Supervised methods have seen the labels that they are evaluated on, so
    their results are too good. The difference to :class:`RepeatedSplits` shows by how much.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of splits.
    test_size : float, default=0.5
        Share of the samples in the test set.
    stratified : bool, default=True
        Whether the classes have the same shares in both sets.

    See Also
    --------
    RepeatedSplits : Selection on the training set only.

    Examples
    --------
    >>> from featsieve.evaluation import SeenSplits
    >>> SeenSplits().transductive
    True
    """

    name: ClassVar[str] = "seen"
    transductive: ClassVar[bool] = True

    @property
    def description(self) -> str:
        """One sentence for reports."""
        return f"{super().description[:-1]} after features were chosen on all samples."


@dataclass(frozen=True)
class RepeatedFolds:
    """Repeated cross-validation.

    Parameters
    ----------
    n_folds : int, default=10
        Number of folds in each repeat.
    n_repeats : int, default=10
        Number of repeats.
    stratified : bool, default=True
        Whether the samples of each class are distributed evenly to the folds.

    See Also
    --------
    RepeatedSplits : Random splits.

    Examples
    --------
    >>> from featsieve.evaluation import RepeatedFolds
    >>> RepeatedFolds(5, 2).n_splits
    10
    """

    n_folds: int = 10
    n_repeats: int = 10
    stratified: bool = True
    name: ClassVar[str] = "folds"
    transductive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_integer("n_folds", self.n_folds, 2)
        check_integer("n_repeats", self.n_repeats, 1)

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return self.n_folds * self.n_repeats

    @property
    def description(self) -> str:
        """One sentence for reports."""
        kind = " with the same share of each class" if self.stratified else ""
        times = f", {self.n_repeats} times" if self.n_repeats > 1 else ""
        return f"{self.n_folds} folds{kind}{times}; each is held out in turn."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return the splits, which are the same for every method."""
        groups = _group_rows(n_samples, classes if self.stratified else None)
        _check_n_samples(n_samples, self.n_folds)
        splits = []
        for repeat in range(self.n_repeats):
            random = _random_generator(seed, repeat)
            shuffled = np.concatenate([random.permutation(group) for group in groups])
            folds = np.empty(n_samples, dtype=np.intp)
            folds[shuffled] = np.arange(n_samples) % self.n_folds
            splits += [
                Split(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold))
                for fold in range(self.n_folds)
            ]
        return splits

    def parameters(self) -> dict[str, Any]:
        """Return everything that determines the splits, except the seed."""
        return asdict(self)


@dataclass(frozen=True)
class Clustering:
    """Select features on all samples, cluster all samples with k-means, and compare with the classes.

    Papers on unsupervised selection report this protocol. It is transductive: no samples are held out, and
    supervised methods have seen the labels that they are evaluated on. The repeats differ only in the starts
    of k-means and in the random orders, and so intervals show only this variation.

    Parameters
    ----------
    n_repeats : int, default=20
        Number of repeats.
    n_starts : int, default=10
        Number of starts of each k-means; the one with the smallest inertia is used.

    See Also
    --------
    RepeatedSplits : Random splits into a training set and a test set.

    Examples
    --------
    >>> from featsieve.evaluation import Clustering
    >>> Clustering(5).n_splits
    5
    """

    n_repeats: int = 20
    n_starts: int = 10
    name: ClassVar[str] = "clustering"
    transductive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_integer("n_repeats", self.n_repeats, 1)
        check_integer("n_starts", self.n_starts, 1)

    @property
    def n_splits(self) -> int:
        """Number of repeats."""
        return self.n_repeats

    @property
    def description(self) -> str:
        """One sentence for reports."""
        times = "once" if self.n_repeats == 1 else f"{self.n_repeats} times"
        return (
            f"K-means on all samples, the best of {self.n_starts} starts by inertia, repeated {times}. "
            "No samples are held out; intervals show only the variation over starts and random draws."
        )

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return all samples as training set and as test set, once per repeat."""
        if classes is None:
            raise ValueError("the protocol 'clustering' compares clusters with classes: pass labels.")
        _check_n_samples(n_samples, int(np.unique(classes).size) + 1)
        everything = np.arange(n_samples)
        return [Split(everything, everything)] * self.n_repeats

    def parameters(self) -> dict[str, Any]:
        """Return everything that determines the results, except the seed."""
        return asdict(self)


PROTOCOLS: dict[str, type[RepeatedSplits | RepeatedFolds | Clustering]] = {
    protocol.name: protocol for protocol in (RepeatedSplits, RepeatedFolds, SeenSplits, Clustering)
}


def get_protocol(name: str, n_repeats: int | None = None, *, isolated: bool = False) -> Splitter:
    """Return the protocol of a name, or the published splits of a .mat file."""
    if name in PROTOCOLS:
        return PROTOCOLS[name]() if n_repeats is None else PROTOCOLS[name](n_repeats=n_repeats)
    if not name.lower().endswith(".mat"):
        hint = did_you_mean(name, list(PROTOCOLS), "protocols")
        raise ValueError(f"`protocol` must be the name of a protocol or a .mat file; got {name!r}. {hint}")
    if not Path(name).is_file():
        raise DataNotFoundError(f"`protocol`: there is no such file as {name!r}.")
    if n_repeats is not None:
        raise ValueError("`n_repeats` must be None for published splits, which are all used.")
    return PublishedSplits(name, isolated=isolated)


def _group_rows(n_samples: int, classes: np.ndarray | None) -> list[np.ndarray]:
    if classes is None:
        return [np.arange(n_samples)]
    return [np.flatnonzero(classes == label) for label in np.unique(classes)]


def _random_generator(seed: int, repeat: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence([seed, repeat]))


def _check_n_samples(n_samples: int, minimum: int) -> None:
    if n_samples < minimum:
        raise ValueError(
            f"this protocol needs at least {minimum} samples; got {n_samples}, which are too few."
        )
