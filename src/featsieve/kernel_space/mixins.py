"""Mixins of kernel-space estimators: parameters, checks, tags, and the skeleton of fit and transform."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.kernel_space.gamma import resolve_gamma
from featsieve.kernel_space.kernels import KERNEL_NAMES, NONNEGATIVE_KERNELS, Kernel, KernelFunction
from featsieve.kernel_space.samples import check_samples, output_dtype, validate_labels
from featsieve.registry import Method
from featsieve.types import MatrixLike

N_COMPONENTS: list[Any] = [Interval(Integral, 1, None, closed="left"), None]


class KernelMixin:
    """Mixin of estimators with the parameters ``kernel``, ``gamma``, ``degree`` and ``coef0``."""

    kernel: KernelFunction
    gamma: float | str | None
    degree: float
    coef0: float

    _parameter_constraints: dict[str, Any] = {
        "kernel": [StrOptions({*KERNEL_NAMES, "precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "median"}), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    def _check_samples(self, X: Any, *, reset: bool) -> Any:
        return check_samples(self, self.kernel, X, reset=reset)

    def _resolve_kernel(self, X: Any) -> Kernel:
        gamma = resolve_gamma(self.kernel, self.gamma, X)
        return Kernel(self.kernel, gamma, self.degree, self.coef0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = self.kernel not in NONNEGATIVE_KERNELS
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.positive_only = self.kernel in NONNEGATIVE_KERNELS
        return tags


# Constraints of estimators that learn a basis whose dimension is adaptive.
ADAPTIVE_BASIS: dict[str, list[Any]] = {
    **KernelMixin._parameter_constraints,
    "gamma": [*KernelMixin._parameter_constraints["gamma"], StrOptions({"dimension"})],
    "threshold": [StrOptions({"linear"}), callable],
    "n_components": N_COMPONENTS,
}


class FitMixin(CallbackSupportMixin):
    """Mixin of kernel-space estimators, which define ``_check_samples(X, reset)`` and ``_fit(X, y)``."""

    method: Method
    _validate_params: Callable[[], None]
    _check_samples: Callable[..., Any]
    _fit: Callable[[Any, Any], Any]

    @with_callbacks
    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Fit the estimator.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; the kernel matrix if the kernel is "precomputed"; a sequence of any objects if
            it is a callable.
        y : array-like of shape (n_samples,), default=None
            Class labels. Ignored by unsupervised methods.

        Returns
        -------
        self
            Fitted estimator.
        """
        X, y = self._check_training_data(X, y)
        with reporting(self):
            self._fit(X, y)
        return self

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, Any]:
        self._validate_params()
        X = self._check_samples(X, reset=True)
        return X, validate_labels(self, X, y) if self.method.supervised == "yes" else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.method.supervised == "yes"
        return tags


class CoordinatesMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of kernel-space transformers, which define ``_transform(X)``.

    Their ``_fit`` returns a function that computes the coordinates of the training samples in a data type.
    """

    _check_samples: Callable[..., Any]
    _check_training_data: Callable[[Any, Any], tuple[Any, Any]]
    _fit: Callable[[Any, Any], Any]
    _transform: Callable[[Any], np.ndarray]
    n_components_: int

    @with_callbacks
    def fit_transform(self, X: MatrixLike, y: ArrayLike | None = None) -> np.ndarray:
        """Fit the transformer and compute the coordinates of the training samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples, as in :meth:`fit`.
        y : array-like of shape (n_samples,), default=None
            Class labels, as in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Coordinates in kernel space.
        """
        X, y = self._check_training_data(X, y)
        with reporting(self):
            return self._fit(X, y)(output_dtype(X))

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Compute the coordinates of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; if the kernel is "precomputed", the kernel between these and the training samples.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Coordinates in kernel space.
        """
        check_is_fitted(self)
        return self._transform(self._check_samples(X, reset=False))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
