"""Generalized discriminant analysis (Baudat & Anouar, 2000)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.base import BaseEstimator

from featsieve.kernel_space.discriminant import (
    DiscriminantMixin,
    class_contrasts,
    count_directions,
    make_largest_entries_positive,
)
from featsieve.kernel_space.docstrings import insert_shared_docs
from featsieve.kernel_space.mixins import KernelMixin, KernelTransformerMixin
from featsieve.registry import method


def generalized_discriminants(
    K: np.ndarray, y: ArrayLike, reg: float = 1e-3, n_components: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Compute the directions of the centered kernel space with the largest between-class scatter ratio.

    .. math:: \max_\alpha \frac{\alpha^\top K W K \alpha}{\alpha^\top (K K + \rho K) \alpha}

    K is the centered kernel matrix and W is 1 / n_c between samples of the same class c and 0 elsewhere.
    The ridge rho applies to the direction itself and is ``reg`` times the mean eigenvalue of K.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Kernel matrix. The function centers it, so adding a constant to all entries has no effect.
    y : array-like of shape (n_samples,)
        Class labels.
    reg : float, default=1e-3
        Ridge, as a fraction of the mean eigenvalue.
    n_components : int, default=None
        Number of directions, at most n_classes - 1; None is n_classes - 1.

    Returns
    -------
    coefficients : ndarray of shape (n_samples, n_components)
        Coefficients alpha with alpha' K alpha = 1, so that the directions have unit norm. Each column sums
        to 0, and its entry of largest magnitude is positive.
    ratios : ndarray of shape (n_components,)
        Ratios of scatter between 0 and 1, in decreasing order.

    Raises
    ------
    ValueError
        If y has one class, ``n_components`` is too large, or K is not positive semi-definite.

    See Also
    --------
    featsieve.kernel_space.kernel_discriminants : Directions of the kernel space without centering.

    Notes
    -----
    This is kernel ridge regression of the class indicators, solved through the eigenvectors of K as
    published, so that linearly dependent samples are allowed: O(n^3).

    References
    ----------
    Baudat & Anouar, Neural Computation 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from featsieve.kernel_space import generalized_discriminants
    >>> X, y = load_iris(return_X_y=True)
    >>> generalized_discriminants(rbf_kernel(X), y)[0].shape
    (150, 2)
    """
    contrasts, _ = class_contrasts(y, K)
    count = count_directions(n_components, contrasts.shape[1])
    eigenvalues, eigenvectors = eigh(_center(_center(K)), check_finite=False)  # twice: the means were rounded
    # centering subtracts entries of K, so its rounding errors scale with K and not with the centered matrix
    rounding = len(K) * np.finfo(np.float64).eps * max(eigenvalues[-1], np.abs(K).max())
    if eigenvalues[0] < -max(1e-6 * eigenvalues[-1], rounding):
        raise ValueError(
            "kernel must be positive semi-definite; the centered kernel matrix has the eigenvalue "
            f"{eigenvalues[0]:.3g}: use a positive semi-definite kernel (rbf, linear, poly with coef0 >= 0)."
        )
    positive = eigenvalues > rounding
    eigenvalues, eigenvectors = eigenvalues[positive], eigenvectors[:, positive]
    ridge = reg * eigenvalues.sum() / len(K)
    targets = eigenvectors.T @ contrasts
    solution = targets / (eigenvalues + ridge)[:, None]
    ratios, rotation = eigh(solution.T @ (eigenvalues[:, None] * targets))
    directions = solution @ rotation[:, ::-1][:, :count]
    norms = np.sqrt(eigenvalues @ directions**2)
    coefficients = eigenvectors @ (directions / np.where(norms > 0, norms, 1.0))
    # kernels that are not centered would multiply the rounding error of the sum
    coefficients -= coefficients.mean(axis=0)
    return make_largest_entries_positive(coefficients), ratios[::-1][:count]


def _center(K: np.ndarray) -> np.ndarray:
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


@method(
    "gda",
    family="kernel",
    role="transformer",
    supervised="yes",
    inputs=("sparse",),
    reference="Baudat & Anouar, Neural Computation 2000",
)
@insert_shared_docs
class GeneralizedDiscriminantAnalysis(DiscriminantMixin, KernelMixin, KernelTransformerMixin, BaseEstimator):
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

    References
    ----------
    Baudat & Anouar, Neural Computation 2000.

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
