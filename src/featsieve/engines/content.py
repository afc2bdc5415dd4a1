"""Order samples by content: hashes of rows that depend neither on storage nor on precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.engines.arrays import is_tensor, namespace, to_device_of, to_host
from featsieve.engines.blocks import slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.tasks import sum_blocks
from featsieve.types import Indices

# The multipliers of the splitmix64 generator, and the sign bit of 64-bit words.
_MULTIPLIERS, _SIGN = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB), -(2**63)


def rank_by_content(X: Any) -> Any:
    """Rank the rows of X by content, independently of their order in X; on the device of X.

    Dense and sparse storage, float32 and float64, arrays and tensors give the same ranks. Copies get
    consecutive ranks, in arbitrary order.
    """
    if not is_tensor(X):
        return np.argsort(np.argsort(content_keys(X), kind="stable"))
    xp = namespace(X)
    return xp.argsort(xp.argsort(_tensor_keys(X, np.arange(X.shape[1])) ^ _SIGN))


def content_keys(X: Any, features: Indices | None = None) -> NDArray[np.uint64]:
    """Hash each row as the sum of its :func:`content_hashes`; copies have equal keys.

    ``features`` has the index of each column, where X is a subset of the columns of a larger matrix.
    """
    features = np.arange(X.shape[1]) if features is None else features
    if isinstance(X, Chunked):
        return sum_blocks(lambda block, columns: content_keys(block, features[columns]), X, "content")
    if sp.issparse(X):
        X = X.tocsr()
        hashes = _mix(X.data.astype(np.float64).view(np.uint64) + _salt(features)[X.indices])
        hashes[X.data == 0] = 0
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    if is_tensor(X):
        return to_host(_tensor_keys(X, features)).view(np.uint64)
    X = np.asarray(X)
    keys = np.empty(len(X), dtype=np.uint64)
    for block in slices(len(X), 32 * X.shape[1], X):
        keys[block] = content_hashes(X[block], features).sum(axis=1, dtype=np.uint64)
    return keys


def _tensor_keys(X: Any, features: Indices) -> Any:
    """Compute the bits of :func:`content_keys` on the device of X, as signed integers."""
    xp = namespace(X)
    salt = to_device_of(_salt(features).view(np.int64), X)

    def mix(bits: Any) -> Any:
        for shift, multiplier in zip((30, 27), _MULTIPLIERS, strict=True):
            bits = (bits ^ _shift_right(bits, shift)) * (multiplier - 2**64)
        return bits ^ _shift_right(bits, 31)

    def keys(block: slice) -> Any:
        rows = xp.astype(X[block, :], xp.float64, copy=False)
        return xp.sum(xp.where(rows == 0, 0, mix(rows.view(xp.int64) + salt)), axis=1)

    return xp.concat([keys(block) for block in slices(X.shape[0], 48 * X.shape[1], X)])


def _shift_right(bits: Any, count: int) -> Any:
    """Shift signed integers as if they were unsigned."""
    return (bits >> count) & (2 ** (64 - count) - 1)


def content_hashes(X: np.ndarray, features: Indices) -> NDArray[np.uint64]:
    """Hash each entry with its feature index; zero entries have hash 0."""
    X = X.astype(np.float64)
    return np.where(X == 0, np.uint64(0), _mix(X.view(np.uint64) + _salt(features)))


def _salt(features: Indices) -> NDArray[np.uint64]:
    return _mix((features.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finalizer of the splitmix64 generator to 64-bit words."""
    for shift, multiplier in zip((30, 27), _MULTIPLIERS, strict=True):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(multiplier)
    return bits ^ (bits >> np.uint64(31))
