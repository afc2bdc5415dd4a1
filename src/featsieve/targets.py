"""Targets of supervised methods: one or several columns of classes or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import StrOptions

from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.options import check_option
from featsieve.types import Indices, MatrixLike

TargetType: TypeAlias = Literal["auto", "numeric", "classes"]
TARGET_TYPES = ("auto", "numeric", "classes")
# Numbers without fractions and with at most this number of distinct values are classes.
MAX_CLASSES = 20
# Constraint of the parameter ``target``.
TARGET: list[Any] = [StrOptions({*TARGET_TYPES})]


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets as columns of numbers.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        Numeric targets and indicators of classes; two classes have one indicator.
    codes : ndarray of shape (n_samples,) or None
        Class indices of a single target with classes, else None.
    """

    values: NDArray[np.float64]
    codes: Indices | None = None

    @property
    def centered(self) -> NDArray[np.float64]:
        """Values minus their means."""
        return self.values - self.values.mean(axis=0)


def encode_targets(y: ArrayLike, X: MatrixLike, target: TargetType = "auto") -> Targets:
    """Encode the targets of the samples X as columns of numbers.

    "auto" treats numbers as numeric if they have fractions or many distinct values, and everything else as
    classes. A matrix y has one target per column.
    """
    check_option("target", target, TARGET_TYPES)
    y = np.asarray(y)
    check_consistent_length(X, y)
    columns = [_encode_target(column, X, target) for column in (y.T if y.ndim == 2 else [y])]
    codes = columns[0].codes if len(columns) == 1 else None
    return Targets(np.hstack([column.values for column in columns]), codes)


def is_numeric(y: NDArray[Any], target: TargetType = "auto") -> bool:
    """Return whether a target is numeric; see :func:`encode_targets`."""
    return target == "numeric" or (target == "auto" and infer_target(y) == "numeric")


def infer_target(y: ArrayLike) -> Literal["classes", "numeric"]:
    """Return "numeric" for numbers that have fractions or many distinct values, else "classes"."""
    y = np.asarray(y)
    if y.dtype.kind not in "iuf":
        return "classes"
    if y.dtype.kind == "f" and not np.array_equal(y, np.rint(y)):
        return "numeric"
    return "numeric" if has_many_values(y) else "classes"


def has_many_values(y: ArrayLike) -> bool:
    """Return whether labels have more than 20 distinct values and more than one value per five samples."""
    return np.unique(y).size > max(MAX_CLASSES, np.size(y) / 5)


def _encode_target(y: NDArray[Any], X: MatrixLike, target: TargetType) -> Targets:
    if is_numeric(y, target):
        values = np.asarray(y, dtype=np.float64)[:, None]
        if not np.ptp(values):
            raise ValueError("y must contain at least two values; got one value. Check the target column.")
        return Targets(values)
    codes, counts = check_labels(y, X)
    return Targets(class_indicator(codes, counts.size).toarray()[:, 1 if counts.size == 2 else 0 :], codes)
