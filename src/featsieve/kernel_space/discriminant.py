"""What the two kernel discriminant analyses share: contrasts between classes, and fit and transform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

from featsieve.engines.blocks import slices
from featsieve.graphs.labels import check_labels
from featsieve.kernel_space.kernels import EXPONENTIAL_KERNELS, KernelFunction, kernel_rows
from featsieve.kernel_space.mixins import N_COMPONENTS, KernelMixin
from featsieve.kernel_space.samples import check_symmetric, output_dtype


def class_contrasts(y: Any, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute B and E with B B' = W - 11'/n and E E' = W, where W is 1 / n_c inside each class c."""
    codes, counts = check_labels(y, K)
    within = (codes[:, None] == np.arange(counts.size)) / np.sqrt(counts)
    return within - np.sqrt(counts) / len(K), within


def count_directions(n_components: int | None, n_classes: int) -> int:
    """Resolve ``n_components``, which is at most ``n_classes - 1``."""
    if n_components is not None and n_components > n_classes - 1:
        raise ValueError(
            f"n_components must be less than the number of classes ({n_classes}); got {n_components}."
        )
    return n_components or n_classes - 1


def make_largest_entries_positive(coefficients: np.ndarray) -> np.ndarray:
    """Choose the sign of each column so that its entry of largest magnitude is positive."""
    largest = np.abs(coefficients).argmax(axis=0)
    return coefficients * np.where(np.take_along_axis(coefficients, largest[None], axis=0) < 0, -1.0, 1.0)


class DiscriminantMixin:
    """Mixin of the discriminant analyses, which define ``_solve`` and may define ``_compute_origin``.

    ``_solve(K, y)`` returns the coefficients of the directions, the ratios of scatter, and the offsets to
    subtract from the coordinates.
    """

    _parameter_constraints: dict = {
        **KernelMixin._parameter_constraints,
        "reg": [Interval(Real, 0, None, closed="neither")],
        "n_components": N_COMPONENTS,
    }
    _sums_to_zero = False  # whether each column of coefficients does, so that constants in K have no effect
    _solve: Callable[[np.ndarray, Any], tuple[np.ndarray, np.ndarray, np.ndarray]]
    _resolve_kernel: Callable[[Any], Any]

    def __init__(
        self,
        kernel: KernelFunction = "rbf",
        *,
        gamma: float | str | None = "scale",
        degree: float = 3,
        coef0: float = 1,
        reg: float = 1e-3,
        n_components: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.reg = reg
        self.n_components = n_components

    def _compute_origin(self, X: Any) -> np.ndarray | None:
        """Compute the point to subtract from all samples; None to leave them as they are."""
        return None

    def _fit(self, X: Any, y: Any) -> Callable[[type], np.ndarray]:
        # adding a constant to the kernel does not change the coefficients
        kernel = replace(self._resolve_kernel(X), minus_one=True)
        self._origin = self._compute_origin(X)
        translated = self._translate(X)
        if kernel.function == "precomputed":
            check_symmetric(translated)
        K = kernel_rows(kernel, translated, translated)
        self.coefficients_, self.ratios_, self._offset = self._solve(K, y)
        self.n_components_ = self.coefficients_.shape[1]
        self.classes_ = np.unique(y)
        self.gamma_ = kernel.gamma
        self.X_fit_ = translated
        self._kernel = kernel
        minus_one = kernel.function in EXPONENTIAL_KERNELS and not self._sums_to_zero
        self._constant = minus_one * self.coefficients_.sum(axis=0)
        self._gram = self.coefficients_.T @ K @ self.coefficients_ + np.outer(self._constant, self._constant)
        self._means = K.mean(axis=0)
        return lambda dtype: self._transform(X)

    def _transform(self, X: Any) -> np.ndarray:
        return (self._project(self._translate(X)) - self._offset).astype(output_dtype(X), copy=False)

    def _translate(self, X: Any) -> Any:
        if self._origin is None:
            return X
        return (X.toarray() if sp.issparse(X) else X) - self._origin

    def _project(self, X: Any) -> np.ndarray:
        """Compute the inner products of phi(x) with the directions."""
        projections = np.empty((X.shape[0], self.n_components_))
        for block in slices(X.shape[0], 16 * self.X_fit_.shape[0], X):
            precomputed = self._kernel.function == "precomputed"
            K = X[block] if precomputed else self._kernel.matrix(X[block], self.X_fit_)
            projections[block] = K @ self.coefficients_
        projections += self._constant
        return projections
