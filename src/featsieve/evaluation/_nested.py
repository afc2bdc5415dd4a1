"""Distances between two sets of samples, as features come in one after the other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from featsieve.engines.blocks import parallel_map, slices

# More than the relative error of a sum of squared differences: what differs by less is a tie.
_ROUNDING = 64 * np.finfo(np.float64).eps
# From so many features on, a matrix product is faster than adding their squared differences one by one.
_NARROW = 4
# Bytes of a block of distances: small enough for the cache where every size is wanted, but of so many rows.
_CACHE, _BLOCK, _ROWS = 2**20, 2**24, 16
# With so many training samples those that cannot be near are left out, for so many features at a time.
_MANY, _AHEAD, _FARTHEST = 500, 16, 64


def columns(X: Any, order: np.ndarray) -> np.ndarray:
    """These columns of X as the rows of a float64 array."""
    part = X[:, order]
    found = np.ascontiguousarray((part.toarray() if sp.issparse(part) else part).T, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("X holds NaN or infinity: fill in or leave out what is missing.")
    return found


def is_whole(*parts: np.ndarray) -> bool:
    """Whether all squared distances are whole numbers that are added without error, in any order."""
    largest = max((float(np.abs(part).max()) for part in parts if part.size), default=0.0)
    small = 4 * largest**2 * parts[0].shape[0] < 2.0**52 if largest < 1e100 else False
    return small and all(np.array_equal(part, np.rint(part)) for part in parts)


class Error(NamedTuple):
    """By how much distances may be off: a number for each row and one for each column, to be added."""

    rows: Any = 0.0
    columns: Any = 0.0

    def plus(self, other: Error) -> Error:
        """The error of a sum."""
        return Error(self.rows + other.rows, self.columns + other.columns)


class Step(NamedTuple):
    """Squared distances of some test samples with the first ``size`` features.

    To all training samples, or to those named, in ascending order; the nearest are among them.
    """

    part: slice
    size: int
    distances: np.ndarray
    error: Error
    names: np.ndarray | slice = slice(None)

    @property
    def certain(self) -> bool:
        """Whether nothing was lost by a product."""
        return not np.any(self.error.rows)

    def largest(self) -> np.ndarray:
        """What the distances may be, but for the error of their rows."""
        return self.distances if self.certain else self.distances + self.error.columns

    def within(self, last: np.ndarray) -> np.ndarray:
        """Which distances may be no larger than ``last``, one of the ``largest`` for each row."""
        smallest = self.distances if self.certain else self.distances - self.error.columns
        return smallest <= (last * (1 + _ROUNDING) + 2 * self.error.rows)[:, None]


class Pairs:
    """Training and test samples with their features in the order in which they come in.

    Parameters
    ----------
    train, test : array of shape (n_features, n_train) and (n_features, n_test)
        Features in rows.
    same : bool, default=False
        Both are the same samples, and no sample is its own neighbor.
    """

    def __init__(self, train: np.ndarray, test: np.ndarray, same: bool = False) -> None:
        self.same = same
        self.exact = is_whole(train, test)
        if not self.exact:
            largest = max(np.abs(train).max(), np.abs(test).max())
            if largest > 1e100 or 0 < largest < 1e-100:
                # a power of two changes no comparison and keeps the squares finite
                unit = int(np.frexp(largest)[1])
                train, test = np.ldexp(train, -unit), np.ldexp(test, -unit)
        self.train, self.test = train, test

    def each_block(self, function: Any, sizes: Sequence[int], k: int = 1) -> Iterator[Any]:
        """Yield ``function(self.grow(part, sizes, k))`` for each part of the test samples."""
        bytes_each = 8 * 3 * self.train.shape[1]
        every = len(sizes) * _NARROW > sizes[-1]
        limit = max(_CACHE, _ROWS * bytes_each) if every else _BLOCK
        parts = slices(self.test.shape[1], bytes_each, self.test, limit)
        yield from parallel_map(lambda part: function(self.grow(part, sizes, k)), parts, self.test)

    def grow(self, part: slice, sizes: Sequence[int], k: int) -> Iterator[Step]:
        """Yield for each size how far these test samples are from others, their k nearest among them.

        Distances only grow as features come in. So what is farther now than the k-th nearest some sizes
        later is not among the k nearest in between, and those sizes look at the others alone.
        """
        test, train = self.test[:, part], self.train
        now = np.zeros((test.shape[1], train.shape[1]))
        later, work = np.empty_like(now), np.empty_like(now)
        error = Error()
        if self.same:
            now[np.arange(test.shape[1]), np.arange(part.start, part.stop)] = np.inf
        at, done, ahead = 0, 0, 0
        while at < len(sizes):
            group = sizes[at : max(at + 1, bisect_right(sizes, done + ahead))]
            at, end, names = at + len(group), group[-1], None
            if len(group) > 1:
                wider = error.plus(self._product(test[done:end], train[done:end], work))
                np.add(now, work, out=later)
                names = _in_reach(Step(part, end, now, wider), Step(part, end, later, wider).largest(), k)
            if names is None:
                ahead = _AHEAD if train.shape[1] >= _MANY else 0
                for size in group:
                    error = error.plus(self._add(now, test[done:size], train[done:size], work))
                    done = size
                    yield Step(part, size, now, error)
                continue
            ahead = min(2 * ahead, _FARTHEST) if names.size < train.shape[1] // 32 else _AHEAD
            near, others = now[:, names], train[done:end, names]
            error = Error(error.rows, error.columns[names] if np.ndim(error.columns) else 0.0)
            room, first = np.empty_like(near), done
            for size in group:
                added = self._add(near, test[done:size], others[done - first : size - first], room)
                error = error.plus(added)
                done = size
                yield Step(part, size, near, error, names)
            now, later, error = later, now, wider

    def _add(self, distances: np.ndarray, test: np.ndarray, train: np.ndarray, work: np.ndarray) -> Error:
        """Add squared distances by some features, and return by how much they may be off."""
        if len(test) >= _NARROW:
            error = self._product(test, train, work)
            distances += work
            return error
        for x, t in zip(test, train, strict=True):
            np.subtract(x[:, None], t, out=work)
            np.multiply(work, work, out=work)
            distances += work
        return Error()

    def _product(self, test: np.ndarray, train: np.ndarray, out: np.ndarray) -> Error:
        """Squared distances by some features, and by how much they may be off."""
        if not self.exact:
            center = train.mean(axis=1, keepdims=True)
            test, train = test - center, train - center
        own, other = np.einsum("ij,ij->j", test, test), np.einsum("ij,ij->j", train, train)
        np.matmul(-2 * test.T, train, out=out)
        out += own[:, None]
        out += other
        if not self.exact:
            np.maximum(out, 0, out=out)
        return Error() if self.exact else Error(_ROUNDING * own, _ROUNDING * other)

    def nearest(self, step: Step, codes: np.ndarray) -> np.ndarray:
        """The class of the nearest training sample of each; of equally near ones, of the smallest index."""
        codes = codes[step.names]
        if self.exact:
            return codes[step.distances.argmin(axis=1)]
        close = step.within(step.largest().min(axis=1))
        first = close.argmax(axis=1)
        if step.certain:
            return codes[first]
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > 1).tolist():
            candidates = np.flatnonzero(close[row])
            if (codes[candidates] != codes[candidates[0]]).any():
                sums = self._anew(step, row, candidates)
                first[row] = candidates[(sums <= sums.min() * (1 + _ROUNDING)).argmax()]
        return codes[first]

    def nearest_k(self, step: Step, k: int) -> np.ndarray:
        """Indices of the k nearest training samples of each; of equally near ones, the smallest."""
        names = np.arange(self.train.shape[1])[step.names]
        if k >= names.size:
            return np.broadcast_to(names, step.distances.shape)
        if step.certain:
            return names[_least(step.distances, k)]
        largest = step.largest()
        found = _least(largest, k)
        close = step.within(np.take_along_axis(largest, found, axis=1).max(axis=1))
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > k).tolist():
            candidates = np.flatnonzero(close[row])
            found[row] = candidates[_least(self._anew(step, row, candidates)[None], k)[0]]
        return names[found]

    def _anew(self, step: Step, row: int, candidates: np.ndarray) -> np.ndarray:
        """Squared distances of a test sample to the candidates, from the differences themselves."""
        names = np.arange(self.train.shape[1])[step.names][candidates]
        sample = step.part.start + row
        squared = np.sum((self.train[: step.size, names] - self.test[: step.size, sample, None]) ** 2, axis=0)
        return np.where(names == sample, np.inf, squared) if self.same else squared


def _in_reach(now: Step, later: np.ndarray, k: int) -> np.ndarray | None:
    """The columns that may hold one of a row's k least before they are ``later``; None if that is not few."""
    if k >= later.shape[1]:
        return None
    last = later.min(axis=1) if k == 1 else np.partition(later, k - 1, axis=1)[:, k - 1]
    names = np.flatnonzero(now.within(last).any(axis=0))
    return names if names.size < later.shape[1] // 4 else None


def _least(values: np.ndarray, k: int) -> np.ndarray:
    """Indices of the k least in each row; of equal ones, the smallest."""
    if k >= values.shape[1]:
        return np.broadcast_to(np.arange(values.shape[1]), values.shape)
    # a few passes for the least are much faster than a partition of each row
    rows = np.arange(values.shape[0])
    found = np.empty((rows.size, k + 1), dtype=np.intp)
    least = np.empty((rows.size, k + 1))
    for place in range(k + 1):
        found[:, place] = values.argmin(axis=1)
        least[:, place] = values[rows, found[:, place]]
        values[rows, found[:, place]] = np.inf
    for place in reversed(range(k + 1)):  # where all others are infinite, one was found twice
        values[rows, found[:, place]] = least[:, place]
    ends, found = least[:, k - 1 :], found[:, :k]
    tied = np.flatnonzero(ends[:, 1] <= ends[:, 0] * (1 + _ROUNDING))
    if tied.size:
        last = ends[tied, :1]
        certain = values[tied] < last * (1 - _ROUNDING)
        equal = ~certain & (values[tied] <= last * (1 + _ROUNDING))
        places = k - np.count_nonzero(certain, axis=1)[:, None]
        chosen = certain | (equal & (np.cumsum(equal, axis=1) <= places))
        found[tied] = np.nonzero(chosen)[1].reshape(-1, k)
    return found


def class_means(train: np.ndarray, test: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of the classes and the test samples, both times a whole number where that makes them whole."""
    counts = np.bincount(codes)
    sums = np.zeros((train.shape[0], counts.size))
    np.add.at(sums.T, codes, train.T)
    common = math.lcm(*counts.tolist())
    if common < 2**20:
        means, scaled = sums * (common // counts), test * float(common)
        if is_whole(means, scaled):
            return means, scaled
    return sums / counts, test
