"""Reconstruction cost of the samples on a basis of the kernel space."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import KernelPCA
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve.engines.blocks import slices
from featsieve.engines.sparse import check_sparse
from featsieve.kernel_space.basis import basis_coordinates
from featsieve.kernel_space.discriminant_analysis import DiscriminantMixin, GeneralizedDiscriminantAnalysis
from featsieve.kernel_space.gram_schmidt import KernelGramSchmidt
from featsieve.kernel_space.kernels import Kernel
from featsieve.kernel_space.kobl import KernelOrthogonalBasis
from featsieve.kernel_space.takes import TAKESTransformer
from featsieve.types import MatrixLike

SUPPORTED = (
    KernelOrthogonalBasis, KernelGramSchmidt, TAKESTransformer, DiscriminantMixin, KernelPCA,
)  # fmt: skip


def kernel_reconstruction_cost(basis: BaseEstimator, X: MatrixLike, *, about_mean: bool = False) -> float:
    r"""Compute the mean distance of samples from the span of a basis of the kernel space.

    .. math:: \frac{1}{n} \sum_j \|\phi(x_j) - \operatorname{span}\{w_1, \ldots, w_m\}\|

    Parameters
    ----------
    basis : estimator
        Fitted KernelOrthogonalBasis, KernelGramSchmidt, TAKESTransformer (its selected features),
        KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis, or KernelPCA of scikit-learn.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples; with a precomputed kernel, the square matrix that the basis was fitted on.
    about_mean : bool, default=False
        Whether to translate the span to the mean of the training samples. Only for KernelPCA and
        GeneralizedDiscriminantAnalysis, whose directions are computed from centered samples.

    Returns
    -------
    float
        Mean distance, from 0, if the span contains every sample, to the mean norm of phi(x).

    Raises
    ------
    ValueError
        If ``basis`` is not one of these estimators, or ``about_mean`` does not apply to it.

    See Also
    --------
    featsieve.KernelOrthogonalBasis : The basis with an adaptive dimension.

    Notes
    -----
    Distances are not squared. The span is also used for directions that are not orthonormal, such as those
    of discriminant analyses. The components of KernelPCA are in the span of the centered samples, which in
    general does not contain the mean: without ``about_mean``, any number of components has at least the
    distance of the mean from this span as its cost.

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
    if not isinstance(basis, SUPPORTED):
        raise ValueError(
            "`basis` must be a fitted basis of the kernel space, such as KernelOrthogonalBasis; "
            f"got {basis!r:.40}."
        )
    check_is_fitted(basis)
    if about_mean and not isinstance(basis, KernelPCA | GeneralizedDiscriminantAnalysis):
        raise ValueError(
            "`basis` must be KernelPCA or GeneralizedDiscriminantAnalysis for about_mean=True; "
            f"got {type(basis).__name__}."
        )
    if isinstance(basis, KernelPCA):
        squared = _distances_from_components(basis, X, about_mean)
    elif isinstance(basis, DiscriminantMixin):
        squared = _distances_from_discriminants(basis, X, about_mean)
    else:
        squared = _distances_from_basis(basis, X)
    return float(np.sqrt(np.maximum(squared, 0.0)).mean())


def _distances_from_basis(model: Any, X: Any) -> np.ndarray:
    """Compute squared distances from the span of base vectors that are computed from samples."""
    X = model._check_samples(X, reset=False)
    if X.dtype == np.float32:
        X = X.astype(np.float64)
    basis = model.basis_ if isinstance(model, TAKESTransformer) else model
    coordinates = basis_coordinates(basis, X)
    if basis is not model:
        coordinates = coordinates[:, model.selection_.get_support()]
    return _diagonal(basis._kernel, X) - np.einsum("ij,ij->i", coordinates, coordinates)


def _diagonal(kernel: Kernel, X: Any) -> np.ndarray:
    if kernel.function != "precomputed":
        return kernel.diagonal(X)
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "X must be the square matrix of the training samples for kernel='precomputed', because the cost "
            f"depends on k(x, x); got shape {X.shape}."
        )
    return np.array(X.diagonal(), dtype=np.float64)


def _distances_from_discriminants(model: Any, X: Any, about_mean: bool) -> np.ndarray:
    """Compute squared distances from the span of discriminant directions."""
    X = model._check_samples(X, reset=False)
    X = model._translate(X) if about_mean else X
    squared = _diagonal(model._kernel if about_mean else replace(model._kernel, minus_one=False), X)
    projections = model._project(X)
    if about_mean:
        projections -= model._offset
        squared = squared - 2 * _row_means(model._kernel, X, model.X_fit_) + model._means.mean()
    # the inverse Gram matrix accounts for directions that are not orthonormal
    inverse = np.linalg.pinv(model._gram, hermitian=True)
    return squared - np.einsum("ij,jk,ik->i", projections, inverse, projections)


def _distances_from_components(pca: Any, X: Any, about_mean: bool) -> np.ndarray:
    """Compute squared distances from the span of the principal components."""
    X = validate_data(pca, check_sparse(X), accept_sparse="csr", dtype=np.float64, reset=False)
    function = pca.kernel
    if callable(function) and pca.kernel_params:
        function = partial(function, **pca.kernel_params)
    kernel = Kernel(function, pca.gamma_, pca.degree, pca.coef0)
    squared = _diagonal(kernel, X)
    positive = pca.eigenvalues_ > 0
    coefficients = pca.eigenvectors_[:, positive] / np.sqrt(pca.eigenvalues_[positive])
    coefficients = coefficients - coefficients.mean(axis=0)
    centerer = pca._centerer
    for block in slices(X.shape[0], 24 * pca.X_fit_.shape[0], X):
        K = X[block] if function == "precomputed" else kernel.matrix(X[block], pca.X_fit_)
        projections = K @ coefficients
        if about_mean:
            projections = projections - centerer.K_fit_rows_ @ coefficients
            squared[block] += centerer.K_fit_all_ - 2 * K.mean(axis=1)
        squared[block] -= np.einsum("ij,ij->i", projections, projections)
    return squared


def _row_means(kernel: Kernel, X: Any, X_fit: Any) -> np.ndarray:
    """Compute the mean kernel between each sample and the training samples."""
    if kernel.function == "precomputed":
        return np.asarray(X.mean(axis=1), dtype=np.float64).ravel()
    means = np.empty(X.shape[0])
    for block in slices(X.shape[0], 16 * X_fit.shape[0], X):
        means[block] = kernel.matrix(X[block], X_fit).mean(axis=1)
    return means
