"""Splits that keep groups of samples together, such as the samples of a patient or of a batch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import GroupKFold, GroupShuffleSplit

from featsieve.evaluation.protocols import RepeatedFolds, RepeatedSplits
from featsieve.evaluation.splits import Split

# Random assignments of groups, of which the one that suits the sizes and the classes best is used.
N_CANDIDATES = 20


@dataclass(frozen=True, eq=False)
class GroupedSplits:
    """Random splits or folds in which no group is both in the training set and in the test set.

    Each split is the best of 20 random assignments of the groups: its test set has most nearly the share of
    the samples, and of each class, that the protocol asks for.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        Group of each sample, such as the patient.
    protocol : RepeatedSplits, SeenSplits or RepeatedFolds, default=RepeatedSplits()
        Number and sizes of the splits.

    See Also
    --------
    RepeatedSplits : Splits of independent samples.

    Examples
    --------
    >>> from featsieve.evaluation import GroupedSplits, RepeatedSplits
    >>> patients = ["a", "a", "b", "b", "c", "c"]
    >>> GroupedSplits(patients, RepeatedSplits(1, test_size=0.3)).splits(6, None, seed=0)[0].test.size
    2
    """

    groups: ArrayLike
    protocol: RepeatedSplits | RepeatedFolds = field(default_factory=RepeatedSplits)

    def __post_init__(self) -> None:
        if not isinstance(self.protocol, RepeatedSplits | RepeatedFolds):
            raise ValueError(
                "`protocol` must be RepeatedSplits, SeenSplits or RepeatedFolds, because the splits of other "
                f"protocols do not depend on groups; got {type(self.protocol).__name__}."
            )
        codes = np.unique(np.asarray(self.groups), return_inverse=True)[1]
        object.__setattr__(self, "groups", codes)
        minimum = self.protocol.n_folds if isinstance(self.protocol, RepeatedFolds) else 2
        if self.n_groups < minimum:
            raise ValueError(
                f"`groups` must have at least {minimum} groups for this protocol; got {self.n_groups}."
            )

    @property
    def name(self) -> str:
        """Name of the protocol."""
        return self.protocol.name

    @property
    def transductive(self) -> bool:
        """Whether features are selected on all samples."""
        return self.protocol.transductive

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return self.protocol.n_splits

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(np.max(self.groups, initial=-1)) + 1

    @property
    def description(self) -> str:
        """One sentence for reports."""
        return (
            f"{self.protocol.description[:-1]}; each of the {self.n_groups} groups is on one side of a split."
        )

    def splits(self, n_samples: int, classes: np.ndarray | None, seed: int) -> list[Split]:
        """Return the splits, which are the same for every method."""
        groups = np.asarray(self.groups)
        if groups.size != n_samples:
            raise ValueError(
                f"`groups` must have one group for each of the {n_samples} samples; got {groups.size}."
            )
        indicator = np.ones((n_samples, 1))
        if classes is not None and self.protocol.stratified:
            indicator = (classes[:, None] == np.unique(classes)).astype(float)
        protocol = self.protocol
        share = protocol.test_size if isinstance(protocol, RepeatedSplits) else 1 / protocol.n_folds
        splits: list[Split] = []
        for repeat in range(self.protocol.n_repeats):
            random = np.random.default_rng([seed, repeat])
            candidates = self._candidates(indicator, random)
            best = min(candidates, key=lambda candidate: _imbalance(candidate, indicator, share))
            splits += best
        return splits

    def _candidates(self, indicator: np.ndarray, random: np.random.Generator) -> Iterator[Sequence[Split]]:
        """Yield random assignments of the groups: one split each, or all folds."""
        state = int(random.integers(2**31))
        if isinstance(self.protocol, RepeatedSplits):
            shuffle = GroupShuffleSplit(N_CANDIDATES, test_size=self.protocol.test_size, random_state=state)
            yield from ([Split(*pair)] for pair in shuffle.split(indicator, groups=self.groups))
            return
        for candidate in range(N_CANDIDATES):
            folds = GroupKFold(self.protocol.n_folds, shuffle=True, random_state=(state + candidate) % 2**31)
            yield [Split(*pair) for pair in folds.split(indicator, groups=self.groups)]

    def parameters(self) -> dict[str, Any]:
        """Return everything that determines the splits, except the seed."""
        digest = hashlib.sha256(np.asarray(self.groups, dtype=np.int64).tobytes()).hexdigest()[:16]
        return self.protocol.parameters() | {"groups": digest, "n_groups": self.n_groups}


def _imbalance(splits: Sequence[Split], indicator: np.ndarray, share: float) -> float:
    """Return how far test sets are from their share of the samples of each class.

    A class without training samples counts more than any difference in numbers.
    """
    totals = indicator.sum(axis=0)
    tested = np.array([indicator[split.test].sum(axis=0) for split in splits])
    return float((np.abs(tested - share * totals) / len(indicator) + (tested == totals)).sum())


def keep_groups(protocol: Any, groups: ArrayLike | None) -> Any:
    """Return the protocol with these groups; the protocol itself if it has no splits that groups change."""
    if groups is None or isinstance(protocol, GroupedSplits) or not hasattr(protocol, "stratified"):
        return protocol
    return GroupedSplits(groups, protocol)


def without_strata(protocol: Any) -> Any:
    """Return the protocol as it is for samples without classes, to describe it."""
    if isinstance(protocol, GroupedSplits):
        return replace(protocol, protocol=without_strata(protocol.protocol))
    return replace(protocol, stratified=False) if hasattr(protocol, "stratified") else protocol
