"""Accuracy of classifiers with the first m features of an order, for many m at about the cost of one.

A feature adds its squared differences to the distances, or a row to a Cholesky factor. The curve over all
sizes costs about as much as its last point, and equals the accuracies of classifiers that are refitted at
each size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve.engines.arrays import is_tensor
from featsieve.evaluation._nested import NestedDistances, NestedStep, class_means, feature_rows
from featsieve.evaluation._nested_device import count_correct
from featsieve.evaluation.folds import Fold, all_features, check_order, describe_parameters
from featsieve.evaluation.measures.measure import Measure
from featsieve.evaluation.ridge import ridge_predictions


@describe_parameters
def nearest_neighbor_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, weights: np.ndarray | None = None
) -> np.ndarray:
    r"""Compute the accuracy of the nearest neighbor with the first m features of an order.

    .. math:: D^{(m)}_{ij} = D^{(m-1)}_{ij} + (x_{i r_m} - t_{j r_m})^2

    with x the test samples, t the training samples and r the order of the features.

    Parameters
    ----------
    fold
    order, sizes
    weights

    Returns
    -------
    ndarray of shape (n_sizes,)
        Accuracy of ``KNeighborsClassifier(1, algorithm="brute")`` of scikit-learn, refitted at each size.

    Notes
    -----
    Cost O(n_test n_train n_features) for all sizes together, in blocks of test samples. Of training samples
    at the same distance, the one with the smallest index is the neighbor. Distances between integers are
    exact; other distances count as equal if they agree to about 14 digits. Tensors are compared on their
    device.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Fold, nearest_neighbor_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> nearest_neighbor_curve(Fold(X[::2], X[1::2], y[::2], y[1::2]), [2, 3, 1, 0]).round(3)
    array([0.933, 0.933, 0.96 , 0.96 ])
    """
    order, sizes = check_order(order, sizes)
    if is_tensor(fold.X_train):
        codes = fold.codes()
        return count_correct(fold.X_train, fold.X_test, codes, order, sizes) / codes[1].size
    distances = NestedDistances(feature_rows(fold.X_train, order), feature_rows(fold.X_test, order))
    return _nearest_accuracy(distances, *fold.codes(), sizes, weights)


@describe_parameters
def nearest_mean_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, weights: np.ndarray | None = None
) -> np.ndarray:
    """Compute the accuracy of the nearest class mean with the first m features of an order.

    Parameters
    ----------
    fold
    order, sizes
    weights

    Returns
    -------
    ndarray of shape (n_sizes,)
        Accuracy of ``NearestCentroid`` of scikit-learn, refitted at each size.

    Notes
    -----
    Of classes at the same distance, the first is predicted. Distances between integers are exact unless the
    least common multiple of the class sizes exceeds a million.
    """
    order, sizes = check_order(order, sizes)
    train_codes, test_codes = fold.codes()
    means, test = class_means(
        feature_rows(fold.X_train, order), feature_rows(fold.X_test, order), train_codes
    )
    classes = np.arange(means.shape[1])
    return _nearest_accuracy(NestedDistances(means, test), classes, test_codes, sizes, weights)


def _nearest_accuracy(
    distances: NestedDistances,
    train_codes: np.ndarray,
    test_codes: np.ndarray,
    sizes: Sequence[int],
    weights: np.ndarray | None,
) -> np.ndarray:
    """Return the share of the test samples whose nearest point has their code, or their weight."""

    def sum_correct(steps: Iterator[NestedStep]) -> np.ndarray:
        sums = []
        for step in steps:
            is_correct = distances.nearest_codes(step, train_codes) == test_codes[step.block]
            counted = is_correct if weights is None else weights[step.block] * is_correct
            sums.append(counted.sum())
        return np.array(sums)

    total: Any = sum(distances.map_blocks(sum_correct, sizes))
    return total / test_codes.size if weights is None else total


@describe_parameters
def linear_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, alpha: float | None = None
) -> np.ndarray:
    r"""Compute the accuracy of a linear classifier with the first m features of an order.

    .. math:: \min_W \| T - Z_m W \|^2 + \alpha \|W\|^2

    with Z the first m columns, standardized by the training set, and T the class indicators -1 and 1.

    Parameters
    ----------
    fold
    order, sizes
    alpha

    Returns
    -------
    ndarray of shape (n_sizes,)
        Accuracy of ``make_pipeline(StandardScaler(), RidgeClassifier(alpha))``, refitted at each size.

    Notes
    -----
    Cost O(n d min(n, d)) for all sizes together, because the Cholesky factor of the first m features is a
    block of the factor of all. With more features than training samples, the dual problem is solved.
    """
    order, sizes = check_order(order, sizes)
    train, test = fold.codes()
    if not train.any():
        return np.full(len(sizes), float(np.mean(test == 0)))
    decisions = ridge_predictions(fold, order, sizes, class_signs(train), alpha)
    return np.array([float(np.mean(decide(decision) == test)) for decision in decisions])


def class_signs(codes: np.ndarray) -> np.ndarray:
    """Return a column for each class, 1 for its samples and -1 for others; two classes need one column."""
    n_classes = int(codes.max()) + 1
    return np.where(codes[:, None] == np.arange(n_classes)[None, n_classes == 2 :], 1.0, -1.0)


def decide(decision: np.ndarray) -> np.ndarray:
    """Return the class of each sample that a linear classifier prefers."""
    return (decision[:, 0] > 0).astype(int) if decision.shape[1] == 1 else decision.argmax(axis=1)


@describe_parameters
def nearest_neighbor_accuracy(fold: Fold) -> float:
    """Compute the accuracy of the nearest neighbor with all features.

    Parameters
    ----------
    fold

    Returns
    -------
    float
        Last point of :func:`nearest_neighbor_curve`.
    """
    return float(nearest_neighbor_curve(fold, *all_features(fold))[0])


@describe_parameters
def nearest_mean_accuracy(fold: Fold) -> float:
    """Compute the accuracy of the nearest class mean with all features.

    Parameters
    ----------
    fold

    Returns
    -------
    float
        Last point of :func:`nearest_mean_curve`.
    """
    return float(nearest_mean_curve(fold, *all_features(fold))[0])


@describe_parameters
def linear_accuracy(fold: Fold, alpha: float | None = None) -> float:
    """Compute the accuracy of a linear classifier with all features.

    Parameters
    ----------
    fold
    alpha

    Returns
    -------
    float
        Last point of :func:`linear_curve`.
    """
    return float(linear_curve(fold, *all_features(fold), alpha)[0])


NEAREST_NEIGHBOR = Measure(
    "nn",
    "1-NN accuracy",
    nearest_neighbor_curve,
    "classes",
    percent=True,
    classes="even",
    trivial="majority",
    explanation="share of samples with the class of the most similar training sample (nearest neighbor)",
)
NEAREST_MEAN = Measure(
    "ncm",
    "nearest class mean accuracy",
    nearest_mean_curve,
    "classes",
    percent=True,
    classes="even",
    trivial="majority",
    explanation="share of samples that are closest to the average of their own class",
)
LINEAR = Measure(
    "linear",
    "linear classifier accuracy",
    linear_curve,
    "classes",
    percent=True,
    classes="even",
    trivial="majority",
    explanation="share of samples whose class is predicted correctly by weighted sums of the features",
)
