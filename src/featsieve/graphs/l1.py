from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram, lasso_path

from featsieve.engines.blocks import parallel_map, single_threaded_blas, slices
from featsieve.engines.distances.products import gram_matrix
from featsieve.solvers.lasso import Paths

# Lasso paths end at so many weights, and in a second attempt later where samples outnumber dimensions.
# Else a sample may take nearly all others, and one by one is faster.
_MOST = {True: (128, 512), False: (64,)}
# Paths that go side by side take so many bytes: they stay near the cores.
_BLOCK = 2**26
# How far off the conditions of the optimum may be, as a share of the penalty.
_OFF = 1e-8


def l1_weights(X: Any, alpha: float = 0.05, indices: np.ndarray | None = None) -> sp.csr_array:
    r"""Sparse weights that rebuild each centerd sample from the others.

    .. math:: \min_s \frac{1}{2d} |x_i - \sum_{j \ne i} s_j x_j|^2 + a_i \sum_j |s_j|,
              \quad a_i = \alpha \max_j |x_j \cdot x_i| / d

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    alpha : float
        Between 0 and 1: the penalty as a share of the smallest one that makes every weight zero, so that
        it does not depend on the scale of the data.
    indices : ndarray of shape (n_samples, n_neighbors) or None
        The samples that each may be rebuilt from; None for all others.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    n, d = X.shape
    centerd = np.array(X, dtype=np.float64)
    centerd -= centerd[0].copy()  # what is the same in all samples leaves no rounding
    centerd -= centerd.mean(axis=0)
    centerd /= np.abs(centerd).max() or 1.0
    small = n <= d or 8 * n * n <= get_config()["working_memory"] * 2**20
    gram = gram_matrix(centerd) if indices is None and small else None

    def rebuild(part: slice) -> sp.csr_array:
        names = np.arange(n)[part]
        if indices is None:
            return sp.csr_array(_from_all(centerd, gram, names, alpha))
        near = indices[part]
        weights = [_lasso(centerd[some].T, centerd[i], alpha) for i, some in zip(names, near, strict=True)]
        pointers = np.arange(0, near.size + 1, near.shape[1])
        return sp.csr_array((np.ravel(weights), near.ravel(), pointers), shape=(names.size, n))

    with single_threaded_blas(), warnings.catch_warnings():  # around the threads, for they share the filters
        warnings.simplefilter("ignore", ConvergenceWarning)
        parts = slices(n, _bytes(_MOST[n > d][0], centerd, gram), centerd, _BLOCK)
        rows = list(parallel_map(rebuild, parts, centerd, "sparse weights"))
    weights = sp.csr_array(sp.vstack(rows))
    weights.eliminate_zeros()
    return weights


def _from_all(X: np.ndarray, gram: np.ndarray | None, names: np.ndarray, alpha: float) -> np.ndarray:
    """Weights of these samples on all others, by their lasso paths; one by one where those do not get there.

    A path ends at so many weights, and may lose its way where samples depend on each other. Hence the
    conditions of the optimum are looked at.
    """
    n, d = X.shape
    covariances = X[names] @ X.T
    covariances[np.arange(names.size), names] = 0.0
    penalty = alpha * np.abs(covariances).max(axis=1)
    weights, left = np.zeros(covariances.shape), np.arange(names.size)
    for most in _MOST[n > d]:
        step = max(1, names.size * _bytes(_MOST[n > d][0], X, gram) // _bytes(most, X, gram))
        failed = []
        for start in range(0, left.size, step):
            some = left[start : start + step]
            limit, rest = penalty[some], names[some]
            paths = Paths(X.T, gram, covariances[some], min(most, n - 1, d), limit, rest)
            weights[some] = found = paths.coefficients()
            slope = (X[rest] - found @ X) @ X.T
            slope[np.arange(rest.size), rest] = 0.0
            limit = limit[:, None]
            off = np.where(found == 0, np.abs(slope) - limit, np.abs(slope - limit * np.sign(found)))
            failed.append(some[~(off <= _OFF * limit).all(axis=1)])
        left = np.concatenate(failed) if failed else left
    for i in left:
        others = np.delete(np.arange(n), names[i])
        known = None if gram is None or n > d else gram[np.ix_(others, others)]
        weights[i, others] = _lasso(X[others].T, X[names[i]], alpha, known)
    return weights


def _bytes(most: int, X: np.ndarray, gram: np.ndarray | None) -> int:
    """What the path of one sample takes that ends at so many weights."""
    n, d = X.shape
    most = min(most, n - 1, d)
    return 8 * (most * (most + (d if gram is None else n)) + 8 * n)


def _lasso(
    dictionary: np.ndarray, sample: np.ndarray, alpha: float, gram: np.ndarray | None = None
) -> np.ndarray:
    """Weights of the columns of ``dictionary`` that rebuild ``sample``; ``gram`` if it is known.

    Coordinate descent is fast, also where samples repeat; least angles are exact however badly
    conditioned the problem is, and are asked where the first does not converge.
    """
    target = dictionary.T @ sample
    penalty = alpha * np.abs(target).max()
    if penalty == 0:  # orthogonal to all others: nothing to rebuild it from
        return np.zeros(target.size)
    if gram is None and len(target) <= len(sample):
        gram = dictionary.T @ dictionary
    known = {"precompute": False} if gram is None else {"precompute": gram, "Xy": target}
    options = {"alphas": [penalty / sample.size], "tol": 1e-10, "max_iter": 10_000, "return_n_iter": True}
    _, weights, _, n_iter = lasso_path(dictionary, sample, **known, **options)
    if n_iter[0] < options["max_iter"]:
        return _polished(dictionary, target, penalty, weights[:, 0])
    gram = dictionary.T @ dictionary
    path = lars_path_gram(target / penalty, gram / penalty, n_samples=1, alpha_min=1.0, method="lasso")
    return path[2][:, -1]


def _polished(dictionary: np.ndarray, target: np.ndarray, penalty: float, weights: np.ndarray) -> np.ndarray:
    """The weights that the signs found determine exactly, if they have those signs; else as they are."""
    used = np.flatnonzero(weights)
    signs = np.sign(weights[used])
    columns = dictionary[:, used]
    try:
        exact = np.linalg.solve(columns.T @ columns, target[used] - penalty * signs)
    except np.linalg.LinAlgError:  # samples that repeat share their weight in any way they like
        return weights
    if np.any(np.sign(exact) != signs) or np.abs(exact - weights[used]).max(initial=0.0) > 1e-4:
        return weights
    weights = weights.copy()
    weights[used] = exact
    return weights
