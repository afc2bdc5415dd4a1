from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.blocks import slices
from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.kernel_space.cholesky import Factor, factorize
from featsieve.kernel_space.kernels import KERNEL, Columns, Kernel, KernelSamples, resolve_gamma
from featsieve.registry import method

# With a width that is searched for.
WIDTHS = {**KERNEL, "gamma": [*KERNEL["gamma"], StrOptions({"dimension"})]}
# Where the search for a width gives up: a factor of exp(120), and widths that are all but equal.
_FARTHEST, _CLOSEST = 120.0, 1e-6
COMPONENTS: list[Any] = [Interval(Integral, 1, None, closed="left"), None]


def orthogonal_basis(
    columns: Columns, threshold: Any = "linear", limit: int | None = None, name: str | None = "kernel basis"
) -> Factor:
    r"""Kernel orthogonal basis learner: base vectors from the samples farthest from those chosen.

    .. math:: j = \arg\max_i \|\phi(x_i)^{(k)}\|, \quad r_{k+1,k+1} = \|\phi(x_j)^{(k)}\|, \quad
              w_{k+1} = \phi(x_j)^{(k)} / r_{k+1,k+1}

    phi(x)^(k) is what is left of phi(x) outside the span of w_1 to w_k. The basis ends before the first
    vector with r_{k+1,k+1} / r_11 < f(k / N).

    Parameters
    ----------
    columns : Columns
        The kernel matrix of the N samples.
    threshold : "linear" or callable
        f, which must not decrease; "linear" is f(t) = t.
    limit : int or None
        The most vectors to learn.
    name : str or None
        What the progress is reported under.

    Returns
    -------
    Factor

    Notes
    -----
    The residuals are those of a pivoted Cholesky factorization, so that the diagonal and the chosen
    columns of the kernel matrix are all that is read: O(N m (d + m)) time and O(N (d + m)) memory for m
    vectors in d features. Whatever f says, a residual that rounding alone can explain ends the basis.
    Residuals that are equal up to rounding go to the sample that comes first.

    References
    ----------
    Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 1 (eq. 13 with the normalized coefficient).
    """
    n = columns.n_samples
    f = _Threshold(threshold)

    def choose(factor: Factor) -> int | None:
        best = float(factor.left.max())
        if best <= factor.rounding:
            return None
        first = factor.residuals[0] if factor.residuals else np.sqrt(best)
        if np.sqrt(best) / first < f(len(factor) / n):
            return None
        return factor.farthest()

    factor = factorize(columns, choose, n if limit is None else min(limit, n), name)
    if not len(factor):
        raise ValueError("threshold(0) is above 1, so that no base vector is accepted: lower it.")
    return factor


class _Threshold:
    """f(t), checked as it is used."""

    def __init__(self, threshold: Any) -> None:
        self._function: Callable[[float], float] = (lambda t: t) if threshold == "linear" else threshold
        self._last = -np.inf

    def __call__(self, t: float) -> float:
        value = np.asarray(self._function(t))
        if value.size != 1 or value.dtype.kind not in "biuf" or np.isnan(value).any():
            raise ValueError(
                f"threshold must return one number for t from 0 to 1, got {value!r:.60} for t={t:g}."
            )
        level = float(value.reshape(()))
        if level < self._last - 1e-12 * abs(self._last):
            raise ValueError(
                f"threshold must not decrease, but it falls from {self._last:g} to {level:g} at t={t:g}."
            )
        self._last = level
        return level


def gamma_for_dimension(kernel: Kernel, X: Any, dimension: int, threshold: Any = "linear") -> float:
    r"""The width at which the orthogonal basis has ``dimension`` vectors, or as nearly as can be.

    Parameters
    ----------
    kernel : Kernel
        "rbf" or "laplacian".
    X : matrix of shape (n_samples, n_features)
    dimension : int
        From 1 to the number of samples.
    threshold : "linear" or callable

    Returns
    -------
    float
        gamma.

    Notes
    -----
    From gamma = 0, where all samples are one point and the dimension is 1, to infinity, where they are
    orthogonal and it is the number of different samples, the dimension grows; by bisection on log gamma,
    some ten bases are learnt, none beyond ``dimension`` + 1 vectors.
    """
    if dimension > X.shape[0]:
        raise ValueError(
            f"n_components={dimension} but X has {X.shape[0]} samples, and a basis has no more: lower it."
        )

    def reached(log_gamma: float, limit: int | None = dimension + 1) -> int:
        trial = replace(kernel, gamma=float(np.exp(log_gamma)))
        return len(orthogonal_basis(Columns(trial, X), threshold, limit, None))

    start = float(np.log(resolve_gamma(kernel.function, "median", X) or 1.0))
    here, low, high, below = start, -np.inf, np.inf, 0
    while abs(here - start) < _FARTHEST and high - low > _CLOSEST:
        found = reached(here)
        if found == dimension:
            return float(np.exp(here))
        if found < dimension:
            low, below = here, found
        else:
            high = here
        if np.isinf(high):
            here = low + np.log(4.0)
        elif np.isinf(low):
            here = high - np.log(4.0)
        else:
            here = (low + high) / 2
    # no width has this dimension: the nearest, the smaller of two as near
    if np.isinf(low) or (np.isfinite(high) and reached(high, None) - dimension < dimension - below):
        return float(np.exp(high))
    return float(np.exp(low))


@method(
    "kobl",
    family="kernel",
    role="transformer",
    supervised="no",
    inputs=("sparse",),
    reference="Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 1",
)
class KernelOrthogonalBasis(
    KernelSamples,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Coordinates on an orthonormal basis of the kernel space whose dimension is learnt (KOBL).

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A name of :func:`sklearn.metrics.pairwise.pairwise_kernels`, "precomputed", or
        ``kernel(x, y) -> float`` of two samples. With a callable the samples may be strings.
    gamma : float, "scale", "median", "dimension" or None, default="scale"
        Width of the kernel. "scale" is 1 / (n_features * X.var()); "median" is 1 / the median squared
        distance between different samples; "dimension" is the width at which ``n_components`` base vectors
        are learnt, or as nearly as can be; None is 1 / n_features. The kernels "laplacian" and "chi2", whose
        distances are not squared, have X.std() for X.var() and the median of those distances.
    degree, coef0 : float, default=3, 1
        Of the kernels "poly" and "sigmoid".
    threshold : "linear" or callable, default="linear"
        f(t), which must not decrease: the basis ends when r_kk / r_11 < f(dimension / n_samples). "linear"
        is f(t) = t.
    n_components : int, default=None
        The most base vectors to learn, None for as many as the threshold accepts; with
        ``gamma="dimension"``, the number aimed at.

    Attributes
    ----------
    n_components_ : int
        How many base vectors were learnt.
    pivots_ : ndarray of shape (n_components_,)
        The row of X that each stands on, in the order of learning.
    basis_ : samples
        Those rows.
    residuals_ : ndarray of shape (n_components_,)
        r_kk, how far each was from the span of those before it. They never grow.
    reconstruction_cost_ : float
        Mean distance of the samples from the span (eq. 19).
    gamma_ : float or None
        The width used.

    See Also
    --------
    featsieve.kernel_space.kobl.orthogonal_basis : The algorithm.

    Notes
    -----
    Only the diagonal and ``n_components_`` columns of the kernel matrix are computed: O(N m (d + m)) time
    and O(N m) memory for m base vectors. New samples cost O(m (d + m)) each. The basis is learnt in float64
    whatever X is, because residuals are differences; float32 samples get float32 coordinates.

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

    _parameter_constraints: dict = {
        **WIDTHS,
        "threshold": [StrOptions({"linear"}), callable],
        "n_components": COMPONENTS,
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1,
        threshold: Any = "linear",
        n_components: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threshold = threshold
        self.n_components = n_components

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> KernelOrthogonalBasis:
        """Learn the basis.

        Parameters
        ----------
        X : samples
            Dense or sparse matrix, the kernel matrix if ``kernel="precomputed"``, or strings.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        with reporting(self):
            self._learn(X)
        return self

    @with_callbacks
    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn the basis and return the coordinates of X on it: the factor R itself.

        Parameters
        ----------
        X : samples
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        with reporting(self):
            return self._learn(X).matrix(result_type(X))

    def _learn(self, X: Any) -> Factor:
        kernel = self._width(X)
        limit = None if self.gamma == "dimension" else self.n_components
        factor = orthogonal_basis(Columns(kernel, X), self.threshold, limit)
        keep_basis(self, X, kernel, factor)
        return factor

    def _width(self, X: Any) -> Kernel:
        if self.gamma != "dimension":
            return self._resolved(X)
        if self.kernel not in ("rbf", "laplacian"):
            raise ValueError(
                f"gamma='dimension' needs kernel='rbf' or 'laplacian', got {self.kernel!r}: give a number."
            )
        if self.n_components is None:
            raise ValueError("gamma='dimension' needs the dimension to aim at: set n_components.")
        kernel = Kernel(self.kernel, 1.0, self.degree, self.coef0)
        return replace(kernel, gamma=gamma_for_dimension(kernel, X, self.n_components, self.threshold))

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the samples on the basis.

        Parameters
        ----------
        X : samples
            With ``kernel="precomputed"``, the kernel between these samples and all that were fitted.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        return coordinates(self, self._check_samples(X, reset=False))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def keep_basis(model: Any, X: Any, kernel: Kernel, factor: Factor) -> None:
    """Set the attributes of a fitted basis that stands on samples."""
    model.pivots_ = np.array(factor.pivots, dtype=np.intp)
    model.residuals_ = np.array(factor.residuals)
    model.n_components_ = len(factor)
    model.reconstruction_cost_ = float(np.sqrt(factor.left).mean())
    model.basis_ = X[model.pivots_]
    model.gamma_ = kernel.gamma
    model._kernel = kernel
    model._triangle = factor.rows(factor.pivots)


def coordinates(model: Any, X: Any) -> np.ndarray:
    """Coordinates of checked samples on a fitted basis that stands on samples, by row blocks."""
    out = np.empty((X.shape[0], model.n_components_), dtype=result_type(X))
    for part in slices(X.shape[0], 16 * (model.n_components_ + 1), X):
        if model._kernel.function == "precomputed":
            block = X[part][:, model.pivots_]
            block = (block.toarray() if hasattr(block, "toarray") else block).astype(np.float64)
        else:
            block = model._kernel.matrix(X[part], model.basis_)
        out[part] = solve_triangular(model._triangle, block.T, lower=True, check_finite=False).T
    return out


def result_type(X: Any) -> type:
    """The type of the coordinates of X."""
    return np.float32 if X.dtype == np.float32 else np.float64
