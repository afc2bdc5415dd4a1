"""The data of a comparison: checked, described, hashed."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from featsieve.engines.arrays import is_tensor, to_host
from featsieve.engines.sparse import check_sparse
from featsieve.graphs.labels import is_labeled

# "auto" scales where the largest range is so many times the lower quartile of the ranges.
UNLIKE = 10


@dataclass(frozen=True, eq=False)
class Data:
    """Samples, what is known of them, and a hash of it all.

    Attributes
    ----------
    X : ndarray or CSR matrix
    y : ndarray or None
        Classes as whole numbers, -1 if that is what y has, or numbers.
    target : {"classes", "numeric"} or None
    impute : bool
        Whether missing values are to be filled in.
    info : dict
        As the store keeps it.
    """

    X: Any
    y: np.ndarray | None
    target: str | None
    impute: bool
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> np.ndarray | None:
        """The classes, where the labels are classes."""
        return self.y if self.target == "classes" else None


def prepare(X: Any, y: Any, target: str, impute: bool) -> Data:
    """Check the data; X may be a Dataset, a data frame, an array or a sparse matrix."""
    name, target_name, notes, names = "data", None, [], None
    columns: list[str] | None = None
    origins: list[int] | None = None
    if hasattr(X, "feature_names") and hasattr(X, "target_name"):
        name, names, target_name, notes = (
            X.name,
            X.feature_names,
            X.target_name,
            list(getattr(X, "notes", ())),
        )
        if getattr(X, "encoded", False):
            notes.append(
                "Text and dates became numbers in the whole table, before any split, without labels."
            )
            used, places = np.unique(X.origins, return_inverse=True)
            columns, origins = [X.columns[place] for place in used], places.tolist()
        impute = impute or X.preparation is not None
        X, y = X.raw, X.y if y is None else y
    elif hasattr(X, "columns"):
        names = [str(column) for column in X.columns]
    target_name = target_name or getattr(y, "name", None)
    X = _matrix(X, names, impute)
    names = [f"x{place}" for place in range(X.shape[1])] if names is None else list(names)
    y, kind, counts = _labels(y, X, target)
    if kind == "numeric" and target == "auto" and np.array_equal(y, np.rint(y)):
        notes.append(
            f"The labels have {np.unique(y).size} values in {len(y)} samples and are taken for numbers."
        )
    if kind == "classes" and (y == -1).any():
        notes.append("The constraint score takes labels of -1 as missing; for everything else -1 is a class.")
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
    return Data(X, y, kind, impute, info)


def _matrix(X: Any, names: Any, impute: bool) -> Any:
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
        remedy = "encode it, or give the file to featsieve.datasets.load, which does"
        raise ValueError(f"X holds text ({error}): {remedy}.") from error
    if sp.issparse(X) and X.shape[0] * X.shape[1] * 8 <= get_config()["working_memory"] * 2**18:
        X = X.toarray()  # small enough that methods that know no sparse matrices need not be left out
    values = X.data if sp.issparse(X) else X
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return X
    bad = np.isinf(values) if impute else ~np.isfinite(values)
    if bad.any():
        columns = np.unique(X.tocoo().col[bad] if sp.issparse(X) else np.nonzero(bad)[1])
        first = f"column {columns[0]}" if names is None else f"column {names[columns[0]]!r}"
        more = f" and {columns.size - 1} more" if columns.size > 1 else ""
        what, remedy = (
            ("infinity", "replace it") if impute else ("NaN or infinity", "use impute=True for NaN")
        )
        raise ValueError(f"X contains {what} in {first}{more}: {remedy}, or leave the columns out.")
    return X


def _labels(y: Any, X: Any, target: str) -> tuple[Any, str | None, dict[str, int] | None]:
    import pandas as pd

    if y is None:
        return None, None, None
    y = column_or_1d(to_host(y) if is_tensor(y) else y)
    check_consistent_length(X, y)
    if pd.isna(y).any():
        raise ValueError(f"{int(pd.isna(y).sum())} of the labels are missing: leave out those samples.")
    if y.dtype.kind == "O":  # numbers may come as objects
        y = pd.Series(y).infer_objects().to_numpy()
    if target == "auto":
        target = target_kind(y)
    if target == "numeric":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError("target='numeric', and the labels are not numbers.") from error
        if not np.isfinite(y).all():
            raise ValueError("the labels contain infinity.")
        return y, "numeric", None
    if y.dtype.kind == "O":
        y = y.astype(str)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if classes.size < 2:
        raise ValueError("all samples have the same label: there is nothing to tell apart.")
    codes[~is_labeled(y)] = -1  # for methods that take partial labels; for all others it is a class
    return codes, "classes", {str(each): int(count) for each, count in zip(classes, counts, strict=True)}


def target_kind(y: np.ndarray) -> str:
    """Whether labels look like classes or like numbers."""
    if y.dtype.kind not in "iuf":
        return "classes"
    if y.dtype.kind == "f" and not np.array_equal(y, np.rint(y)):
        return "numeric"
    count = np.unique(y).size
    return "numeric" if count > 20 and has_many_values(y) else "classes"


def has_many_values(y: np.ndarray) -> bool:
    """Return whether labels have more than one distinct value per five samples."""
    return 5 * np.unique(y).size > len(y)


def make_scaler(X: Any) -> StandardScaler:
    """Return an unfitted StandardScaler, which keeps a sparse matrix sparse."""
    return StandardScaler(with_mean=not sp.issparse(X))


def units_differ(X: Any) -> bool:
    """Whether the columns look as if they had different units."""
    if sp.issparse(X):
        return False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a column may hold no values at all
        ranges = np.nanmax(X, axis=0).astype(np.float64) - np.nanmin(X, axis=0).astype(np.float64)
    ranges = ranges[ranges > 0]
    return bool(ranges.size) and bool(ranges.max() > UNLIKE * np.quantile(ranges, 0.25, method="lower"))


def _hash(X: Any, y: Any, counts: Any, names: list[str]) -> str:
    digest = hashlib.sha256(repr((X.shape, X.dtype.str, names, list(counts or ()))).encode())
    parts = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
    for part in parts if y is None else [*parts, y]:
        for start in range(0, part.shape[0], 4096):
            digest.update(np.ascontiguousarray(part[start : start + 4096]).data)
    return digest.hexdigest()[:32]
