"""Theorems of the paper about the kernel orthogonal basis, and identities from linear algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import hilbert, qr
from sklearn.metrics.pairwise import pairwise_kernels

from featsieve import KernelGramSchmidt, KernelOrthogonalBasis

from .cases import polynomial_features

THRESHOLDS = [
    "linear",
    np.square,
    np.sqrt,
    lambda t: t**3,
    lambda t: np.sin(t * np.pi / 2),
    lambda t: float(t > 0.3),
    lambda t: 0.05 + 0.95 * t,
]


def random_kernel(seed):
    """Generate a positive kernel matrix of 3 to 60 samples, from data or from a decreasing spectrum."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 12))
    X = rng.standard_normal((n, d)) * rng.uniform(0.1, 10, d) + rng.standard_normal(d)
    kind = seed % 6
    if kind == 0:
        return pairwise_kernels(X, metric="rbf", gamma=rng.uniform(0.001, 1) / d)
    if kind == 1:
        return pairwise_kernels(X, metric="laplacian", gamma=rng.uniform(0.001, 1) / d)
    if kind == 2:
        return pairwise_kernels(X, metric="poly", degree=int(rng.integers(1, 5)), gamma=1 / d, coef0=1)
    if kind == 3:
        return X @ X.T
    if kind == 4:  # duplicate samples
        X = X[rng.integers(0, n, n)]
        return pairwise_kernels(X, metric="rbf", gamma=0.1 / d)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    K = (Q * rng.uniform(0.3, 1.0) ** np.arange(n)) @ Q.T * 10.0 ** rng.uniform(-6, 6)
    return (K + K.T) / 2


def evaluate_threshold(threshold, t):
    return t if threshold == "linear" else float(threshold(t))


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=range(len(THRESHOLDS)))
@pytest.mark.parametrize("seed", range(36))
def test_theorems_1_and_2(seed, threshold):
    K = random_kernel(seed)
    N = len(K)
    basis = KernelOrthogonalBasis("precomputed", threshold=threshold).fit(K)
    d, r = basis.n_components_, basis.residuals_
    largest = np.max(np.diag(K))
    F = basis.transform(K)

    # theorem 2: the residuals do not increase, up to rounding of their squares
    assert np.all(np.diff(r**2) <= 1e-11 * largest)
    # r_11 is the largest norm, and every accepted vector satisfies eq. 20
    assert_allclose(r[0], np.sqrt(largest))
    assert all(r[k] / r[0] >= evaluate_threshold(threshold, k / N) * (1 - 1e-9) for k in range(d))

    # theorem 1, as in its proof: no sample is farther from the span than the next pivot would be
    distances = np.sqrt(np.maximum(np.diag(K) - np.sum(F**2, axis=1), 0))
    assert_allclose(basis.reconstruction_cost_, np.mean(distances), atol=1e-6 * r[0])
    rounding = np.sqrt(N * np.finfo(float).eps) * r[0]
    assert np.max(distances) <= max(r[0] * evaluate_threshold(threshold, d / N), 2 * rounding)
    bound = (N - d) / N * r[0] * evaluate_threshold(threshold, d / N)
    assert basis.reconstruction_cost_ <= max(bound, rounding)

    # the basis is orthonormal, and the pivots are reconstructed exactly
    P = basis.pivots_
    assert len(set(P.tolist())) == d
    assert_allclose(F[P] @ F[P].T, K[np.ix_(P, P)], rtol=1e-8, atol=1e-8 * largest)
    assert_allclose(np.triu(F[P], 1), 0, atol=1e-7 * r[0])
    assert_allclose(np.diag(F[P]), r, rtol=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_each_pivot_is_the_farthest_sample(seed):
    """Distances are computed by least squares from the kernel matrix, independently of the factorization."""
    K = random_kernel(seed)
    basis = KernelOrthogonalBasis("precomputed").fit(K)
    largest = np.max(np.diag(K))
    for k, (pivot, r) in enumerate(zip(basis.pivots_, basis.residuals_, strict=True)):
        previous = basis.pivots_[:k]
        projection = K[:, previous] @ np.linalg.pinv(
            K[np.ix_(previous, previous)], rcond=1e-13, hermitian=True
        )
        squares = np.diag(K) - np.sum(projection * K[:, previous], axis=1)
        assert_allclose(squares[pivot], r**2, atol=1e-8 * largest)
        assert squares[pivot] >= np.max(squares) - 1e-8 * largest


@pytest.mark.parametrize("seed", range(20))
def test_pivots_of_a_higher_threshold_are_a_prefix(seed):
    K = random_kernel(seed)
    pivots = [
        KernelOrthogonalBasis("precomputed", threshold=f).fit(K).pivots_.tolist()
        for f in (np.sqrt, "linear", np.square)
    ]
    assert pivots[1][: len(pivots[0])] == pivots[0]
    assert pivots[2][: len(pivots[1])] == pivots[1]


def test_basis_is_unchanged_when_samples_are_permuted():
    X = np.random.default_rng(0).standard_normal((80, 4))
    K = pairwise_kernels(X, metric="poly", degree=2)
    permutation = np.random.default_rng(1).permutation(80)
    basis = KernelOrthogonalBasis("precomputed").fit(K)
    permuted = KernelOrthogonalBasis("precomputed").fit(K[np.ix_(permutation, permutation)])
    assert np.array_equal(permutation[permuted.pivots_], basis.pivots_)
    assert_allclose(permuted.residuals_, basis.residuals_)


@pytest.mark.parametrize("scale_by", [1e-9, 1e9])
def test_scale_of_the_kernel_scales_residuals(scale_by):
    K = random_kernel(0)
    basis, scaled = (KernelOrthogonalBasis("precomputed").fit(K * c) for c in (1, scale_by))
    assert np.array_equal(basis.pivots_, scaled.pivots_)
    assert_allclose(scaled.residuals_, basis.residuals_ * np.sqrt(scale_by))


def test_hilbert_matrix_has_18_independent_columns():
    """Residuals with r_kk^2 > N eps r_11^2 cannot be explained by rounding, for any threshold.

    Singular values and pivoted QR of the matrix with the tolerance N eps have the same rank.
    """
    H = hilbert(100)
    basis = KernelOrthogonalBasis("precomputed", threshold=lambda t: 0.0).fit(H)
    assert basis.n_components_ == 18
    assert np.linalg.matrix_rank(H) == 18
    R = np.abs(np.diag(qr(H, mode="r", pivoting=True)[0]))
    assert np.sum(R / R[0] > 100 * np.finfo(float).eps) == 18
    assert len(set(basis.pivots_.tolist())) == 18
    assert np.all(np.diff(basis.residuals_) < 0)
    # the adaptive threshold stops earlier
    assert KernelOrthogonalBasis("precomputed").fit(H).n_components_ < 18
    # without pivoting the rank is less clear
    assert KernelGramSchmidt("precomputed").fit(H).n_components_ < 100


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_pivoted_qr_in_an_explicit_feature_space(degree):
    """Phi' = QR with column pivoting: R contains the coordinates, up to the sign of each."""
    rng = np.random.default_rng(degree)
    X = rng.standard_normal((70, 3))
    # (1 + x.z)^degree: monomials times square roots of multinomial coefficients
    Phi = polynomial_features(X, degree)
    assert_allclose(Phi @ Phi.T, (1 + X @ X.T) ** degree)
    basis = KernelOrthogonalBasis(
        "poly", degree=degree, gamma=1.0, coef0=1, threshold=lambda t: 0.0, n_components=Phi.shape[1]
    ).fit(X)
    _, R, columns = qr(Phi.T, mode="economic", pivoting=True)
    d = basis.n_components_
    assert d == Phi.shape[1]
    assert np.array_equal(basis.pivots_, columns[:d])
    assert_allclose(basis.residuals_, np.abs(np.diag(R)), rtol=1e-6)
    features = np.empty_like(R)
    features[:, columns] = R
    features *= np.sign(np.diag(R))[:, None]
    assert_allclose(basis.transform(X), features.T, atol=1e-7 * R[0, 0] ** 2)
    assert_allclose(basis.reconstruction_cost_, 0, atol=1e-6)
