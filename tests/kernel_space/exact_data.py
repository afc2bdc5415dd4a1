"""Small data with exact kernel matrices, and the comparisons with exact versions that several tests share."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import scale

from featsieve import kernel_reconstruction_cost

KERNELS: dict[str, dict[str, Any]] = {
    "rbf": {"kernel": "rbf", "gamma": 0.05},
    "wide rbf": {"kernel": "rbf", "gamma": 0.002},
    "laplacian": {"kernel": "laplacian", "gamma": 0.03},
    "polynomial": {"kernel": "poly", "gamma": 0.1, "degree": 2, "coef0": 1},
    "linear": {"kernel": "linear"},
    "cosine": {"kernel": "cosine"},
}


# Decisions with a smaller exact margin depend on rounding.
MIN_DECISION_MARGIN = 1e-12


@dataclass(frozen=True)
class Samples:
    """Training samples, their labels, and new samples."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray


def _load_subset(load, columns, n_classes, n_samples=28):
    X, y = load(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    rows = np.random.default_rng(1).permutation(len(X))[:n_samples]
    X, y = scale(X[rows][:, columns]), y[rows]
    cut = 3 * n_samples // 4
    return Samples(X[:cut], y[:cut], X[cut:])


def _make_synthetic():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2, 3], [3, 9, 2, 6])
    X = rng.standard_normal((20, 4)) * [1, 3, 0.5, 2] + np.outer(y, [1, 0, 1, -2])
    return Samples(X, y, X[::3] + 0.3 * rng.standard_normal((7, 4)))


DATA = {
    "wine": lambda: _load_subset(load_wine, [0, 1, 6, 9, 10, 12], 3),
    "wine, two classes": lambda: _load_subset(load_wine, [0, 1, 6, 9, 10, 12], 2),
    "breast cancer": lambda: _load_subset(load_breast_cancer, [0, 1, 4, 7, 20, 27], 2),
    "digits": lambda: _load_subset(load_digits, [10, 20, 21, 28, 34, 36, 42, 43], 4),
    "synthetic": _make_synthetic,
}


@cache
def samples(data):
    return DATA[data]()


def kernel_matrix(X, Z=None, *, kernel, gamma=1.0, **options):
    """Compute the exact kernel matrix, including two kernels that the exact versions do not define."""
    if kernel in ("rbf", "linear", "poly"):
        return exact.kernel_matrix(X, Z, kernel, gamma, **options)
    X = exact.mp_array(X)
    Z = X if Z is None else exact.mp_array(Z)
    if kernel == "laplacian":
        width = exact.mp.mpf(gamma)
        return np.array([[exact.mp.exp(-width * sum(abs(x - z))) for z in Z] for x in X], dtype=object)
    assert kernel == "cosine"
    lengths = [[exact.mp.sqrt(x.dot(x)) for x in A] for A in (X, Z)]
    return X.dot(Z.T) / np.outer(*lengths)


@cache
def kernels(data, kernel):
    """Compute K of the training samples, C between new and training samples, and k(x, x) of new samples."""
    split, options = samples(data), KERNELS[kernel]
    diagonal = [kernel_matrix(x[None], **options)[0, 0] for x in split.new]
    return kernel_matrix(split.X, **options), kernel_matrix(split.new, split.X, **options), diagonal


def skip_if_rounding_decides(*decisions):
    """Skip data on which a decision depends on rounding. Exact ties are not skipped."""
    for decision in decisions:
        if decision.scale_margin < MIN_DECISION_MARGIN:
            margin = float(decision.scale_margin)
            pytest.skip(f"{decision.closest} is decided by a relative difference of {margin:.1g}")


def assert_close(values, expected, tolerance=1e-8):
    """Compare with a tolerance relative to the largest entry."""
    expected = exact.to_float(expected)
    assert_allclose(values, expected, rtol=0, atol=tolerance * np.abs(expected).max(initial=1e-300))


def assert_close_up_to_sign(values, expected, tolerance=1e-8):
    """Compare columns up to their signs, with a tolerance relative to the largest entry of each."""
    expected = exact.to_float(expected)
    assert values.shape == expected.shape
    sign = np.where(np.einsum("ij,ij->j", values, expected) < 0, -1.0, 1.0)
    assert_allclose(
        values * sign / np.abs(expected).max(axis=0),
        expected / np.abs(expected).max(axis=0),
        rtol=0,
        atol=tolerance,
    )


KFFS_OPTIONS = {"tie": "share", "odds": "samme"}


# A cost is the square root of a difference, so half of the digits are significant.
COST_RTOL = 1e-7


over_data = pytest.mark.parametrize("data", DATA)


def check_basis(basis, expected, data, kernel):
    """Compare pivots, residuals, coordinates and costs of a basis with its exact version."""
    split, (K, C, diagonal) = samples(data), kernels(data, kernel)
    A = expected.coefficients
    assert basis.pivots_.tolist() == expected.pivots
    assert np.array_equal(basis.basis_, split.X[expected.pivots])
    assert_close(basis.residuals_, expected.residuals)
    assert_close(basis.transform(split.X), exact.features(K, A))
    assert_close(basis.transform(split.new), exact.features(C, A))
    for cost, expected_cost in (
        (basis.reconstruction_cost_, exact.reconstruction_cost(K, A)),
        (kernel_reconstruction_cost(basis, split.X), exact.reconstruction_cost(K, A)),
        (kernel_reconstruction_cost(basis, split.new), exact.reconstruction_cost(K, A, C, diagonal)),
    ):
        assert_allclose(cost, float(expected_cost), rtol=COST_RTOL, atol=COST_RTOL)


def symmetric_samples():
    """Return the corners of a cube, the centers of its faces, and copies of some of them."""
    corners = np.array([[a, b, c] for a in (1, -1) for b in (1, -1) for c in (1, -1)])
    faces = np.vstack([2 * np.eye(3), -2 * np.eye(3)])
    return np.random.default_rng(0).permutation(np.vstack([corners, faces, corners[:3], faces[:2]]))
