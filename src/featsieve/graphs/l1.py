from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram, lasso_path

from featsieve.engines.progress import track


def l1_weights(X: Any, alpha: float = 0.05, indices: np.ndarray | None = None) -> sp.csr_array:
    r"""Sparse weights that rebuild each centred sample from the others.

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
    n = X.shape[0]
    centred = np.asarray(X - X.mean(axis=0), dtype=np.float64)
    gram = centred @ centred.T if indices is None else None
    everyone = np.arange(n)
    columns, values = [], []
    for i in track(range(n), n, "sparse weights"):
        others = np.delete(everyone, i) if indices is None else indices[i]
        dictionary = centred[others]
        inner = dictionary @ dictionary.T if gram is None else gram[np.ix_(others, others)]
        weights = _lasso(dictionary, centred[i], inner, alpha)
        kept = np.flatnonzero(weights)
        columns.append(others[kept])
        values.append(weights[kept])
    pointers = np.concatenate([[0], np.cumsum([part.size for part in columns])])
    return sp.csr_array((np.concatenate(values), np.concatenate(columns), pointers), shape=(n, n))


def _lasso(dictionary: np.ndarray, sample: np.ndarray, inner: np.ndarray, alpha: float) -> np.ndarray:
    """Weights of the rows of ``dictionary`` that rebuild ``sample``; ``inner`` holds their inner products.

    Least angles are exact however badly conditioned the problem is, but lose their way where samples
    repeat; coordinate descent is the reverse. So the second is asked where the first is not optimal.
    """
    target = dictionary @ sample
    penalty = alpha * np.abs(target).max()
    if penalty == 0:  # orthogonal to all others: nothing to rebuild it from
        return np.zeros(target.size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = lars_path_gram(
            target / penalty,
            inner / penalty,
            n_samples=1,
            alpha_min=1.0,
            method="lasso",
            max_iter=10 * target.size,
        )[2][:, -1]
    slope = (target - inner @ weights) / penalty
    used = weights != 0
    if np.all(np.abs(slope) <= 1 + 1e-9) and np.all(np.abs(slope - np.sign(weights))[used] <= 1e-9):
        return weights
    return lasso_path(
        dictionary.T,
        sample,
        alphas=[penalty / sample.size],
        precompute=inner,
        Xy=target,
        tol=1e-10,
        max_iter=100_000,
    )[1][:, 0]
