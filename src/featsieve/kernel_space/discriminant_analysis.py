"""Kernel and generalized discriminant analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.blocks import slices
from featsieve.kernel_space.discriminant import generalized_discriminants, kernel_discriminants
from featsieve.kernel_space.kernels import EXPONENTIAL_KERNELS, KernelFunction, kernel_rows
from featsieve.kernel_space.mixins import N_COMPONENTS, CoordinatesMixin, FitMixin, KernelMixin
from featsieve.kernel_space.records import kernel_method
from featsieve.kernel_space.samples import check_symmetric, output_dtype


class DiscriminantMixin:
    """Mixin of the discriminant analyses, which define ``_solve`` and may define ``_compute_origin``.

    ``_solve(K, y)`` returns the coefficients of the directions, the ratios of scatter, and the offsets to
    subtract from the coordinates.
    """

    _parameter_constraints: dict[str, Any] = {
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


@kernel_method("kda", supervised="yes", reference="Mika, Ratsch & Muller, NIPS 2001")
class KernelDiscriminantAnalysis(DiscriminantMixin, KernelMixin, FitMixin, CoordinatesMixin, BaseEstimator):
    """Kernel discriminant analysis (KDA): find directions of the kernel space that separate the classes.

    The kernel is not centered, and the ridge applies to the coefficients of the directions.

    Parameters
    ----------
    {discriminant_parameters}

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_samples, n_components_)
        Coefficients of the directions over the training samples.
    ratios_ : ndarray of shape (n_components_,)
        Ratio of between-class to regularized within-class scatter along each direction.
    {discriminant_attributes}

    See Also
    --------
    featsieve.GeneralizedDiscriminantAnalysis : Directions of the centered kernel space.
    featsieve.kernel_space.kernel_discriminants : The equation.

    Notes
    -----
    O(n^3) time and O(n^2) memory. The training samples are stored for ``transform``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KernelDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelDiscriminantAnalysis().fit_transform(X, y).shape
    (150, 2)
    """

    def _solve(self, K: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        coefficients, ratios = kernel_discriminants(K, y, self.reg, self.n_components)
        return coefficients, ratios, np.zeros(ratios.size)


@kernel_method("gda", supervised="yes", reference="Baudat & Anouar, Neural Computation 2000")
class GeneralizedDiscriminantAnalysis(
    DiscriminantMixin, KernelMixin, FitMixin, CoordinatesMixin, BaseEstimator
):
    """Generalized discriminant analysis (GDA): separate the classes in the centered kernel space.

    The ridge applies to the directions, not to their coefficients.

    Parameters
    ----------
    {discriminant_parameters}

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_samples, n_components_)
        Coefficients of the directions, of unit norm, over the centered training samples.
    ratios_ : ndarray of shape (n_components_,)
        Ratio of between-class to regularized total scatter along each direction, from 0 to 1.
    {discriminant_attributes}

    See Also
    --------
    featsieve.KernelDiscriminantAnalysis : Directions of the kernel space without centering.
    featsieve.kernel_space.generalized_discriminants : The equation.

    Notes
    -----
    O(n^3) time and O(n^2) memory. The training samples are stored for ``transform``. With the same ridge on
    the directions, within-class scatter instead of total scatter results in the same directions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import GeneralizedDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> GeneralizedDiscriminantAnalysis().fit(X, y).ratios_.round(2)
    array([1.  , 0.87])
    """

    _sums_to_zero = True

    def _compute_origin(self, X: Any) -> np.ndarray | None:
        """Center the samples for the linear kernel: this only reduces rounding errors."""
        return X.mean(axis=0, dtype=np.float64) if self.kernel == "linear" and not sp.issparse(X) else None

    def _solve(self, K: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        coefficients, ratios = generalized_discriminants(K, y, self.reg, self.n_components)
        return coefficients, ratios, K.mean(axis=0) @ coefficients
