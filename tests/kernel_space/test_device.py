"""KOBL of tensors and arrays: the same base vectors, distances and coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import KernelOrthogonalBasis, TAKESTransformer
from featsieve.kernel_space.device import DEVICE_KERNELS

from .cases import raises_error

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()


def make_data(dtype=np.float64):
    return (np.random.default_rng(0).normal(size=(70, 6)) + 2).astype(dtype)


def fit_both(X, device="cpu", **parameters):
    tensor = torch.asarray(X, device=device)
    return KernelOrthogonalBasis(**parameters).fit(X), KernelOrthogonalBasis(**parameters).fit(tensor)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", sorted(DEVICE_KERNELS - {"sigmoid"}))
def test_bases_of_tensors_and_arrays_are_equal(kernel, dtype, device):
    X, rtol = make_data(dtype), 1e-10 if dtype == np.float64 else 1e-6
    expected, basis = fit_both(X, device, kernel=kernel, n_components=5)
    assert basis.n_components_ > 2
    assert_array_equal(basis.pivots_, expected.pivots_)
    assert_allclose(basis.residuals_, expected.residuals_, rtol=1e-9)
    assert_allclose(basis.reconstruction_cost_, expected.reconstruction_cost_, rtol=1e-9)
    assert_array_equal(basis.basis_, expected.basis_)
    for coordinates in (basis.transform, basis.fit_transform):
        actual = coordinates(torch.asarray(X[:40] if coordinates == basis.transform else X, device=device))
        assert actual.device.type == device
        known = expected.transform(X)[: len(actual)]
        assert actual.cpu().numpy().dtype == dtype
        assert_allclose(actual.cpu().numpy(), known, rtol=0, atol=rtol * np.abs(known).max())


@pytest.mark.parametrize("gamma", ["scale", "median", None, 0.3])
def test_gamma_of_tensors_and_arrays_is_equal(gamma):
    expected, basis = fit_both(make_data(), gamma=gamma)
    assert_allclose(basis.gamma_, expected.gamma_, rtol=1e-12)


def test_dimension_can_be_chosen():
    expected, basis = fit_both(make_data(), gamma="dimension", n_components=9)
    assert basis.n_components_ == 9
    assert_allclose(basis.gamma_, expected.gamma_, rtol=1e-12)


def test_a_basis_of_one_kind_transforms_the_other():
    X = make_data()
    expected, basis = fit_both(X)
    assert_allclose(basis.transform(X), expected.transform(X), atol=1e-12)
    assert_allclose(expected.transform(torch.asarray(X)).numpy(), expected.transform(X), atol=1e-12)


def test_invalid_tensors_are_rejected():
    X = torch.asarray(make_data())
    with raises_error("kernel", "must be one of", "chi2"):
        KernelOrthogonalBasis("chi2").fit(X)
    with raises_error("kernel", "a callable"):
        KernelOrthogonalBasis(lambda x, y: 1.0).fit(X)
    with raises_error("expecting 6 features", "5 features"):
        KernelOrthogonalBasis().fit(X).transform(X[:, :5])
    with raises_error("got a tensor"):
        TAKESTransformer().fit(X, np.arange(70) % 2)
    with raises_error("kernel", "finite"):
        KernelOrthogonalBasis("poly", degree=400).fit(X * 100)
