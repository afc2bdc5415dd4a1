"""Discriminant directions solve their generalized eigenproblems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn.metrics.pairwise import rbf_kernel

from featsieve.kernel_space import generalized_discriminants, kernel_discriminants


@pytest.fixture(params=[2, 4])
def problem(request):
    """A kernel matrix, classes, and the matrix W with 1 / n_c between samples of a class."""
    rng = np.random.default_rng(request.param)
    y = np.arange(30) % request.param
    X = rng.standard_normal((30, 3)) + y[:, None]
    counts = np.bincount(y)
    return rbf_kernel(X, gamma=0.3), y, (y[:, None] == y) / counts[y]


def test_ratios_of_kernel_discriminants_are_eigenvalues(problem):
    K, y, W = problem
    n, n_directions = len(K), y.max()
    between, within = K @ (W - 1 / n) @ K, K @ (np.eye(n) - W) @ K
    regularized = within + 0.1 * np.trace(within) / n * np.eye(n)
    coefficients, ratios = kernel_discriminants(K, y, reg=0.1)
    expected = eigh(between, regularized, eigvals_only=True)[::-1][:n_directions]
    assert_allclose(ratios, expected, rtol=1e-8)
    assert_allclose(coefficients.T @ regularized @ coefficients, np.eye(n_directions), atol=1e-8)
    assert_allclose(coefficients.T @ between @ coefficients, np.diag(ratios), atol=1e-8)


def test_ratios_of_generalized_discriminants_are_eigenvalues(problem):
    K, y, W = problem
    n, n_directions = len(K), y.max()
    H = np.eye(n) - 1 / n
    centered = H @ K @ H
    ridge = 0.1 * np.trace(centered) / n
    denominator = centered @ centered + ridge * centered
    values, vectors = np.linalg.eigh(centered)
    basis = vectors[:, values > 1e-9 * values[-1]]
    expected = eigh(
        basis.T @ centered @ W @ centered @ basis, basis.T @ denominator @ basis, eigvals_only=True
    )[::-1][:n_directions]
    coefficients, ratios = generalized_discriminants(K, y, reg=0.1)
    assert_allclose(ratios, expected, rtol=1e-6)
    assert_allclose(np.diag(coefficients.T @ centered @ coefficients), 1, rtol=1e-8)
    assert_allclose(coefficients.sum(axis=0), 0, atol=1e-10)


@pytest.mark.parametrize("discriminants", [kernel_discriminants, generalized_discriminants])
def test_signs_and_number_of_directions(discriminants, problem):
    K, y, _ = problem
    coefficients, ratios = discriminants(K, y, n_components=1)
    assert coefficients.shape == (30, 1)
    assert ratios.shape == (1,)
    assert coefficients[np.abs(coefficients).argmax()] > 0
    n_classes = y.max() + 1
    with pytest.raises(
        ValueError, match=rf"less than the number of classes \({n_classes}\); got {n_classes}"
    ):
        discriminants(K, y, n_components=n_classes)


def test_a_constant_added_to_the_kernel_has_no_effect_on_centered_directions(problem):
    K, y, _ = problem
    expected = generalized_discriminants(K, y)
    shifted = generalized_discriminants(K + 3, y)
    assert_allclose(shifted[0], expected[0], rtol=1e-7, atol=1e-9)
    assert_allclose(shifted[1], expected[1], rtol=1e-9)


def test_indefinite_kernels_are_rejected():
    K = np.diag([1.0, 1, -1, -1])
    with pytest.raises(ValueError, match="must be positive semi-definite"):
        generalized_discriminants(K, [0, 0, 1, 1])
