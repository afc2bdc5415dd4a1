"""Kernel orthogonal basis learning against its exact version, and its stopping criterion."""

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose

from featsieve import KernelOrthogonalBasis, TAKESTransformer
from featsieve.kernel_space.kernels import KernelColumns

from .cases import make_samples, raises_error, rbf_callable
from .exact_data import (
    COST_RTOL,
    KERNELS,
    assert_close,
    check_basis,
    kernels,
    over_data,
    samples,
    skip_if_rounding_decides,
    symmetric_samples,
)

THRESHOLDS = {"t": lambda t: t, "t^2": lambda t: t**2, "sqrt t": lambda t: t**0.5}


@over_data
@pytest.mark.parametrize("kernel", ["rbf", "wide rbf", "laplacian", "polynomial"])
def test_matches_exact_version(data, kernel):
    expected = exact.kobl(kernels(data, kernel)[0], tie_index="sample")
    skip_if_rounding_decides(expected.decisions)
    basis = KernelOrthogonalBasis(**KERNELS[kernel]).fit(samples(data).X)
    assert basis.n_components_ > 1
    check_basis(basis, expected, data, kernel)
    fitted = KernelOrthogonalBasis(**KERNELS[kernel]).fit_transform(samples(data).X)
    assert_close(fitted, exact.features(kernels(data, kernel)[0], expected.coefficients))


@pytest.mark.parametrize("f", ["t^2", "sqrt t"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial"])
@pytest.mark.parametrize("data", ["wine", "digits"])
def test_other_thresholds_match_exact_version(data, kernel, f):
    expected = exact.kobl(kernels(data, kernel)[0], THRESHOLDS[f], tie_index="sample")
    skip_if_rounding_decides(expected.decisions)
    basis = KernelOrthogonalBasis(threshold=THRESHOLDS[f], **KERNELS[kernel]).fit(samples(data).X)
    check_basis(basis, expected, data, kernel)


@over_data
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_dimension_is_the_rank_without_a_threshold(data, kernel):
    """Without a threshold, the basis ends when the exact residual is zero."""
    X = samples(data).X
    expected = exact.kobl(kernels(data, kernel)[0], lambda t: 0 * t, tie_index="sample")
    skip_if_rounding_decides(expected.decisions)
    assert len(expected.pivots) == X.shape[1]
    basis = KernelOrthogonalBasis(threshold=lambda t: 0.0, **KERNELS[kernel]).fit(X)
    check_basis(basis, expected, data, kernel)


@pytest.mark.parametrize("limit", [1, 5, 40])
def test_n_components_limits_the_dimension(limit):
    expected = exact.kobl(kernels("wine", "rbf")[0], n_components=limit, tie_index="sample")
    skip_if_rounding_decides(expected.decisions)
    basis = KernelOrthogonalBasis(n_components=limit, **KERNELS["rbf"]).fit(samples("wine").X)
    check_basis(basis, expected, "wine", "rbf")


@pytest.mark.parametrize(
    ("kernel", "function"),
    [
        ("rbf", lambda a, b: np.exp(-0.05 * np.sum((a - b) ** 2))),
        ("polynomial", lambda a, b: (0.1 * (a @ b) + 1) ** 2),
    ],
)
def test_precomputed_and_callable_kernels_match_exact_version(kernel, function):
    split, (K, C, _) = samples("wine"), kernels("wine", kernel)
    expected = exact.kobl(K, tie_index="sample")
    skip_if_rounding_decides(expected.decisions)
    precomputed = KernelOrthogonalBasis(kernel="precomputed").fit(exact.to_float(K))
    callable_kernel = KernelOrthogonalBasis(kernel=function).fit(split.X)
    features = exact.features(C, expected.coefficients)
    for basis, new in ((precomputed, exact.to_float(C)), (callable_kernel, split.new)):
        assert basis.pivots_.tolist() == expected.pivots
        assert_close(basis.transform(new), features)
        cost = exact.reconstruction_cost(K, expected.coefficients)
        assert_allclose(basis.reconstruction_cost_, float(cost), rtol=COST_RTOL)


@pytest.mark.parametrize("f", THRESHOLDS)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_first_of_equal_residuals_is_chosen(kernel, f):
    X = symmetric_samples()
    options = {"kernel": kernel, "gamma": 0.25, "degree": 2}
    K = exact.kernel_matrix(X, exact=kernel != "rbf", **options)
    expected = exact.kobl(K, THRESHOLDS[f], tie_index="sample")
    skip_if_rounding_decides(expected.decisions)
    assert len(expected.decisions.ties) > 1
    basis = KernelOrthogonalBasis(threshold=THRESHOLDS[f], **options).fit(X)
    assert basis.pivots_.tolist() == expected.pivots
    assert_close(basis.residuals_, expected.residuals)


@pytest.mark.parametrize(
    "f",
    [
        lambda t: 1 - t,
        lambda t: np.nan,
        lambda t: "half",
        lambda t: None,
        lambda t: [t, t],
        lambda t: 2.0,
        lambda t: 1j,
    ],
    ids=["decreasing", "nan", "string", "None", "two", "above one", "complex"],
)
@pytest.mark.parametrize("estimator", [KernelOrthogonalBasis, TAKESTransformer])
def test_invalid_threshold_functions_are_rejected(estimator, f):
    X, y = make_samples()
    with raises_error("threshold"):
        estimator(gamma=0.3, threshold=f).fit(X, y)


@pytest.mark.parametrize("value", ["quadratic", 0.5, None])
def test_invalid_thresholds_are_rejected(value):
    with raises_error("threshold"):
        KernelOrthogonalBasis(threshold=value).fit(make_samples()[0])


def test_negative_threshold_is_rejected_or_reaches_the_rank():
    X, _ = make_samples()
    try:
        basis = KernelOrthogonalBasis("linear", threshold=lambda t: t - 2).fit(X)
    except ValueError as error:
        assert "threshold" in str(error)  # noqa: PT017
    else:
        assert basis.n_components_ == X.shape[1]


def test_rounding_of_a_float32_kernel_matrix():
    X, _ = make_samples()
    K = (X @ X.T).astype(np.float32)
    basis = KernelOrthogonalBasis("precomputed", threshold=lambda t: 0.0).fit(K)
    assert basis.n_components_ == 5


def test_only_diagonal_and_pivot_columns_are_computed(wine, monkeypatch):
    X = wine[0]
    columns = []
    original = KernelColumns.__getitem__
    monkeypatch.setattr(KernelColumns, "__getitem__", lambda self, i: columns.append(i) or original(self, i))
    basis = KernelOrthogonalBasis().fit(X)
    assert columns == basis.pivots_.tolist()
    calls = []
    KernelOrthogonalBasis(lambda x, z: calls.append(1) or rbf_callable(x, z), n_components=5).fit(X)
    assert len(calls) == len(X) * 6
