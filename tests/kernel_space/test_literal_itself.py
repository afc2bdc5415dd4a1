"""The literal versions among themselves: identities that hold whatever featsieve does."""

import numpy as np
import pytest
from literal import kernel_space as literal
from literal import scores
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import PolynomialFeatures, scale

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def same_up_to_scale(a, b, tolerance=1e-6):
    """Columns of a and b point the same way, or exactly opposite."""
    assert a.shape == b.shape
    cosine = np.sum(a * b, axis=0) / np.linalg.norm(a, axis=0) / np.linalg.norm(b, axis=0)
    assert_allclose(np.abs(cosine), 1, atol=tolerance)


@pytest.mark.parametrize("f", [lambda t: t, np.square, np.sqrt], ids=["t", "t^2", "sqrt t"])
def test_kobl_is_a_pivoted_cholesky_factor(wine, f):
    K = rbf_kernel(wine[0], gamma=0.05)
    pivots, residuals, A = literal.kobl(K, f)
    R = literal.features(K, A)
    assert_allclose(A.T @ K @ A, np.eye(len(pivots)), **TIGHT)
    assert_allclose(R[pivots] @ R[pivots].T, K[np.ix_(pivots, pivots)], **TIGHT)
    assert_allclose(np.diag(R[pivots]), residuals, **TIGHT)
    assert_allclose(np.triu(R[pivots], 1), 0, atol=1e-8)
    left = np.sqrt(np.maximum(np.diag(K) - np.sum(R**2, axis=1), 0))
    assert_allclose(literal.reconstruction_cost(K, A), np.mean(left), atol=1e-6)


def test_kgs_is_a_cholesky_factor(wine):
    K = rbf_kernel(wine[0], gamma=1.0)
    pivots, residuals, A = literal.kgs(K)
    assert pivots.tolist() == list(range(len(K)))
    assert_allclose(literal.features(K, A), np.linalg.cholesky(K), **TIGHT)
    assert_allclose(residuals, np.diag(np.linalg.cholesky(K)), **TIGHT)


def test_reconstruction_of_a_basis_that_is_not_orthonormal(wine):
    """The cost belongs to the span: mixing and stretching the base vectors does not change it."""
    K = rbf_kernel(wine[0], gamma=0.05)
    _, _, A = literal.kobl(K, n_components=12)
    mixed = A @ np.random.default_rng(0).normal(size=(12, 12))
    assert_allclose(literal.reconstruction_cost(K, mixed), literal.reconstruction_cost(K, A), rtol=1e-8)


def test_kpca(wine):
    X, _ = wine
    K = rbf_kernel(X[:120], gamma=0.05)
    values, A = literal.kpca(K, 6)
    theirs = KernelPCA(6, kernel="rbf", gamma=0.05).fit(X[:120])
    assert_allclose(values, theirs.eigenvalues_, **TIGHT)
    C = literal.centred(rbf_kernel(X[120:], X[:120], gamma=0.05), K)
    assert_allclose(np.abs(literal.features(C, A)), np.abs(theirs.transform(X[120:])), **TIGHT)


@pytest.mark.parametrize("classes", [2, 3])
def test_discriminants_in_the_feature_space_and_through_the_kernel(wine, classes):
    X, y = wine[0][wine[1] < classes, :4], wine[1][wine[1] < classes]
    Phi = PolynomialFeatures(2).fit_transform(X)
    K = Phi @ Phi.T
    new = PolynomialFeatures(2).fit_transform(X[::7] + 0.1)
    w, a = literal.kda_explicit(Phi, y, 0.1), literal.kda(K, y, 0.1, penalty="norm")
    same_up_to_scale(new @ w, new @ Phi.T @ a)
    w, a = literal.gda_explicit(Phi, y, 0.1), literal.gda(K, y, 0.1, penalty="norm")
    same_up_to_scale((new - np.mean(Phi, axis=0)) @ w, literal.centred(new @ Phi.T, K) @ a)
    if classes == 2:
        same_up_to_scale(literal.kda(K, y, 0.1), literal.kda_two(K, y, 0.1)[:, None])


def test_kffs_by_hand():
    """Two features that err on one of four samples each."""
    y = np.array([0, 0, 1, 1])
    F = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 9.0], [1.1, 2.0]])
    assert literal.weak_votes(F[:, 0], y).argmax(axis=1).tolist() == [0, 1, 1, 1]
    assert literal.weak_votes(F[:, 1], y).argmax(axis=1).tolist() == [0, 0, 1, 0]
    order, gamma = literal.kffs(F, y)
    # both err once: the first is chosen; then c = (1, 3, 1, 1)/6, and samples 1 and 3 have one vote for
    # each class: error (3 + 1)/12
    assert order.tolist() == [0, 1]
    assert_allclose(gamma, np.log([3, 2]))


def test_kffs_does_not_depend_on_the_names_of_the_classes(wine):
    X, y = wine
    order, gamma = literal.kffs(X, y)
    renamed = literal.kffs(X, np.array(["z", "m", "a"])[y])
    assert np.array_equal(renamed[0], order)
    assert_allclose(renamed[1], gamma, **TIGHT)


def test_kffs_a_perfect_feature_has_a_finite_weight():
    y = np.array([0, 0, 1, 1, 2, 2])
    F = np.array([[0.0, 0], [0, 0], [5, 0], [5, 0], [0, 9], [0, 9]])
    order, gamma = literal.kffs(F, y)
    assert sorted(order) == [0, 1]
    assert np.all(np.isfinite(gamma))


def test_relief_is_relieff_with_one_neighbour(wine):
    X, y = wine
    assert_allclose(literal.relief(X, y, scaled=True, power=1), scores.relieff(X, y, 1), **TIGHT)


def test_knnc_with_a_linear_kernel_is_nearest_neighbours(wine):
    X, y = wine
    train, new = X[::2], X[1::2]
    for k in (1, 3):
        found = literal.knnc(train @ train.T, y[::2], new @ train.T, np.sum(new**2, axis=1), k)
        assert np.array_equal(found, KNeighborsClassifier(k).fit(train, y[::2]).predict(new))
