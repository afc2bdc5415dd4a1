"""Conversion of matrices: NumPy, SciPy sparse, array-API tensors (PyTorch, CuPy), and chunked data."""

from __future__ import annotations

import warnings
from math import isfinite
from typing import Any

import array_api_compat
import numpy as np
import scipy.sparse as sp

from featsieve.engines.chunked import Chunked, as_chunked, is_chunked
from featsieve.engines.sparse import canonicalize, check_sparse
from featsieve.engines.streaming import Streamed

FLOATS = (np.float64, np.float32)
# Squares of magnitudes in this range stay precise in float32.
_FLOAT32_MAGNITUDES = (1e-12, 1e15)


def is_tensor(X: Any) -> bool:
    """Return whether X is an array of a namespace other than NumPy, possibly on another device."""
    return (
        not isinstance(X, Chunked)
        and array_api_compat.is_array_api_obj(X)
        and not array_api_compat.is_numpy_array(X)
    )


def as_matrix(X: Any) -> Any:
    """Validate X and return it as a floating-point matrix of its namespace, without a copy if possible.

    Float32 and float64 are preserved, except for tensors whose squares exceed the range of float32; other
    dtypes become float64. Raises ValueError unless X is a finite,
    real, two-dimensional matrix. The values of matrices that are read in chunks are not checked here.
    """
    if is_chunked(X):
        return as_chunked(X)
    if isinstance(X, Streamed):
        return X
    if is_tensor(X):
        return _check_tensor(X)
    from sklearn.utils import check_array

    X = check_sparse(X)
    return canonicalize(
        check_array(X, accept_sparse=["csr", "csc"], dtype=FLOATS, ensure_min_samples=2, input_name="X")
    )


def _check_tensor(X: Any) -> Any:
    xp = array_api_compat.array_namespace(X)
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional; got an array of shape {tuple(X.shape)}. Reshape it.")
    if X.shape[0] < 2 or X.shape[1] < 1:
        raise ValueError(f"X must have at least 2 samples and 1 feature; got shape {tuple(X.shape)}.")
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError("Complex data not supported. Pass the real and imaginary parts as columns.")
    if X.dtype not in (xp.float64, xp.float32):
        X = xp.astype(X, xp.float64)
    if getattr(X, "requires_grad", False):
        X = X.detach()
    low, high = float(xp.min(X)), float(xp.max(X))
    if not (isfinite(low) and isfinite(high)):
        raise ValueError("Input X contains NaN or infinity. Impute or drop these values.")
    return xp.astype(X, xp.float64) if X.dtype == xp.float32 and exceeds_float32(max(-low, high)) else X


def exceeds_float32(largest: float) -> bool:
    """Return whether squares of numbers up to this magnitude exceed the range of float32."""
    return largest > _FLOAT32_MAGNITUDES[1] or 0 < largest < _FLOAT32_MAGNITUDES[0]


def namespace(X: Any) -> Any:
    """Return the array namespace of X; NumPy for sparse and chunked matrices, whose blocks are arrays."""
    return array_api_compat.array_namespace(np.empty(0) if sp.issparse(X) or isinstance(X, Chunked) else X)


def to_device_of(x: Any, like: Any) -> Any:
    """Move a host array, sparse matrix or operator to the device of ``like``, to multiply them."""
    if not is_tensor(like) or is_tensor(x):
        return x
    if hasattr(x, "to_device_of"):
        return x.to_device_of(like)
    device = array_api_compat.device(like)
    if not sp.issparse(x):
        if not x.flags.writeable:  # PyTorch has no read-only tensors
            x = x.copy()
        return array_api_compat.array_namespace(like).asarray(x, device=device)
    x = x.tocsr()
    if array_api_compat.is_cupy_array(like):
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix(sp.csr_matrix(x))
    import torch

    with warnings.catch_warnings():  # CSR tensors of PyTorch are in beta
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(
            torch.asarray(x.indptr, dtype=torch.int64, copy=True),
            torch.asarray(x.indices, dtype=torch.int64, copy=True),
            torch.asarray(x.data, copy=True),
            size=x.shape,
        ).to(device)


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of X, in the storage of X; rows of a chunked matrix are not read yet."""
    if isinstance(X, Streamed):
        return X[rows]
    return namespace(X).take(X, to_device_of(rows, X), axis=0) if is_tensor(X) else X[rows]


def take_columns(X: Any, columns: Any) -> Any:
    """Return some columns of X, in the storage of X."""
    if isinstance(X, Streamed):
        return X[:, columns]
    return namespace(X).take(X, to_device_of(columns, X), axis=1) if is_tensor(X) else X[:, columns]


def column_list(matrix: Any) -> list[Any]:
    """Return the columns as vectors that are contiguous in memory."""
    return [namespace(matrix).asarray(matrix[:, j], copy=True) for j in range(matrix.shape[1])]


def to_host(x: Any) -> np.ndarray:
    """Return x as a NumPy array, copied from its device if necessary."""
    if array_api_compat.is_torch_array(x):
        return x.detach().cpu().numpy()
    if array_api_compat.is_cupy_array(x):
        return x.get()
    if isinstance(x, Chunked):
        return x.load()
    if isinstance(x, Streamed):
        return x.values
    return np.asarray(x)


def product_on_host(A: np.ndarray, X: Any) -> np.ndarray:
    """Multiply a small matrix by X where X is, and return the product on the host."""
    return to_host(to_device_of(np.ascontiguousarray(A), X) @ X) if is_tensor(X) else A @ X


def round_to_bits(values: Any, bits: int = 40) -> Any:
    """Round to a number of bits of the mantissa, so that sums that differ in order only become equal."""
    xp, unit = namespace(values), 1 << (52 - bits)
    return ((values.view(xp.int64) + unit // 2) & -unit).view(xp.float64)
