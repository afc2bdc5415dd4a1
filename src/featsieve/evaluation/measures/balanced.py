"""Measures of classifiers for classes of different sizes, with the first m features of an order.

With 97% of the samples in one class, guessing this class has an accuracy of 97%, and features without any
information change the accuracy by changing how often the small class is predicted. The mean recall of the
classes and the area under the ROC curve are 50% for every guess that ignores the samples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from featsieve.evaluation.folds import Fold, check_order, describe_parameters
from featsieve.evaluation.measures.classification import (
    class_signs,
    decide,
    nearest_mean_curve,
    nearest_neighbor_curve,
)
from featsieve.evaluation.measures.measure import Measure
from featsieve.evaluation.ridge import ridge_predictions


@describe_parameters
def balanced_nearest_neighbor_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None
) -> np.ndarray:
    """Compute the balanced accuracy of the nearest neighbor with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes

    Returns
    -------
    ndarray of shape (n_sizes,)
        Mean over the classes of the test set of the share of their samples that are predicted correctly.
    """
    return nearest_neighbor_curve(fold, order, sizes, _recall_weights(fold))


@describe_parameters
def balanced_nearest_mean_curve(fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
    """Compute the balanced accuracy of the nearest class mean with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes

    Returns
    -------
    ndarray of shape (n_sizes,)
        Mean over the classes of the test set of the share of their samples that are predicted correctly.
    """
    return nearest_mean_curve(fold, order, sizes, _recall_weights(fold))


@describe_parameters
def balanced_linear_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    """Compute the balanced accuracy of a linear classifier with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes
    alpha

    Returns
    -------
    ndarray of shape (n_sizes,)
        Mean recall of the classes by ``RidgeClassifier(alpha, class_weight="balanced")`` after
        ``StandardScaler()``, refitted at each size.
    """
    order, sizes = check_order(order, sizes)
    _, test = fold.codes()
    weights = _recall_weights(fold)
    decisions = _decisions(fold, order, sizes, alpha)
    return np.array([float(weights @ (decide(decision) == test)) for decision in decisions])


@describe_parameters
def roc_auc_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    """Compute the area under the ROC curve of a linear classifier with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes
    alpha

    Returns
    -------
    ndarray of shape (n_sizes,)
        Probability that the classifier of :func:`balanced_linear_curve` prefers a class more for a sample of
        the class than for another sample, averaged over the classes; 0.5 if the test set has a single class.
    """
    order, sizes = check_order(order, sizes)
    _, test = fold.codes()
    decisions = _decisions(fold, order, sizes, alpha)
    return np.array([_roc_auc(decision, test) for decision in decisions])


def _roc_auc(decision: np.ndarray, codes: np.ndarray) -> float:
    areas = []
    # with two classes, the only column is the decision for the second
    positives = [1] if decision.shape[1] == 1 else range(decision.shape[1])
    for column, code in zip(decision.T, positives, strict=True):
        is_positive = codes == code
        n_positive, n_negative = is_positive.sum(), (~is_positive).sum()
        if n_positive and n_negative:
            excess = rankdata(column)[is_positive].sum() - n_positive * (n_positive + 1) / 2
            areas.append(excess / (n_positive * n_negative))
    return float(np.mean(areas)) if areas else 0.5


def _decisions(fold: Fold, order: np.ndarray, sizes: list[int], alpha: float | None) -> list[np.ndarray]:
    """Return the decision values of the test set at each size; one column for two classes."""

    def compute() -> list[np.ndarray]:
        train, _ = fold.codes()
        counts = np.bincount(train)
        if counts.size == 1:
            return [np.zeros((np.size(fold.y_test), 1)) - 1.0 for _ in sizes]
        weights = train.size / (counts.size * counts[train])
        return list(ridge_predictions(fold, order, sizes, class_signs(train), alpha, weights))

    return fold.share("balanced decisions", (order.tobytes(), tuple(sizes), alpha), compute)


def _recall_weights(fold: Fold) -> np.ndarray:
    """Return weights of the test samples with which an accuracy is the mean recall of the classes."""
    _, codes, counts = np.unique(fold.y_test, return_inverse=True, return_counts=True)
    weights: np.ndarray = 1 / (counts.size * counts[codes])
    return weights


BALANCED = "each class counts the same"
NEAREST_NEIGHBOR = Measure(
    "balanced_nn",
    "1-NN balanced accuracy",
    balanced_nearest_neighbor_curve,
    "classes",
    percent=True,
    classes="uneven",
    trivial="even",
    explanation="share of samples with the class of the most similar training sample (nearest neighbor); "
    f"{BALANCED}",
)
NEAREST_MEAN = Measure(
    "balanced_ncm",
    "nearest class mean balanced accuracy",
    balanced_nearest_mean_curve,
    "classes",
    percent=True,
    classes="uneven",
    trivial="even",
    explanation=f"share of samples that are closest to the average of their own class; {BALANCED}",
)
LINEAR = Measure(
    "balanced_linear",
    "linear classifier balanced accuracy",
    balanced_linear_curve,
    "classes",
    percent=True,
    classes="uneven",
    trivial="even",
    explanation="share of samples whose class is predicted correctly by weighted sums of the features; "
    f"{BALANCED}",
)
ROC_AUC = Measure(
    "roc_auc",
    "linear classifier ROC AUC",
    roc_auc_curve,
    "classes",
    percent=True,
    classes="uneven",
    trivial=0.5,
    explanation="chance that the weighted sum of the features for a class is larger for a sample of this "
    "class than for one of another class; 50% is guessing",
)
