"""Kernels of tensors, one column of the kernel matrix at a time, on their device."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.engines.arrays import namespace, to_device_of
from featsieve.engines.blocks import slices
from featsieve.kernel_space.kernels import INNER_PRODUCT_KERNELS, Kernel, check_finite
from featsieve.types import Array

# Kernels that are computed on a device.
DEVICE_KERNELS = INNER_PRODUCT_KERNELS | {"laplacian"}


class DeviceKernelColumns:
    """The kernel matrix of a tensor, as :class:`featsieve.kernel_space.kernels.KernelColumns`.

    Distances are sums of differences, which lose no digits: a device is bound by memory, and reads X once.
    """

    eps = float(np.finfo(np.float64).eps)

    def __init__(self, kernel: Kernel, X: Any) -> None:
        if kernel.function not in DEVICE_KERNELS:
            name = kernel.function if isinstance(kernel.function, str) else "a callable"
            raise ValueError(
                f"`kernel` must be one of {', '.join(sorted(DEVICE_KERNELS))} for a tensor; got {name}. "
                "Pass X.cpu().numpy()."
            )
        self.kernel, self.n_samples = kernel, X.shape[0]
        self._X = self._prepare(X)

    def diagonal(self) -> Array:
        """Compute the diagonal as a new array."""
        xp = namespace(self._X)
        if self.kernel.function in ("rbf", "laplacian"):
            return xp.ones(self.n_samples, dtype=xp.float64, device=self._X.device)
        return self._apply(xp.sum(self._X * self._X, axis=1))

    def __getitem__(self, i: int) -> Array:
        """Compute column i as a new array."""
        return self._compare(self._X[i, :])

    def matrix(self, Y: np.ndarray) -> Array:
        """Compute the kernel between all samples and the samples of a small host array."""
        others = self._prepare(to_device_of(Y, self._X))
        return namespace(self._X).stack([self._compare(others[i, :]) for i in range(len(Y))], axis=1)

    def _prepare(self, X: Array) -> Array:
        """Convert to float64; for the cosine kernel, also to unit length."""
        xp = namespace(X)
        X = xp.astype(X, xp.float64, copy=False)
        if self.kernel.function != "cosine":
            return X
        norms = xp.sqrt(xp.sum(X * X, axis=1, keepdims=True))
        return X / xp.where(norms > 0, norms, 1.0)

    def _compare(self, sample: Array) -> Array:
        """Compute the kernel between all samples and one."""
        X, xp = self._X, namespace(self._X)
        if self.kernel.function not in ("rbf", "laplacian"):
            return self._apply(X @ sample)

        def distances(rows: Array) -> Array:
            gaps = rows - sample
            return xp.sum(gaps * gaps if self.kernel.function == "rbf" else xp.abs(gaps), axis=1)

        parts = [distances(X[block, :]) for block in slices(self.n_samples, 24 * X.shape[1], X)]
        return xp.exp(-(self.kernel.gamma or 0.0) * check_finite(xp.concat(parts)))

    def _apply(self, products: Array) -> Array:
        """Compute a kernel that depends on inner products only."""
        kernel, xp = self.kernel, namespace(products)
        if kernel.function in ("poly", "polynomial", "sigmoid"):
            products = products * kernel.gamma + kernel.coef0
            products = xp.tanh(products) if kernel.function == "sigmoid" else products**kernel.degree
        return check_finite(products)
