"""One entry for every kind of matrix: NumPy, SciPy sparse, and array-API tensors (PyTorch, CuPy)."""

from __future__ import annotations

import warnings
from typing import Any

import array_api_compat
import numpy as np
import scipy.sparse as sp

from featsieve.engines.sparse import check_sparse

FLOATS = (np.float64, np.float32)


def is_tensor(X: Any) -> bool:
    """Whether X is an array of a namespace other than NumPy (its data may be on another device)."""
    return array_api_compat.is_array_api_obj(X) and not array_api_compat.is_numpy_array(X)


def as_matrix(X: Any) -> Any:
    """Return X as a two-dimensional float matrix of its own namespace, unchanged when it is one already.

    Float32 and float64 are kept; anything else becomes float64. Raises ValueError for what is not a
    finite, real, two-dimensional matrix.
    """
    if is_tensor(X):
        return _check_tensor(X)
    from sklearn.utils import check_array

    X = check_sparse(X)
    return canonicalize(
        check_array(X, accept_sparse=["csr", "csc"], dtype=FLOATS, ensure_min_samples=2, input_name="X")
    )


def canonicalize(X: Any) -> Any:
    """X, or a copy of it if it is a sparse matrix that stores an entry twice, unsorted entries or zeros."""
    if sp.issparse(X) and not (_is_canonical(X) and np.all(X.data)):
        X = type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        if not np.isfinite(X.data).all():
            raise ValueError(
                "X stores entries more than once, and their sum is infinite: store each entry once."
            )
    return X


def _is_canonical(X: Any) -> bool:
    """Whether indices are sorted and none is repeated; what X remembers of it may be out of date."""
    return type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False).has_canonical_format


def _check_tensor(X: Any) -> Any:
    xp = array_api_compat.array_namespace(X)
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional, got an array of shape {tuple(X.shape)}: reshape it.")
    if X.shape[0] < 2 or X.shape[1] < 1:
        raise ValueError(f"X must hold at least 2 samples and 1 feature, got shape {tuple(X.shape)}.")
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError("Complex data not supported: pass the real and imaginary parts as columns.")
    if X.dtype not in (xp.float64, xp.float32):
        X = xp.astype(X, xp.float64)
    if getattr(X, "requires_grad", False):
        X = X.detach()
    if not bool(xp.isfinite(xp.sum(X))) and not bool(xp.all(xp.isfinite(X))):
        raise ValueError("Input X contains NaN or infinity: impute or drop those values first.")
    return X


def namespace(X: Any) -> Any:
    """The array namespace of X (NumPy for sparse matrices, whose blocks are NumPy arrays)."""
    return array_api_compat.array_namespace(np.empty(0) if sp.issparse(X) else X)


def to_device_of(x: Any, like: Any) -> Any:
    """The host array, sparse matrix or operator x, as something that can be multiplied with ``like``."""
    if not is_tensor(like):
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

    with warnings.catch_warnings():  # PyTorch tells everyone once that its CSR tensors are in beta
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(
            torch.asarray(x.indptr, dtype=torch.int64, copy=True),
            torch.asarray(x.indices, dtype=torch.int64, copy=True),
            torch.asarray(x.data, copy=True),
            size=x.shape,
        ).to(device)


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """The rows of X with these numbers, in its own storage."""
    return namespace(X).take(X, to_device_of(rows, X), axis=0) if is_tensor(X) else X[rows]


def to_host(x: Any) -> np.ndarray:
    """X as a NumPy array, copied from its device if it is on one."""
    if array_api_compat.is_torch_array(x):
        return x.detach().cpu().numpy()
    if array_api_compat.is_cupy_array(x):
        return x.get()
    return np.asarray(x)


def round_to_bits(values: np.ndarray, bits: int = 40) -> np.ndarray:
    """Numbers rounded to so many bits: what differs by the order of a summation alone becomes a tie."""
    grain = 1 << (52 - bits)
    return ((values.view(np.int64) + grain // 2) & -grain).view(np.float64)
