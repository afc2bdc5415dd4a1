from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.blocks import slices
from featsieve.graphs.labels import check_labels
from featsieve.kernel_space.kernels import (
    EXPONENTIALS,
    KERNEL,
    Kernel,
    KernelSamples,
    check_symmetric,
    validate_labels,
)
from featsieve.kernel_space.kobl import COMPONENTS, result_type
from featsieve.registry import method

_RIDGE: list[Any] = [Interval(Real, 0, None, closed="neither")]


def kernel_discriminants(
    K: np.ndarray, y: Any, reg: float = 1e-3, n_components: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Directions of the largest scatter between classes over scatter within them.

    .. math:: \max_\alpha \frac{\alpha^\top M \alpha}{\alpha^\top (N + \mu I) \alpha}, \quad
              M = K (W - \tfrac{1}{n} 1 1^\top) K, \quad N = K (I - W) K

    W is 1 / n_c between samples of the same class c, and mu is ``reg`` times the mean eigenvalue of N, or of
    K K where every class is a point and N is zero.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Kernel matrix.
    y : array of shape (n_samples,)
        Labels of C classes.
    reg : float
        The ridge, as a share of the mean eigenvalue.
    n_components : int or None
        At most C - 1, which is what None means.

    Returns
    -------
    coefficients : ndarray of shape (n_samples, n_components)
        alpha, with alpha' (N + mu I) alpha = 1; the largest entry of each is positive.
    ratios : ndarray of shape (n_components,)
        The maxima, largest first.

    Notes
    -----
    M has rank C - 1, so that one Cholesky factor and a C x C eigenproblem do: O(n^3 / 3).

    References
    ----------
    Mika, Ratsch & Muller, NIPS 2001.
    """
    contrasts, within = _contrasts(y, K)
    inside = K - within @ (within.T @ K)
    scatter = inside.T @ inside
    trace = np.trace(scatter)
    total = np.einsum("ij,ij->", K, K)
    if trace <= (len(K) * np.finfo(np.float64).eps) ** 2 * total:  # rounding is no measure for a ridge
        trace = total
    scatter[np.diag_indices_from(scatter)] += reg * trace / len(K) if trace > 0 else reg
    return _maximize(scatter, K @ contrasts, n_components)


def generalized_discriminants(
    K: np.ndarray, y: Any, reg: float = 1e-3, n_components: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Directions of the largest scatter between classes over all scatter, in the centerd kernel space.

    .. math:: \max_\alpha \frac{\alpha^\top K W K \alpha}{\alpha^\top (K K + \rho K) \alpha}

    K is the centerd kernel matrix, W is 1 / n_c between samples of the same class c, and rho, a ridge on
    the direction itself, is ``reg`` times the mean eigenvalue of K.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Kernel matrix. It is centered here, so adding a constant to all entries does not change the result.
    y, reg, n_components
        As in :func:`kernel_discriminants`.

    Returns
    -------
    coefficients : ndarray of shape (n_samples, n_components)
        alpha, with alpha' K alpha = 1: the directions have unit length. Each column sums to 0.
    ratios : ndarray of shape (n_components,)
        The maxima, from 0 to 1, largest first.

    Notes
    -----
    It is kernel ridge regression on the class indicators. Through the eigenvectors of K, as published, so
    that samples that depend on each other do no harm: O(n^3).

    References
    ----------
    Baudat & Anouar, Neural Computation 2000.
    """
    contrasts, _ = _contrasts(y, K)
    count = _count(n_components, contrasts.shape[1])
    values, vectors = eigh(_centered(_centered(K)), check_finite=False)  # again: the means were rounded
    # centering subtracts entries of K, so its rounding errors scale with K and not with what is left of it
    noise = len(K) * np.finfo(np.float64).eps * max(values[-1], np.abs(K).max())
    if values[0] < -max(1e-6 * values[-1], noise):
        raise ValueError(
            "kernel is not positive semi-definite on these samples: the centerd kernel matrix has the "
            f"eigenvalue {values[0]:.3g}. Use a kernel that is (rbf, linear, poly with coef0 >= 0)."
        )
    kept = values > noise
    values, vectors = values[kept], vectors[:, kept]
    ridge = reg * values.sum() / len(K)
    seen = vectors.T @ contrasts
    solved = seen / (values + ridge)[:, None]
    ratios, turn = eigh(solved.T @ (values[:, None] * seen))
    directions = solved @ turn[:, ::-1][:, :count]
    length = np.sqrt(values @ directions**2)
    coefficients = vectors @ (directions / np.where(length > 0, length, 1.0))
    # rows of kernels that are not centered would multiply what rounding leaves of the sum
    coefficients -= coefficients.mean(axis=0)
    return _upright(coefficients), ratios[::-1][:count]


def _centered(K: np.ndarray) -> np.ndarray:
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


def _contrasts(y: Any, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B and E with B B' = W - 11'/n and E E' = W."""
    codes, counts = check_labels(y, K)
    within = (codes[:, None] == np.arange(counts.size)) / np.sqrt(counts)
    return within - np.sqrt(counts) / len(K), within


def _count(n_components: int | None, n_classes: int) -> int:
    if n_components is not None and n_components > n_classes - 1:
        raise ValueError(
            f"n_components={n_components} but y holds {n_classes} classes, which {n_classes - 1} directions "
            "tell apart: lower it, or use None."
        )
    return n_components or n_classes - 1


def _maximize(bottom: np.ndarray, top: np.ndarray, n_components: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Maximize |top' a|^2 / a' bottom a."""
    count = _count(n_components, top.shape[1])
    try:
        factor = cho_factor(bottom, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError("reg is too small for these samples to tell directions apart: raise it.") from error
    solved = cho_solve(factor, top)
    ratios, turn = eigh(top.T @ solved)
    ratios, turn = ratios[::-1][:count], turn[:, ::-1][:, :count]
    length = np.sqrt(np.maximum(ratios, 0.0))
    return _upright(solved @ turn / np.where(length > 0, length, 1.0)), ratios


def _upright(coefficients: np.ndarray) -> np.ndarray:
    """Columns with the sign that makes their largest entry positive."""
    largest = np.abs(coefficients).argmax(axis=0)
    return coefficients * np.where(np.take_along_axis(coefficients, largest[None], axis=0) < 0, -1.0, 1.0)


def full_matrix(kernel: Kernel, X: Any) -> np.ndarray:
    """The whole kernel matrix of checked samples."""
    if kernel.function != "precomputed":
        return kernel.matrix(X, X)
    check_symmetric(X)
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


class _Discriminants(KernelSamples, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of what the two analyzes share: one solves, ``_solve(K, y)``, and tells what to subtract."""

    reg: float
    n_components: int | None
    _sums_to_zero = False  # whether coefficients do, so that constants in the kernel have no effect

    def _solve(self, K: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _center_of(self, X: Any) -> np.ndarray | None:
        """What to take from the samples first, where that changes nothing but saves digits."""
        return None

    def fit(self, X: Any, y: Any) -> Any:
        """Find the directions.

        Parameters
        ----------
        X : samples
            Dense or sparse matrix, the kernel matrix if ``kernel="precomputed"``, or strings.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        y = validate_labels(self, X, y)
        # the coefficients do not depend on a constant that is added to the kernel
        kernel = replace(self._resolved(X), minus_one=True)
        self._origin = self._center_of(X)
        X = self._moved(X)
        K = full_matrix(kernel, X)
        self.coefficients_, self.ratios_, self._offset = self._solve(K, y)
        self.n_components_ = self.coefficients_.shape[1]
        self.classes_ = np.unique(y)
        self.gamma_ = kernel.gamma
        self.X_fit_ = X
        self._kernel = kernel
        restore = kernel.function in EXPONENTIALS and not self._sums_to_zero
        self._constant = restore * self.coefficients_.sum(axis=0)
        self._gram = self.coefficients_.T @ K @ self.coefficients_ + np.outer(self._constant, self._constant)
        self._means = K.mean(axis=0)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the samples along the directions.

        Parameters
        ----------
        X : samples
            With ``kernel="precomputed"``, the kernel between these samples and all that were fitted.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        X = self._check_samples(X, reset=False)
        return (self._project(self._moved(X)) - self._offset).astype(result_type(X), copy=False)

    def _moved(self, X: Any) -> Any:
        if self._origin is None:
            return X
        return (X.toarray() if sp.issparse(X) else X) - self._origin

    def _project(self, X: Any) -> np.ndarray:
        """Inner products of phi(x) with the directions."""
        out = np.empty((X.shape[0], self.n_components_))
        for part in slices(X.shape[0], 16 * self.X_fit_.shape[0], X):
            known = self._kernel.function == "precomputed"
            out[part] = (X[part] if known else self._kernel.matrix(X[part], self.X_fit_)) @ self.coefficients_
        out += self._constant
        return out

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@method(
    "kda",
    family="kernel",
    role="transformer",
    supervised="yes",
    inputs=("sparse",),
    reference="Mika, Ratsch & Muller, NIPS 2001",
)
class KernelDiscriminantAnalysis(_Discriminants, BaseEstimator):
    """Directions of the kernel space that tell the classes apart, with a ridge on coefficients (KDA).

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`featsieve.KernelOrthogonalBasis`; gamma is a number, "scale", "median" or None.
    reg : float, default=1e-3
        The ridge, as a share of the mean eigenvalue of the matrix that it is added to.
    n_components : int, default=None
        How many directions, at most one less than there are classes, which is what None means.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_samples, n_components_)
        Coefficients of the directions over the samples.
    ratios_ : ndarray of shape (n_components_,)
        Scatter between the classes over that within them, with the ridge, along each.
    n_components_ : int
    classes_ : ndarray of shape (n_classes,)
    gamma_ : float or None
        The width used.

    See Also
    --------
    featsieve.kernel_space.discriminant.kernel_discriminants : The equation.

    Notes
    -----
    O(n^3) time and O(n^2) memory. The samples are kept for ``transform``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KernelDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelDiscriminantAnalysis().fit_transform(X, y).shape
    (150, 2)
    """

    _parameter_constraints: dict = {**KERNEL, "reg": _RIDGE, "n_components": COMPONENTS}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
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

    def _solve(self, K: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        coefficients, ratios = kernel_discriminants(K, y, self.reg, self.n_components)
        return coefficients, ratios, np.zeros(ratios.size)


@method(
    "gda",
    family="kernel",
    role="transformer",
    supervised="yes",
    inputs=("sparse",),
    reference="Baudat & Anouar, Neural Computation 2000",
)
class GeneralizedDiscriminantAnalysis(_Discriminants, BaseEstimator):
    """Directions of the centerd kernel space that tell the classes apart, with a ridge on them (GDA).

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`featsieve.KernelOrthogonalBasis`; gamma is a number, "scale", "median" or None.
    reg : float, default=1e-3
        The ridge, as a share of the mean eigenvalue of the centerd kernel matrix.
    n_components : int, default=None
        How many directions, at most one less than there are classes, which is what None means.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_samples, n_components_)
        Coefficients of the directions, of unit length, over the centerd samples.
    ratios_ : ndarray of shape (n_components_,)
        Scatter between the classes over all scatter, with the ridge, along each; from 0 to 1.
    n_components_ : int
    classes_ : ndarray of shape (n_classes,)
    gamma_ : float or None
        The width used.

    See Also
    --------
    featsieve.kernel_space.discriminant.generalized_discriminants : The equation.

    Notes
    -----
    O(n^3) time and O(n^2) memory. The samples are kept for ``transform``. With the same ridge on the
    directions, scatter within the classes instead of all scatter gives the same directions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import GeneralizedDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> GeneralizedDiscriminantAnalysis().fit(X, y).ratios_.round(2)
    array([1.  , 0.87])
    """

    _parameter_constraints: dict = {**KERNEL, "reg": _RIDGE, "n_components": COMPONENTS}
    _sums_to_zero = True

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
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

    def _center_of(self, X: Any) -> np.ndarray | None:
        return X.mean(axis=0, dtype=np.float64) if self.kernel == "linear" and not sp.issparse(X) else None

    def _solve(self, K: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        coefficients, ratios = generalized_discriminants(K, y, self.reg, self.n_components)
        return coefficients, ratios, K.mean(axis=0) @ coefficients
