"""Distances between two sets of samples, as features come in one after the other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from featsieve.engines.blocks import in_order, slices

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


class Step(NamedTuple):
    """Squared distances of some test samples with the first ``size`` features, and by how much they are off.

    To all training samples, or to those named, in ascending order; the nearest are among them.
    """

    part: slice
    size: int
    distances: np.ndarray
    error: Any
    names: np.ndarray | slice = slice(None)


class Pairs:
    """Training and test samples with their features in the order in which they come in.

    Parameters
    ----------
    train, test : array of shape (n_features, n_train) and (n_features, n_test)
        Features in rows.
    same : bool, default=False
        Both are the same samples, and no sample is its own neighbour.
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
        yield from in_order(lambda part: function(self.grow(part, sizes, k)), parts, self.test)

    def grow(self, part: slice, sizes: Sequence[int], k: int) -> Iterator[Step]:
        """Yield for each size how far these test samples are from others, their k nearest among them.

        Distances only grow as features come in. So what is farther now than the k-th nearest some sizes
        later is not among the k nearest in between, and those sizes look at the others alone.
        """
        test, train = self.test[:, part], self.train
        now = np.zeros((test.shape[1], train.shape[1]))
        later, work = np.empty_like(now), np.empty_like(now)
        error: Any = 0.0
        if self.same:
            now[np.arange(test.shape[1]), np.arange(part.start, part.stop)] = np.inf
        at, done, ahead = 0, 0, 0
        while at < len(sizes):
            group = sizes[at : max(at + 1, bisect_right(sizes, done + ahead))]
            at, end, names = at + len(group), group[-1], None
            if len(group) > 1:
                wider = error + self._product(test[done:end], train[done:end], work)
                np.add(now, work, out=later)
                names = _within(now, later, wider, k)
            if names is None:
                ahead = _AHEAD if train.shape[1] >= _MANY else 0
                for size in group:
                    error = error + self._add(now, test[done:size], train[done:size], work)
                    done = size
                    yield Step(part, size, now, error)
                continue
            ahead = min(2 * ahead, _FARTHEST) if names.size < train.shape[1] // 32 else _AHEAD
            near, others = now[:, names], train[done:end, names]
            room, first = np.empty_like(near), done
            for size in group:
                error = error + self._add(near, test[done:size], others[done - first : size - first], room)
                done = size
                yield Step(part, size, near, error, names)
            now, later, error = later, now, wider

    def _add(self, distances: np.ndarray, test: np.ndarray, train: np.ndarray, work: np.ndarray) -> Any:
        """Add squared distances by some features, and return by how much they may be off."""
        if len(test) >= _NARROW:
            error = self._product(test, train, work)
            distances += work
            return error
        for x, t in zip(test, train, strict=True):
            np.subtract(x[:, None], t, out=work)
            np.multiply(work, work, out=work)
            distances += work
        return 0.0

    def _product(self, test: np.ndarray, train: np.ndarray, out: np.ndarray) -> Any:
        """Squared distances by some features, and by how much they may be off."""
        if not self.exact:
            centre = train.mean(axis=1, keepdims=True)
            test, train = test - centre, train - centre
        own, other = np.einsum("ij,ij->j", test, test), np.einsum("ij,ij->j", train, train)
        np.matmul(-2 * test.T, train, out=out)
        out += own[:, None]
        out += other
        if not self.exact:
            np.maximum(out, 0, out=out)
        return 0.0 if self.exact else _ROUNDING * (own + other.max())

    def nearest(self, step: Step, codes: np.ndarray) -> np.ndarray:
        """The class of the nearest training sample of each; of equally near ones, of the smallest index."""
        codes = codes[step.names]
        if self.exact:
            return codes[step.distances.argmin(axis=1)]
        least = step.distances.min(axis=1)
        close = step.distances <= (least * (1 + _ROUNDING) + 2 * step.error)[:, None]
        first = close.argmax(axis=1)
        if not np.any(step.error):
            return codes[first]
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > 1).tolist():
            candidates = np.flatnonzero(close[row])
            if (codes[candidates] != codes[candidates[0]]).any():
                sums = self._anew(step, row, candidates)
                first[row] = candidates[(sums <= sums.min() * (1 + _ROUNDING)).argmax()]
        return codes[first]

    def _anew(self, step: Step, row: int, candidates: np.ndarray) -> np.ndarray:
        """Squared distances of a test sample to the candidates, from the differences themselves."""
        names = np.arange(self.train.shape[1])[step.names][candidates]
        sample = self.test[: step.size, step.part.start + row, None]
        return np.sum((self.train[: step.size, names] - sample) ** 2, axis=0)


def _within(now: np.ndarray, later: np.ndarray, error: Any, k: int) -> np.ndarray | None:
    """The columns that may hold one of a row's k smallest before ``later``; None if that is not few."""
    if k >= now.shape[1]:
        return None
    last = later.min(axis=1) if k == 1 else np.partition(later, k - 1, axis=1)[:, k - 1]
    names = np.flatnonzero((now <= (last * (1 + _ROUNDING) + 2 * error)[:, None]).any(axis=0))
    return names if names.size < now.shape[1] // 4 else None


def nearest_k(step: Step, k: int) -> np.ndarray:
    """Indices of the k nearest training samples of each; of equally near ones, the smallest."""
    found = _least(step.distances, step.error, k)
    return found if isinstance(step.names, slice) else step.names[found]


def _least(distances: np.ndarray, error: Any, k: int) -> np.ndarray:
    """Indices of the k least in each row; of equal ones, the smallest."""
    if k >= distances.shape[1]:
        return np.broadcast_to(np.arange(distances.shape[1]), distances.shape)
    # a few passes for the least are much faster than a partition of each row
    rows = np.arange(distances.shape[0])
    found = np.empty((rows.size, k + 1), dtype=np.intp)
    values = np.empty((rows.size, k + 1))
    for place in range(k + 1):
        found[:, place] = distances.argmin(axis=1)
        values[:, place] = distances[rows, found[:, place]]
        distances[rows, found[:, place]] = np.inf
    for place in reversed(range(k + 1)):  # where all others are infinite, one was found twice
        distances[rows, found[:, place]] = values[:, place]
    ends, found = values[:, k - 1 :], found[:, :k]
    slack = ends[:, 0] * _ROUNDING + 2 * error
    tied = np.flatnonzero(ends[:, 1] <= ends[:, 0] + slack)
    if tied.size:
        last, slack = ends[tied, :1], slack[tied, None]
        certain = distances[tied] < last - slack
        equal = ~certain & (distances[tied] <= last + slack)
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
