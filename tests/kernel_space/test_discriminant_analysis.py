"""Kernel and generalized discriminant analysis."""

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler, scale

from featsieve import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelNearestNeighbor,
    kernel_reconstruction_cost,
)

from .cases import DISCRIMINANTS, make_samples, polynomial_features, raises_error, split_in_half
from .exact_data import (
    COST_RTOL,
    KERNELS,
    assert_close,
    assert_close_up_to_sign,
    kernels,
    samples,
    skip_if_rounding_decides,
)

over_ridges = pytest.mark.parametrize(
    ("data", "reg"),
    [("wine", 1e-3), ("wine", 0.1), ("breast cancer", 1e-3), ("digits", 0.1), ("synthetic", 1e-3)],
)


def exact_ridge(reg, matrix):
    """Compute ``reg`` times the mean eigenvalue in exact arithmetic."""
    return exact.mp.mpf(reg) * sum(matrix[i, i] for i in range(len(matrix))) / len(matrix)


@over_ridges
def test_kda_matches_exact_version(data, reg):
    split, (K, C, diagonal) = samples(data), kernels(data, "rbf")
    mu = exact_ridge(reg, exact.kda_matrices(K, split.y)[1])
    expected = exact.kda(K, split.y, mu, between="weighted")
    skip_if_rounding_decides(expected.decisions)
    model = KernelDiscriminantAnalysis(reg=reg, **KERNELS["rbf"]).fit(split.X, split.y)
    assert_close(model.ratios_, expected.values)
    F = exact.features(C, expected.coefficients)
    assert_close_up_to_sign(model.transform(split.new), F)
    cost = exact.reconstruction_cost(K, expected.coefficients, C, diagonal)
    assert_allclose(kernel_reconstruction_cost(model, split.new), float(cost), rtol=COST_RTOL)


def test_kda_of_two_classes_matches_published_form():
    """For two classes, the published scatter has the same direction and another norm."""
    split, (K, C, _) = samples("breast cancer"), kernels("breast cancer", "rbf")
    expected = exact.kda(K, split.y, exact_ridge(0.01, exact.kda_matrices(K, split.y)[1]), between="mika")
    model = KernelDiscriminantAnalysis(reg=0.01, **KERNELS["rbf"]).fit(split.X, split.y)
    assert_close_up_to_sign(model.transform(split.new), exact.features(C, expected.coefficients))


@over_ridges
def test_gda_matches_exact_version(data, reg):
    split, (K, C, diagonal) = samples(data), kernels(data, "rbf")
    expected = exact.gda(K, split.y, exact_ridge(reg, exact.center_kernel(K)))
    skip_if_rounding_decides(expected.decisions)
    model = GeneralizedDiscriminantAnalysis(reg=reg, **KERNELS["rbf"]).fit(split.X, split.y)
    assert_close(model.ratios_, expected.values)
    assert_close_up_to_sign(model.transform(split.new), exact.gda_features(C, K, expected.coefficients))
    A = expected.coefficients - expected.coefficients.mean(axis=0)
    for about_mean in (False, True):
        expected_cost = exact.reconstruction_cost(K, A, C, diagonal, about_mean)
        cost = kernel_reconstruction_cost(model, split.new, about_mean=about_mean)
        assert_allclose(cost, float(expected_cost), rtol=COST_RTOL)


def assert_parallel(a, b, tolerance=1e-6):
    """Check that the columns of a and b agree up to sign and norm."""
    assert a.shape == b.shape
    cosine = np.sum(a * b, axis=0) / np.linalg.norm(a, axis=0) / np.linalg.norm(b, axis=0)
    assert_allclose(np.abs(cosine), 1, atol=tolerance)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("analysis", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
def test_linear_kernel_with_a_small_ridge_is_linear_discriminant_analysis(analysis, load):
    X, y = load(return_X_y=True)
    X = scale(X[:, :8])
    coordinates = analysis("linear", reg=1e-10).fit_transform(X, y)
    expected = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).transform(X)
    assert coordinates.shape == (len(X), len(np.unique(y)) - 1)
    assert_parallel(coordinates - coordinates.mean(axis=0), expected - expected.mean(axis=0), 1e-5)


@pytest.mark.parametrize("analysis", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
def test_polynomial_kernel_is_linear_discriminant_analysis_of_monomials(analysis):
    X, y = load_wine(return_X_y=True)
    X = scale(X)[:, :4]
    coordinates = analysis("poly", degree=2, gamma=1.0, coef0=1, reg=1e-9).fit_transform(X, y)
    expected = LinearDiscriminantAnalysis(solver="eigen").fit(polynomial_features(X, 2)[:, 1:], y)
    expected = expected.transform(polynomial_features(X, 2)[:, 1:])
    assert_parallel(coordinates - coordinates.mean(axis=0), expected - expected.mean(axis=0), 1e-4)


@pytest.mark.parametrize("analysis", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
def test_first_component_separates_best(analysis):
    X, y = load_wine(return_X_y=True)
    F = analysis(reg=1e-3, gamma=0.02).fit_transform(scale(X), y)
    between = [sum(np.sum(y == c) * (f[y == c].mean() - f.mean()) ** 2 for c in range(3)) for f in F.T]
    within = [sum(np.sum((f[y == c] - f[y == c].mean()) ** 2) for c in range(3)) for f in F.T]
    ratio = np.array(between) / np.array(within)
    assert ratio[0] >= ratio[1] * (1 - 1e-6)
    first = analysis(reg=1e-3, gamma=0.02, n_components=1).fit_transform(scale(X), y)
    assert_parallel(first, F[:, :1])


@pytest.mark.parametrize("estimator", DISCRIMINANTS)
def test_n_components_is_less_than_the_number_of_classes(estimator):
    X, y = make_samples()
    assert estimator(n_components=1).fit(X, y).transform(X).shape == (len(X), 1)
    try:
        F = estimator(n_components=9).fit(X, y).transform(X)
    except ValueError as error:
        assert "n_components" in str(error)  # noqa: PT017
    else:
        assert F.shape == (len(X), 2)


@pytest.mark.parametrize("estimator", DISCRIMINANTS)
@pytest.mark.parametrize("value", [-1.0, np.nan, "small", None])
def test_invalid_reg_is_rejected(estimator, value):
    X, y = make_samples()
    with raises_error("reg"):
        estimator(reg=value).fit(X, y)


@pytest.mark.parametrize("estimator", DISCRIMINANTS)
def test_zero_reg_is_rejected_or_finite(estimator):
    """The within-class scatter of a kernel of full rank is zero, so reg=0 results in 0 / 0."""
    X, y = make_samples()
    try:
        F = estimator(reg=0.0, gamma=1.0).fit(X, y).transform(X)
    except ValueError as error:
        assert "reg" in str(error)  # noqa: PT017
    else:
        assert np.all(np.isfinite(F))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_kda_of_classes_that_are_points(kernel):
    """If within-class scatter is rounding error, ratios are moderate and invariant to units."""
    X, y = np.repeat([[0.0, 0.1], [1.0, 1.1], [3.0, 0.2]], 20, axis=0), np.repeat([0, 1, 2], 20)
    model = KernelDiscriminantAnalysis(kernel).fit(X, y)
    assert np.all(model.ratios_ > 1)
    assert np.all(model.ratios_ < 1e6)
    F = model.transform(X)[::20]
    assert np.linalg.matrix_rank(F - F.mean(axis=0), tol=1e-3 * np.abs(F).max()) == 2
    rescaled = KernelDiscriminantAnalysis(kernel).fit(X * 1e-6, y)
    assert_allclose(rescaled.ratios_, model.ratios_, rtol=1e-6)


def test_equal_samples_have_equal_coordinates():
    X, y = np.full((40, 2), 3.0), make_samples()[1]
    assert np.all(np.ptp(KernelDiscriminantAnalysis().fit(X, y).transform(X), axis=0) < 1e-6)
    model = GeneralizedDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.transform(X), 0, atol=1e-12)
    assert_allclose(kernel_reconstruction_cost(model, X, about_mean=True), 0, atol=1e-6)


@pytest.mark.parametrize("estimator", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "cosine"])
def test_constants_with_a_rounded_mean(estimator, kernel):
    X, y = np.full((60, 5), 0.1), np.arange(60) % 2
    for value in (0.1, 1 / 3, 7.7, 1e8 + 0.1):
        model = estimator(kernel).fit(X * value, y)
        F = model.transform(np.vstack([X * value, X * value + 1]))
        assert np.all(np.ptp(F[:60], axis=0) < 1e-6)
        assert model.gamma_ in (None, 1.0)
        if estimator is GeneralizedDiscriminantAnalysis:
            assert np.all(F == 0)


@pytest.mark.parametrize("shift", [1e4, 1e6])
def test_linear_kernel_is_translation_invariant(shift):
    """Translation does not change distances or centered directions."""
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X) + 1e-3 * np.random.default_rng(0).standard_normal(X.shape)
    translated = X + shift
    directions = GeneralizedDiscriminantAnalysis("linear").fit(X, y)
    model = GeneralizedDiscriminantAnalysis("linear").fit(translated, y)
    assert_allclose(model.transform(translated), directions.transform(X), atol=1e-7)
    cost = kernel_reconstruction_cost(directions, X, about_mean=True)
    assert_allclose(kernel_reconstruction_cost(model, translated, about_mean=True), cost, rtol=1e-6)
    classifiers = KNeighborsClassifier(1, algorithm="kd_tree"), KernelNearestNeighbor(kernel="linear")
    expected, predictions = (
        classifier.fit(translated[::2], np.arange(75) // 3).predict(translated[1::2])
        for classifier in classifiers
    )
    assert_array_equal(predictions, expected)


@pytest.mark.parametrize("gamma", ["scale", 1e-9, 1e-13])
def test_gda_of_unscaled_data_is_centered(gamma):
    (X, y), (X_test, y_test) = split_in_half(*load_breast_cancer(return_X_y=True))
    model = GeneralizedDiscriminantAnalysis(gamma=gamma).fit(X, y)
    magnitude = np.abs(model.coefficients_).sum()
    assert abs(model.coefficients_.sum()) <= 1e-13 * magnitude
    # the centered kernel, computed with expm1 so that wide kernels keep their digits
    K = np.expm1(-model.gamma_ * cdist(X, X, "sqeuclidean"))
    H = np.eye(len(K)) - 1 / len(K)
    expected = H @ K @ H @ model.coefficients_
    F = model.transform(X)
    assert_allclose(F, expected, atol=1e-6 * np.abs(expected).max())
    assert_allclose(model.coefficients_.T @ expected, 1, rtol=1e-6)  # of unit norm
    assert KernelNearestNeighbor(kernel="linear").fit(F, y).score(model.transform(X_test), y_test) > 0.89


def test_gda_of_a_wide_rbf_kernel_is_that_of_the_linear_kernel():
    # exp(-g |x - z|^2) is 1 - g |x - z|^2 for a small g, and centered 2 g x'z
    X, y = load_iris(return_X_y=True)
    wide = GeneralizedDiscriminantAnalysis(gamma=1e-12).fit(X, y)
    linear = GeneralizedDiscriminantAnalysis("linear").fit(X, y)
    assert_allclose(wide.ratios_, linear.ratios_, rtol=1e-5)
    # the second-order terms of exp add directions of small norm, whose coefficients only the ridge limits
    assert_allclose(np.abs(wide.transform(X)) / np.sqrt(2e-12), np.abs(linear.transform(X)), atol=2e-3)
