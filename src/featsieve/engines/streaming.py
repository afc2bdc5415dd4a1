"""Matrices on the host whose parts are copied to a device when they are used."""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
from numpy.typing import ArrayLike


class Streamed:
    """A matrix in host memory that acts as a tensor: an index copies a part of it to the device.

    ``offset`` and ``factor`` of the columns, if given, are applied to the parts: (X - offset) * factor.
    """

    ndim = 2

    def __init__(self, values: np.ndarray, like: Any, offset: Any = None, factor: Any = None) -> None:
        self.values, self.like, self.offset, self.factor = values, like, offset, factor
        self.shape: tuple[int, int] = values.shape
        self.dtype, self.device = like.dtype, like.device

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        """Return the namespace of the parts."""
        return array_api_compat.array_namespace(self.like, api_version=api_version)

    def __getitem__(self, key: Any) -> Any:
        """Copy a part to the device."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        rows, columns = _host_index(rows), _host_index(columns)
        # a copy, because a tensor on the CPU would share memory with a part that is not copied
        part = np.array(self.values[rows, columns])
        part = self.__array_namespace__().asarray(part, dtype=self.dtype, device=self.device)
        if self.offset is None:
            return part
        return (part - self.offset[columns]) * self.factor[columns]

    def scaled(self, offset: Any, factor: Any) -> Streamed:
        """Return (X - offset) * factor for an offset and a factor of each column."""
        return Streamed(self.values, self.like, offset, factor)


def _host_index(index: Any) -> Any:
    if isinstance(index, slice | int | np.ndarray):
        return index
    return index.get() if array_api_compat.is_cupy_array(index) else index.cpu().numpy()


def stream(X: ArrayLike, device: Any = "cuda") -> Streamed:
    """Process a matrix in host memory on a device that it does not fit on.

    Methods that score single features take the result in place of X. They copy blocks of columns, and the
    neighbor search copies blocks of samples, to the device and free them afterwards. The scores are those of
    a tensor.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, such as an array or a memory map. Float32 and float64 are preserved.
    device : str or torch.device, default="cuda"
        Device of PyTorch that computes.

    Returns
    -------
    Streamed
        A matrix to pass to the methods that accept tensors and data in chunks.

    Notes
    -----
    Blocks take at most ``sklearn.config_context(working_memory=...)`` on the device. A column block of an
    array in C order is gathered from all rows: ``np.asfortranarray`` makes the scores faster, and the
    neighbor search slower.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import featsieve
    >>> X = featsieve.stream(load_iris().data, "cpu")
    >>> featsieve.LaplacianScore().fit(X).order_
    array([2, 3, 0, 1])
    """
    import torch
    from sklearn.utils import check_array

    values = check_array(X, dtype=(np.float64, np.float32), ensure_min_samples=2, input_name="X")
    from featsieve.engines.arrays import exceeds_float32

    fits = values.dtype == np.float32 and not exceeds_float32(max(-values.min(), values.max()))
    dtype = torch.float32 if fits else torch.float64
    return Streamed(values, torch.empty(0, dtype=dtype, device=device))
