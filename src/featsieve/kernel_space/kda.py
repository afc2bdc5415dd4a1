"""Kernel discriminant analysis (Mika, Ratsch & Muller, 2001)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
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


def kernel_discriminants(
    K: np.ndarray, y: ArrayLike, reg: float = 1e-3, n_components: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Compute the directions with the largest ratio of between-class to within-class scatter.

    .. math:: \max_\alpha \frac{\alpha^\top M \alpha}{\alpha^\top (N + \mu I) \alpha}, \quad
              M = K (W - \tfrac{1}{n} 1 1^\top) K, \quad N = K (I - W) K

    W is 1 / n_c between samples of the same class c and 0 elsewhere. mu is ``reg`` times the mean
    eigenvalue of N, or of K K if each class is a single point, so that N is zero.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Kernel matrix.
    y : array-like of shape (n_samples,)
        Class labels.
    reg : float, default=1e-3
        Ridge, as a fraction of the mean eigenvalue.
    n_components : int, default=None
        Number of directions, at most n_classes - 1; None is n_classes - 1.

    Returns
    -------
    coefficients : ndarray of shape (n_samples, n_components)
        Coefficients alpha with alpha' (N + mu I) alpha = 1. The entry of largest magnitude in each column is
        positive.
    ratios : ndarray of shape (n_components,)
        Ratios of scatter, in decreasing order.

    Raises
    ------
    ValueError
        If y has one class, ``n_components`` is too large, or the regularized matrix is singular.

    See Also
    --------
    featsieve.kernel_space.generalized_discriminants : Directions of the centered kernel space.

    Notes
    -----
    M has rank n_classes - 1, so one Cholesky factorization, O(n^3 / 3), and an eigenproblem of size
    n_classes are sufficient.

    References
    ----------
    Mika, Ratsch & Muller, NIPS 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from featsieve.kernel_space import kernel_discriminants
    >>> X, y = load_iris(return_X_y=True)
    >>> coefficients, ratios = kernel_discriminants(rbf_kernel(X), y)
    >>> coefficients.shape, ratios.shape
    ((150, 2), (2,))
    """
    contrasts, within = class_contrasts(y, K)
    residuals = K - within @ (within.T @ K)
    scatter = residuals.T @ residuals
    trace = np.trace(scatter)
    total = np.einsum("ij,ij->", K, K)
    if trace <= (len(K) * np.finfo(np.float64).eps) ** 2 * total:  # the scatter is rounding error
        trace = total
    scatter[np.diag_indices_from(scatter)] += reg * trace / len(K) if trace > 0 else reg
    return _maximize_ratio(K @ contrasts, scatter, n_components)


def _maximize_ratio(
    between: np.ndarray, within: np.ndarray, n_components: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Maximize |between' a|^2 / a' within a."""
    count = count_directions(n_components, between.shape[1])
    try:
        factor = cho_factor(within, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError(
            "reg must be larger for these samples: the regularized matrix is singular."
        ) from error
    solution = cho_solve(factor, between)
    ratios, vectors = eigh(between.T @ solution)
    ratios, vectors = ratios[::-1][:count], vectors[:, ::-1][:, :count]
    norms = np.sqrt(np.maximum(ratios, 0.0))
    return make_largest_entries_positive(solution @ vectors / np.where(norms > 0, norms, 1.0)), ratios


@method(
    "kda",
    family="kernel",
    role="transformer",
    supervised="yes",
    inputs=("sparse",),
    reference="Mika, Ratsch & Muller, NIPS 2001",
)
@insert_shared_docs
class KernelDiscriminantAnalysis(DiscriminantMixin, KernelMixin, KernelTransformerMixin, BaseEstimator):
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

    References
    ----------
    Mika, Ratsch & Muller, NIPS 2001.

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
