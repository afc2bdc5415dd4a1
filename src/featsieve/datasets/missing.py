"""Missing and infinite values."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DataError, columns, listing, option


def check_values(X: Any, names: list[str], name: str, strict: bool) -> tuple[np.ndarray, list[str]]:
    """How many values of each column are missing; DataError where values cannot be used.

    Infinite values are never used; ``strict`` refuses missing ones too.
    """
    if X.dtype.kind != "f":
        return np.zeros(X.shape[1], dtype=np.int64), []
    infinite = _count(X, np.isinf)
    if infinite.any():
        found = [names[place] for place in np.flatnonzero(infinite)]
        raise DataError(
            f"{name}: {columns(found)} {_has(found)} {_values(infinite, 'infinite')}: "
            f"replace in the file, or leave out with {option('--drop', found)}."
        )
    missing = _count(X, np.isnan).astype(np.int64)
    empty = [names[place] for place in np.flatnonzero(missing == X.shape[0])]
    if strict and empty:
        remedy = option("--drop", empty, 40)
        raise DataError(f"{name}: {columns(empty)} {_has(empty)} no values at all: leave out with {remedy}.")
    if strict and missing.any():
        found = [names[place] for place in np.flatnonzero(missing)]
        raise DataError(
            f"{name}: {columns(found)} {_has(found)} {_values(missing, 'missing')}: without --strict the "
            f"median of the column is filled in; or leave out with {option('--drop', found)}."
        )
    if missing.any():
        _check_medians(X, names, name)
    return missing, empty


def _check_medians(X: Any, names: list[str], name: str) -> None:
    """DataError where a median could overflow: it may be the mean of two values."""
    half = np.finfo(X.dtype).max / 2
    huge = _count(X, lambda values: np.abs(values) > half) > 0
    if huge.any():
        found = [names[place] for place in np.flatnonzero(huge)]
        raise DataError(
            f"{name}: values of {columns(found)} are too large to take medians: "
            f"rescale in the file, or leave out with {option('--drop', found)}."
        )


def quiet(X: Any) -> Any:
    """X without signaling NaNs, which raise floating-point warnings in arithmetic."""
    if sp.issparse(X):
        X = X.copy()
        X.data = quiet(X.data)
        return X
    return np.where(np.isnan(X), X.dtype.type(np.nan), X)


def imputer() -> Any:
    """What fills in the median of each column, not yet fitted."""
    from sklearn.impute import SimpleImputer

    # a column may be empty in a part of the samples, and stays a column there
    return SimpleImputer(strategy="median", keep_empty_features=True)


def filled(missing: np.ndarray, names: list[str]) -> str:
    """What is done about missing values, as a sentence."""
    found = [names[place] for place in np.flatnonzero(missing)]
    where = listing(found, 1) if len(found) == 1 else f"{len(found)} columns ({listing(found)})"
    total = int(missing.sum())
    if total == 1:
        return f"the median fills 1 missing value in {where}"
    return f"medians fill {total} missing values in {where}"


def _count(X: Any, condition: Any) -> np.ndarray:
    """In how many rows of each column the condition holds; it must not hold for 0."""
    if not sp.issparse(X):
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # as in most matrices
                return np.zeros(X.shape[1])
        return condition(X).sum(axis=0)
    entries = X.tocoo()
    return np.bincount(entries.col, weights=condition(entries.data), minlength=X.shape[1])


def _has(found: list[str]) -> str:
    return "has" if len(found) == 1 else "have"


def _values(counts: np.ndarray, kind: str) -> str:
    total = int(counts.sum())
    return f"{total} {kind} value{'s' if total > 1 else ''}"
