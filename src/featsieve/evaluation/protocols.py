"""Which samples a method learns from and which it is measured on."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from featsieve.datasets.errors import DataError, DataNotFoundError, did_you_mean


class Split(NamedTuple):
    """Row numbers of the training part and of the test part."""

    train: np.ndarray
    test: np.ndarray


class Splitter(Protocol):
    """What a protocol has: :class:`RepeatedSplits` and its like."""

    name: ClassVar[str]
    transductive: ClassVar[bool]

    @property
    def n_splits(self) -> int:
        """How many splits there are."""

    @property
    def description(self) -> str:
        """One sentence for people."""

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """The splits, the same for every method."""

    def parameters(self) -> dict[str, Any]:
        """What decides the splits, apart from the seed."""


@dataclass(frozen=True)
class RepeatedSplits:
    """Random halves, or other shares, of the samples; the classes keep their shares.

    Parameters
    ----------
    n_repeats : int, default=10
    test_size : float, default=0.5
        Share of the samples to measure on.
    stratified : bool, default=True
        Keep the shares of the classes. A class with one sample is always learnt from, never measured on.
    """

    n_repeats: int = 10
    test_size: float = 0.5
    stratified: bool = True
    name: ClassVar[str] = "splits"
    transductive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _at_least("n_repeats", self.n_repeats, 1)
        if not 0 < self.test_size < 1:
            raise ValueError(f"test_size must lie between 0 and 1, got {self.test_size}.")

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return self.n_repeats

    @property
    def description(self) -> str:
        """One sentence for people."""
        kind = "stratified " if self.stratified else ""
        times = f"{self.n_repeats} random {kind}split{'s' if self.n_repeats > 1 else ''}"
        return f"{times}, {self.test_size:.0%} of the samples held out."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """The splits, the same for every method."""
        groups = _groups(n_samples, classes if self.stratified else None)
        _enough(n_samples, 2)
        if all(group.size == 1 for group in groups):
            raise ValueError(
                "every sample has a class of its own, so none can be held out: if the labels are numbers, "
                "say so (target='numeric', --target-type numeric); if they name the samples, leave them out."
            )
        wanted = min(n_samples - 1, max(1, round(n_samples * self.test_size)))
        return [self._split(groups, wanted, _random(seed, repeat)) for repeat in range(self.n_repeats)]

    def _split(self, groups: list[np.ndarray], wanted: int, random: np.random.Generator) -> Split:
        sizes = np.array([group.size for group in groups])
        shares = sizes * (wanted / sizes.sum())
        counts = np.minimum(shares.astype(int), sizes - 1)
        # what rounding left over goes to the groups that are most short of it, at random among equals
        short = np.where(counts < sizes - 1, shares - counts, -np.inf)
        while counts.sum() < wanted and np.isfinite(short).any():
            most = random.choice(np.flatnonzero(short >= short.max() - 1e-9))
            counts[most] += 1
            short[most] = shares[most] - counts[most] if counts[most] < sizes[most] - 1 else -np.inf
        mixed = [random.permutation(group) for group in groups]
        parts = zip(mixed, counts, strict=True)
        test = np.sort(np.concatenate([group[:count] for group, count in parts]))
        return Split(np.setdiff1d(np.concatenate(groups), test), test)

    def parameters(self) -> dict[str, Any]:
        """What decides the splits, apart from the seed."""
        return asdict(self)


@dataclass(frozen=True)
class SeenSplits(RepeatedSplits):
    """As :class:`RepeatedSplits`, but features are chosen on all samples, before any are held out.

    This is what many papers report. Methods that use labels have seen those they are measured by, so their
    numbers are too good; beside those of :class:`RepeatedSplits` they tell by how much.
    """

    name: ClassVar[str] = "seen"
    transductive: ClassVar[bool] = True

    @property
    def description(self) -> str:
        """One sentence for people."""
        return f"{super().description[:-1]} after features were chosen on all samples."


@dataclass(frozen=True)
class RepeatedFolds:
    """Every sample is measured on once in each repeat, by methods that learnt from the other folds.

    Parameters
    ----------
    n_folds : int, default=10
        Folds in a repeat.
    n_repeats : int, default=10
    stratified : bool, default=True
        Deal the samples of each class evenly to the folds.
    """

    n_folds: int = 10
    n_repeats: int = 10
    stratified: bool = True
    name: ClassVar[str] = "folds"
    transductive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _at_least("n_folds", self.n_folds, 2)
        _at_least("n_repeats", self.n_repeats, 1)

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return self.n_folds * self.n_repeats

    @property
    def description(self) -> str:
        """One sentence for people."""
        kind = " stratified" if self.stratified else ""
        times = f", {self.n_repeats} times" if self.n_repeats > 1 else ""
        return f"{self.n_folds}{kind} folds{times}; each is held out in turn."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """The splits, the same for every method."""
        groups = _groups(n_samples, classes if self.stratified else None)
        _enough(n_samples, self.n_folds)
        found = []
        for repeat in range(self.n_repeats):
            random = _random(seed, repeat)
            dealt = np.concatenate([random.permutation(group) for group in groups])
            fold = np.empty(n_samples, dtype=np.intp)
            fold[dealt] = np.arange(n_samples) % self.n_folds
            found += [
                Split(np.flatnonzero(fold != each), np.flatnonzero(fold == each))
                for each in range(self.n_folds)
            ]
        return found

    def parameters(self) -> dict[str, Any]:
        """What decides the splits, apart from the seed."""
        return asdict(self)


@dataclass(frozen=True)
class PublishedSplits:
    """Splits that someone else has fixed.

    Parameters
    ----------
    path : str or path
        A .mat file with the arrays ``trainIdx`` and ``testIdx``: a split in each row, sample numbers from 1.
    isolated : bool, default=False
        Read the file in a process of its own, as in :func:`featsieve.datasets.load`.
    """

    path: str | os.PathLike[str]
    isolated: bool = False
    name: ClassVar[str] = "published"
    transductive: ClassVar[bool] = False

    @cached_property
    def _rows(self) -> list[Split]:
        from featsieve.datasets.formats import call_reader
        from featsieve.datasets.isolated import read_isolated

        file, names = Path(self.path).name, ("trainIdx", "testIdx")
        read = read_isolated if self.isolated else call_reader
        try:
            found = read("featsieve.datasets.arrays:read_variables", Path(self.path), *names)
        except DataError:
            raise
        except Exception as error:  # SciPy raises what it likes on files that are none
            raise DataError(f"the splits {file} cannot be read as a .mat file: {error}.") from error
        for name in names:
            if name not in found or found[name].dtype.kind not in "iuf":
                raise DataError(f"the splits {file} hold no numbers called {name}.")
        parts = [np.atleast_2d(found[name]).astype(np.intp) - 1 for name in names]
        # one split may be stored as two columns
        train, test = (
            part.T if part.shape[1] == 1 and part.shape[0] > 1 and len(parts[0]) != len(parts[1]) else part
            for part in parts
        )
        if len(train) != len(test) or not train.size or not test.size:
            raise DataError(f"the splits {file} need a row for each split in both trainIdx and testIdx.")
        for number, (a, b) in enumerate(zip(train, test, strict=True), start=1):
            if np.intersect1d(a, b).size:
                raise DataError(f"split {number} of {file} has samples in both parts.")
        return [Split(a, b) for a, b in zip(train, test, strict=True)]

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return len(self._rows)

    @property
    def description(self) -> str:
        """One sentence for people."""
        return f"The {self.n_splits} published splits of {Path(self.path).name}."

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """The splits, the same for every method."""
        numbers = np.concatenate([np.concatenate(split) for split in self._rows])
        if numbers.min() < 0 or numbers.max() >= n_samples:
            raise ValueError(
                f"the splits {Path(self.path).name} speak of samples {numbers.min() + 1} to "
                f"{numbers.max() + 1}, and the data has {n_samples}."
            )
        return self._rows

    def parameters(self) -> dict[str, Any]:
        """What decides the splits, apart from the seed."""
        digest = hashlib.sha256()
        for split in self._rows:
            digest.update(split.train.tobytes() + b"/" + split.test.tobytes() + b";")
        return {"file": Path(self.path).name, "hash": digest.hexdigest()[:16]}


@dataclass(frozen=True)
class Clustering:
    """Select on all samples, cluster all samples with k-means, compare with the classes.

    This is what papers on unsupervised selection report. It is transductive: nothing is held out, and a
    method that uses labels sees those it is measured by. The repeats differ in the starts of k-means and in
    the draws of random selection, and so intervals tell of nothing else.

    Parameters
    ----------
    n_repeats : int, default=20
    n_starts : int, default=10
        Of each k-means, the start with the smallest inertia counts.
    """

    n_repeats: int = 20
    n_starts: int = 10
    name: ClassVar[str] = "clustering"
    transductive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _at_least("n_repeats", self.n_repeats, 1)
        _at_least("n_starts", self.n_starts, 1)

    @property
    def n_splits(self) -> int:
        """How many repeats there are."""
        return self.n_repeats

    @property
    def description(self) -> str:
        """One sentence for people."""
        times = "once" if self.n_repeats == 1 else f"{self.n_repeats} times"
        return (
            f"K-means on all samples, the best of {self.n_starts} starts by inertia, repeated "
            f"{times}. Nothing is held out; intervals tell of starts and random draws alone."
        )

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """All samples in both parts, as often as there are repeats."""
        if classes is None:
            raise ValueError("the protocol 'clustering' compares clusters with classes: give labels.")
        _enough(n_samples, int(np.unique(classes).size) + 1)
        everything = np.arange(n_samples)
        return [Split(everything, everything)] * self.n_repeats

    def parameters(self) -> dict[str, Any]:
        """What decides the results, apart from the seed."""
        return asdict(self)


PROTOCOLS: dict[str, type[RepeatedSplits | RepeatedFolds | Clustering]] = {
    protocol.name: protocol for protocol in (RepeatedSplits, RepeatedFolds, SeenSplits, Clustering)
}


def get_protocol(name: str, n_repeats: int | None = None, *, isolated: bool = False) -> Splitter:
    """Return the protocol of a name, or the published splits of a .mat file.

    Parameters
    ----------
    name : str
        "splits", "folds", "seen", "clustering", or the path of a .mat file as in :class:`PublishedSplits`.
    n_repeats : int, default=None
        Number of repeats; None uses the default of the protocol.
    isolated : bool, default=False
        Read a .mat file in a separate process, as in :func:`featsieve.datasets.load`.
    """
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


def _groups(n_samples: int, classes: np.ndarray | None) -> list[np.ndarray]:
    if classes is None:
        return [np.arange(n_samples)]
    return [np.flatnonzero(classes == each) for each in np.unique(classes)]


def _random(seed: int, repeat: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence([seed, repeat]))


def _at_least(name: str, value: int, least: int) -> None:
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")


def _enough(n_samples: int, least: int) -> None:
    if n_samples < least:
        raise ValueError(f"{n_samples} samples are too few for this protocol: it needs {least}.")
