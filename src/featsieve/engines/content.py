"""Order samples by content: hashes of rows that depend neither on storage nor on precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.engines.arrays import to_host
from featsieve.engines.blocks import slices
from featsieve.engines.chunked import Chunked
from featsieve.engines.tasks import sum_blocks
from featsieve.types import Indices


def rank_by_content(X: Any) -> Indices:
    """Rank the rows of X by content, independently of their order in X.

    Dense and sparse storage, float32 and float64 give the same ranks. Copies get consecutive ranks, in
    arbitrary order.
    """
    return np.argsort(np.argsort(content_keys(X), kind="stable"))


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
    host = to_host(X)
    keys = np.empty(len(host), dtype=np.uint64)
    for block in slices(len(host), 32 * X.shape[1], host):
        keys[block] = content_hashes(host[block], features).sum(axis=1, dtype=np.uint64)
    return keys


def content_hashes(X: np.ndarray, features: Indices) -> NDArray[np.uint64]:
    """Hash each entry with its feature index; zero entries have hash 0."""
    X = X.astype(np.float64)
    return np.where(X == 0, np.uint64(0), _mix(X.view(np.uint64) + _salt(features)))


def _salt(features: Indices) -> NDArray[np.uint64]:
    return _mix((features.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finalizer of the splitmix64 generator to 64-bit words."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
