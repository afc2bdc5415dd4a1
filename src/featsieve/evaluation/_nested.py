"""Distances between two sets of samples as features are added one after the other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.engines.arrays import to_host
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.distances.direct import column_pair_distances
from featsieve.engines.distances.products import (
    ErrorBound,
    product_distances,
    product_rtol,
    safe_exponent,
    squared_norms,
    sums_are_exact,
)
from featsieve.engines.distances.selection import TIE_RTOL, k_smallest, smallest_index

# From this number of features on, a matrix product is faster than adding squared differences one by one.
_MIN_PRODUCT_FEATURES = 4
# Bytes of a block of distances: within the cache if most sizes are requested. Each block has at least
# _MIN_BLOCK_ROWS rows.
_CACHE_BYTES, _BLOCK_BYTES, _MIN_BLOCK_ROWS = 2**20, 2**24, 16
# From this number of training samples on, training samples too far to be neighbors are skipped. The search
# looks _MIN_LOOKAHEAD to _MAX_LOOKAHEAD features ahead.
_MIN_SKIPPING_SAMPLES, _MIN_LOOKAHEAD, _MAX_LOOKAHEAD = 500, 16, 64

T = TypeVar("T")


def feature_rows(X: Any, order: NDArray[np.intp]) -> np.ndarray:
    """Return some columns of X as the rows of a float64 array on the host."""
    columns = X[:, order].toarray().T if sp.issparse(X) else to_host(X).T[order]
    rows = np.ascontiguousarray(columns, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("X must be finite; got NaN or infinity. Impute or drop missing values.")
    return rows


class NestedStep(NamedTuple):
    """Squared distances of a block of test samples, by the first features of the order.

    Attributes
    ----------
    block : slice
        The test samples.
    n_features : int
        Number of features.
    distances : ndarray of shape (n_block, n_columns)
        Squared distances.
    error : ErrorBound
        Bound on their error.
    columns : ndarray or slice
        Index of the training sample of each column, ascending; always includes the k nearest.
    """

    block: slice
    n_features: int
    distances: np.ndarray
    error: ErrorBound
    columns: NDArray[np.intp] | slice = slice(None)

    @property
    def is_direct(self) -> bool:
        """Whether the distances are sums of squared differences, without products."""
        return not np.any(self.error.rows)

    def upper_bounds(self) -> np.ndarray:
        """Return upper bounds of the distances, not counting the row's own error."""
        return self.distances if self.is_direct else self.distances + self.error.columns

    def possibly_within(self, last: np.ndarray) -> NDArray[np.bool_]:
        """Mark the distances that may be at most ``last``, an upper bound for each row."""
        lower = self.distances if self.is_direct else self.distances - self.error.columns
        return lower <= (last * (1 + TIE_RTOL) + 2 * self.error.rows)[:, None]


class NestedDistances:
    """Distances between training and test samples by the first m features, for ascending m.

    Parameters
    ----------
    train, test : ndarray of shape (n_features, n_train) and (n_features, n_test)
        Samples in columns, features in the order in which they are added.
    same : bool, default=False
        Whether train and test are the same samples; no sample is then its own neighbor.
    """

    def __init__(self, train: np.ndarray, test: np.ndarray, same: bool = False) -> None:
        self.same = same
        self.is_exact = sums_are_exact(len(train), train, test)
        exponent = 0 if self.is_exact else safe_exponent(train, test)
        if exponent:
            train, test = np.ldexp(train, -exponent), np.ldexp(test, -exponent)
        self.train, self.test = train, test

    def map_blocks(
        self, function: Callable[[Iterator[NestedStep]], T], sizes: Sequence[int], k: int = 1
    ) -> Iterator[T]:
        """Yield ``function(steps)`` for each block of test samples, in order.

        ``steps`` iterates over the sizes. The k nearest training samples are among the columns of each step.
        """
        bytes_each = 8 * 3 * self.train.shape[1]
        most_sizes = len(sizes) * _MIN_PRODUCT_FEATURES > sizes[-1]
        limit = max(_CACHE_BYTES, _MIN_BLOCK_ROWS * bytes_each) if most_sizes else _BLOCK_BYTES
        blocks = slices(self.test.shape[1], bytes_each, self.test, limit)
        yield from parallel_map(lambda block: function(self.steps(block, sizes, k)), blocks, self.test)

    def steps(self, block: slice, sizes: Sequence[int], k: int) -> Iterator[NestedStep]:
        """Yield the distances of a block of test samples for each size.

        Distances only grow as features are added. If a sample is already farther than the k-th nearest
        neighbor at a later size, it is skipped at all sizes until then.
        """
        test, train = self.test[:, block], self.train
        now = np.zeros((test.shape[1], train.shape[1]))
        later, work = np.empty_like(now), np.empty_like(now)
        error = ErrorBound()
        if self.same:
            now[np.arange(test.shape[1]), np.arange(block.start, block.stop)] = np.inf
        position, done, lookahead = 0, 0, 0
        while position < len(sizes):
            group = sizes[position : max(position + 1, bisect_right(sizes, done + lookahead))]
            position, end, columns = position + len(group), group[-1], None
            if len(group) > 1:
                later_error = error.plus(self._product(test[done:end], train[done:end], work))
                np.add(now, work, out=later)
                bound = NestedStep(block, end, later, later_error).upper_bounds()
                columns = _within_reach(NestedStep(block, end, now, later_error), bound, k)
            if columns is None:
                lookahead = _MIN_LOOKAHEAD if train.shape[1] >= _MIN_SKIPPING_SAMPLES else 0
                for size in group:
                    error = error.plus(self._add(now, test[done:size], train[done:size], work))
                    done = size
                    yield NestedStep(block, size, now, error)
                continue
            is_small = columns.size < train.shape[1] // 32
            lookahead = min(2 * lookahead, _MAX_LOOKAHEAD) if is_small else _MIN_LOOKAHEAD
            reduced, reduced_train = now[:, columns], train[done:end, columns]
            error = ErrorBound(error.rows, error.columns[columns] if np.ndim(error.columns) else 0.0)
            reduced_work, first = np.empty_like(reduced), done
            for size in group:
                added = self._add(
                    reduced, test[done:size], reduced_train[done - first : size - first], reduced_work
                )
                error = error.plus(added)
                done = size
                yield NestedStep(block, size, reduced, error, columns)
            now, later, error = later, now, later_error

    def _add(
        self, distances: np.ndarray, test: np.ndarray, train: np.ndarray, work: np.ndarray
    ) -> ErrorBound:
        """Add the squared distances by some features in place, and bound their error."""
        if len(test) >= _MIN_PRODUCT_FEATURES:
            error = self._product(test, train, work)
            distances += work
            return error
        for x, t in zip(test, train, strict=True):
            np.subtract(x[:, None], t, out=work)
            np.multiply(work, work, out=work)
            distances += work
        return ErrorBound()

    def _product(self, test: np.ndarray, train: np.ndarray, out: np.ndarray) -> ErrorBound:
        """Write the squared distances by some features to ``out``, and bound their error."""
        if not self.is_exact:
            center = train.mean(axis=1, keepdims=True)
            test, train = test - center, train - center
        left, right = squared_norms(test.T), squared_norms(train.T)
        product_distances(test.T, train.T, left, right, out=out)
        if self.is_exact:
            return ErrorBound()
        np.maximum(out, 0, out=out)
        rtol = product_rtol(len(test))
        return ErrorBound(rtol * left, rtol * right)

    def nearest_codes(self, step: NestedStep, codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the class of the nearest training sample of each test sample; ties by index."""
        codes = codes[step.columns]
        if self.is_exact:
            return codes[step.distances.argmin(axis=1)]
        close = step.possibly_within(step.upper_bounds().min(axis=1))
        nearest = close.argmax(axis=1)
        if step.is_direct:
            return codes[nearest]
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > 1).tolist():
            candidates = np.flatnonzero(close[row])
            if (codes[candidates] != codes[candidates[0]]).any():
                squared = self._direct_distances(step, row, candidates)
                nearest[row] = candidates[smallest_index(squared[None])[0]]
        return codes[nearest]

    def map_neighbors(
        self, function: Callable[[NDArray[np.intp]], np.ndarray], sizes: Sequence[int], k: int
    ) -> np.ndarray:
        """Return ``function(indices)`` of the k nearest training samples: (n_sizes, n_test, ...)."""
        blocks = self.map_blocks(
            lambda steps: np.array([function(self.nearest_indices(step, k)) for step in steps]), sizes, k
        )
        return np.concatenate(list(blocks), axis=1)

    def nearest_indices(self, step: NestedStep, k: int) -> NDArray[np.intp]:
        """Return the indices of the k nearest training samples of each test sample; ties by index."""
        samples = np.arange(self.train.shape[1])[step.columns]
        upper = step.upper_bounds()
        nearest = k_smallest(upper, k)
        if k < samples.size and not step.is_direct:
            close = step.possibly_within(np.take_along_axis(upper, nearest, axis=1).max(axis=1))
            for row in np.flatnonzero(np.count_nonzero(close, axis=1) > k).tolist():
                candidates = np.flatnonzero(close[row])
                squared = self._direct_distances(step, row, candidates)
                nearest[row] = candidates[k_smallest(squared[None], k)[0]]
        return samples[nearest]

    def _direct_distances(self, step: NestedStep, row: int, candidates: NDArray[np.intp]) -> np.ndarray:
        """Compute the squared distances of one test sample to some columns by direct differences."""
        samples = np.arange(self.train.shape[1])[step.columns][candidates]
        sample = step.block.start + row
        train, test = self.train[: step.n_features], self.test[: step.n_features]
        squared = column_pair_distances(train, samples, test, np.full(samples.size, sample))
        return np.where(samples == sample, np.inf, squared) if self.same else squared


def _within_reach(now: NestedStep, later: np.ndarray, k: int) -> NDArray[np.intp] | None:
    """Return the columns that may be among the k nearest before distances reach ``later``.

    None if there are too many for skipping the rest to pay off.
    """
    if k >= later.shape[1]:
        return None
    last = later.min(axis=1) if k == 1 else np.partition(later, k - 1, axis=1)[:, k - 1]
    columns = np.flatnonzero(now.possibly_within(last).any(axis=0))
    return columns if columns.size < later.shape[1] // 4 else None


def class_means(
    train: np.ndarray, test: np.ndarray, codes: NDArray[np.intp]
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the means of the classes, and multiply them and the test samples by a common integer.

    The integer makes the means of integer data integers; it is 1 if the data is not.
    """
    counts = np.bincount(codes)
    sums = np.zeros((train.shape[0], counts.size))
    np.add.at(sums.T, codes, train.T)
    common = math.lcm(*counts.tolist())
    if common < 2**20:
        means, scaled = sums * (common // counts), test * float(common)
        if sums_are_exact(len(means), means, scaled):
            return means, scaled
    return sums / counts, test
