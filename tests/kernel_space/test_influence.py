"""Influence of the original features on those of TAKES against finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge
from sklearn.preprocessing import scale

from featsieve import TAKESTransformer

from .exact_data import KERNELS

# a basis that rounding all but ends: its last residual is less than a thousandth of the first
STEEP = {"kernel": "rbf", "gamma": 1e-4, "threshold": lambda t: 0.0, "n_components": 60}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:133]
    return scale(X)[rows], y[rows]


def influence(transform, X, weights, step=1e-5):
    """s_j sqrt(mean_i sum_m omega_m (d phi_m / d x_j)^2) at the samples, by central differences.

    s_j is the standard deviation of feature j, and omega are the weights over their sum.
    """
    values = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        move = np.zeros(X.shape[1])
        move[j] = step
        slope = (transform(X + move) - transform(X - move)) / (2 * step)
        values[j] = np.std(X[:, j]) * np.sqrt(np.mean(slope**2 @ weights) / np.sum(weights))
    return values


@pytest.mark.parametrize("options", [*KERNELS.values(), STEEP], ids=[*KERNELS, "steep"])
def test_influence_on_the_original_features(wine, options):
    X, y = wine
    takes = TAKESTransformer(**options, n_features_to_select=0.5).fit(X, y)
    weights = np.maximum(takes.selection_.weights_[takes.selection_.get_support()], 0)
    steep = options is STEEP
    assert (takes.basis_.residuals_[-1] < 1e-3 * takes.basis_.residuals_[0]) == steep
    expected = influence(takes.transform, X, weights, step=1e-3 if steep else 1e-5)
    # the laplacian kernel has a corner at every sample it stands on
    tolerance = 0.02 if options["kernel"] == "laplacian" else 1e-4
    assert_allclose(takes.original_feature_influence(), expected, rtol=tolerance)


@pytest.mark.parametrize("kernel", ["rbf", "wide rbf", "polynomial"])
def test_influence_on_the_classes(wine, kernel):
    X, y = wine
    takes = TAKESTransformer(**KERNELS[kernel]).fit(X, y)
    F = takes.transform(X)
    alpha = 0.1 * np.sum((F - F.mean(axis=0)) ** 2) / F.shape[1]
    model = Ridge(alpha).fit(F, np.eye(3)[y])
    expected = influence(lambda Z: model.predict(takes.transform(Z)), X, np.ones(3)) * np.sqrt(3)
    assert_allclose(takes.original_feature_influence(of="classes"), expected, rtol=1e-4)
