"""Missing and infinite values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import column_error, describe_columns

if TYPE_CHECKING:
    from sklearn.impute import SimpleImputer


def check_values(X: Any, names: list[str], source: str, strict: bool) -> np.ndarray:
    """Count the missing values of each column.

    DataError if a value is infinite, or too large to compute medians; if ``strict``, also if one is missing.
    """
    if X.dtype.kind != "f":
        return np.zeros(X.shape[1], dtype=np.int64)
    infinite = _count(X, np.isinf)
    if infinite.any():
        clause = f"{{has}} {_count_values(infinite, 'infinite')}"
        raise column_error(source, _select(names, infinite > 0), clause, "replace in the file, or ")
    missing = _count(X, np.isnan).astype(np.int64)
    if strict and (missing == X.shape[0]).any():
        raise column_error(source, _select(names, missing == X.shape[0]), "{has} no values at all")
    if strict and missing.any():
        clause = f"{{has}} {_count_values(missing, 'missing')}"
        remedy = "omit --strict to replace missing values with the median of the column, or "
        raise column_error(source, _select(names, missing > 0), clause, remedy)
    if missing.any():
        limit = np.finfo(X.dtype).max / 2  # a median may be the mean of two values
        too_large = _count(X, lambda values: np.abs(values) > limit) > 0
        if too_large.any():
            clause = "{contains} values that are too large to compute medians"
            raise column_error(source, _select(names, too_large), clause, "rescale in the file, or ")
    return missing


def quiet_nans(X: Any) -> Any:
    """Replace signaling NaNs, which cause floating-point warnings in arithmetic, with quiet ones."""
    if sp.issparse(X):
        X = X.copy()
        X.data = quiet_nans(X.data)
        return X
    return np.where(np.isnan(X), X.dtype.type(np.nan), X)


def median_imputer() -> SimpleImputer:
    """Return the unfitted estimator that replaces missing values with the median of their column."""
    from sklearn.impute import SimpleImputer

    # a column may be empty in a subset of the samples, and must remain a column there
    return SimpleImputer(strategy="median", keep_empty_features=True)


def imputation_note(missing: np.ndarray, names: list[str]) -> str:
    """Describe the imputation as a sentence."""
    columns, total = describe_columns(_select(names, missing > 0)), int(missing.sum())
    if total == 1:
        return f"1 missing value in {columns} was replaced with the median."
    return f"{total} missing values in {columns} were replaced with medians."


def _count(X: Any, condition: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Count the values of each column that meet a condition, which must not hold for 0."""
    if not sp.issparse(X):
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # true for most matrices
                return np.zeros(X.shape[1])
        return condition(X).sum(axis=0)
    entries = X.tocoo()
    return np.bincount(entries.col, weights=condition(entries.data), minlength=X.shape[1])


def _select(names: list[str], mask: np.ndarray) -> list[str]:
    return [names[index] for index in np.flatnonzero(mask)]


def _count_values(counts: np.ndarray, kind: str) -> str:
    total = int(counts.sum())
    return f"{total} {kind} value{'s' if total > 1 else ''}"
