"""Bases computed from samples: degenerate kernels, outliers, evaluations and memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import hilbert
from sklearn.metrics.pairwise import pairwise_kernels

from featsieve import KernelGramSchmidt, KernelOrthogonalBasis, kernel_reconstruction_cost

from .cases import BASES, make_samples, raises_error, rbf_matrix


@pytest.mark.parametrize("metric", ["rbf", "poly", "linear"])
def test_full_basis_reproduces_the_kernel_matrix(metric):
    X = np.random.default_rng(0).standard_normal((30, 4))
    K = pairwise_kernels(X, metric=metric, gamma=0.5, filter_params=True)
    full = KernelOrthogonalBasis(metric, gamma=0.5, threshold=lambda t: 0.0)
    for basis in (full, KernelGramSchmidt(metric, gamma=0.5)):
        F = basis.fit_transform(X)
        assert_allclose(F @ F.T, K, rtol=1e-6, atol=1e-6 * K.max())
        assert_allclose(kernel_reconstruction_cost(basis, X), 0, atol=1e-6 * np.sqrt(K.max()))


@pytest.mark.parametrize("estimator", BASES)
def test_duplicate_samples_add_no_vector(estimator):
    X, _ = make_samples()
    once, twice = estimator(gamma=0.5).fit(X), estimator(gamma=0.5).fit(np.concatenate([X, X, X]))
    assert len(np.unique(np.concatenate([X, X, X])[twice.pivots_], axis=0)) == twice.n_components_
    assert twice.n_components_ <= len(X)
    assert np.all(np.isfinite(twice.transform(X)))
    if estimator is KernelGramSchmidt:
        assert np.array_equal(once.pivots_, twice.pivots_)
        assert_allclose(once.transform(X), twice.transform(X), atol=1e-8)


@pytest.mark.parametrize("estimator", BASES)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "cosine"])
def test_equal_samples_have_one_base_vector(estimator, kernel):
    X = np.full((12, 3), 2.5)
    model = estimator(kernel=kernel).fit(X)
    assert model.n_components_ == 1
    assert model.pivots_.tolist() == [0]
    assert_allclose(model.reconstruction_cost_, 0, atol=1e-7)
    assert_allclose(model.transform(X), model.residuals_[0])


@pytest.mark.parametrize("estimator", BASES)
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_zero_kernel_is_rejected(estimator, kernel):
    with raises_error("kernel"):
        estimator(kernel=kernel).fit(np.zeros((5, 3)))


@pytest.mark.parametrize("estimator", BASES)
def test_one_sample(estimator):
    model = estimator().fit([[1.0, 2.0, 3.0]])
    assert model.n_components_ == 1
    assert model.transform([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]).shape == (2, 1)
    assert model.reconstruction_cost_ == 0


@pytest.mark.parametrize("estimator", BASES)
def test_two_samples(estimator):
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    model = estimator(gamma=1.0).fit(X)
    assert model.pivots_.tolist() == [0, 1]
    c = np.exp(-1)
    assert_allclose(model.transform(X), [[1, 0], [c, np.sqrt(1 - c**2)]])


@pytest.mark.parametrize("estimator", BASES)
def test_duplicates_are_recognized_for_any_gamma(estimator):
    X = np.repeat(make_samples(10)[0] + 100, 3, axis=0)
    for gamma in (1e-3, 1.0, 1e6, 1e15):
        assert estimator(gamma=gamma).fit(X).n_components_ <= 10


@pytest.mark.parametrize("estimator", BASES)
def test_negative_diagonal_is_rejected(estimator):
    with raises_error("kernel", "positive"):
        estimator(kernel="precomputed").fit(-np.eye(4))
    with raises_error("kernel", "positive"):
        estimator(kernel="precomputed").fit(np.diag([1.0, 1.0, -0.5]))


@pytest.mark.parametrize("estimator", BASES)
def test_negative_residual_is_rejected(estimator):
    K = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.9]])
    with raises_error("kernel", "positive"):
        estimator(kernel="precomputed").fit(K)


def test_indefinite_kernel_is_rejected_or_its_features_are_finite():
    X, _ = make_samples()
    for gamma in (0.1, 1.0, 10.0):
        try:
            F = KernelOrthogonalBasis("sigmoid", gamma=gamma, coef0=-1).fit_transform(X)
        except ValueError as error:
            assert "kernel" in str(error)  # noqa: PT017
        else:
            assert np.all(np.isfinite(F))


@pytest.mark.parametrize("estimator", BASES)
def test_kernel_positive_up_to_rounding(estimator):
    X, _ = make_samples()
    for K in (X @ X.T - 1e-13 * np.eye(len(X)), hilbert(100), pairwise_kernels(X, metric="rbf", gamma=1e-7)):
        model = estimator(kernel="precomputed").fit(K)
        F = model.transform(K)
        assert np.all(np.isfinite(F))
        assert_allclose(
            model.reconstruction_cost_,
            np.mean(np.sqrt(np.maximum(np.diag(K) - np.sum(F**2, 1), 0))),
            atol=1e-3,
        )


@pytest.mark.parametrize("estimator", BASES)
def test_number_of_kernel_evaluations(estimator):
    X, _ = make_samples(50)
    calls = []

    def kernel(a, b):
        calls.append(1)
        return np.exp(-0.1 * np.sum((a - b) ** 2))

    model = estimator(kernel=kernel, n_components=4).fit(X)
    assert model.n_components_ == 4
    assert len(calls) <= 50 * (4 + 1)
    calls.clear()
    model.transform(X[:10])
    assert len(calls) <= 10 * (4 + 1)


@pytest.mark.parametrize("estimator", BASES)
def test_more_components_than_samples(estimator):
    X, _ = make_samples(8)
    model = estimator(gamma=1.0, n_components=500).fit(X)
    assert model.n_components_ <= 8
    assert np.all(np.isfinite(model.transform(X)))


@pytest.mark.parametrize("estimator", BASES)
def test_outlier_does_not_change_the_kernel_of_other_samples(estimator):
    X = make_samples()[0] * 1e-3
    X[7] = 1e30
    K = rbf_matrix(X, X, 1e4)
    options = {} if estimator is not KernelOrthogonalBasis else {"threshold": lambda t: 0.0}
    basis = estimator(gamma=1e4, **options).fit(X)
    F = basis.transform(X)
    assert_allclose(F @ F.T, K, atol=1e-6)
    assert_allclose(basis.fit_transform(X), F, atol=1e-6)


MEMORY_SCRIPT = """
import numpy as np
from featsieve import KernelOrthogonalBasis

def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))

X = np.random.default_rng(0).standard_normal((100_000, 50))
KernelOrthogonalBasis(n_components=5).fit(X[:500])
before = memory("VmRSS")
with open("/proc/self/clear_refs", "w") as switch:
    switch.write("5")  # reset the peak
assert KernelOrthogonalBasis(n_components=300).fit(X).n_components_ == 300
print(memory("VmHWM") - before)
"""


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="peak memory is read from /proc of Linux"
)
@pytest.mark.slow
def test_peak_memory_is_that_of_the_factor():
    run = subprocess.run([sys.executable, "-c", MEMORY_SCRIPT], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    factor = 100_000 * 300 * 8 / 2**20
    assert factor < float(run.stdout) < factor + 250
