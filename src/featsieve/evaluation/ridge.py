"""Ridge regression with the first m features of an order, for many m from one factorization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

from featsieve.engines.blocks import alternating_blas
from featsieve.evaluation._nested import feature_rows
from featsieve.evaluation.folds import Fold

# Standard deviations below this multiple of the mean are rounding errors of a constant column.
CONSTANT_RTOL = 1e-12


def ridge_predictions(
    fold: Fold,
    order: np.ndarray,
    sizes: Sequence[int],
    targets: np.ndarray,
    alpha: float | None,
    weights: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    """Yield the predictions for the test set, (n_test, n_targets), at each size.

    ``weights`` are those of the training samples.
    """
    train, test = _standardize(feature_rows(fold.X_train, order), feature_rows(fold.X_test, order))
    n_train = train.shape[1]
    ridge = n_train / 10 if alpha is None else alpha
    intercept = np.average(targets, axis=0, weights=weights)
    centered = targets - intercept
    if weights is not None:
        mean, roots = np.average(train, axis=1, weights=weights)[:, None], np.sqrt(weights)
        train, test, centered = (train - mean) * roots, test - mean, centered * roots[:, None]
    with alternating_blas(train.size * n_train):
        for decision in _decisions(train, test, sizes, centered, ridge):
            yield decision + intercept


def _decisions(
    train: np.ndarray, test: np.ndarray, sizes: Sequence[int], centered: np.ndarray, ridge: float
) -> Iterator[np.ndarray]:
    """Yield the predictions for centered targets, from a primal problem while it is the smaller one."""
    n_train = train.shape[1]
    primal = [size for size in sizes if size <= n_train]
    if primal:
        largest = primal[-1]
        gram = train[:largest] @ train[:largest].T
        gram[np.diag_indices(largest)] += ridge
        factor = cholesky(gram, lower=True, overwrite_a=True)
        forward = solve_triangular(factor, train[:largest] @ centered, lower=True)
        for size in primal:
            weights = solve_triangular(factor[:size, :size], forward[:size], lower=True, trans="T")
            yield test[:size].T @ weights
    kernel, cross, done = np.zeros((n_train, n_train)), np.zeros((test.shape[1], n_train)), 0
    for size in sizes[len(primal) :]:
        kernel += train[done:size].T @ train[done:size]
        cross += test[done:size].T @ train[done:size]
        done = size
        dual = cho_solve(cho_factor(kernel + ridge * np.eye(n_train), overwrite_a=True), centered)
        yield cross @ dual


def _standardize(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standardize features, which are rows here, by their mean and standard deviation in the training set."""
    mean = train.mean(axis=1, keepdims=True)
    centered = train - mean
    scale = np.sqrt(np.mean(centered**2, axis=1, keepdims=True))
    scale[scale <= CONSTANT_RTOL * np.maximum(1e-300, np.abs(mean))] = 1
    return centered / scale, (test - mean) / scale
