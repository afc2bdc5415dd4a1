"""The reconstruction cost of a basis."""

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import StandardScaler

from featsieve import (
    GeneralizedDiscriminantAnalysis,
    KernelGramSchmidt,
    KernelOrthogonalBasis,
    kernel_reconstruction_cost,
)

from .cases import DISCRIMINANTS, make_samples, raises_error, split_in_half
from .exact_data import COST_RTOL, KERNELS, kernels, samples, skip_if_rounding_decides


@pytest.mark.parametrize("about_mean", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
@pytest.mark.parametrize("data", ["breast cancer", "synthetic"])
def test_cost_of_kernel_pca_matches_exact_version(data, kernel, about_mean):
    """Eq. 19 projects phi on the span of the components; ``about_mean`` projects phi minus its mean."""
    split, (K, C, diagonal) = samples(data), kernels(data, kernel)
    expected = exact.kpca(K, 5)
    skip_if_rounding_decides(expected.decisions)
    basis = KernelPCA(5, **KERNELS[kernel]).fit(split.X)
    for X, new in ((split.X, {}), (split.new, {"C": C, "diagonal": diagonal})):
        cost = exact.reconstruction_cost(K, expected.coefficients, about_mean=about_mean, **new)
        assert_allclose(
            kernel_reconstruction_cost(basis, X, about_mean=about_mean), float(cost), rtol=COST_RTOL
        )


def test_cost_of_all_components_of_kernel_pca_is_the_distance_of_the_mean():
    """Without ``about_mean``, each sample has the distance of the origin from the affine hull."""
    X = np.random.default_rng(0).standard_normal((40, 3))
    K = pairwise_kernels(X, metric="rbf", gamma=0.5)
    basis = KernelPCA(39, kernel="rbf", gamma=0.5).fit(X)
    distance = 1 / np.sqrt(np.sum(np.linalg.inv(K)))
    assert_allclose(kernel_reconstruction_cost(basis, X), distance, rtol=1e-5)


def test_cost_of_gda_of_unscaled_data():
    (X, y), (X_test, _) = split_in_half(*load_breast_cancer(return_X_y=True))
    model = GeneralizedDiscriminantAnalysis().fit(X, y)
    C = np.exp(-model.gamma_ * cdist(X_test, X, "sqeuclidean"))
    K = np.exp(-model.gamma_ * cdist(X, X, "sqeuclidean"))
    w = model.coefficients_[:, 0]
    length = w @ K @ w
    expected = np.sqrt(1 - (C @ w) ** 2 / length).mean()
    assert_allclose(kernel_reconstruction_cost(model, X_test), expected, rtol=1e-6)
    inside = C @ w - K.mean(axis=0) @ w
    squares = 1 - 2 * C.mean(axis=1) + K.mean() - inside**2 / length
    assert_allclose(
        kernel_reconstruction_cost(model, X_test, about_mean=True), np.sqrt(squares).mean(), rtol=1e-6
    )


def test_invalid_bases_are_rejected():
    X, y = make_samples()
    with raises_error("basis"):
        kernel_reconstruction_cost(StandardScaler().fit(X), X)
    with raises_error("basis"):
        kernel_reconstruction_cost(None, X)
    with pytest.raises(NotFittedError):
        kernel_reconstruction_cost(KernelOrthogonalBasis(), X)
    fitted = [
        KernelOrthogonalBasis().fit(X),
        KernelGramSchmidt().fit(X),
        KernelPCA(3, kernel="rbf", gamma=0.3).fit(X),
        *(estimator().fit(X, y) for estimator in DISCRIMINANTS),
    ]
    for basis in fitted:
        cost = kernel_reconstruction_cost(basis, X)
        assert 0 <= cost <= 1  # samples have norm 1, and projection does not increase it
        with raises_error("features"):
            kernel_reconstruction_cost(basis, X[:, :3])
