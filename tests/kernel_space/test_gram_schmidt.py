"""Kernel Gram-Schmidt against its exact version and the Cholesky factor."""

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import scale

from featsieve import KernelGramSchmidt, kernel_reconstruction_cost

from .exact_data import (
    KERNELS,
    assert_close,
    check_basis,
    kernels,
    samples,
    skip_if_rounding_decides,
    symmetric_samples,
)


@pytest.mark.parametrize("n_components", [None, 1, 9])
@pytest.mark.parametrize(("data", "kernel"), [("wine", "rbf"), ("synthetic", "laplacian")])
def test_matches_exact_version(data, kernel, n_components):
    expected = exact.kgs(kernels(data, kernel)[0], n_components)
    skip_if_rounding_decides(expected.decisions)
    basis = KernelGramSchmidt(n_components=n_components, **KERNELS[kernel]).fit(samples(data).X)
    check_basis(basis, expected, data, kernel)


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_samples_in_the_span_are_skipped(kernel):
    expected = exact.kgs(kernels("wine", kernel)[0])
    skip_if_rounding_decides(expected.decisions)
    assert expected.skipped
    check_basis(KernelGramSchmidt(**KERNELS[kernel]).fit(samples("wine").X), expected, "wine", kernel)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_copies_are_skipped(kernel):
    X = symmetric_samples()
    options = {"kernel": kernel, "gamma": 0.25, "degree": 2}
    expected = exact.kgs(exact.kernel_matrix(X, exact=kernel != "rbf", **options))
    skip_if_rounding_decides(expected.decisions)
    assert len(expected.skipped) >= 5
    basis = KernelGramSchmidt(**options).fit(X)
    assert basis.pivots_.tolist() == expected.pivots
    assert_close(basis.residuals_, expected.residuals)


def test_coordinates_of_independent_samples_are_the_cholesky_factor():
    X = np.random.default_rng(0).standard_normal((50, 6))
    basis = KernelGramSchmidt("rbf", gamma=0.5).fit(X)
    L = np.linalg.cholesky(pairwise_kernels(X, metric="rbf", gamma=0.5))
    assert_allclose(basis.transform(X), L, atol=1e-10)
    assert_allclose(kernel_reconstruction_cost(basis, X), 0, atol=1e-6)


@pytest.mark.parametrize("gamma", [0.25, 0.001])
def test_nearly_dependent_samples(gamma):
    """Small residuals of a positive kernel must not be reported as negative."""
    X = scale(load_iris().data)
    K = pairwise_kernels(X, metric="poly", degree=3, gamma=gamma)
    model = KernelGramSchmidt("poly", degree=3, gamma=gamma).fit(X)
    F = model.transform(X)
    assert_allclose(F @ F.T, K, atol=1e-5 * K.max())
