from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve.engines.blocks import slices
from featsieve.engines.sparse import check_sparse
from featsieve.kernel_space.discriminant import GeneralizedDiscriminantAnalysis, _Discriminants
from featsieve.kernel_space.kernels import Kernel, KernelSamples
from featsieve.kernel_space.kobl import coordinates


def kernel_reconstruction_cost(basis: Any, X: Any, *, about_mean: bool = False) -> float:
    r"""Mean distance of samples from the span of a basis of the kernel space.

    .. math:: \frac{1}{n} \sum_j \|\phi(x_j) - \operatorname{span}\{w_1, \ldots, w_m\}\|

    Parameters
    ----------
    basis : fitted estimator
        KernelOrthogonalBasis, KernelGramSchmidt, TAKES (its chosen features), KernelDiscriminantAnalysis,
        GeneralizedDiscriminantAnalysis, or scikit-learn's KernelPCA.
    X : samples
        With a precomputed kernel, the square matrix that the basis was fitted on.
    about_mean : bool
        Measure from the span moved to the mean of the samples that the basis was fitted on. For KernelPCA
        and GeneralizedDiscriminantAnalysis, whose directions come from centerd samples.

    Returns
    -------
    float
        From 0, where every sample lies in the span, to the mean length of phi(x).

    Notes
    -----
    The norms are not squared. Directions that are not orthonormal, as those of discriminant analysis, span
    what they span. The components of KernelPCA lie in the span of centerd samples, which as a rule does
    not contain the mean: without ``about_mean`` their cost stays above the mean's distance from it, however
    many there are.

    References
    ----------
    Xu, Shen, Ping & Zhao, CIKM 2011, eq. 19.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import KernelPCA
    >>> from featsieve import KernelOrthogonalBasis, kernel_reconstruction_cost
    >>> X = load_iris().data
    >>> basis = KernelOrthogonalBasis().fit(X)
    >>> cost = kernel_reconstruction_cost(basis, X)
    >>> bool(abs(cost - basis.reconstruction_cost_) < 1e-6)
    True
    >>> components = KernelPCA(20, kernel="rbf", gamma=basis.gamma_).fit(X)
    >>> round(kernel_reconstruction_cost(components, X), 2)
    0.54
    >>> round(kernel_reconstruction_cost(components, X, about_mean=True), 2)
    0.01
    """
    if not isinstance(basis, KernelPCA | KernelSamples) or not hasattr(basis, "transform"):
        raise ValueError(
            f"basis must be a fitted basis of the kernel space (KernelOrthogonalBasis...), got {basis!r:.40}."
        )
    check_is_fitted(basis)
    if about_mean and not isinstance(basis, KernelPCA | GeneralizedDiscriminantAnalysis):
        raise ValueError(f"about_mean is for centerd bases, and {type(basis).__name__} is not: leave it out.")
    if isinstance(basis, KernelPCA):
        squares = _beyond_components(basis, X, about_mean)
    elif isinstance(basis, _Discriminants):
        squares = _beyond_discriminants(basis, X, about_mean)
    else:
        squares = _beyond_samples(basis, X)
    return float(np.sqrt(np.maximum(squares, 0.0)).mean())


def _beyond_samples(basis: Any, X: Any) -> np.ndarray:
    X = basis._check_samples(X, reset=False)
    if X.dtype == np.float32:
        X = X.astype(np.float64)
    whole = getattr(basis, "selection_", None) is None
    inside = coordinates(basis if whole else basis.basis_, X)
    if not whole:
        inside = inside[:, basis.selection_.get_support()]
    kernel = basis._kernel if whole else basis.basis_._kernel
    return _diagonal(kernel, X) - np.einsum("ij,ij->i", inside, inside)


def _diagonal(kernel: Kernel, X: Any) -> np.ndarray:
    if kernel.function != "precomputed":
        return kernel.diagonal(X)
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "with kernel='precomputed' X must be the square matrix of the fit: the cost needs k(x, x); "
            f"got shape {X.shape}."
        )
    return np.array(X.diagonal(), dtype=np.float64)


def _beyond_discriminants(basis: Any, X: Any, about_mean: bool) -> np.ndarray:
    X = basis._check_samples(X, reset=False)
    X = basis._moved(X) if about_mean else X
    squares = _diagonal(basis._kernel if about_mean else replace(basis._kernel, minus_one=False), X)
    inside = basis._project(X)
    if about_mean:
        inside -= basis._offset
        squares = squares - 2 * _row_means(basis._kernel, X, basis.X_fit_) + basis._means.mean()
    # coordinates that directions of any angle and length give the projection
    return squares - np.einsum("ij,jk,ik->i", inside, np.linalg.pinv(basis._gram, hermitian=True), inside)


def _beyond_components(basis: Any, X: Any, about_mean: bool) -> np.ndarray:
    X = validate_data(basis, check_sparse(X), accept_sparse="csr", dtype=np.float64, reset=False)
    function = basis.kernel
    if callable(function) and basis.kernel_params:
        function = partial(function, **basis.kernel_params)
    kernel = Kernel(function, basis.gamma_, basis.degree, basis.coef0)
    squares = _diagonal(kernel, X)
    kept = basis.eigenvalues_ > 0
    coefficients = basis.eigenvectors_[:, kept] / np.sqrt(basis.eigenvalues_[kept])
    coefficients = coefficients - coefficients.mean(axis=0)
    center = basis._centerer
    for part in slices(X.shape[0], 24 * basis.X_fit_.shape[0], X):
        rows = X[part] if function == "precomputed" else kernel.matrix(X[part], basis.X_fit_)
        inside = rows @ coefficients
        if about_mean:
            inside = inside - center.K_fit_rows_ @ coefficients
            squares[part] += center.K_fit_all_ - 2 * rows.mean(axis=1)
        squares[part] -= np.einsum("ij,ij->i", inside, inside)
    return squares


def _row_means(kernel: Kernel, X: Any, fitted: Any) -> np.ndarray:
    """Mean kernel of each sample with all that were fitted."""
    if kernel.function == "precomputed":
        return np.asarray(X.mean(axis=1), dtype=np.float64).ravel()
    out = np.empty(X.shape[0])
    for part in slices(X.shape[0], 16 * fitted.shape[0], X):
        out[part] = kernel.matrix(X[part], fitted).mean(axis=1)
    return out
