"""Accuracy of the nearest neighbor without each feature, for tensors."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from featsieve.engines.arrays import namespace, to_device_of, to_host
from featsieve.engines.blocks import slices
from featsieve.engines.distances.products import safe_exponent, sums_are_exact
from featsieve.engines.distances.selection import TIE_RTOL
from featsieve.subsets._nearest import LeaveOneOut
from featsieve.types import Array, Indices


def count_correct(train: Any, train_codes: Indices, test: Any, test_codes: Indices) -> tuple[int, Indices]:
    """Count as :func:`featsieve.subsets._nearest.count_correct`, for tensors of float64, on their device.

    All distances without each feature are computed, because a device does so faster than it finds those that
    matter. The host compares again where the nearest of the class and of the others differ by rounding.
    """
    counter = _DeviceLeaveOneOut(train, train_codes, test, test_codes)
    n_train, width = counter.train.shape
    blocks = slices(test.shape[0], 8 * 6 * n_train * width, test)
    counts: Any = sum(counter.count(block) for block in blocks)
    return int(counts[-1]), counts[:-1]


class _DeviceLeaveOneOut:
    """Training and test samples with an additional column of zeros; leaving it out means all features."""

    def __init__(self, train: Any, train_codes: Indices, test: Any, test_codes: Indices) -> None:
        self.host_arguments = (train, train_codes, test, test_codes)
        self.is_exact = sums_are_exact(train.shape[1], train, test)
        scale = 1.0 if self.is_exact else 2.0 ** -safe_exponent(train, test)
        self.train, self.test = _append_zeros(train * scale), _append_zeros(test * scale)
        self.train_codes, self.test_codes = to_device_of(train_codes, train), to_device_of(test_codes, train)
        xp = namespace(train)
        self.low, self.high = xp.min(self.train, axis=0), xp.max(self.train, axis=0)

    @cached_property
    def host(self) -> LeaveOneOut:
        """The same samples on the host."""
        return LeaveOneOut(*(to_host(argument) for argument in self.host_arguments))

    def count(self, block: slice) -> Indices:
        """Count the correct samples of a block of test samples without each column."""
        xp = namespace(self.train)
        test, codes = self.test[block, :], self.test_codes[block]
        gaps = test[:, None, :] - self.train[None, :, :]
        gaps *= gaps
        distances = xp.sum(gaps, axis=2)
        remaining = distances[:, :, None] - gaps
        if self.is_exact:
            nearest = xp.argmin(remaining, axis=1)
            is_correct = self.train_codes[nearest] == codes[:, None]
            return to_host(xp.count_nonzero(is_correct, axis=0))
        is_own = (self.train_codes[None, :] == codes[:, None])[:, :, None]
        own = xp.min(xp.where(is_own, remaining, xp.inf), axis=1)
        other = xp.min(xp.where(is_own, xp.inf, remaining), axis=1)
        largest_gaps = xp.maximum(test - self.low, self.high - test) ** 2
        reach = xp.where(own < other, own, other) + largest_gaps
        is_open = xp.abs(own - other) <= 4 * TIE_RTOL * reach
        counts = to_host(xp.count_nonzero((own < other) & ~is_open, axis=0))
        for i in to_host(xp.nonzero(xp.any(is_open, axis=1))[0]).tolist():
            columns = np.flatnonzero(to_host(is_open[i, :]))
            within = to_host(reach[i, :])[columns] * (1 + 4 * TIE_RTOL)
            sample, code = to_host(test[i, :]), to_host(codes[i])
            counts[columns] += self.host.settle(sample, code, to_host(distances[i, :]), within, columns)
        return counts


def _append_zeros(X: Array) -> Array:
    xp = namespace(X)
    return xp.concat([X, xp.zeros((X.shape[0], 1), dtype=X.dtype, device=X.device)], axis=1)
