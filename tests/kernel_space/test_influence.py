"""Influence of the input features against finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge
from sklearn.preprocessing import minmax_scale, scale

from featsieve import TAKESTransformer

from .cases import make_samples, rbf_callable
from .exact_data import KERNELS


@pytest.mark.parametrize("of", ["features", "classes"])
def test_outlier_does_not_change_the_influence_at_other_samples(of):
    X, y = make_samples()
    far = np.vstack([X, np.full(X.shape[1], 1e8)])
    model = TAKESTransformer(gamma=0.3).fit(far, np.append(y, 2))
    # the derivatives at the outlier are zero, and it does not change the others
    influence = model.original_feature_influence(of) / far.std(axis=0)
    step = 1e-4
    weights = np.maximum(model.selection_.weights_[model.selection_.get_support()], 0)
    coefficients = (
        np.diag(np.sqrt(weights / weights.sum())) if of == "features" else model._class_coefficients
    )
    for j in range(X.shape[1]):
        forward, backward = X.copy(), X.copy()
        forward[:, j] += step
        backward[:, j] -= step
        slopes = (model.transform(forward) - model.transform(backward)) / (2 * step) @ coefficients
        assert_allclose(influence[j], np.sqrt(np.sum(slopes**2) / len(far)), rtol=1e-4)


def influence_of_transform(model, X, of):
    """Compute the influence by central differences of transform."""
    weights = np.maximum(model.selection_.weights_[model.selection_.get_support()], 0)
    coefficients = (
        np.diag(np.sqrt(weights / weights.sum())) if of == "features" else model._class_coefficients
    )
    influence = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        step = np.zeros(X.shape[1])
        step[j] = 1e-5 * X[:, j].std()
        slopes = (model.transform(X + step) - model.transform(X - step)) / (2 * step[j]) @ coefficients
        influence[j] = np.sqrt((slopes**2).sum(axis=1).mean()) * X[:, j].std()
    return influence


INFLUENCE_KERNELS = [
    ("rbf", {}),
    ("rbf", {"gamma": 0.002, "threshold": lambda t: 1e-4 * t}),  # residuals below a thousandth of the first
    ("linear", {}),
    ("poly", {"gamma": 0.1}),
    ("poly", {"gamma": 0.1, "degree": 2, "coef0": 0.5}),
    ("sigmoid", {"gamma": 1e-4, "coef0": 0.0}),
    ("cosine", {}),
    ("laplacian", {}),
    ("chi2", {}),
    (rbf_callable, {"n_components": 6}),
]


@pytest.mark.parametrize("of", ["features", "classes"])
@pytest.mark.parametrize(("kernel", "options"), INFLUENCE_KERNELS)
def test_influence_is_the_derivative_of_transform(wine, kernel, options, of):
    X, y = wine[0][::3, :6], wine[1][::3]
    X = minmax_scale(X) + 0.01 if kernel == "chi2" else X + 0.3
    model = TAKESTransformer(kernel, **options).fit(X, y)
    if "threshold" in options:
        assert model.basis_.residuals_[-1] < 1e-3
    influence = model.original_feature_influence(of)
    assert_allclose(influence, influence_of_transform(model, X, of), rtol=1e-5)
    if kernel in ("rbf", "linear", "poly", "cosine", "laplacian") and "threshold" not in options:
        sparse = TAKESTransformer(kernel, **options).fit(sp.csr_array(X), y)
        assert_allclose(sparse.original_feature_influence(of), influence, rtol=1e-8)


def test_influence_is_invariant_to_units_and_zero_for_constants(wine):
    X, y = wine
    X = np.column_stack([X, np.full(len(X), 0.1)])
    model = TAKESTransformer("linear").fit(X, y)
    influence = model.original_feature_influence()
    assert influence[-1] == 0
    assert influence[:-1].min() > 0
    # a kernel that undoes the scaling of its samples is the same kernel
    units = np.linspace(0.01, 100, X.shape[1])
    rescaled = TAKESTransformer(lambda x, z: (x / units) @ (z / units)).fit(X * units, y)
    assert_allclose(rescaled.original_feature_influence(), influence, rtol=1e-6)


def test_influence_requires_numbers():
    y = [0, 0, 1, 1]
    words = TAKESTransformer(lambda a, b: float(len(set(a) & set(b)))).fit(["ab", "abc", "xy", "yz"], y)
    precomputed = TAKESTransformer("precomputed").fit(np.eye(4), y)
    for model in (words, precomputed):
        with pytest.raises(ValueError, match="needs numeric samples"):
            model.original_feature_influence()
    with pytest.raises(ValueError, match="`of` must be one of"):
        precomputed.original_feature_influence(of="labels")


# A basis whose last residual is less than a thousandth of the first.
STEEP = {"kernel": "rbf", "gamma": 1e-4, "threshold": lambda t: 0.0, "n_components": 60}


@pytest.fixture(scope="module")
def wine_subset():
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:133]
    return scale(X)[rows], y[rows]


def influence_by_differences(transform, X, weights, step=1e-5):
    """Compute s_j sqrt(mean_i sum_m omega_m (d phi_m / d x_j)^2) by central differences.

    s_j is the standard deviation of feature j, and omega are the normalized weights.
    """
    influence = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        shift = np.zeros(X.shape[1])
        shift[j] = step
        slope = (transform(X + shift) - transform(X - shift)) / (2 * step)
        influence[j] = np.std(X[:, j]) * np.sqrt(np.mean(slope**2 @ weights) / np.sum(weights))
    return influence


@pytest.mark.parametrize("options", [*KERNELS.values(), STEEP], ids=[*KERNELS, "steep"])
def test_influence_on_selected_features(wine_subset, options):
    X, y = wine_subset
    takes = TAKESTransformer(**options, n_features_to_select=0.5).fit(X, y)
    weights = np.maximum(takes.selection_.weights_[takes.selection_.get_support()], 0)
    steep = options is STEEP
    assert (takes.basis_.residuals_[-1] < 1e-3 * takes.basis_.residuals_[0]) == steep
    expected = influence_by_differences(takes.transform, X, weights, step=1e-3 if steep else 1e-5)
    # the laplacian kernel is not differentiable at the samples of the basis
    tolerance = 0.02 if options["kernel"] == "laplacian" else 1e-4
    assert_allclose(takes.original_feature_influence(), expected, rtol=tolerance)


@pytest.mark.parametrize("kernel", ["rbf", "wide rbf", "polynomial"])
def test_influence_on_the_classes(wine_subset, kernel):
    X, y = wine_subset
    takes = TAKESTransformer(**KERNELS[kernel]).fit(X, y)
    F = takes.transform(X)
    alpha = 0.1 * np.sum((F - F.mean(axis=0)) ** 2) / F.shape[1]
    model = Ridge(alpha).fit(F, np.eye(3)[y])
    expected = influence_by_differences(lambda Z: model.predict(takes.transform(Z)), X, np.ones(3))
    assert_allclose(takes.original_feature_influence(of="classes"), expected * np.sqrt(3), rtol=1e-4)
