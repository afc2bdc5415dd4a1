"""Folds of the samples, and subsets of growing size of an order of the features."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from featsieve.types import SparseMatrix

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")

# Parameters that several functions share. A line with one of these names in a docstring is replaced by the
# description; see describe_parameters.
_DESCRIPTIONS = {
    "fold": """\
fold : Fold
    Training set and test set, with labels.""",
    "order, sizes": """\
order : array-like of shape (n_features,)
    Feature indices, best first.
sizes : array-like of shape (n_sizes,), default=None
    Numbers m of features, ascending. None is every number from 1 to n_features.""",
    "alpha": """\
alpha : float, default=None
    Ridge penalty. None is a tenth of the number of training samples.""",
    "weights": """\
weights : ndarray of shape (n_test,), default=None
    Weights of the test samples, which sum to 1. None weights them evenly.""",
    "n_neighbors": """\
n_neighbors : int, default=5
    Number of neighbors, at most the number of other samples.""",
    "y, clusters": """\
y : array-like of shape (n_samples,)
    Classes.
clusters : array-like of shape (n_samples,)
    Cluster labels.""",
}


class LastValues:
    """The last value of each name, which is kept as long as its key does not change."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Hashable, Any]] = {}

    def share(self, name: str, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return ``compute()``, or the last value of this name if it was computed for the same key."""
        if name not in self._values or self._values[name][0] != key:
            self._values.pop(name, None)  # free its memory first
            self._values[name] = key, compute()
        return self._values[name][1]


@dataclass(frozen=True, eq=False)
class Fold:
    """Training set and test set.

    Parameters
    ----------
    X_train, X_test : {array, sparse matrix, tensor} of shape (n_train, n_features) and (n_test, n_features)
        Samples.
    y_train, y_test : array-like of shape (n_train,) and (n_test,), or None
        Labels.
    kmeans : estimator or None
        Clusterer for measures of clusters. None is scikit-learn's ``KMeans``, the best of 10 starts, with
        seed 0.

    See Also
    --------
    nearest_neighbor_curve : Accuracy on the test set for each number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Fold, nearest_neighbor_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> nearest_neighbor_accuracy(Fold(X[::2], X[1::2], y[::2], y[1::2]))
    0.96
    """

    X_train: NDArray[Any] | SparseMatrix
    X_test: NDArray[Any] | SparseMatrix
    y_train: Any = None
    y_test: Any = None
    kmeans: BaseEstimator | None = None
    _last: LastValues = field(default_factory=LastValues, init=False, repr=False)

    def codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Encode the classes of the training set as 0, 1, ...; a test class that is not among them is -1."""
        classes, train = np.unique(self.y_train, return_inverse=True)
        test = np.searchsorted(classes, self.y_test).clip(max=classes.size - 1)
        return train, np.where(classes[test] == np.asarray(self.y_test), test, -1)

    def share(self, name: str, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return ``compute()``, or the last value of this name if it was computed for the same key.

        Measures that need the same intermediate result share it.
        """
        return self._last.share(name, key, compute)


def describe_parameters(function: Function) -> Function:
    """Insert the descriptions of shared parameters into the docstring of a function."""
    lines = inspect.cleandoc(function.__doc__ or "").split("\n")
    function.__doc__ = "\n".join(_DESCRIPTIONS.get(line, line) for line in lines)
    return function


def check_order(order: ArrayLike, sizes: ArrayLike | None) -> tuple[np.ndarray, list[int]]:
    """Validate an order of features and the sizes of its leading subsets."""
    order = np.asarray(order)
    if order.ndim != 1 or order.size == 0 or order.dtype.kind not in "iu":
        raise ValueError(
            "`order` must be a list of feature indices, best first; "
            f"got an array of shape {order.shape} and type {order.dtype}."
        )
    if sizes is None:
        return order, list(range(1, order.size + 1))
    sizes = np.asarray(sizes)
    if sizes.ndim != 1 or sizes.size == 0 or sizes.dtype.kind not in "iu" or (np.diff(sizes) <= 0).any():
        raise ValueError(f"`sizes` must be a list of ascending integers; got {sizes.tolist()}.")
    if sizes[0] < 1 or sizes[-1] > order.size:
        raise ValueError(
            f"`sizes` must be between 1 and the {order.size} features of the order; "
            f"got {sizes[0]} to {sizes[-1]}."
        )
    return order, sizes.tolist()


def all_features(fold: Fold) -> tuple[np.ndarray, list[int]]:
    """Return an order of all features, and their number as the only size."""
    n_features = fold.X_train.shape[1]
    return np.arange(n_features), [n_features]
