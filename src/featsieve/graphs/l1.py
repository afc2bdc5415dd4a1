from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram, lasso_path

from featsieve.engines.blocks import in_order


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
    n, d = X.shape
    centred = np.asarray(X - X.mean(axis=0), dtype=np.float64)
    everyone = np.arange(n)
    inner = centred @ centred.T if indices is None and n <= d else None

    def rebuild(part: slice) -> list[tuple[np.ndarray, np.ndarray]]:
        found = []
        for i in everyone[part]:
            others = np.delete(everyone, i) if indices is None else indices[i]
            gram = None if inner is None else inner[np.ix_(others, others)]
            weights = _lasso(centred[others].T, centred[i], alpha, gram)
            kept = np.flatnonzero(weights)
            found.append((others[kept], weights[kept]))
        return found

    parts = [slice(start, min(start + 16, n)) for start in range(0, n, 16)]
    with warnings.catch_warnings():  # around the threads, for they share the filters
        warnings.simplefilter("ignore", ConvergenceWarning)
        rows = [row for found in in_order(rebuild, parts, centred, "sparse weights") for row in found]
    columns, values = zip(*rows, strict=True)
    pointers = np.concatenate([[0], np.cumsum([part.size for part in columns])])
    return sp.csr_array((np.concatenate(values), np.concatenate(columns), pointers), shape=(n, n))


def _lasso(dictionary: np.ndarray, sample: np.ndarray, alpha: float, gram: np.ndarray | None) -> np.ndarray:
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
