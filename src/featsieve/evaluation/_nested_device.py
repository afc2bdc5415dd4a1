"""Nearest neighbors as features are added one after the other, for tensors, on their device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from featsieve.engines.arrays import namespace, take_columns, to_device_of, to_host
from featsieve.engines.blocks import slices
from featsieve.engines.distances.products import safe_exponent, sums_are_exact
from featsieve.engines.distances.selection import TIE_RTOL
from featsieve.types import Array, Indices


def count_correct(
    train: Any, test: Any, codes: tuple[Indices, Indices], order: Indices, sizes: Sequence[int]
) -> Indices:
    """Count the test samples whose nearest training sample has their code, for each number of features.

    The squared differences of each feature are added to all distances, which a device does as fast as it
    reads them. Of equal distances, the one with the smallest index is the nearest.
    """
    xp = namespace(train)
    train, test = (xp.astype(take_columns(X, order[: sizes[-1]]), xp.float64).T for X in (train, test))
    is_exact = sums_are_exact(sizes[-1], train, test)
    scale = 1.0 if is_exact else 2.0 ** -safe_exponent(train, test)
    train, test = xp.asarray(train * scale, copy=True), test * scale
    train_codes, test_codes = (to_device_of(part, train) for part in codes)
    counts = np.zeros(len(sizes), dtype=np.intp)
    for block in slices(test.shape[1], 8 * 4 * train.shape[1], train):
        steps = _nested_distances(train, test[:, block], sizes)
        nearest = [_first_smallest(distances, 0.0 if is_exact else TIE_RTOL) for distances in steps]
        is_correct = train_codes[xp.stack(nearest)] == test_codes[block]
        counts += to_host(xp.count_nonzero(is_correct, axis=1))
    return counts


def _nested_distances(train: Array, test: Array, sizes: Sequence[int]) -> Iterator[Array]:
    """Yield the squared distances by the first features, which are rows, for each size."""
    xp, done = namespace(train), 0
    distances = xp.zeros((test.shape[1], train.shape[1]), dtype=train.dtype, device=train.device)
    for size in sizes:
        for feature in range(done, size):
            gaps = test[feature, :, None] - train[feature, :]
            gaps *= gaps
            distances += gaps
        done = size
        yield distances


def _first_smallest(distances: Array, rtol: float) -> Array:
    """Return the first index whose distance is the smallest of its row, up to rounding."""
    xp = namespace(distances)
    smallest = xp.min(distances, axis=1, keepdims=True)
    return xp.argmax(xp.astype(distances <= smallest * (1 + rtol), xp.int8), axis=1)
