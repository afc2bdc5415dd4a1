"""What the paper proves of its basis, and what linear algebra says the bases must be."""

from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import hilbert, qr
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import PolynomialFeatures, scale

from featsieve import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelGramSchmidt,
    KernelOrthogonalBasis,
    kernel_reconstruction_cost,
)

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
    """A positive kernel matrix of 3 to 60 samples: of data, or of a spectrum that falls as it likes."""
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
    if kind == 4:  # some samples twice
        X = X[rng.integers(0, n, n)]
        return pairwise_kernels(X, metric="rbf", gamma=0.1 / d)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    K = (Q * rng.uniform(0.3, 1.0) ** np.arange(n)) @ Q.T * 10.0 ** rng.uniform(-6, 6)
    return (K + K.T) / 2


def level(threshold, t):
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

    # theorem 2: the residuals never grow (to rounding of their squares)
    assert np.all(np.diff(r**2) <= 1e-11 * largest)
    # r_11 is the longest sample, and every vector accepted has passed eq. 20
    assert_allclose(r[0], np.sqrt(largest))
    assert all(r[k] / r[0] >= level(threshold, k / N) * (1 - 1e-9) for k in range(d))

    # theorem 1, by way of its proof: no sample is farther from the span than the next pivot would be
    left = np.sqrt(np.maximum(np.diag(K) - np.sum(F**2, axis=1), 0))
    assert_allclose(basis.reconstruction_cost_, np.mean(left), atol=1e-6 * r[0])
    rounding = np.sqrt(N * np.finfo(float).eps) * r[0]
    assert np.max(left) <= max(r[0] * level(threshold, d / N), 2 * rounding)
    bound = (N - d) / N * r[0] * level(threshold, d / N)
    assert basis.reconstruction_cost_ <= max(bound, rounding)

    # the basis is orthonormal on its pivots, and the samples it stands on are rebuilt exactly
    P = basis.pivots_
    assert len(set(P.tolist())) == d
    assert_allclose(F[P] @ F[P].T, K[np.ix_(P, P)], rtol=1e-8, atol=1e-8 * largest)
    assert_allclose(np.triu(F[P], 1), 0, atol=1e-7 * r[0])
    assert_allclose(np.diag(F[P]), r, rtol=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_each_pivot_is_the_farthest_sample(seed):
    """Distances by least squares from the raw kernel, with nothing of the factorization in them."""
    K = random_kernel(seed)
    basis = KernelOrthogonalBasis("precomputed").fit(K)
    largest = np.max(np.diag(K))
    for k, (pivot, r) in enumerate(zip(basis.pivots_, basis.residuals_, strict=True)):
        before = basis.pivots_[:k]
        onto = K[:, before] @ np.linalg.pinv(K[np.ix_(before, before)], rcond=1e-13, hermitian=True)
        squares = np.diag(K) - np.sum(onto * K[:, before], axis=1)
        assert_allclose(squares[pivot], r**2, atol=1e-8 * largest)
        assert squares[pivot] >= np.max(squares) - 1e-8 * largest


@pytest.mark.parametrize("seed", range(20))
def test_a_higher_threshold_is_the_beginning_of_a_lower_one(seed):
    K = random_kernel(seed)
    pivots = [
        KernelOrthogonalBasis("precomputed", threshold=f).fit(K).pivots_.tolist()
        for f in (np.sqrt, "linear", np.square)
    ]
    assert pivots[1][: len(pivots[0])] == pivots[0]
    assert pivots[2][: len(pivots[1])] == pivots[1]


def test_the_order_of_samples_changes_only_the_names_of_the_pivots():
    X = np.random.default_rng(0).standard_normal((80, 4))
    K = pairwise_kernels(X, metric="poly", degree=2)
    turn = np.random.default_rng(1).permutation(80)
    basis = KernelOrthogonalBasis("precomputed").fit(K)
    turned = KernelOrthogonalBasis("precomputed").fit(K[np.ix_(turn, turn)])
    assert np.array_equal(turn[turned.pivots_], basis.pivots_)
    assert_allclose(turned.residuals_, basis.residuals_)


@pytest.mark.parametrize("scale_by", [1e-9, 1e9])
def test_the_scale_of_the_kernel_changes_only_lengths(scale_by):
    K = random_kernel(0)
    basis, scaled = (KernelOrthogonalBasis("precomputed").fit(K * c) for c in (1, scale_by))
    assert np.array_equal(basis.pivots_, scaled.pivots_)
    assert_allclose(scaled.residuals_, basis.residuals_ * np.sqrt(scale_by))


def test_the_hilbert_matrix_has_18_independent_columns():
    """As many residuals as rounding cannot explain: r_kk^2 > N eps r_11^2, whatever the threshold lets in.

    The same number by singular values and by pivoted QR of the matrix, at the tolerance N eps.
    """
    H = hilbert(100)
    basis = KernelOrthogonalBasis("precomputed", threshold=lambda t: 0.0).fit(H)
    assert basis.n_components_ == 18
    assert np.linalg.matrix_rank(H) == 18
    R = np.abs(np.diag(qr(H, mode="r", pivoting=True)[0]))
    assert np.sum(R / R[0] > 100 * np.finfo(float).eps) == 18
    assert len(set(basis.pivots_.tolist())) == 18
    assert np.all(np.diff(basis.residuals_) < 0)
    # the adaptive threshold asks for less
    assert KernelOrthogonalBasis("precomputed").fit(H).n_components_ < 18
    # in the order of the samples it is not so clear: the reason for pivoting
    assert KernelGramSchmidt("precomputed").fit(H).n_components_ < 100


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_pivoted_qr_in_an_explicit_feature_space(degree):
    """Phi' = QR with column pivoting: R is the features, up to the sign of each."""
    rng = np.random.default_rng(degree)
    X = rng.standard_normal((70, 3))
    # (1 + x.z)^degree, monomials with the roots of the multinomial coefficients
    Phi = explicit(X, degree)
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


def explicit(X, degree):
    """phi with phi(x).phi(z) = (1 + x.z)^degree."""
    expand = PolynomialFeatures(degree).fit(X)
    weights = []
    for powers in expand.powers_:
        ways = factorial(degree) / factorial(degree - int(powers.sum()))
        weights.append(np.sqrt(ways / np.prod([factorial(int(p)) for p in powers])))
    return expand.transform(X) * weights


def test_gram_schmidt_with_no_dependence_is_cholesky():
    X = np.random.default_rng(0).standard_normal((50, 6))
    basis = KernelGramSchmidt("rbf", gamma=0.5).fit(X)
    L = np.linalg.cholesky(pairwise_kernels(X, metric="rbf", gamma=0.5))
    assert_allclose(basis.transform(X), L, atol=1e-10)
    assert_allclose(kernel_reconstruction_cost(basis, X), 0, atol=1e-6)


@pytest.mark.parametrize("metric", ["rbf", "poly", "linear"])
def test_with_no_limit_all_bases_hold_the_training_samples(metric):
    """A full basis reproduces every inner product, whichever way it was built."""
    X = np.random.default_rng(0).standard_normal((30, 4))
    K = pairwise_kernels(X, metric=metric, gamma=0.5, filter_params=True)
    full = KernelOrthogonalBasis(metric, gamma=0.5, threshold=lambda t: 0.0)
    for basis in (full, KernelGramSchmidt(metric, gamma=0.5)):
        F = basis.fit_transform(X)
        assert_allclose(F @ F.T, K, rtol=1e-6, atol=1e-6 * K.max())
        assert_allclose(kernel_reconstruction_cost(basis, X), 0, atol=1e-6 * np.sqrt(K.max()))


def test_kpca_of_all_components_misses_the_mean():
    """Centerd directions do not hold the samples: each is as far off as the origin is from their plane."""
    X = np.random.default_rng(0).standard_normal((40, 3))
    K = pairwise_kernels(X, metric="rbf", gamma=0.5)
    basis = KernelPCA(39, kernel="rbf", gamma=0.5).fit(X)
    distance = 1 / np.sqrt(np.sum(np.linalg.inv(K)))
    assert_allclose(kernel_reconstruction_cost(basis, X), distance, rtol=1e-5)


def same_line(a, b, tolerance=1e-6):
    """KernelColumns of a and b agree up to sign and length."""
    assert a.shape == b.shape
    cosine = np.sum(a * b, axis=0) / np.linalg.norm(a, axis=0) / np.linalg.norm(b, axis=0)
    assert_allclose(np.abs(cosine), 1, atol=tolerance)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("analysis", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
def test_a_linear_kernel_with_hardly_any_penalty_is_linear_discriminant_analysis(analysis, load):
    X, y = load(return_X_y=True)
    X = scale(X[:, :8])
    found = analysis("linear", reg=1e-10).fit_transform(X, y)
    expected = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).transform(X)
    assert found.shape == (len(X), len(np.unique(y)) - 1)
    same_line(found - found.mean(axis=0), expected - expected.mean(axis=0), 1e-5)


@pytest.mark.parametrize("analysis", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
def test_discriminants_of_a_polynomial_kernel_are_those_of_its_monomials(analysis):
    X, y = load_wine(return_X_y=True)
    X = scale(X)[:, :4]
    found = analysis("poly", degree=2, gamma=1.0, coef0=1, reg=1e-9).fit_transform(X, y)
    expected = LinearDiscriminantAnalysis(solver="eigen").fit(explicit(X, 2)[:, 1:], y)
    expected = expected.transform(explicit(X, 2)[:, 1:])
    same_line(found - found.mean(axis=0), expected - expected.mean(axis=0), 1e-4)


@pytest.mark.parametrize("analysis", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
def test_components_are_uncorrelated_and_the_first_is_the_best(analysis):
    X, y = load_wine(return_X_y=True)
    F = analysis(reg=1e-3, gamma=0.02).fit_transform(scale(X), y)
    between = [sum(np.sum(y == c) * (f[y == c].mean() - f.mean()) ** 2 for c in range(3)) for f in F.T]
    within = [sum(np.sum((f[y == c] - f[y == c].mean()) ** 2) for c in range(3)) for f in F.T]
    ratio = np.array(between) / np.array(within)
    assert ratio[0] >= ratio[1] * (1 - 1e-6)
    fewer = analysis(reg=1e-3, gamma=0.02, n_components=1).fit_transform(scale(X), y)
    same_line(fewer, F[:, :1])
