"""Coefficient of determination of regressions with the first m features of an order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.metrics import r2_score

from featsieve.evaluation._nested import NestedDistances, feature_rows
from featsieve.evaluation.folds import Fold, check_order, describe_parameters
from featsieve.evaluation.measures.measure import Measure
from featsieve.evaluation.ridge import ridge_predictions


@describe_parameters
def linear_regression_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    """Compute the coefficient of determination of ridge regression with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes
    alpha

    Returns
    -------
    ndarray of shape (n_sizes,)
        At most 1; 0 is as good as predicting the mean.
    """
    order, sizes = check_order(order, sizes)
    predictions = _linear_predictions(fold, order, sizes, alpha)
    return np.array([r2_score(fold.y_test, predicted) for predicted in predictions])


@describe_parameters
def rank_correlation_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    """Compute the rank correlation of the target and ridge regression with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes
    alpha

    Returns
    -------
    ndarray of shape (n_sizes,)
        Spearman correlation, between -1 and 1; 0 if the predictions are constant. Unlike the coefficient of
        determination, it does not depend on a few extreme values.
    """
    order, sizes = check_order(order, sizes)
    predictions = _linear_predictions(fold, order, sizes, alpha)
    ranks = rankdata(np.asarray(fold.y_test, dtype=np.float64))
    return np.array([_correlation(ranks, rankdata(predicted)) for predicted in predictions])


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    norm = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / norm) if norm > 0 else 0.0


def _linear_predictions(
    fold: Fold, order: np.ndarray, sizes: list[int], alpha: float | None
) -> list[np.ndarray]:
    """Return the predictions for the test set at each size."""
    target = np.asarray(fold.y_train, dtype=np.float64)[:, None]

    def compute() -> list[np.ndarray]:
        return [predicted[:, 0] for predicted in ridge_predictions(fold, order, sizes, target, alpha)]

    return fold.share("linear predictions", (order.tobytes(), tuple(sizes), alpha), compute)


@describe_parameters
def nearest_regression_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, n_neighbors: int = 5
) -> np.ndarray:
    """Compute the coefficient of determination of the mean target of the nearest neighbors.

    Parameters
    ----------
    fold
    order, sizes
    n_neighbors

    Returns
    -------
    ndarray of shape (n_sizes,)
        At most 1; 0 is as good as predicting the mean.
    """
    order, sizes = check_order(order, sizes)
    target = np.asarray(fold.y_train, dtype=np.float64)
    k = min(n_neighbors, target.size)
    distances = NestedDistances(feature_rows(fold.X_train, order), feature_rows(fold.X_test, order))
    predictions = distances.map_neighbors(lambda nearest: target[nearest].mean(axis=1), sizes, k)
    return np.array([r2_score(fold.y_test, predicted) for predicted in predictions])


LINEAR = Measure(
    "r2",
    "linear regression R²",
    linear_regression_curve,
    "numeric",
    trivial=0.0,
    bounds=(None, 1.0),
    explanation="share of the variation of the target that a weighted sum of the features predicts; below 0 "
    "is worse than guessing the mean",
)
NEAREST_NEIGHBORS = Measure(
    "knn_r2",
    "5-NN regression R²",
    nearest_regression_curve,
    "numeric",
    trivial=0.0,
    bounds=(None, 1.0),
    explanation="share of the variation of the target that the mean target of the 5 most similar training "
    "samples (nearest neighbors) predicts",
)
RANK_CORRELATION = Measure(
    "rank_correlation",
    "linear regression rank correlation",
    rank_correlation_curve,
    "numeric",
    main=False,
    trivial=0.0,
    bounds=(-1.0, 1.0),
    explanation="how well the order of the samples is predicted by a weighted sum of the features; 1 is the "
    "same order",
)
