"""Sparse weights (lasso) that reconstruct samples from each other."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram, lasso_path

from featsieve.engines.blocks import parallel_map, single_threaded_blas, slices
from featsieve.engines.distances.products import gram_matrix
from featsieve.solvers.lasso import LassoPaths

# Largest number of weights on a lasso path, by attempt, for more samples than features (True) and for fewer
# (False). In the second case a sample may need nearly all others, and one problem at a time is faster.
MAX_PATH_WEIGHTS = {True: (128, 512), False: (64,)}
# Lasso paths computed together use at most this many bytes, to stay in the caches.
MAX_PATH_BYTES = 2**26
# Largest violation of the optimality conditions, relative to the penalty.
OPTIMALITY_RTOL = 1e-8
# Largest change of a weight by which the exact solution may differ from that of coordinate descent.
MAX_POLISHING_CHANGE = 1e-4


def l1_weights(X: ArrayLike, alpha: float = 0.05, indices: NDArray[np.intp] | None = None) -> sp.csr_array:
    r"""Compute the lasso weights that reconstruct each centered sample from the other samples.

    .. math:: \min_s \frac{1}{2d} |x_i - \sum_{j \ne i} s_j x_j|^2 + a_i \sum_j |s_j|,
              \quad a_i = \alpha \max_j |x_j \cdot x_i| / d

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    alpha : float, default=0.05
        Penalty, between 0 and 1, relative to the smallest penalty for which all weights are zero. It does
        not depend on the scale of the data.
    indices : ndarray of shape (n_samples, n_neighbors), default=None
        Samples that each sample is reconstructed from; None for all other samples.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Weights s of each sample, by row.
    """
    centered = np.array(X, dtype=np.float64)
    n, d = centered.shape
    centered -= centered[0].copy()  # constant features become exactly zero
    centered -= centered.mean(axis=0)
    centered /= np.abs(centered).max() or 1.0
    fits_memory = n <= d or 8 * n * n <= get_config()["working_memory"] * 2**20
    gram = gram_matrix(centered) if indices is None and fits_memory else None

    def block_weights(block: slice) -> sp.csr_array:
        samples = np.arange(n)[block]
        if indices is None:
            return sp.csr_array(_weights_on_all(centered, gram, samples, alpha))
        neighbors = indices[block]
        weights = [_lasso(centered[j].T, centered[i], alpha) for i, j in zip(samples, neighbors, strict=True)]
        indptr = np.arange(0, neighbors.size + 1, neighbors.shape[1])
        return sp.csr_array((np.ravel(weights), neighbors.ravel(), indptr), shape=(samples.size, n))

    with single_threaded_blas(), warnings.catch_warnings():  # outside the threads, which share the filters
        warnings.simplefilter("ignore", ConvergenceWarning)
        path_bytes = _path_bytes(MAX_PATH_WEIGHTS[n > d][0], centered, gram)
        blocks = slices(n, path_bytes, centered, MAX_PATH_BYTES)
        rows = list(parallel_map(block_weights, blocks, centered, "sparse weights"))
    weights = sp.csr_array(sp.vstack(rows))
    weights.eliminate_zeros()
    return weights


def _weights_on_all(
    X: NDArray[np.float64], gram: NDArray[np.float64] | None, samples: NDArray[np.intp], alpha: float
) -> NDArray[np.float64]:
    """Compute the weights of some samples on all others from lasso paths.

    A path ends at a maximal number of weights, and may be inaccurate if samples are linearly dependent.
    Solutions that violate the optimality conditions are therefore computed again, one by one.
    """
    n, d = X.shape
    covariances = X[samples] @ X.T
    covariances[np.arange(samples.size), samples] = 0.0
    penalties = alpha * np.abs(covariances).max(axis=1)
    weights, remaining = np.zeros(covariances.shape), np.arange(samples.size)
    limits = MAX_PATH_WEIGHTS[n > d]
    for limit in limits:
        step = max(1, samples.size * _path_bytes(limits[0], X, gram) // _path_bytes(limit, X, gram))
        failed = []
        for start in range(0, remaining.size, step):
            block = remaining[start : start + step]
            penalty, excluded = penalties[block], samples[block]
            paths = LassoPaths(X.T, gram, covariances[block], min(limit, n - 1, d), penalty, excluded)
            weights[block] = coefficients = paths.solve()
            slopes = (X[excluded] - coefficients @ X) @ X.T
            slopes[np.arange(excluded.size), excluded] = 0.0
            penalty = penalty[:, None]
            violations = np.where(
                coefficients == 0, np.abs(slopes) - penalty, np.abs(slopes - penalty * np.sign(coefficients))
            )
            failed.append(block[~(violations <= OPTIMALITY_RTOL * penalty).all(axis=1)])
        remaining = np.concatenate(failed) if failed else remaining
    for i in remaining:
        others = np.delete(np.arange(n), samples[i])
        others_gram = None if gram is None or n > d else gram[np.ix_(others, others)]
        weights[i, others] = _lasso(X[others].T, X[samples[i]], alpha, others_gram)
    return weights


def _path_bytes(n_weights: int, X: NDArray[np.float64], gram: NDArray[np.float64] | None) -> int:
    """Estimate the memory of the path of one sample."""
    n, d = X.shape
    n_weights = min(n_weights, n - 1, d)
    return 8 * (n_weights * (n_weights + (d if gram is None else n)) + 8 * n)


def _lasso(
    dictionary: NDArray[np.float64],
    sample: NDArray[np.float64],
    alpha: float,
    gram: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Compute the weights of the columns of ``dictionary`` that reconstruct ``sample``.

    Coordinate descent is fast, even if samples are repeated. If it does not converge, least-angle regression
    solves the problem exactly, however badly conditioned it is.
    """
    target = dictionary.T @ sample
    penalty = alpha * np.abs(target).max()
    if penalty == 0:  # orthogonal to all other samples
        return np.zeros(target.size)
    if gram is None and len(target) <= len(sample):
        gram = dictionary.T @ dictionary
    products: dict[str, Any] = {"precompute": False} if gram is None else {"precompute": gram, "Xy": target}
    options = {"alphas": [penalty / sample.size], "tol": 1e-10, "max_iter": 10_000, "return_n_iter": True}
    _, weights, _, n_iter = lasso_path(dictionary, sample, **products, **options)
    if n_iter[0] < options["max_iter"]:
        return _polish(dictionary, target, penalty, weights[:, 0])
    gram = dictionary.T @ dictionary
    path = lars_path_gram(target / penalty, gram / penalty, n_samples=1, alpha_min=1.0, method="lasso")
    return path[2][:, -1]


def _polish(
    dictionary: NDArray[np.float64], target: NDArray[np.float64], penalty: float, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Solve for the weights exactly, given their signs; return them unchanged if the signs are wrong."""
    active = np.flatnonzero(weights)
    signs = np.sign(weights[active])
    columns = dictionary[:, active]
    try:
        exact = np.linalg.solve(columns.T @ columns, target[active] - penalty * signs)
    except np.linalg.LinAlgError:  # repeated samples, whose weights are not unique
        return weights
    change = np.abs(exact - weights[active]).max(initial=0.0)
    if np.any(np.sign(exact) != signs) or change > MAX_POLISHING_CHANGE:
        return weights
    weights = weights.copy()
    weights[active] = exact
    return weights
