"""Self-test of the basis, cost and discriminant oracles: identities and hand-computed cases only."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg

from . import (
    center_cross,
    center_diagonal,
    center_kernel,
    features,
    gda,
    gda_features,
    kda,
    kda_matrices,
    kernel_diagonal,
    kernel_matrix,
    kgs,
    kobl,
    kpca,
    kpca_features,
    mp,
    mp_array,
    reconstruction_cost,
    reconstruction_errors,
    to_float,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(14, 4))
NEW = RNG.normal(size=(5, 4))
Y2 = np.arange(14) % 2
Y3 = np.arange(14) % 3


def small(values, bound=1e-60):
    return all(abs(v) < bound for v in np.asarray(values, dtype=object).ravel())


def identity(n):
    return mp_array(np.eye(n))


def diagonal_kernel(*values):
    return np.array(
        [[Fraction(v if i == j else 0) for j in range(len(values))] for i, v in enumerate(values)],
        dtype=object,
    )


def test_kernels_by_hand():
    x, z = [[1, 2]], [[3, -1]]
    assert kernel_matrix(x, z, "linear")[0, 0] == 1
    assert kernel_matrix(x, z, "poly", gamma=0.5)[0, 0] == 3.375
    assert kernel_matrix(x, z, "poly", gamma=0.5, exact=True)[0, 0] == Fraction(27, 8)
    assert small(kernel_matrix(x, z, gamma=0.5)[0, 0] - mp.exp(mp.mpf(-13) / 2), 1e-100)
    assert kernel_matrix([[0.1]], None, "linear", exact=True)[0, 0] == Fraction(0.1) ** 2
    assert to_float(mp_array([0.1]))[0] == 0.1
    assert list(kernel_diagonal(X)) == [1] * 14


def test_centering_equals_explicit_centering():
    K, C = kernel_matrix(X, None, "linear"), kernel_matrix(NEW, X, "linear")
    mean = sum(mp_array(X)) / len(X)
    Xc, Nc = mp_array(X) - mean, mp_array(NEW) - mean
    assert small(center_kernel(K) - Xc.dot(Xc.T), 1e-100)
    assert small(center_cross(C, K) - Nc.dot(Xc.T), 1e-100)
    diagonal = center_diagonal(C, kernel_diagonal(NEW, "linear"), K)
    assert small(diagonal - np.array([v.dot(v) for v in Nc]), 1e-100)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_kobl_identities(kernel):
    K = kernel_matrix(X, None, kernel, gamma=0.5)
    basis = kobl(K, f=lambda t: 0 * t)
    A = basis.coefficients
    d = A.shape[1]
    assert d == (4 if kernel == "linear" else 14)
    assert small(A.T.dot(K).dot(A) - identity(d))
    F = features(K, A)
    assert small(F.dot(F.T) - K)
    assert all(a >= b for a, b in zip(basis.residuals, basis.residuals[1:], strict=False))
    assert small(reconstruction_cost(K, A), 1e-35)
    for k in range(1, d):
        minor = [
            mp.det(mp.matrix(K[np.ix_(basis.pivots[:n], basis.pivots[:n])].tolist())) for n in (k, k + 1)
        ]
        assert small(basis.residuals[k] ** 2 * minor[0] / minor[1] - 1, 1e-50)
    assert all(F[p, i] > 0 for i, p in enumerate(basis.pivots))
    assert small([F[p, j] for i, p in enumerate(basis.pivots) for j in range(i + 1, d)])


def test_kobl_threshold_and_theorem_1():
    K = kernel_matrix(X, gamma=0.05)
    basis = kobl(K)
    N, d, r = len(X), len(basis.pivots), basis.residuals
    assert 0 < d < N
    assert all(r[k] / r[0] >= mp.mpf(k) / N for k in range(d))
    assert basis.rejected / r[0] < mp.mpf(d) / N
    assert reconstruction_cost(K, basis.coefficients) <= (N - d) * basis.rejected / N
    assert reconstruction_cost(K, basis.coefficients) < r[0] * d / N
    assert basis.pivots[0] == 0
    assert basis.decisions.ties[0].candidates == tuple(range(N))
    assert basis.decisions.hazardous_ties() == []
    assert 0 < basis.margin < 1
    assert kobl(K, n_components=2).pivots == basis.pivots[:2]


def test_kobl_by_hand():
    basis = kobl(diagonal_kernel(4, 1, 9))
    assert basis.pivots == [2, 0]
    assert list(basis.residuals) == [3, 2]
    assert basis.rejected == 1
    assert basis.coefficients[2, 0] == mp.mpf(1) / 3
    assert basis.coefficients[0, 1] == mp.mpf(1) / 2
    assert small(
        basis.margin - mp.mpf(5) / 9
    )  # pivots 4 : 9 and 1 : 4, thresholds 0, 1/9 : 4/9 and 1/9 : 4/9
    accepted = kobl(diagonal_kernel(9, 1, 1))
    assert accepted.pivots == [0, 1]
    assert [t.where for t in accepted.decisions.ties] == [
        "pivot 1",
        "threshold 1",
    ]
    assert kobl(diagonal_kernel(9, 1, 1), f=lambda t: t * Fraction(1000001, 1000000)).pivots == [0]
    assert kobl(np.diag([9.0, 1.0, 1.0])).pivots == [0, 1]
    assert kobl(diagonal_kernel(0, 0)).pivots == []


def test_kobl_ties_follow_the_interchanged_columns():
    K = diagonal_kernel(1, 1, 9, 1)
    assert kobl(K, f=lambda t: 0 * t).pivots == [2, 1, 0, 3]
    assert kobl(K, f=lambda t: 0 * t, tie_index="sample").pivots == [2, 0, 1, 3]


def test_kobl_on_fractions_equals_kobl_on_mpf():
    for kernel in ("linear", "poly"):
        exact = kobl(kernel_matrix(X, None, kernel, exact=True))
        rounded = kobl(kernel_matrix(X, None, kernel))
        assert exact.pivots == rounded.pivots
        assert small(exact.coefficients - rounded.coefficients)
        assert all(isinstance(r2, Fraction) for r2 in exact.squared_residuals)
    ties = kobl(
        kernel_matrix([[1, 0], [0, 1], [3, 4], [0.6, 0.8]], None, "linear", exact=True), f=lambda t: 0 * t
    )
    assert ties.pivots[0] == 2
    assert len(ties.pivots) == 2


def test_kobl_nearly_singular():
    K = kernel_matrix(X, gamma=1e-4)
    A = kobl(K, f=lambda t: 0 * t).coefficients
    assert A.shape == (14, 14)
    assert small(A.T.dot(K).dot(A) - identity(14), 1e-40)


def test_kgs_is_qr_in_sample_order():
    K = kernel_matrix(X, None, "linear")
    basis = kgs(K)
    assert basis.pivots == [0, 1, 2, 3]
    assert basis.skipped == list(range(4, 14))
    _, R = np.linalg.qr(X[:4].T)
    np.testing.assert_allclose(to_float(basis.residuals), np.abs(np.diag(R)), rtol=1e-9)
    np.testing.assert_allclose(np.abs(to_float(features(K, basis.coefficients)))[:4], np.abs(R.T), atol=1e-9)
    K = kernel_matrix(np.vstack([X[:2], X[:1], X[2:]]))
    basis = kgs(K)
    assert basis.skipped == [2]
    assert len(basis.pivots) == 14
    assert basis.decisions.scale_margin < 1
    assert kgs(K, 3).pivots == [0, 1, 3]
    assert small(basis.coefficients.T.dot(K).dot(basis.coefficients) - identity(14))


def test_cost_by_hand():
    K = kernel_matrix([[1, 0], [0, 2]], None, "linear")
    unit, double, repeated = [[1], [0]], [[2], [0]], [[1, 2], [0, 0]]
    for A in (unit, double, repeated):
        assert list(reconstruction_errors(K, A)) == [0, 2]
        assert reconstruction_cost(K, A) == 1
    assert list(reconstruction_errors(K, double, form="printed")) == [3, 2]
    assert reconstruction_cost(K, unit, form="printed") == 1
    C = kernel_matrix([[3, 4]], [[1, 0], [0, 2]], "linear")
    assert reconstruction_cost(K, unit, C, [25]) == 4
    assert reconstruction_cost(K, np.empty((2, 0), dtype=object)) == mp.mpf(3) / 2
    # centered samples are +-(1/2, -1); the direction is their difference, so both lie on the line
    assert reconstruction_cost(K, [[1], [-1]], about_mean=True) == 0
    # (3, 4) - (1/2, 1) = (5/2, 3); distance from the line through (1, -2) is (5 + 3) / sqrt(5)
    assert small(reconstruction_cost(K, [[1], [-1]], C, [25], about_mean=True) - 8 / mp.sqrt(5))


def test_cost_is_the_least_squares_distance():
    A = RNG.normal(size=(14, 2))
    K, C = kernel_matrix(X, None, "linear"), kernel_matrix(NEW, X, "linear")
    diagonal = kernel_diagonal(NEW, "linear")
    for about_mean in (False, True):
        shift = X.mean(axis=0) if about_mean else 0
        W = (X - shift).T @ A
        residual = (NEW - shift).T - W @ np.linalg.lstsq(W, (NEW - shift).T, rcond=None)[0]
        cost = reconstruction_cost(K, A, C, diagonal, about_mean)
        np.testing.assert_allclose(float(cost), np.linalg.norm(residual, axis=0).mean(), rtol=1e-10)


def test_kpca_identities():
    K = kernel_matrix(X, None, "linear")
    result = kpca(K)
    A = result.coefficients
    Kc = center_kernel(K)
    assert A.shape == (14, 4)
    assert small(A.T.dot(Kc).dot(A) - identity(4))
    assert small(sum(A))
    np.testing.assert_allclose(to_float(result.values), np.linalg.svd(X - X.mean(axis=0))[1] ** 2, rtol=1e-10)
    F = kpca_features(K, K, A)
    assert small(F.T.dot(F) - np.diag(result.values))
    assert small(F.dot(F.T) - Kc)
    assert small(reconstruction_cost(K, A, about_mean=True), 1e-35)
    K = kernel_matrix(X, gamma=0.3)
    full = kpca(K)
    assert full.coefficients.shape == (14, 13)
    assert reconstruction_cost(K, full.coefficients) > 0.01
    assert small(reconstruction_cost(K, full.coefficients, about_mean=True), 1e-35)
    two = kpca(K, 2)
    errors = reconstruction_errors(K, two.coefficients, about_mean=True)
    assert small(sum(e**2 for e in errors) - sum(full.values[2:]))
    assert two.margin > 0
    assert kpca(K, center=False).coefficients.shape == (14, 14)


def test_kda_by_hand():
    result = kda(np.eye(2), [0, 1], 0.5)
    assert small(result.values - 4)
    assert small(abs(result.coefficients) - 1)
    assert small(sum(result.coefficients))


@pytest.mark.parametrize("y", [Y2, Y3])
def test_kda_stationary(y):
    K, mu = kernel_matrix(X, gamma=0.3), 1e-3
    result = kda(K, y, mu)
    M, within = kda_matrices(K, y)
    S, A = within + mp.mpf(mu) * identity(14), result.coefficients
    assert A.shape == (14, len(set(y)) - 1)
    assert small(A.T.dot(S).dot(A) - identity(A.shape[1]))
    assert small(M.dot(A) - S.dot(A) * result.values)
    if A.shape[1] == 1:
        difference = sum(K[:, i] for i in range(0, 14, 2)) / 7 - sum(K[:, i] for i in range(1, 14, 2)) / 7
        solved = mp.lu_solve(mp.matrix(S.tolist()), mp.matrix(list(difference)))
        assert small(result.values[0] - sum(d * s for d, s in zip(difference, solved, strict=False)))
        weighted = kda(K, y, mu, between="weighted")
        assert small(weighted.values - result.values * mp.mpf(49) / 14)
        assert small(weighted.coefficients - A)


@pytest.mark.parametrize("y", [Y2, Y3])
def test_gda_stationary(y):
    K, rho = kernel_matrix(X, gamma=0.3), mp.mpf("1e-2")
    result = gda(K, y, rho)
    Kc, A = center_kernel(K), result.coefficients
    W = mp_array([[Fraction(int(a == b), int(np.sum(y == a))) for b in y] for a in y])
    assert A.shape == (14, len(set(y)) - 1)
    assert small(sum(A))
    assert small([A[:, i].dot(Kc).dot(A[:, i]) - 1 for i in range(A.shape[1])])
    assert small(Kc.dot(W).dot(Kc).dot(A) - (Kc.dot(Kc) + rho * Kc).dot(A) * result.values)
    assert small(gda_features(K, K, A) - Kc.dot(A))
    assert all(0 < v < 1 for v in result.values)
    assert result.margin > 0


def test_gda_with_linear_kernel_is_lda():
    result = gda(kernel_matrix(X, None, "linear"), Y3, 0)
    Xc = X - X.mean(axis=0)
    between = sum(np.sum(c == Y3) * np.outer(m, m) for c in range(3) for m in [Xc[c == Y3].mean(axis=0)])
    ratios, directions = scipy.linalg.eigh(between, Xc.T @ Xc)
    np.testing.assert_allclose(to_float(result.values), ratios[::-1][:2], rtol=1e-10)
    w = Xc.T @ to_float(result.coefficients)
    np.testing.assert_allclose(np.linalg.norm(w, axis=0), 1, rtol=1e-10)
    cosines = np.sum(w * directions[:, ::-1][:, :2], axis=0) / np.linalg.norm(
        directions[:, ::-1][:, :2], axis=0
    )
    np.testing.assert_allclose(np.abs(cosines), 1, rtol=1e-9)
    C = kernel_matrix(NEW, X, "linear")
    K = kernel_matrix(X, None, "linear")
    projected = to_float(gda_features(C, K, result.coefficients))
    np.testing.assert_allclose(projected, (NEW - X.mean(axis=0)) @ w, atol=1e-9)
