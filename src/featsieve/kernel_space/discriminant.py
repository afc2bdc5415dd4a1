"""Directions of the kernel space that separate classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from featsieve.graphs.labels import check_labels


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
    contrasts, within = _class_contrasts(y, K)
    count = _count_directions(n_components, contrasts.shape[1])
    residuals = K - within @ (within.T @ K)
    scatter = residuals.T @ residuals
    trace = np.trace(scatter)
    total = np.einsum("ij,ij->", K, K)
    if trace <= (len(K) * np.finfo(np.float64).eps) ** 2 * total:  # the scatter is rounding error
        trace = total
    scatter[np.diag_indices_from(scatter)] += reg * trace / len(K) if trace > 0 else reg
    between = K @ contrasts
    try:
        factor = cho_factor(scatter, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError("`reg` must be larger: the regularized matrix is singular.") from error
    solution = cho_solve(factor, between)
    ratios, vectors = eigh(between.T @ solution)
    ratios, vectors = ratios[::-1][:count], vectors[:, ::-1][:, :count]
    norms = np.sqrt(np.maximum(ratios, 0.0))
    return _make_largest_entries_positive(solution @ vectors / np.where(norms > 0, norms, 1.0)), ratios


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
    contrasts, _ = _class_contrasts(y, K)
    count = _count_directions(n_components, contrasts.shape[1])
    eigenvalues, eigenvectors = eigh(_center(_center(K)), check_finite=False)  # twice: the means were rounded
    # centering subtracts entries of K, so its rounding errors scale with K and not with the centered matrix
    rounding = len(K) * np.finfo(np.float64).eps * max(eigenvalues[-1], np.abs(K).max())
    if eigenvalues[0] < -max(1e-6 * eigenvalues[-1], rounding):
        raise ValueError(
            "`kernel` must be positive semi-definite; the centered kernel matrix has the eigenvalue "
            f"{eigenvalues[0]:.3g}. Use a positive semi-definite kernel (rbf, linear, poly with coef0 >= 0)."
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
    return _make_largest_entries_positive(coefficients), ratios[::-1][:count]


def _center(K: np.ndarray) -> np.ndarray:
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


def _class_contrasts(y: ArrayLike, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute B and E with B B' = W - 11'/n and E E' = W, where W is 1 / n_c inside each class c."""
    codes, counts = check_labels(y, K)
    within = (codes[:, None] == np.arange(counts.size)) / np.sqrt(counts)
    return within - np.sqrt(counts) / len(K), within


def _count_directions(n_components: int | None, n_classes: int) -> int:
    """Resolve ``n_components``, which is at most ``n_classes - 1``."""
    if n_components is not None and n_components > n_classes - 1:
        raise ValueError(
            f"`n_components` must be less than the number of classes ({n_classes}); got {n_components}."
        )
    return n_components or n_classes - 1


def _make_largest_entries_positive(coefficients: np.ndarray) -> np.ndarray:
    """Choose the sign of each column so that its entry of largest magnitude is positive."""
    largest = np.abs(coefficients).argmax(axis=0)
    return coefficients * np.where(np.take_along_axis(coefficients, largest[None], axis=0) < 0, -1.0, 1.0)
