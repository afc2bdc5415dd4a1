"""Kernel orthogonal basis learning: a basis of the kernel space whose dimension adapts to the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from featsieve.kernel_space.basis import (
    Factor,
    basis_coordinates,
    factorize,
    kernel_columns,
    set_basis_attributes,
)
from featsieve.kernel_space.device import DeviceKernelColumns
from featsieve.kernel_space.gamma import resolve_gamma
from featsieve.kernel_space.kernels import Kernel, KernelColumns, KernelFunction
from featsieve.kernel_space.mixins import ADAPTIVE_BASIS, CoordinatesMixin, FitMixin, KernelMixin
from featsieve.kernel_space.records import kernel_method

# f(t) of the stopping criterion; "linear" is f(t) = t.
Threshold = str | Callable[[float], float]

# The search for gamma covers factors up to exp(120) and stops at intervals of this length, in log(gamma).
MAX_LOG_RANGE, MIN_LOG_INTERVAL = 120.0, 1e-6


def orthogonal_basis(
    columns: KernelColumns | DeviceKernelColumns,
    threshold: Threshold = "linear",
    max_components: int | None = None,
    name: str | None = "kernel basis",
) -> Factor:
    r"""Learn an orthonormal basis of the kernel space (kernel orthogonal basis learner, KOBL).

    .. math:: j = \arg\max_i \|\phi(x_i)^{(k)}\|, \quad r_{k+1,k+1} = \|\phi(x_j)^{(k)}\|, \quad
              w_{k+1} = \phi(x_j)^{(k)} / r_{k+1,k+1}

    phi(x)^(k) is the component of phi(x) orthogonal to w_1, ..., w_k. The basis ends before the first
    vector with r_{k+1,k+1} / r_11 < f(k / N).

    ``columns`` is the kernel matrix of the N samples, ``threshold`` the nondecreasing function f, where
    "linear" is f(t) = t, and ``name`` the name of the task in progress reports.

    Notes
    -----
    This is a pivoted Cholesky factorization, so only the diagonal and the columns of the chosen samples are
    computed: O(N m (d + m)) time and O(N (d + m)) memory for m base vectors and d features. A residual that
    can be explained by rounding ends the basis, independently of f. Among residuals that are equal up to
    rounding, the first sample is chosen.

    References
    ----------
    Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 1 (eq. 13 with the normalized coefficient).
    """
    n = columns.n_samples
    f = _MonotoneThreshold(threshold)

    def choose_pivot(factor: Factor) -> int | None:
        largest = float(factor.squared_distances.max())
        if largest <= factor.rounding:
            return None
        first = factor.residuals[0] if factor.residuals else np.sqrt(largest)
        if np.sqrt(largest) / first < f(len(factor) / n):
            return None
        return factor.farthest()

    factor = factorize(columns, choose_pivot, max_components, name)
    if not len(factor):
        raise ValueError("`threshold` must be at most 1 at t=0; got a larger number, so the basis is empty.")
    return factor


class _MonotoneThreshold:
    """A threshold function whose values are checked at each call."""

    def __init__(self, threshold: Threshold) -> None:
        self._function: Any = (lambda t: t) if threshold == "linear" else threshold
        self._previous = -np.inf

    def __call__(self, t: float) -> float:
        value = np.asarray(self._function(t))
        if value.size != 1 or value.dtype.kind not in "biuf" or np.isnan(value).any():
            raise ValueError(
                f"`threshold` must return one number for t from 0 to 1; got {value!r:.60} for t={t:g}."
            )
        level = float(value.reshape(()))
        if level < self._previous - 1e-12 * abs(self._previous):
            raise ValueError(
                f"`threshold` must not decrease; got {level:g} after {self._previous:g} at t={t:g}."
            )
        self._previous = level
        return level


def gamma_for_dimension(kernel: Kernel, X: Any, dimension: int, threshold: Threshold = "linear") -> float:
    """Search for the gamma at which the orthogonal basis has ``dimension`` vectors, or closest to it.

    The kernel is "rbf" or "laplacian". The dimension grows with gamma, from 1 for gamma = 0, where all
    samples coincide, to the number of distinct samples for infinite gamma, where they are orthogonal.
    Bisection on log(gamma) learns about ten bases, none with more than ``dimension`` + 1 vectors.
    """
    if dimension > X.shape[0]:
        raise ValueError(
            f"`n_components` must be at most the number of samples ({X.shape[0]}) with gamma='dimension'; "
            f"got {dimension}."
        )

    def dimension_at(log_gamma: float, max_components: int | None = dimension + 1) -> int:
        columns = kernel_columns(replace(kernel, gamma=float(np.exp(log_gamma))), X)
        return len(orthogonal_basis(columns, threshold, max_components, None))

    start = float(np.log(resolve_gamma(kernel.function, "median", X) or 1.0))
    log_gamma, low, high, dimension_at_low = start, -np.inf, np.inf, 0
    while abs(log_gamma - start) < MAX_LOG_RANGE and high - low > MIN_LOG_INTERVAL:
        current = dimension_at(log_gamma)
        if current == dimension:
            return float(np.exp(log_gamma))
        if current < dimension:
            low, dimension_at_low = log_gamma, current
        else:
            high = log_gamma
        if np.isinf(high):
            log_gamma = low + np.log(4.0)
        elif np.isinf(low):
            log_gamma = high - np.log(4.0)
        else:
            log_gamma = (low + high) / 2
    # no gamma has this dimension: return the closest, the smaller in case of a tie
    high_is_closer = np.isfinite(high) and dimension_at(high, None) - dimension < dimension - dimension_at_low
    return float(np.exp(high if np.isinf(low) or high_is_closer else low))


@kernel_method(
    "kobl",
    supervised="no",
    inputs=("sparse", "array_api"),
    reference="Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 1",
)
class KernelOrthogonalBasis(KernelMixin, FitMixin, CoordinatesMixin, BaseEstimator):
    """Kernel orthogonal basis learner (KOBL): learn a basis of adaptive dimension in kernel space.

    Each base vector is computed from the sample farthest from the span of the previous ones.

    Parameters
    ----------
    {basis_parameters}

    Attributes
    ----------
    {basis_attributes}

    See Also
    --------
    featsieve.TAKESTransformer : Select the coordinates that discriminate the classes.
    featsieve.KernelGramSchmidt : The basis from all samples in their given order.
    featsieve.kernel_reconstruction_cost : The mean distance of any samples from the span.

    Notes
    -----
    Only the diagonal and ``n_components_`` columns of the kernel matrix are computed: O(N m (d + m)) time
    and O(N m) memory for m base vectors. Transforming a sample takes O(m (d + m)) time. The basis is
    learned in float64 for any input, because residuals are differences; float32 samples have float32
    coordinates. A tensor is processed on its device, with a kernel of inner products, "rbf" or "laplacian";
    its coordinates are a tensor.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from featsieve import KernelOrthogonalBasis
    >>> X = scale(load_wine().data)
    >>> basis = KernelOrthogonalBasis(gamma="dimension", n_components=20).fit(X)
    >>> basis.n_components_, basis.pivots_[:3]
    (20, array([  0, 146, 121]))
    >>> basis.transform(X).shape
    (178, 20)
    """

    _parameter_constraints: dict[str, Any] = ADAPTIVE_BASIS

    def __init__(
        self,
        kernel: KernelFunction = "rbf",
        *,
        gamma: float | str | None = "scale",
        degree: float = 3,
        coef0: float = 1,
        threshold: Threshold = "linear",
        n_components: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threshold = threshold
        self.n_components = n_components

    def _fit(self, X: Any, y: Any) -> Callable[[type], np.ndarray]:
        kernel = self._resolve_kernel(X)
        max_components = None if self.gamma == "dimension" else self.n_components
        factor = orthogonal_basis(kernel_columns(kernel, X), self.threshold, max_components)
        set_basis_attributes(self, X, kernel, factor)
        return factor.matrix

    def _resolve_kernel(self, X: Any) -> Kernel:
        if self.gamma != "dimension":
            return super()._resolve_kernel(X)
        if self.kernel not in ("rbf", "laplacian"):
            raise ValueError(
                f"`kernel` must be 'rbf' or 'laplacian' for gamma='dimension'; got {self.kernel!r}. "
                "Pass a number as `gamma`."
            )
        if self.n_components is None:
            raise ValueError("`n_components` must be given for gamma='dimension'; got None.")
        kernel = Kernel(self.kernel, 1.0, self.degree, self.coef0)
        return replace(kernel, gamma=gamma_for_dimension(kernel, X, self.n_components, self.threshold))

    def _transform(self, X: Any) -> np.ndarray:
        return basis_coordinates(self, X)
