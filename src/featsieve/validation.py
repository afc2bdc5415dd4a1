"""Checks of the input of a ranker that scikit-learn does not make: of tensors, of chunked data, of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.engines.chunked import as_chunked
from featsieve.engines.streaming import Streamed
from featsieve.registry import methods


def validate_tensor(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Check a tensor and its labels; set the attributes of the estimator that describe them."""
    name = type(estimator).__name__
    if "array_api" not in estimator._inputs:
        raise ValueError(f"X must be a NumPy array for {name}; got a tensor. Pass X.cpu().numpy().")
    if isinstance(X, Streamed) and "chunked" not in estimator._inputs:
        raise ValueError(
            f"X must be in the memory of the device for {name}; got a streamed matrix. "
            "Pass torch.asarray(X.values, device=X.device)."
        )
    return _validate(estimator, as_matrix(X), y)


def validate_chunked(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Check data in chunks and their labels; set the attributes of the estimator that describe them."""
    X = as_chunked(X)
    required = {"chunked", "sparse"} if X.is_sparse else {"chunked"}
    if required - estimator._inputs:
        kind = "sparse data in chunks" if X.is_sparse else "data in chunks"
        names = ", ".join(record.name for record in methods() if required <= record.inputs)
        raise ValueError(
            f"X must be in memory for {type(estimator).__name__}; got {kind}. Pass X.compute(), or X[:] of a "
            f"file, or use a method that takes {kind}: {names}."
        )
    X, y = _validate(estimator, X, y)
    columns = np.flatnonzero(~np.isfinite(X.summary[:2]).all(axis=0))
    if columns.size:
        value = "NaN" if np.isnan(X.summary.minimum[columns]).any() else "infinity"
        advice = "Replace the values, for example by da.nan_to_num(X), or drop the columns."
        raise ValueError(f"Input X contains {value} in {_describe(columns, None)}. {advice}")
    return X, y


def _validate(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    estimator.n_features_in_ = X.shape[1]
    estimator.__dict__.pop("feature_names_in_", None)  # set by an earlier fit
    if y is None or estimator.method.supervised == "no":
        if estimator._requires_y():
            name = type(estimator).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        return X, None
    y = to_host(y)
    if not (y.ndim == 2 and "multioutput" in estimator._inputs):
        y = column_or_1d(y)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return X, y


def check_finite(X: Any, names: Sequence[str] | None) -> None:
    """Raise ValueError if X has values that are not finite; the message names the column."""
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():
            return
    column_indices = X.tocoo().col if sp.issparse(X) else np.arange(X.shape[1])[None, :]
    columns = np.unique(np.broadcast_to(column_indices, values.shape)[~np.isfinite(values)])
    value = "NaN" if np.isnan(values).any() else "infinity"
    raise ValueError(
        f"Input X contains {value} in {_describe(columns, names)}. Impute the values "
        "(sklearn.impute.SimpleImputer) or drop the columns."
    )


def _describe(columns: np.ndarray, names: Sequence[str] | None) -> str:
    first = f"column {columns[0]}" + (f" ({names[columns[0]]!r})" if names is not None else "")
    return first + (f" and {columns.size - 1} more" if columns.size > 1 else "")
