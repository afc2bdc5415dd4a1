"""Ridge regression with the first m features of a ranking, for many m from one factorization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from sklearn.metrics import r2_score

from featsieve.evaluation._nested import feature_rows
from featsieve.evaluation.curves import Fold, _checked, _everything


def linear_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    r"""Accuracy of a linear classifier with the first m features of an order.

    .. math:: \min_W \| T - Z_m W \|^2 + \alpha \|W\|^2

    with Z the columns standardized by the training part and T the class indicators, -1 and 1.

    Parameters
    ----------
    fold : Fold
    order : array of shape (n_features,)
        Feature indices, best first.
    sizes : array of int, default=None
        Ascending numbers of features; None is all, from 1 on.
    alpha : float, default=None
        Ridge; None is a tenth of the number of training samples, so 0.1 beside the unit variances.

    Returns
    -------
    array of shape (n_sizes,)
        What ``make_pipeline(StandardScaler(), RidgeClassifier(alpha))`` reaches, fitted anew for each size.

    Notes
    -----
    The Cholesky factor of the first m features is the corner of the factor of all. Beyond as many features
    as training samples the problem is solved among the samples instead. Cost O(n d min(n, d)) and a little
    for each size.
    """
    order, sizes = _checked(order, sizes)
    train, test = fold.codes()
    n_classes = int(train.max()) + 1
    if n_classes == 1:
        return np.full(len(sizes), float(np.mean(test == 0)))
    # two classes need one indicator
    indicators = np.where(train[:, None] == np.arange(n_classes)[None, n_classes == 2 :], 1.0, -1.0)
    found = []
    for values in ridge_predictions(fold, order, sizes, indicators, alpha):
        predicted = (values[:, 0] > 0).astype(int) if n_classes == 2 else values.argmax(axis=1)
        found.append(float(np.mean(predicted == test)))
    return np.array(found)


def linear_accuracy(fold: Fold, alpha: float | None = None) -> float:
    """Accuracy of a linear classifier with all features: the last point of ``linear_curve``."""
    return float(linear_curve(fold, *_everything(fold), alpha)[0])


def linear_regression_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    """Coefficient of determination of ridge regression with the first m features of an order.

    Parameters are those of :func:`linear_curve`; the targets are numbers.

    Returns
    -------
    array of shape (n_sizes,)
        At most 1; 0 is as good as the mean.
    """
    order, sizes = _checked(order, sizes)
    target = np.asarray(fold.y_train, dtype=np.float64)[:, None]
    predictions = ridge_predictions(fold, order, sizes, target, alpha)
    return np.array([r2_score(fold.y_test, each[:, 0]) for each in predictions])


def ridge_predictions(
    fold: Fold, order: np.ndarray, sizes: Sequence[int], targets: np.ndarray, alpha: float | None
) -> Iterator[np.ndarray]:
    """Yield the predictions (n_test, n_targets) for each size."""
    train, test = _standardized(feature_rows(fold.X_train, order), feature_rows(fold.X_test, order))
    n_train = train.shape[1]
    ridge = n_train / 10 if alpha is None else alpha
    offset = targets.mean(axis=0)
    centerd = targets - offset
    narrow = [size for size in sizes if size <= n_train]
    if narrow:
        top = narrow[-1]
        gram = train[:top] @ train[:top].T
        gram[np.diag_indices(top)] += ridge
        factor = cholesky(gram, lower=True, overwrite_a=True)
        forward = solve_triangular(factor, train[:top] @ centerd, lower=True)
        for size in narrow:
            weights = solve_triangular(factor[:size, :size], forward[:size], lower=True, trans="T")
            yield test[:size].T @ weights + offset
    kernel, cross, done = np.zeros((n_train, n_train)), np.zeros((test.shape[1], n_train)), 0
    for size in sizes[len(narrow) :]:
        kernel += train[done:size].T @ train[done:size]
        cross += test[done:size].T @ train[done:size]
        done = size
        sample_weights = cho_solve(cho_factor(kernel + ridge * np.eye(n_train), overwrite_a=True), centerd)
        yield cross @ sample_weights + offset


def _standardized(train: np.ndarray, test: np.ndarray) -> tuple[Any, Any]:
    """Rows of both with the mean of the training part at 0 and its standard deviation at 1."""
    mean = train.mean(axis=1, keepdims=True)
    centerd = train - mean
    scale = np.sqrt(np.mean(centerd**2, axis=1, keepdims=True))
    # a constant row has no scale, and its mean may be off by rounding
    scale[scale <= 1e-12 * np.maximum(1e-300, np.abs(mean))] = 1
    return centerd / scale, (test - mean) / scale
