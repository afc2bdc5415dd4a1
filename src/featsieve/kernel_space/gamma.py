"""Kernel coefficients chosen from the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.engines.arrays import is_tensor, namespace, take_rows, to_host
from featsieve.engines.blocks import slices
from featsieve.kernel_space.kernels import EXPONENTIAL_KERNELS, KernelFunction

_KERNELS_WITH_GAMMA = EXPONENTIAL_KERNELS | {"poly", "polynomial", "sigmoid"}
# The median distance of more pairs is estimated from this many.
MAX_PAIRS = 200_000


def resolve_gamma(kernel: KernelFunction, gamma: float | str | None, X: Any) -> float | None:
    """Compute the number that ``gamma`` stands for; None for kernels without this coefficient."""
    if callable(kernel) or kernel not in _KERNELS_WITH_GAMMA:
        return None
    if gamma is None:
        return 1.0 / X.shape[1]
    if not isinstance(gamma, str):
        return float(gamma)
    with np.errstate(over="ignore", invalid="ignore"):
        if gamma == "median":
            distances = _pairwise_distances(kernel, X)
            spread = float(np.median(distances[distances > 0])) if np.any(distances > 0) else 0.0
        else:
            # the distances of these two kernels are not squared
            spread = _variance(X) ** (0.5 if kernel in ("laplacian", "chi2") else 1) * X.shape[1]
    if not np.isfinite(spread):
        raise ValueError(f"X must have finite squared distances for gamma={gamma!r}; got overflow. Scale X.")
    return 1.0 / spread if spread > 0 and np.isfinite(1.0 / spread) else 1.0


def _variance(X: Any) -> float:
    if is_tensor(X):
        precise = namespace(X).astype(X, namespace(X).float64, copy=False)
        return float(namespace(X).var(precise - precise[0, 0]))  # exactly 0 for equal numbers
    if X.max() == X.min():  # the mean of equal numbers may be rounded
        return 0.0
    if not sp.issparse(X):
        return float(X.var(dtype=np.float64))
    mean = X.mean(dtype=np.float64)
    stored = np.square(X.data.astype(np.float64) - mean).sum()
    size = X.shape[0] * X.shape[1]
    return float((stored + (size - X.nnz) * mean**2) / size)


def _pairwise_distances(kernel: str, X: Any) -> np.ndarray:
    """Compute the distances that a kernel uses, for all pairs of samples or a fixed random subset."""
    n = X.shape[0]
    if n * (n - 1) // 2 <= MAX_PAIRS:
        left, right = np.triu_indices(n, 1)
    else:
        random = np.random.RandomState(0)
        left = random.randint(n, size=MAX_PAIRS)
        right = (left + random.randint(1, n, size=MAX_PAIRS)) % n
    distances = np.empty(left.size)
    for block in slices(left.size, 24 * X.shape[1], X):
        A, B = take_rows(X, left[block]), take_rows(X, right[block])
        A = namespace(A).astype(A, namespace(A).float64) if is_tensor(A) else A.astype(np.float64)
        terms = abs(A - B) ** (1 if kernel == "laplacian" else 2)
        if kernel == "chi2":
            total = A + B
            terms = np.divide(terms, total, out=np.zeros_like(terms), where=total > 0)
        distances[block] = to_host(terms.sum(axis=1)).ravel()
    return distances
