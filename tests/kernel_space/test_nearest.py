"""The kernel nearest-neighbor classifier."""

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_array_equal

from featsieve import KernelNearestNeighbor

from .cases import make_samples, raises_error
from .exact_data import KERNELS, kernels, over_data, samples, skip_if_rounding_decides


@over_data
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_neighbors", [1, 2, 5])
def test_matches_exact_version(data, kernel, n_neighbors):
    split, (K, C, diagonal) = samples(data), kernels(data, kernel)
    expected = exact.knnc(K, split.y, C, diagonal, n_neighbors)
    skip_if_rounding_decides(expected.decisions)
    model = KernelNearestNeighbor(n_neighbors, **KERNELS[kernel]).fit(split.X, split.y)
    assert np.array_equal(model.predict(split.new), expected.labels)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 4, 7])
def test_ties_match_exact_version(n_neighbors, kernel):
    """Many distances between integers are equal; the sample with the smallest index is nearest."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (30, 3)).astype(float), rng.integers(0, 4, 30)
    new = rng.integers(0, 3, (20, 3)).astype(float)
    options = {"kernel": kernel, "gamma": 0.25, "degree": 2}
    exact_options = {**options, "exact": kernel != "rbf"}
    diagonal = exact.kernel_diagonal(new, **exact_options)
    for order in (slice(None), slice(None, None, -1)):
        K, C = (
            exact.kernel_matrix(X[order], **exact_options),
            exact.kernel_matrix(new, X[order], **exact_options),
        )
        expected = exact.knnc(K, y[order], C, diagonal, n_neighbors)
        assert expected.decisions.ties
        model = KernelNearestNeighbor(n_neighbors, **options).fit(X[order], y[order])
        assert np.array_equal(model.predict(new), expected.labels)


def test_outlier_does_not_hide_the_order_of_other_samples():
    X = np.array([[0.0], [1.0], [2.0], [1e8]])
    model = KernelNearestNeighbor(kernel="linear").fit(X, list("abcd"))
    assert model.predict([[0.1], [0.9], [1.9], [1e9]]).tolist() == list("abcd")


@pytest.mark.parametrize("value", [0, -1, 1.5, "all", None, 41])
def test_invalid_n_neighbors_is_rejected(value):
    X, y = make_samples()
    with raises_error("n_neighbors"):
        KernelNearestNeighbor(value).fit(X, y).predict(X)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2"])
@pytest.mark.parametrize("gamma", [1e-18, "scale", 1e6])
def test_kernel_values_that_round_to_0_or_1(kernel, gamma):
    """The kernel decreases with the distance, so the nearest samples do not depend on gamma."""
    X, y = make_samples(90)
    X = np.abs(X)
    X[3] = 1e8
    model = KernelNearestNeighbor(3, kernel=kernel, gamma=gamma).fit(X[:60], y[:60])
    differences = X[60:, None] - X[:60]
    totals = X[60:, None] + X[:60]
    distances = {"rbf": differences**2, "laplacian": np.abs(differences), "chi2": differences**2 / totals}
    nearest = y[:60][np.argsort(distances[kernel].sum(axis=2), axis=1)[:, :3]]
    fractions = np.array([np.bincount(labels, minlength=3) for labels in nearest]) / 3
    assert_array_equal(model.predict_proba(X[60:]), fractions)


def test_first_of_equal_distances_is_nearest_under_the_rbf_kernel():
    rng = np.random.default_rng(0)
    X, new = rng.integers(0, 3, (60, 3)) / 8, rng.integers(0, 3, (40, 3)) / 8
    distances = np.sum((new[:, None] - X) ** 2, axis=2)
    for shift in (0, 1000):
        model = KernelNearestNeighbor().fit(X + shift, np.arange(60) % 20)
        assert_array_equal(model.predict(new + shift), distances.argmin(axis=1) % 20)
