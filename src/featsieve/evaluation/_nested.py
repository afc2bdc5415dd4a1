"""Distances between two sets of samples, as features come in one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.engines.blocks import in_order, slices

# More than the relative error of a sum of squared differences: what differs by less is a tie.
_ROUNDING = 64 * np.finfo(np.float64).eps
# From so many features on, a matrix product is faster than adding their squared differences one by one.
_NARROW = 4
# Bytes of a block of distances: small enough for the cache where every size is wanted.
_CACHE, _BLOCK = 2**20, 2**24


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

    def each_block(self, function: Any, sizes: Sequence[int]) -> Iterator[Any]:
        """Yield ``function(part, self.grow(part, sizes))`` for each part of the test samples."""
        n_train = self.train.shape[1]
        every = len(sizes) * _NARROW > sizes[-1]
        parts = slices(self.test.shape[1], 8 * 3 * n_train, self.test, _CACHE if every else _BLOCK)
        yield from in_order(lambda part: function(part, self.grow(part, sizes)), parts, self.test)

    def grow(self, part: slice, sizes: Sequence[int]) -> Iterator[tuple[int, np.ndarray, np.ndarray | float]]:
        """Yield each size, the squared distances of these test samples with so many features, their error."""
        test = self.test[:, part]
        distances = np.zeros((test.shape[1], self.train.shape[1]))
        work = np.empty_like(distances)
        error: Any = 0.0
        if self.same:
            distances[np.arange(test.shape[1]), np.arange(part.start, part.stop)] = np.inf
        done = 0
        for size in sizes:
            if size - done < _NARROW:
                for x, t in zip(test[done:size], self.train[done:size], strict=True):
                    np.subtract(x[:, None], t, out=work)
                    np.multiply(work, work, out=work)
                    distances += work
            else:
                error = error + self._add(distances, test[done:size], self.train[done:size], work)
            done = size
            yield size, distances, error

    def _add(self, distances: np.ndarray, test: np.ndarray, train: np.ndarray, work: np.ndarray) -> Any:
        """Add the squared distances by the product, and return by how much they may be off."""
        if not self.exact:
            centre = train.mean(axis=1, keepdims=True)
            test, train = test - centre, train - centre
        own, other = np.einsum("ij,ij->j", test, test), np.einsum("ij,ij->j", train, train)
        np.matmul(test.T, train, out=work)
        work *= -2
        work += own[:, None]
        work += other
        if not self.exact:
            np.maximum(work, 0, out=work)
        distances += work
        return 0.0 if self.exact else _ROUNDING * (own + other.max())

    def nearest(
        self, part: slice, size: int, distances: np.ndarray, error: Any, codes: np.ndarray
    ) -> np.ndarray:
        """The class of the nearest training sample of each; of equally near ones, of the smallest index."""
        if self.exact:
            return codes[distances.argmin(axis=1)]
        least = distances.min(axis=1)
        close = distances <= (least * (1 + _ROUNDING) + 2 * error)[:, None]
        first = close.argmax(axis=1)
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > 1):
            candidates = np.flatnonzero(close[row])
            if (codes[candidates] != codes[candidates[0]]).any():
                sums = self._anew(part.start + row, candidates, size)
                first[row] = candidates[(sums <= sums.min() * (1 + _ROUNDING)).argmax()]
        return codes[first]

    def _anew(self, sample: int, candidates: np.ndarray, size: int) -> np.ndarray:
        """Squared distances of a test sample to the candidates, from the differences themselves."""
        return np.sum((self.train[:size, candidates] - self.test[:size, sample, None]) ** 2, axis=0)


def nearest_k(distances: np.ndarray, error: Any, k: int) -> np.ndarray:
    """Indices of the k nearest in each row; of equal ones, those of the smallest index."""
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
