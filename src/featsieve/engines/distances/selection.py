"""The smallest distances of each row, and the one rule for ties.

**The rule.** Distances that differ by no more than rounding are equal. Of equal distances the one with the
smallest *tie rank* is selected first. Two kinds of ranks are in use, on purpose:

- *By index*, the default. The nested curves and leave-one-out reproduce scikit-learn's brute-force
  neighbors, which select the smallest training index.
- *By content* (:func:`featsieve.engines.content.rank_by_content`). The neighbor search and the iterative
  score build graphs, and permuting the samples must only relabel a graph.

How far rounding reaches depends on how distances were computed. Direct differences agree to ``TIE_RTOL`` of
the k-th smallest. For graphs, where the order within the k smallest matters as well, distances are rounded to
a number of bits and compared for equality.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_compat
import numpy as np

from featsieve.engines.arrays import namespace, round_to_bits
from featsieve.types import Indices

# Above the relative error of a sum of squared differences: distances that differ by less are equal.
TIE_RTOL = 64 * float(np.finfo(np.float64).eps)
# Columns of a group whose minimum a device computes before it sorts.
_DEVICE_GROUP = 32


def smallest_index(distances: np.ndarray) -> Indices:
    """Return the index of the smallest value of each row; of equal values, the smallest index."""
    return (distances <= distances.min(axis=1, keepdims=True) * (1 + TIE_RTOL)).argmax(axis=1)


def k_smallest(
    distances: Any,
    k: int,
    *,
    tie_ranks: Indices | Callable[[Any], Any] | None = None,
    bits: int | None = None,
) -> Any:
    """Return the indices of the k smallest values of each row, by the rule for ties of this module.

    Parameters
    ----------
    distances : array of shape (n_rows, n_columns)
        Nonnegative values. They are overwritten and restored. With ``bits``, they may be a tensor.
    k : int
        Number of values to select in each row.
    tie_ranks : ndarray of shape (n_columns,) or callable, default=None
        Tie rank of each column; or a function that takes row indices and returns the ranks of all entries
        of these rows, which is called for rows with ties only. None ranks by column index. Ranks have an
        effect only with ``bits``.
    bits : int, default=None
        Number of leading bits in which equal values agree, see :func:`round_to_bits`. None compares with
        the k-th smallest value, to a relative tolerance of ``TIE_RTOL``.

    Returns
    -------
    array of shape (n_rows, min(k, n_columns))
        Column indices. With ``bits`` they are sorted by distance, then by tie rank.
    """
    n_columns = distances.shape[1]
    if bits is None:
        if k >= n_columns:
            return np.broadcast_to(np.arange(n_columns), distances.shape)
        columns, last, following = _smallest_by_passes(distances, k)
        tied = np.flatnonzero(following <= last * (1 + TIE_RTOL))
        if tied.size:
            columns[tied] = _first_equal(distances[tied], last[tied], k, TIE_RTOL)
        return columns
    keys = round_to_bits(distances, bits)
    if isinstance(tie_ranks, np.ndarray):
        by_rank = np.argsort(tie_ranks)
        keys = keys[:, by_rank]
        columns = _first_equal(keys, np.partition(keys, k - 1, axis=1)[:, k - 1], k, 0.0)
        order = np.argsort(np.take_along_axis(keys, columns, axis=1), axis=1, kind="stable")
        return by_rank[np.take_along_axis(columns, order, axis=1)]
    xp = namespace(distances)
    columns = xp.argsort(keys, axis=1)
    ranked = xp.take_along_axis(keys, columns[:, : k + 1], axis=1)
    equal = (ranked[:, 1:] == ranked[:, :-1]) & xp.isfinite(ranked[:, 1:])
    tied = xp.nonzero(xp.any(equal, axis=1))[0]
    if tied.shape[0] and tie_ranks is not None:
        by_rank = xp.argsort(tie_ranks(tied), axis=1)
        order = xp.argsort(xp.take_along_axis(keys[tied], by_rank, axis=1), axis=1)
        columns[tied] = xp.take_along_axis(by_rank, order, axis=1)
    return columns[:, :k]


def _smallest_by_passes(distances: np.ndarray, k: int) -> tuple[Indices, np.ndarray, np.ndarray]:
    """Find the k smallest of each row, the largest of these, and the next value.

    For small k, one pass over the data for each of them is much faster than partitioning each row.
    """
    rows = np.arange(len(distances))
    columns = np.empty((rows.size, k + 1), dtype=np.intp)
    smallest = np.empty((rows.size, k + 1))
    for position in range(k + 1):
        columns[:, position] = distances.argmin(axis=1)
        smallest[:, position] = distances[rows, columns[:, position]]
        distances[rows, columns[:, position]] = np.inf
    # in reverse, because where only infinite values remain a column is found twice
    for position in reversed(range(k + 1)):
        distances[rows, columns[:, position]] = smallest[:, position]
    return columns[:, :k], smallest[:, k - 1], smallest[:, k]


def _first_equal(keys: np.ndarray, last: np.ndarray, k: int, rtol: float) -> Indices:
    """Select all columns below the k-th smallest key, and the first of those equal to it."""
    last = last[:, None]
    below = keys < last * (1 - rtol)
    equal = ~below & (keys <= last * (1 + rtol))
    room = k - np.count_nonzero(below, axis=1)[:, None]
    return np.nonzero(below | equal & (np.cumsum(equal, axis=1) <= room))[1].reshape(-1, k)


def partition_smallest(values: Any, k: int) -> tuple[Any, Any]:
    """Return the indices of the k smallest values of each row, in any order, and the largest of these.

    Ties are broken arbitrarily: this proposes candidates, which are compared again. Arrays of any namespace.
    """
    if isinstance(values, np.ndarray):
        return _partition_by_groups(values, k)
    n_groups = values.shape[1] // _DEVICE_GROUP
    return _sort_smallest(values, k) if n_groups < 4 * k else _sort_by_groups(values, k, n_groups)


def _sort_by_groups(values: Any, k: int, n_groups: int) -> tuple[Any, Any]:
    """Sort the k groups of columns with the smallest minima, which contain the k smallest values.

    One pass over the values, instead of the many of a device's sort. A group has every n_groups-th column.
    """
    xp = namespace(values)
    n_rows, n = values.shape
    whole = n - n % n_groups
    minima = xp.min(xp.reshape(values[:, :whole], (n_rows, -1, n_groups)), axis=1)
    groups = _sort_smallest(minima, k)[0]
    steps = xp.arange(0, whole, n_groups, device=values.device)
    rest = xp.broadcast_to(xp.arange(whole, n, device=values.device), (n_rows, n - whole))
    columns = xp.concat([xp.reshape(groups[:, :, None] + steps, (n_rows, -1)), rest], axis=1)
    positions, last = _sort_smallest(xp.take_along_axis(values, columns, axis=1), k)
    return xp.take_along_axis(columns, positions, axis=1), last


def _sort_smallest(values: Any, k: int) -> tuple[Any, Any]:
    if array_api_compat.is_torch_array(values):
        import torch

        smallest, columns = torch.topk(values, k, dim=1, largest=False, sorted=True)
        return columns, smallest[:, -1]
    xp = namespace(values)
    columns = xp.argsort(values, axis=1)[:, :k]
    return columns, xp.take_along_axis(values, columns, axis=1)[:, -1]


def _partition_by_groups(values: np.ndarray, k: int) -> tuple[Indices, np.ndarray]:
    """Partition the few values of each row that do not exceed the k-th smallest minimum of some groups.

    At least k values do not exceed it, and hardly more: two passes over a row instead of a partition.
    """
    n_rows, n = values.shape
    n_groups = min(64, n // (16 * k))
    if n_groups > 1:
        width = n // n_groups
        minima = values[:, : n_groups * width].reshape(n_rows, n_groups, width).min(axis=1)
        bound = np.partition(minima, k - 1, axis=1)[:, k - 1]
        row, column = np.divmod(np.flatnonzero(values <= bound[:, None]), n)
        counts = np.bincount(row, minlength=n_rows)
        if counts.max() <= 16 * k:  # otherwise there are many ties
            position = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
            compact = np.full((n_rows, counts.max()), np.inf, dtype=values.dtype)
            columns = np.zeros(compact.shape, dtype=np.intp)
            compact[row, position], columns[row, position] = values[row, column], column
            positions, last = _partition(compact, k)
            return np.take_along_axis(columns, positions, axis=1), last
    return _partition(values, k)


def _partition(values: np.ndarray, k: int) -> tuple[Indices, np.ndarray]:
    columns = np.argpartition(values, k - 1, axis=1)[:, :k]
    return columns, np.take_along_axis(values, columns[:, -1:], axis=1)[:, 0]
