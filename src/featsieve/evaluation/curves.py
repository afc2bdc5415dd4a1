"""How good the first m features of a ranking are, for many m at the price of one.

A ranking is an order of the features, best first. Adding a feature adds its squared differences to the
distances that are there already, a column to the correlations, a row to a Cholesky factor. So the curve over
all sizes costs about as much as its last point, and is the same as refitting at every size.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import r2_score

from featsieve.engines.blocks import slices
from featsieve.evaluation._nested import NestedDistances, NestedStep, class_means, feature_rows
from featsieve.evaluation.metrics import ari, clustering_accuracy, mean_jaccard, nmi


@dataclass(frozen=True, eq=False)
class Fold:
    """Samples to learn from and samples to be measured on.

    Attributes
    ----------
    X_train, X_test : array or sparse matrix of shape (n_train, n_features) and (n_test, n_features)
    y_train, y_test : array of shape (n_train,) and (n_test,), or None
    """

    X_train: Any
    X_test: Any
    y_train: Any = None
    y_test: Any = None

    def codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Classes as whole numbers: those of the training part from 0 on, -1 for one that is not there."""
        classes, train = np.unique(self.y_train, return_inverse=True)
        test = np.searchsorted(classes, self.y_test).clip(max=classes.size - 1)
        return train, np.where(classes[test] == np.asarray(self.y_test), test, -1)


def nearest_neighbor_curve(fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
    r"""Accuracy of the nearest neighbor with the first m features of an order.

    .. math:: D^{(m)}_{ij} = D^{(m-1)}_{ij} + (x_{i r_m} - t_{j r_m})^2

    Parameters
    ----------
    fold : Fold
    order : array of shape (n_features,)
        Feature indices, best first.
    sizes : array of int, default=None
        Ascending numbers of features; None is all, from 1 on.

    Returns
    -------
    array of shape (n_sizes,)
        What scikit-learn's ``KNeighborsClassifier(1, algorithm="brute")`` reaches, fitted anew for each size.

    Notes
    -----
    Cost O(n_test n_train d) for all sizes together, in blocks of test samples. Of training samples at the
    same distance the one with the smallest index counts. Whole numbers are exact; others are equal
    where they agree to about 14 digits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Fold, nearest_neighbor_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> nearest_neighbor_curve(Fold(X[::2], X[1::2], y[::2], y[1::2]), [2, 3, 1, 0]).round(3)
    array([0.933, 0.933, 0.96 , 0.96 ])
    """
    order, sizes = _checked(order, sizes)
    pairs = NestedDistances(feature_rows(fold.X_train, order), feature_rows(fold.X_test, order))
    return _accuracy(pairs, *fold.codes(), sizes)


def nearest_mean_curve(fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
    """Accuracy of the nearest class mean with the first m features of an order.

    Parameters and result are those of :func:`nearest_neighbor_curve`, for scikit-learn's
    ``NearestCentroid``. Of classes at the same distance the first counts; whole numbers are exact as long
    as the least common multiple of the class sizes is not too large.
    """
    order, sizes = _checked(order, sizes)
    train_codes, test_codes = fold.codes()
    means, test = class_means(
        feature_rows(fold.X_train, order), feature_rows(fold.X_test, order), train_codes
    )
    return _accuracy(NestedDistances(means, test), np.arange(means.shape[1]), test_codes, sizes)


def _accuracy(
    pairs: NestedDistances, train_codes: np.ndarray, test_codes: np.ndarray, sizes: Sequence[int]
) -> np.ndarray:
    def right(steps: Iterator[NestedStep]) -> np.ndarray:
        return np.array(
            [
                np.count_nonzero(pairs.nearest_codes(each, train_codes) == test_codes[each.block])
                for each in steps
            ]
        )

    total: Any = sum(pairs.map_blocks(right, sizes))
    return total / test_codes.size


def nearest_neighbor_accuracy(fold: Fold) -> float:
    """Accuracy of the nearest neighbor with all features: the last point of ``nearest_neighbor_curve``."""
    return float(nearest_neighbor_curve(fold, *_everything(fold))[0])


def nearest_mean_accuracy(fold: Fold) -> float:
    """Accuracy of the nearest class mean with all features: the last point of ``nearest_mean_curve``."""
    return float(nearest_mean_curve(fold, *_everything(fold))[0])


def _everything(fold: Fold) -> tuple[np.ndarray, list[int]]:
    return np.arange(fold.X_train.shape[1]), [fold.X_train.shape[1]]


def nearest_regression_curve(
    fold: Fold, order: ArrayLike, sizes: ArrayLike | None = None, n_neighbors: int = 5
) -> np.ndarray:
    """Coefficient of determination of the mean target of the nearest neighbors, for the first m features.

    Parameters
    ----------
    fold : Fold
        With numbers as targets.
    order, sizes
        As for :func:`nearest_neighbor_curve`.
    n_neighbors : int, default=5

    Returns
    -------
    array of shape (n_sizes,)
        At most 1; 0 is as good as the mean.
    """
    order, sizes = _checked(order, sizes)
    y = np.asarray(fold.y_train, dtype=np.float64)
    k = min(n_neighbors, y.size)
    pairs = NestedDistances(feature_rows(fold.X_train, order), feature_rows(fold.X_test, order))
    blocks = pairs.map_blocks(
        lambda steps: np.array([y[pairs.nearest_indices(each, k)].mean(axis=1) for each in steps]), sizes, k
    )
    predicted = np.concatenate(list(blocks), axis=1)
    return np.array([r2_score(fold.y_test, each) for each in predicted])


def nearest_sets(X: Any, order: ArrayLike, sizes: ArrayLike, n_neighbors: int = 5) -> Iterator[np.ndarray]:
    """Yield for each size the nearest others of each sample: (n_samples, n_neighbors)."""
    order, sizes = _checked(order, sizes)
    samples = feature_rows(X, order)
    k = min(n_neighbors, samples.shape[1] - 1)
    if k < 1:
        raise ValueError("n_neighbors must be at least 1, and there must be at least 2 samples.")
    pairs = NestedDistances(samples, samples, same=True)
    blocks = pairs.map_blocks(
        lambda steps: np.array([pairs.nearest_indices(each, k) for each in steps]), sizes, k
    )
    yield from np.concatenate(list(blocks), axis=1)


def preservation_curve(
    X: Any, order: ArrayLike, sizes: ArrayLike | None = None, n_neighbors: int = 5, full: Any = None
) -> np.ndarray:
    """Overlap of nearest neighbors with the first m features and with all, as ``neighborhood_preservation``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    order, sizes
        As for :func:`nearest_neighbor_curve`.
    n_neighbors : int, default=5
    full : array of shape (n_samples, n_neighbors), default=None
        The neighbors with all features, where they are known already.

    Returns
    -------
    array of shape (n_sizes,)
    """
    order, sizes = _checked(order, sizes)
    if full is None:
        full = next(nearest_sets(X, np.arange(X.shape[1]), [X.shape[1]], n_neighbors))
    return np.array([mean_jaccard(full, each) for each in nearest_sets(X, order, sizes, n_neighbors)])


def redundancy_curve(X: Any, order: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
    """Mean absolute correlation among the first m features of an order, as ``redundancy_rate``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    order, sizes
        As for :func:`nearest_neighbor_curve`.

    Returns
    -------
    array of shape (n_sizes,)
    """
    order, sizes = _checked(order, sizes)
    Z = feature_rows(X, order[: sizes[-1]])
    constant = (Z[:, :1] == Z).all(axis=1)
    Z -= Z.mean(axis=1, keepdims=True)
    largest = np.abs(Z).max(axis=1)
    Z /= np.where(constant | (largest == 0), 1, largest)[:, None]
    Z[constant] = 0
    lengths = np.sqrt(np.einsum("ij,ij->i", Z, Z))
    Z /= np.where(lengths == 0, 1, lengths)[:, None]
    sums, total, done = [], 0.0, 0
    for size in sizes:
        for part in slices(size - done, 8 * size, Z):
            start, stop = done + part.start, done + part.stop
            near = np.abs(Z[:stop] @ Z[start:stop].T)
            within = near[start:]
            total += float(near[:start].sum()) + float(within.sum() - np.trace(within)) / 2
        done = size
        sums.append(total)
    pairs = np.array(sizes, dtype=np.float64) * (np.array(sizes) - 1) / 2
    return np.minimum(1.0, np.array(sums) / np.maximum(pairs, 1))


def kmeans_curve(
    X: Any, y: ArrayLike, order: ArrayLike, sizes: ArrayLike, kmeans: Any = None
) -> dict[str, np.ndarray]:
    """How well k-means with the first m features finds the classes.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Classes; they are used for the measures alone, and for the number of clusters by default.
    order, sizes
        As for :func:`nearest_neighbor_curve`.
    kmeans : estimator, default=None
        What clusters; None is the best of 10 starts of scikit-learn's ``KMeans``, seed 0.

    Returns
    -------
    dict
        ``acc``, ``nmi`` and ``ari``, arrays of shape (n_sizes,).
    """
    from sklearn.base import clone
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    order, sizes = _checked(order, sizes)
    model = KMeans(np.unique(y).size, n_init=10, random_state=0) if kmeans is None else kmeans
    found: dict[str, list[float]] = {"acc": [], "nmi": [], "ari": []}
    for size in sizes:
        with warnings.catch_warnings():  # fewer different samples than clusters: some stay empty
            warnings.simplefilter("ignore", ConvergenceWarning)
            clusters = clone(model).fit_predict(feature_rows(X, order[:size]).T)
        for key, metric in (("acc", clustering_accuracy), ("nmi", nmi), ("ari", ari)):
            found[key].append(metric(y, clusters))
    return {key: np.array(values) for key, values in found.items()}


def _checked(order: ArrayLike, sizes: ArrayLike | None) -> tuple[np.ndarray, list[int]]:
    order = np.asarray(order)
    if order.ndim != 1 or order.size == 0 or order.dtype.kind not in "iu":
        raise ValueError("order must hold feature indices, best first.")
    if sizes is None:
        return order, list(range(1, order.size + 1))
    found = np.asarray(sizes)
    if found.ndim != 1 or found.size == 0 or found.dtype.kind not in "iu" or (np.diff(found) <= 0).any():
        raise ValueError("sizes must be whole numbers that ascend.")
    if found[0] < 1 or found[-1] > order.size:
        raise ValueError(f"sizes must lie between 1 and the {order.size} features of the order.")
    return order, found.tolist()
