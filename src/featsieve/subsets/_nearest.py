"""Accuracy of the nearest neighbor with all features and without each of them, from one search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.distances import products
from featsieve.engines.distances.direct import distances_without_columns, point_distances
from featsieve.engines.distances.selection import TIE_RTOL, smallest_index
from featsieve.types import Indices, Mask

# Numbers in the temporary arrays for one test sample.
_BLOCK_NUMBERS = 2**18
# Below this number of (candidate, feature) pairs, grouping features by their number of candidates costs more
# than it saves.
_MIN_GROUPED_PAIRS = 2**14


def count_correct(
    train: np.ndarray, train_codes: Indices, test: np.ndarray, test_codes: Indices
) -> tuple[int, Indices]:
    r"""Count the test samples whose nearest training sample belongs to their class.

    .. math:: D^{(r)}_{ij} = D_{ij} - (x_{ir} - t_{jr})^2

    Training samples form two groups: those of the class of the test sample, and all others. Only the group of
    the nearest sample matters. Let a be the nearest by all features. A sample j of the other group can be
    nearest without feature r only if

    .. math:: D_{ij} - \max_j (x_{ir} - t_{jr})^2 \le D^{(r)}_{ia}

    One comparison per test sample and feature settles most cases. The others need only the few training
    samples that satisfy the inequality.

    Decisions within the rounding error are recomputed by direct differences. Distances that then agree to
    ``TIE_RTOL`` are ties, and the smallest training index wins. Whole numbers are compared exactly.

    Returns the number of correct test samples with all features, and without each feature.
    """
    counter = LeaveOneOut(train, train_codes, test, test_codes)
    n_train, width = counter.train.shape
    blocks = slices(test.shape[0], 8 * (4 * n_train + 5 * width), test)
    counts: Any = sum(parallel_map(counter.count, blocks, test))
    return int(counts[-1]), counts[:-1]


class LeaveOneOut:
    """Training and test samples with an additional column of zeros; leaving it out means all features."""

    def __init__(
        self, train: np.ndarray, train_codes: Indices, test: np.ndarray, test_codes: Indices
    ) -> None:
        self.is_exact = products.sums_are_exact(train.shape[1], train, test)
        self.rtol = 0.0 if self.is_exact else TIE_RTOL
        exponent = 0 if self.is_exact else products.safe_exponent(train, test)
        self.train, self.test = _append_zeros(train, exponent), _append_zeros(test, exponent)
        self.train_codes, self.test_codes = train_codes, test_codes
        self.low, self.high = self.train.min(axis=0), self.train.max(axis=0)
        center = self.train.mean(axis=0)
        self.center = np.rint(center) if self.is_exact else center
        self.centered = self.train - self.center
        self.norms = products.squared_norms(self.centered)

    def count(self, block: slice) -> Indices:
        """Count the correct samples of a block of test samples without each column."""
        test, codes = self.test[block], self.test_codes[block]
        centered = test - self.center
        norms = products.squared_norms(centered)
        distances = products.product_distances(centered, self.centered, norms, self.norms)
        error = (0.0 if self.is_exact else products.product_rtol(test.shape[1])) * (norms + self.norms.max())
        is_own = codes[:, None] == self.train_codes
        nearest_own = np.min(distances, axis=1, where=is_own, initial=np.inf)
        nearest_other = np.min(distances, axis=1, where=~is_own, initial=np.inf)
        is_correct = nearest_own < nearest_other
        rival = np.maximum(nearest_own, nearest_other)

        # upper bound, without each column, of the distance to the nearest of all; samples beyond `reach`
        # cannot be nearer
        squares = (test - self.train[distances.argmin(axis=1)]) ** 2
        nearest = squares.sum(axis=1)
        reach = np.maximum(test - self.low, self.high - test) ** 2
        reach -= squares
        reach += (nearest * (1 + 2 * self.rtol) + 2 * error)[:, None]
        is_open = reach >= rival[:, None]

        counts = np.count_nonzero(~is_open[is_correct], axis=0)
        for i in np.flatnonzero(is_open.any(axis=1)):
            columns = np.flatnonzero(is_open[i])
            counts[columns] += self.settle(test[i], codes[i], distances[i], reach[i, columns], columns)
        return counts

    def settle(
        self, x: np.ndarray, code: Any, distances: np.ndarray, reach: np.ndarray, columns: Indices
    ) -> Mask:
        """Decide whether x is correct without each column, from the training samples within reach."""
        is_correct = np.empty(columns.size, dtype=bool)
        within = np.flatnonzero(distances <= reach.max())
        level = np.zeros(columns.size, dtype=int)
        if within.size * columns.size > _MIN_GROUPED_PAIRS:  # group by the order of the number of candidates
            level = np.frexp(np.searchsorted(np.sort(distances[within]), reach, side="right"))[1]
        for value in np.unique(level):
            group = np.flatnonzero(level == value)
            candidates = within[distances[within] <= reach[group].max()]
            is_own = self.train_codes[candidates] == code
            if is_own.all() or not is_own.any():
                is_correct[group] = is_own[0]
                continue
            squared = point_distances(self.train, x, candidates)
            for part in _small_blocks(group.size, candidates.size):
                chosen = group[part]
                nearest = self._nearest(x, candidates, squared, is_own, columns[chosen])
                is_correct[chosen] = is_own[nearest]
        return is_correct

    def _nearest(
        self, x: np.ndarray, candidates: Indices, squared: np.ndarray, is_own: Mask, columns: Indices
    ) -> Indices:
        """Find the position in ``candidates``, in ascending order, of the nearest without each column."""
        remaining = squared[:, None] - (self.train[np.ix_(candidates, columns)] - x[columns]) ** 2
        nearest = remaining.argmin(axis=0)
        if self.is_exact:
            return nearest
        error = self.rtol * squared[:, None]
        possible = remaining - error <= np.min(remaining + error, axis=0)
        # the choice matters only where possible samples belong to both groups
        unsure = np.flatnonzero(possible[is_own].any(axis=0) & possible[~is_own].any(axis=0))
        if unsure.size:
            rows = np.flatnonzero(possible[:, unsure].any(axis=1))
            for part in _small_blocks(unsure.size, rows.size * x.size):
                sums = distances_without_columns(self.train[candidates[rows]], x, columns[unsure[part]])
                nearest[unsure[part]] = rows[smallest_index(sums)]
        return nearest


def _small_blocks(length: int, numbers_each: int) -> Iterator[slice]:
    """Yield slices of ``range(length)`` for the temporary arrays of one test sample."""
    return gen_batches(length, max(1, _BLOCK_NUMBERS // numbers_each))


def _append_zeros(X: np.ndarray, exponent: int) -> np.ndarray:
    """Divide X by a power of two and append a column of zeros."""
    out = np.zeros((X.shape[0], X.shape[1] + 1))
    np.ldexp(X, -exponent, out=out[:, :-1])
    return out
