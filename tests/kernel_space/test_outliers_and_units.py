"""Outliers, offsets and units: what one sample or the unit of a table does to the others."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from featsieve import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelForwardSelection,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESRanker,
    TAKESTransformer,
    kernel_reconstruction_cost,
)

from .cases import BASES, KERNEL_METHODS, LABELED, named, outcome, plain


def rbf(X, Z, gamma):
    """From the differences themselves."""
    return np.exp(-gamma * np.sum((X[:, None] - Z) ** 2, axis=2))


@pytest.mark.parametrize("method", BASES)
def test_one_sample_far_away_leaves_the_kernel_of_the_others(method):
    X = plain()[0] * 1e-3
    X[7] = 1e30
    K = rbf(X, X, 1e4)
    options = {} if method is not KernelOrthogonalBasis else {"threshold": lambda t: 0.0}
    basis = method(gamma=1e4, **options).fit(X)
    F = basis.transform(X)
    assert_allclose(F @ F.T, K, atol=1e-6)
    assert_allclose(basis.fit_transform(X), F, atol=1e-6)


@pytest.mark.parametrize("of", ["features", "classes"])
def test_one_sample_far_away_leaves_the_influence_of_the_others(of):
    X, y = plain()
    far = np.vstack([X, np.full(X.shape[1], 1e8)])
    model = TAKESTransformer(gamma=0.3).fit(far, np.append(y, 2))
    # its own derivatives are zero, and nobody else's know of it
    found = model.original_feature_influence(of) / far.std(axis=0)
    step = 1e-4
    weights = np.maximum(model.selection_.weights_[model.selection_.get_support()], 0)
    turn = np.diag(np.sqrt(weights / weights.sum())) if of == "features" else model._class_coefficients
    for j in range(X.shape[1]):
        ahead, back = X.copy(), X.copy()
        ahead[:, j] += step
        back[:, j] -= step
        slopes = (model.transform(ahead) - model.transform(back)) / (2 * step) @ turn
        assert_allclose(found[j], np.sqrt(np.sum(slopes**2) / len(far)), rtol=1e-4)


@pytest.mark.parametrize("gamma", ["scale", "median"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "poly"])
def test_the_automatic_width_follows_the_unit(kernel, gamma):
    X = np.abs(plain()[0])
    basis = KernelOrthogonalBasis(kernel, gamma=gamma).fit(X)
    for unit in (1e8, 1e-8):
        same = KernelOrthogonalBasis(kernel, gamma=gamma).fit(X * unit)
        assert_array_equal(same.pivots_, basis.pivots_)
        assert_allclose(same.transform(X * unit), basis.transform(X), atol=1e-9)


@pytest.mark.parametrize("method", [*KERNEL_METHODS, KernelRelief])
def test_numbers_whose_squares_overflow(method):
    X, y = plain()
    with pytest.raises(ValueError, match="scale X"):
        outcome(method().fit(X * 1e200, y), X * 1e200)


def test_the_ranking_far_from_zero_does_not_depend_on_the_order_of_samples():
    X, y = plain(60)
    X = X + 1e8
    scores = TAKESRanker().fit(X, y).scores_
    for seed in range(3):
        turn = np.random.default_rng(seed).permutation(len(X))
        assert_allclose(TAKESRanker().fit(X[turn], y[turn]).scores_, scores, rtol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_discriminants_of_classes_that_are_points(kernel):
    """No scatter within the classes but rounding: no ratio of 1e30, and any unit will do."""
    X, y = np.repeat([[0.0, 0.1], [1.0, 1.1], [3.0, 0.2]], 20, axis=0), np.repeat([0, 1, 2], 20)
    model = KernelDiscriminantAnalysis(kernel).fit(X, y)
    assert np.all(model.ratios_ > 1)
    assert np.all(model.ratios_ < 1e6)
    F = model.transform(X)[::20]
    assert np.linalg.matrix_rank(F - F.mean(axis=0), tol=1e-3 * np.abs(F).max()) == 2
    same = KernelDiscriminantAnalysis(kernel).fit(X * 1e-6, y)
    assert_allclose(same.ratios_, model.ratios_, rtol=1e-6)


def test_samples_that_are_all_the_same():
    X, y = np.full((40, 2), 3.0), plain()[1]
    assert np.all(np.ptp(KernelDiscriminantAnalysis().fit(X, y).transform(X), axis=0) < 1e-6)
    model = GeneralizedDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.transform(X), 0, atol=1e-12)
    assert_allclose(kernel_reconstruction_cost(model, X, about_mean=True), 0, atol=1e-6)


@pytest.mark.parametrize("method", [*LABELED, KernelNearestNeighbor, KernelForwardSelection, KernelRelief])
def test_labels_that_cannot_be_sorted(method):
    X, y = plain()
    for labels in ((None, "a", "b"), (1, "a", "b"), (np.nan, "a", "b"), ("a", float("nan"), None)):
        with pytest.raises(ValueError, match=r"\by\b"):
            method().fit(X, np.array(labels, dtype=object)[y])


@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_kernels_of_dense_samples_only(kernel):
    X, y = plain()
    model = KernelNearestNeighbor(kernel=kernel)
    assert not get_tags(model).input_tags.sparse
    with named("dense"):
        model.fit(sp.csr_array(np.abs(X)), y)


@pytest.mark.parametrize("method", [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "cosine"])
def test_constants_whose_mean_is_rounded(method, kernel):
    X, y = np.full((60, 5), 0.1), np.arange(60) % 2
    for value in (0.1, 1 / 3, 7.7, 1e8 + 0.1):
        model = method(kernel).fit(X * value, y)
        F = model.transform(np.vstack([X * value, X * value + 1]))
        assert np.all(np.ptp(F[:60], axis=0) < 1e-6)
        assert model.gamma_ in (None, 1.0)
        if method is GeneralizedDiscriminantAnalysis:
            assert np.all(F == 0)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2"])
@pytest.mark.parametrize("gamma", [1e-18, "scale", 1e6])
def test_nearest_neighbors_where_the_kernel_is_0_or_1_to_rounding(kernel, gamma):
    """The kernel falls with the distance, so that the nearest are the nearest whatever the width."""
    X, y = plain(90)
    X = np.abs(X)
    X[3] = 1e8
    model = KernelNearestNeighbor(3, kernel=kernel, gamma=gamma).fit(X[:60], y[:60])
    gaps = X[60:, None] - X[:60]
    totals = X[60:, None] + X[:60]
    distances = {"rbf": gaps**2, "laplacian": np.abs(gaps), "chi2": gaps**2 / totals}[kernel].sum(axis=2)
    nearest = y[:60][np.argsort(distances, axis=1)[:, :3]]
    shares = np.array([np.bincount(each, minlength=3) for each in nearest]) / 3
    assert_array_equal(model.predict_proba(X[60:]), shares)


def test_equal_distances_under_an_exponential_kernel_go_to_the_first():
    rng = np.random.default_rng(0)
    X, new = rng.integers(0, 3, (60, 3)) / 8, rng.integers(0, 3, (40, 3)) / 8
    distances = np.sum((new[:, None] - X) ** 2, axis=2)
    for shift in (0, 1000):
        model = KernelNearestNeighbor().fit(X + shift, np.arange(60) % 20)
        assert_array_equal(model.predict(new + shift), distances.argmin(axis=1) % 20)


def test_frames_of_words_keep_their_columns():
    frame = pd.DataFrame({"word": ["ab", "abc", "xy", "yz"], "kind": ["q", "q", "r", "r"]})

    def alike(a, b):
        return len(set(a[0]) & set(b[0])) + 2.0 * (a[1] == b[1])

    model = TAKESTransformer(alike).fit(frame, [0, 0, 1, 1])
    assert model.feature_names_in_.tolist() == ["word", "kind"]
    with named("feature names"):
        model.transform(frame[["kind", "word"]])
    with named("feature names"):
        model.transform(frame[["word"]])
    with named("1 features", "2 features"):
        TAKESTransformer(alike).fit(frame.to_numpy(), [0, 0, 1, 1]).transform(frame[["word"]].to_numpy())


def test_words_after_numbers():
    X, _ = plain()

    def either(a, b):
        return float(a @ b) if isinstance(a, np.ndarray) else float(len(set(a) & set(b)))

    model = KernelOrthogonalBasis(either).fit(X)
    with named("features"):
        model.transform(["ab", "cd"])
    model.fit(["ab", "bc", "xy"])
    assert not hasattr(model, "n_features_in_")
    assert model.transform(["ab", "cd"]).shape == (2, 3)


def test_copies_of_a_feature_score_alike_in_any_place():
    for seed in range(20):
        X, y = plain(50, seed=seed)
        X = np.column_stack([X, X[:, 1], X, X[:, 1]])
        score = TAKESRanker().fit(X, y).scores_
        assert len({score[j] for j in (1, 5, 7, 11)}) == 1


@pytest.mark.parametrize("shift", [1e4, 1e6])
def test_linear_kernels_far_from_the_origin(shift):
    """Neither distances nor centerd directions know of a shift."""
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X) + 1e-3 * np.random.default_rng(0).standard_normal(X.shape)
    here, far = X, X + shift
    directions = GeneralizedDiscriminantAnalysis("linear").fit(here, y)
    moved = GeneralizedDiscriminantAnalysis("linear").fit(far, y)
    assert_allclose(moved.transform(far), directions.transform(here), atol=1e-7)
    cost = kernel_reconstruction_cost(directions, here, about_mean=True)
    assert_allclose(kernel_reconstruction_cost(moved, far, about_mean=True), cost, rtol=1e-6)
    models = KNeighborsClassifier(1, algorithm="kd_tree"), KernelNearestNeighbor(kernel="linear")
    expected, found = (model.fit(far[::2], np.arange(75) // 3).predict(far[1::2]) for model in models)
    assert_array_equal(found, expected)


def every_second(X, y):
    return (X[::2], y[::2]), (X[1::2], y[1::2])


@pytest.mark.parametrize("gamma", ["scale", 1e-9, 1e-13])
def test_generalized_discriminants_of_unscaled_data_are_centered(gamma):
    (X, y), (X_test, y_test) = every_second(*load_breast_cancer(return_X_y=True))
    model = GeneralizedDiscriminantAnalysis(gamma=gamma).fit(X, y)
    size = np.abs(model.coefficients_).sum()
    assert abs(model.coefficients_.sum()) <= 1e-13 * size
    # the centered kernel, computed so that wide ones keep their digits
    K = np.expm1(-model.gamma_ * cdist(X, X, "sqeuclidean"))
    H = np.eye(len(K)) - 1 / len(K)
    expected = H @ K @ H @ model.coefficients_
    F = model.transform(X)
    assert_allclose(F, expected, atol=1e-6 * np.abs(expected).max())
    assert_allclose(model.coefficients_.T @ expected, 1, rtol=1e-6)  # of unit length
    assert KernelNearestNeighbor(kernel="linear").fit(F, y).score(model.transform(X_test), y_test) > 0.89


def test_generalized_discriminants_of_a_wide_kernel_are_those_of_the_linear_one():
    # exp(-g |x - z|^2) is 1 - g |x - z|^2 for a small g, and centered 2 g x'z
    X, y = load_iris(return_X_y=True)
    wide = GeneralizedDiscriminantAnalysis(gamma=1e-12).fit(X, y)
    linear = GeneralizedDiscriminantAnalysis("linear").fit(X, y)
    assert_allclose(wide.ratios_, linear.ratios_, rtol=1e-5)
    # the second order of exp adds directions of hardly any length, where only the ridge limits coefficients
    assert_allclose(np.abs(wide.transform(X)) / np.sqrt(2e-12), np.abs(linear.transform(X)), atol=2e-3)


def test_reconstruction_cost_of_generalized_discriminants_of_unscaled_data():
    (X, y), (X_test, _) = every_second(*load_breast_cancer(return_X_y=True))
    model = GeneralizedDiscriminantAnalysis().fit(X, y)
    C = np.exp(-model.gamma_ * cdist(X_test, X, "sqeuclidean"))
    K = np.exp(-model.gamma_ * cdist(X, X, "sqeuclidean"))
    w = model.coefficients_[:, 0]
    length = w @ K @ w
    expected = np.sqrt(1 - (C @ w) ** 2 / length).mean()
    assert_allclose(kernel_reconstruction_cost(model, X_test), expected, rtol=1e-6)
    inside = C @ w - K.mean(axis=0) @ w
    squares = 1 - 2 * C.mean(axis=1) + K.mean() - inside**2 / length
    assert_allclose(
        kernel_reconstruction_cost(model, X_test, about_mean=True), np.sqrt(squares).mean(), rtol=1e-6
    )
