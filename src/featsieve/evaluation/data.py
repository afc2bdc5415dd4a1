"""Data of a comparison: validation, description, hash, and the preprocessing that commands share."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from featsieve.datasets.errors import list_names, quote
from featsieve.engines.arrays import is_tensor, to_host
from featsieve.engines.sparse import check_sparse, densify_small
from featsieve.graphs.labels import is_labeled
from featsieve.targets import infer_target
from featsieve.types import SparseMatrix

# Ranges differ if the largest is more than this many times the lower quartile of the ranges.
RANGE_RATIO = 10
# Share of zeros from which the columns of one-hot encodings and of frequencies are recognized.
MIN_ZERO_SHARE = 0.5
# Whole numbers are counts if at least this share of them is 0, or if there are at least this many columns.
MIN_COUNT_ZEROS, MIN_COUNT_COLUMNS = 0.2, 100
# Results for a class with fewer samples rest on one or two held-out samples.
MIN_CLASS_SIZE = 5
# Relative difference of the sums of rows up to which they are the same.
SHARE_RTOL = 1e-3


@dataclass(frozen=True, eq=False)
class Data:
    """Validated samples and their description.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Samples.
    y : ndarray of shape (n_samples,) or None
        Classes as integers, with -1 for the label -1, or a numeric target.
    target : {"classes", "numeric"} or None
        Kind of the labels.
    impute : bool
        Whether missing values are imputed in each split.
    info : dict
        Description that is stored with the run.
    groups : ndarray of shape (n_samples,) or None
        Groups of samples, which splits keep together.
    """

    X: Any
    y: np.ndarray | None
    target: str | None
    impute: bool
    info: dict[str, Any] = field(default_factory=dict)
    groups: np.ndarray | None = None

    @property
    def classes(self) -> np.ndarray | None:
        """The labels, if they are classes."""
        return self.y if self.target == "classes" else None


def prepare(X: Any, y: Any, target: str, impute: bool) -> Data:
    """Validate the data. X is a Dataset, a data frame, an array or a sparse matrix."""
    name, target_name, notes, names = "data", None, [], None
    columns: list[str] | None = None
    origins: list[int] | None = None
    groups = getattr(X, "groups", None) if hasattr(X, "target_name") else None  # frames have an attribute too
    if hasattr(X, "feature_names") and hasattr(X, "target_name"):
        name, names, target_name = X.name, X.feature_names, X.target_name
        notes = list(X.notes)
        if X.encoded:
            notes.append("Text and dates were encoded on the whole table, before any split, without labels.")
            used, positions = np.unique(X.origins, return_inverse=True)
            columns, origins = [X.columns[position] for position in used], positions.tolist()
        impute = impute or X.preparation is not None
        X, y = X.raw, X.y if y is None else y
    elif hasattr(X, "columns"):
        names = [str(column) for column in X.columns]
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        names_of_targets = f" ({', '.join(target_name.split(','))})" if target_name else ""
        raise ValueError(
            f"compare takes one target; got {np.shape(y)[1]}{names_of_targets}. Pass one of them."
        )
    target_name = target_name or getattr(y, "name", None)
    X = check_matrix(X, names, impute)
    names = [f"x{feature}" for feature in range(X.shape[1])] if names is None else list(names)
    y, kind, counts = encode_labels(y, X, target)
    if kind == "numeric" and target == "auto" and np.array_equal(y, np.rint(y)):
        notes.append(
            f"The labels have {np.unique(y).size} values in {len(y)} samples; using them as numbers."
        )
    small = [
        label for label, count in (counts or {}).items() if 1 < count < MIN_CLASS_SIZE
    ]  # protocols note single ones
    if small:
        notes.append(_note_small_classes(small))
    if kind == "classes" and (y == -1).any():
        notes.append(
            "The constraint score treats the label -1 as missing; all other methods treat it as a class."
        )
    info = {
        "name": name,
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "n_classes": None if counts is None else len(counts),
        "class_counts": counts,
        "target": None if kind is None else str(target_name or "y"),
        "feature_names": names,
        "columns": columns,
        "origins": origins,
        "hash": _hash(X, y, counts, names),
        "notes": notes,
    }
    return Data(X, y, kind, impute, info, groups)


def _note_small_classes(labels: list[str]) -> str:
    """Warn that a class has too few samples for both sides of a split."""
    if len(labels) == 1:
        subject, results = f"Class {quote(labels[0])} has", "its results rest"
    else:
        subject, results = f"{len(labels)} classes ({list_names(labels)}) have", "their results rest"
    return (
        f"{subject} fewer than {MIN_CLASS_SIZE} samples, so {results} on very few held-out samples. Leave "
        "these samples out, or join them to another class."
    )


def check_matrix(X: Any, names: list[str] | None, impute: bool) -> np.ndarray | SparseMatrix:
    """Return X as an array, or as a sparse matrix if it is large, of numbers without infinity."""
    if is_tensor(X):
        X = to_host(X)
    try:
        X = check_array(
            check_sparse(X),
            accept_sparse="csr",
            ensure_all_finite=False,
            ensure_min_samples=2,
            input_name="X",
        )
        # older scikit-learn returns the text columns of a frame unconverted
        if X.dtype.kind not in "fiu" or X.dtype.itemsize > 8 or X.dtype == np.float16:
            X = X.astype(np.float64)
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ValueError(
            f"X must be numeric, but it has text ({error}): encode it, or read the file with "
            "featsieve.datasets.load, which encodes text."
        ) from error
    X = densify_small(X)  # to run methods that do not accept sparse matrices
    stored = X.data if sp.issparse(X) else X
    if stored.dtype.kind != "f" or np.isfinite(stored).all():
        return X
    invalid = np.isinf(stored) if impute else ~np.isfinite(stored)
    if invalid.any():
        columns = np.unique(X.tocoo().col[invalid] if sp.issparse(X) else np.nonzero(invalid)[1])
        first = f"column {columns[0]}" if names is None else f"column {names[columns[0]]!r}"
        more = f" and {columns.size - 1} more" if columns.size > 1 else ""
        problem, remedy = (
            ("infinity", "replace it") if impute else ("NaN or infinity", "use impute=True for NaN")
        )
        raise ValueError(f"X contains {problem} in {first}{more}: {remedy}, or drop the columns.")
    return X


def encode_labels(y: Any, X: Any, target: str) -> tuple[Any, str | None, dict[str, int] | None]:
    """Return the labels as integers or floats, their kind, and the number of samples of each class."""
    if y is None:
        return None, None, None
    y = column_or_1d(to_host(y) if is_tensor(y) else y)
    check_consistent_length(X, y)
    if pd.isna(y).any():
        raise ValueError(
            f"y must have no missing labels, but {int(pd.isna(y).sum())} are: drop those samples."
        )
    if y.dtype.kind == "O":
        y = pd.Series(y).infer_objects().to_numpy()
    if target == "auto":
        target = infer_target(y)
    if target == "numeric":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "y must be numeric for target='numeric', but the labels are not numbers."
            ) from error
        if not np.isfinite(y).all():
            raise ValueError("y must be finite for target='numeric', but it contains infinity.")
        return y, "numeric", None
    if y.dtype.kind == "O":
        y = y.astype(str)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if classes.size < 2:
        raise ValueError("y must have at least 2 classes, but all samples have the same label.")
    codes[~is_labeled(y)] = -1  # methods for partially labeled data treat -1 as missing
    return codes, "classes", {str(name): int(count) for name, count in zip(classes, counts, strict=True)}


def ranges_differ(X: ArrayLike | SparseMatrix) -> bool:
    """Return whether the ranges of the columns differ so widely that they seem to have different units.

    Counts, shares of a whole, and columns that are mostly 0, such as one-hot columns and frequencies of
    words, have the same unit, whatever their ranges. For a sparse matrix, return False.
    """
    if sp.issparse(X):
        return False
    X = np.asarray(X)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a column may be entirely missing
        lowest = np.nanmin(X, axis=0).astype(np.float64)
        ranges = np.nanmax(X, axis=0).astype(np.float64) - lowest
        if _are_counts_or_shares(X, lowest):
            return False
        mostly_zero = (lowest == 0) & ((X == 0).mean(axis=0) >= MIN_ZERO_SHARE)
    mostly_zero |= (lowest == 0) & (ranges == 1) & np.isin(X, (0, 1)).all(axis=0)
    varies = ranges > 0
    others = ranges[varies & ~mostly_zero]
    if not others.size:
        return False
    same_unit = ranges[varies & mostly_zero]
    compared = np.append(others, np.median(same_unit)) if same_unit.size else others
    return bool(compared.max() > RANGE_RATIO * np.quantile(compared, 0.25, method="lower"))


def _are_counts_or_shares(X: np.ndarray, lowest: np.ndarray) -> bool:
    """Return whether all columns are counts, or the shares of each sample add up to the same number."""
    if np.nanmin(lowest) < 0:
        return False
    sums = X.sum(axis=1, dtype=np.float64)
    if X.shape[1] > 2 and np.ptp(sums) <= SHARE_RTOL * sums.max():
        return True
    is_wide = X.shape[1] >= MIN_COUNT_COLUMNS
    return (is_wide or (X == 0).mean() >= MIN_COUNT_ZEROS) and bool((np.isnan(X) | (X % 1 == 0)).all())


def make_scaler(X: ArrayLike | SparseMatrix) -> StandardScaler:
    """Return an unfitted scaler that standardizes columns; it does not center those of a sparse matrix."""
    return StandardScaler(with_mean=not sp.issparse(X))


def _hash(X: Any, y: np.ndarray | None, counts: dict[str, int] | None, names: list[str]) -> str:
    digest = hashlib.sha256(repr((X.shape, X.dtype.str, names, list(counts or ()))).encode())
    arrays = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
    for array in arrays if y is None else [*arrays, y]:
        for start in range(0, array.shape[0], 4096):
            digest.update(np.ascontiguousarray(array[start : start + 4096]).data)
    return digest.hexdigest()[:32]
