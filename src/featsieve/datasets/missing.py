"""Missing and infinite values."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DataError, columns, option


def complete(X: Any, names: list[str], name: str, impute: bool) -> Any:
    """X without missing values; DataError that names the columns where that cannot be had."""
    if X.dtype.kind != "f":
        return X
    infinite = _count(X, np.isinf)
    if infinite.any():
        found = [names[place] for place in np.flatnonzero(infinite)]
        raise DataError(
            f"{name}: {columns(found)} {_has(found)} {_values(infinite, 'infinite')}: "
            f"replace in the file, or leave out with {option('--drop', found)}."
        )
    missing = _count(X, np.isnan)
    if not missing.any():
        return X
    empty = [names[place] for place in np.flatnonzero(missing == X.shape[0])]
    if empty:
        remedy = option("--drop", empty, 40)
        raise DataError(f"{name}: {columns(empty)} {_has(empty)} no values at all: leave out with {remedy}.")
    if impute:
        return _impute(X)
    found = [names[place] for place in np.flatnonzero(missing)]
    raise DataError(
        f"{name}: {columns(found)} {_has(found)} {_values(missing, 'missing')}: "
        f"fill in the median of the column with --impute, or leave out with {option('--drop', found)}."
    )


def _impute(X: Any) -> Any:
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median").fit_transform(X)


def _count(X: Any, condition: Any) -> np.ndarray:
    """In how many rows of each column the condition holds; it must not hold for 0."""
    if not sp.issparse(X):
        return condition(X).sum(axis=0)
    entries = X.tocoo()
    return np.bincount(entries.col, weights=condition(entries.data), minlength=X.shape[1])


def _has(found: list[str]) -> str:
    return "has" if len(found) == 1 else "have"


def _values(counts: np.ndarray, kind: str) -> str:
    total = int(counts.sum())
    return f"{total} {kind} value{'s' if total > 1 else ''}"
