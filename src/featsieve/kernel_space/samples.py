"""Checks of the samples and labels passed to kernel-space estimators."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from featsieve.engines.arrays import FLOATS, as_matrix, is_tensor
from featsieve.engines.sparse import canonicalize, check_sparse
from featsieve.graphs.labels import encode_labels
from featsieve.kernel_space.kernels import NONNEGATIVE_KERNELS


def check_samples(estimator: Any, kernel: Any, X: Any, *, reset: bool) -> Any:
    """Convert X to a float matrix, dense or CSR, or to an object array for a callable kernel."""
    if is_tensor(X):
        return _check_tensor(estimator, X, reset)
    objects = _as_objects(X) if callable(kernel) else None
    if objects is not None:
        if reset:
            for name in ("n_features_in_", "feature_names_in_"):  # of an earlier fit
                estimator.__dict__.pop(name, None)
        if objects.ndim == 2 or hasattr(estimator, "n_features_in_"):
            table = X if hasattr(X, "columns") else objects
            validate_data(estimator, table, reset=reset, skip_check_array=True)
        return objects
    sparse = False if isinstance(kernel, str) and kernel in NONNEGATIVE_KERNELS else "csr"
    X = canonicalize(
        validate_data(estimator, check_sparse(X), accept_sparse=sparse, dtype=FLOATS, reset=reset)
    )
    if isinstance(kernel, str) and kernel == "precomputed" and reset and X.shape[0] != X.shape[1]:
        raise ValueError(f"X must be a square matrix for kernel='precomputed'; got shape {X.shape}.")
    return sp.csr_array(X) if sp.issparse(X) else X


def _check_tensor(estimator: Any, X: Any, reset: bool) -> Any:
    name = type(estimator).__name__
    if "array_api" not in estimator.method.inputs:
        raise ValueError(f"X must be a NumPy array for {name}; got a tensor. Pass X.cpu().numpy().")
    X = as_matrix(X)
    if reset:
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)  # of an earlier fit
    elif X.shape[1] != (expected := estimator.n_features_in_):
        raise ValueError(
            f"X has {X.shape[1]} features, but {name} is expecting {expected} features as input."
        )
    return X


def validate_labels(estimator: Any, X: Any, y: ArrayLike | None) -> np.ndarray:
    """Check the labels of the checked samples X."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    encode_labels(labels)
    check_consistent_length(X, labels)
    return labels


def check_symmetric(K: Any) -> None:
    """Raise ValueError unless the precomputed kernel matrix is symmetric."""
    if abs(K - K.T).max() > 1e-6 * abs(K).max():
        raise ValueError("X must be symmetric for kernel='precomputed'. Pass (K + K.T) / 2.")


def output_dtype(X: Any) -> Any:
    """Return the data type of the coordinates of X."""
    if is_tensor(X):
        return X.dtype
    return np.float32 if X.dtype == np.float32 else np.float64


def _as_objects(X: Any) -> np.ndarray | None:
    """Convert samples such as strings to an object array; None if the samples are rows of numbers."""
    if sp.issparse(X) or (hasattr(X, "dtype") and X.dtype.kind in "biuf"):
        return None
    try:
        objects = np.asarray(X)
    except ValueError:  # sequences of different lengths
        objects = np.empty(len(X), dtype=object)
        objects[:] = list(X)
    if objects.dtype.kind not in "OUS" or objects.ndim == 0 or objects.shape[0] == 0:
        return None
    is_number = objects.dtype.kind == "O" and all(isinstance(v, Real | None) for v in objects.reshape(-1))
    return None if is_number else objects
