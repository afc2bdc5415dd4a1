"""Whether the nearest neighbor is right, with all features and without each of them, from one search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from featsieve.engines.blocks import parallel_map, slices

# More than the relative error of a sum of squared differences: what differs by less is a tie.
_ROUNDING = 64 * np.finfo(np.float64).eps
# Numbers in an array for one test sample, and so few that sorting them out costs more than it saves.
_NUMBERS, _FEW = 2**18, 2**14


def nearest_is_right(
    train: np.ndarray, train_codes: np.ndarray, test: np.ndarray, test_codes: np.ndarray
) -> tuple[int, np.ndarray]:
    r"""Count the test samples whose nearest training sample has their class.

    .. math:: D^{(r)}_{ij} = D_{ij} - (x_{ir} - t_{jr})^2

    Only the group of a neighbor matters: it has the class of the test sample, or it has not. With a the
    nearest of all, a sample j of the other group can be nearest without r only if

    .. math:: D_{ij} - \max_j (x_{ir} - t_{jr})^2 \le D^{(r)}_{ia}

    so most pairs of a test sample and a feature are settled by one comparison, and the others look at the
    few training samples that satisfy it.

    Parameters
    ----------
    train, test : array of shape (n_train, n_features), (n_test, n_features)
    train_codes, test_codes : array of int
        Their classes.

    Returns
    -------
    right : int
        How many with all features.
    right_without : array of shape (n_features,)
        How many without each feature.

    Notes
    -----
    Nothing is decided by a difference that rounding could have made: then the distances without the
    feature are summed anew. Those that still agree to about 14 digits are equal, and of equal ones
    the smallest training index wins. On whole numbers everything is exact.
    """
    search = _Search(train, train_codes, test, test_codes)
    n_train, width = search.train.shape
    parts = slices(test.shape[0], 8 * (4 * n_train + 5 * width), test)
    right: Any = sum(parallel_map(search.count, parts, test))
    return int(right[-1]), right[:-1]


class _Search:
    """Training and test samples, with a last column of zeros: to leave it out is to leave out nothing."""

    def __init__(
        self, train: np.ndarray, train_codes: np.ndarray, test: np.ndarray, test_codes: np.ndarray
    ) -> None:
        whole = all(np.array_equal(part, np.rint(part)) for part in (train, test))
        low, high = np.minimum(train.min(axis=0), test.min(axis=0)), train.max(axis=0)
        with np.errstate(over="ignore"):
            spread = np.sum((np.maximum(high, test.max(axis=0)) - low) ** 2)
        # whole numbers whose products stay below 2^53 are added without error, in any order
        self.rounding = 0.0 if whole and spread < 2.0**50 else _ROUNDING
        # a power of two changes no comparison and keeps the squares of very large numbers finite
        unit = 0 if self.rounding == 0 else int(np.frexp(max(np.abs(train).max(), np.abs(test).max()))[1])
        self.train, self.test = _with_zeros(train, unit), _with_zeros(test, unit)
        self.train_codes, self.test_codes = train_codes, test_codes
        self.low, self.high = self.train.min(axis=0), self.train.max(axis=0)
        self.origin = self.train.mean(axis=0)
        if self.rounding == 0:
            self.origin = np.rint(self.origin)
        self.centerd = self.train - self.origin
        self.norms = np.einsum("ij,ij->i", self.centerd, self.centerd)

    def count(self, part: slice) -> np.ndarray:
        """How many of these test samples are right without each column."""
        test, codes = self.test[part], self.test_codes[part]
        centerd = test - self.origin
        norms = np.einsum("ij,ij->i", centerd, centerd)
        distances = centerd @ self.centerd.T
        distances *= -2
        distances += norms[:, None]
        distances += self.norms
        slack = self.rounding * (norms + self.norms.max())
        own = codes[:, None] == self.train_codes
        own_nearest = np.min(distances, axis=1, where=own, initial=np.inf)
        other_nearest = np.min(distances, axis=1, where=~own, initial=np.inf)
        right = own_nearest < other_nearest
        rival = np.maximum(own_nearest, other_nearest)

        # without a feature, the nearest of all is this far; nobody beyond reach can be nearer
        squares = (test - self.train[distances.argmin(axis=1)]) ** 2
        nearest = squares.sum(axis=1)
        reach = np.maximum(test - self.low, self.high - test) ** 2
        reach -= squares
        reach += (nearest * (1 + 2 * self.rounding) + 2 * slack)[:, None]
        is_open = reach >= rival[:, None]

        total = np.count_nonzero(~is_open[right], axis=0)
        for i in np.flatnonzero(is_open.any(axis=1)):
            columns = np.flatnonzero(is_open[i])
            total[columns] += self._settle(test[i], codes[i], distances[i], reach[i, columns], columns)
        return total

    def _settle(
        self, x: np.ndarray, code: Any, distances: np.ndarray, reach: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Whether x is right without each of the columns, from the training samples within reach."""
        right = np.empty(columns.size, dtype=bool)
        within = np.flatnonzero(distances <= reach.max())
        level = np.zeros(columns.size, dtype=int)
        if within.size * columns.size > _FEW:  # columns that need about as many candidates go together
            level = np.frexp(np.searchsorted(np.sort(distances[within]), reach, side="right"))[1]
        for size in np.unique(level):
            alike = np.flatnonzero(level == size)
            candidates = within[distances[within] <= reach[alike].max()]
            is_own = self.train_codes[candidates] == code
            if is_own.all() or not is_own.any():
                right[alike] = is_own[0]
                continue
            length = np.concatenate(
                [
                    np.sum((self.train[candidates[part]] - x) ** 2, axis=1)
                    for part in _pieces(candidates.size, x.size)
                ]
            )
            for part in _pieces(alike.size, candidates.size):
                chosen = alike[part]
                winners = self._nearest(x, candidates, length, is_own, columns[chosen])
                right[chosen] = is_own[winners]
        return right

    def _nearest(
        self,
        x: np.ndarray,
        candidates: np.ndarray,
        length: np.ndarray,
        is_own: np.ndarray,
        columns: np.ndarray,
    ) -> np.ndarray:
        """The place in ``candidates``, which ascend, of the nearest without each column."""
        left = length[:, None] - (self.train[np.ix_(candidates, columns)] - x[columns]) ** 2
        winners = left.argmin(axis=0)
        if self.rounding == 0:
            return winners
        error = self.rounding * length[:, None]
        possible = left - error <= np.min(left + error, axis=0)
        # where all that may be nearest are of one group, it does not matter which of them is
        unsure = np.flatnonzero(possible[is_own].any(axis=0) & possible[~is_own].any(axis=0))
        if unsure.size:
            rows = np.flatnonzero(possible[:, unsure].any(axis=1))
            for part in _pieces(unsure.size, rows.size * x.size):
                winners[unsure[part]] = rows[self._anew(x, candidates[rows], columns[unsure[part]])]
        return winners

    def _anew(self, x: np.ndarray, candidates: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """As ``_nearest``, from sums over the columns that are left."""
        squares = np.repeat(((self.train[candidates] - x) ** 2)[None], columns.size, axis=0)
        squares[np.arange(columns.size), :, columns] = 0
        sums = squares.sum(axis=2)
        ties = sums <= sums.min(axis=1, keepdims=True) * (1 + self.rounding)
        return ties.argmax(axis=1)


def _pieces(length: int, numbers_each: int) -> Iterator[slice]:
    """As ``slices``, for the small work inside one of them."""
    step = max(1, _NUMBERS // numbers_each)
    return (slice(start, start + step) for start in range(0, length, step))


def _with_zeros(X: np.ndarray, unit: int) -> np.ndarray:
    out = np.zeros((X.shape[0], X.shape[1] + 1))
    np.ldexp(X, -unit, out=out[:, :-1])
    return out
