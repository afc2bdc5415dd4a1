"""Small data with exact kernel matrices, and the comparisons that tests against exact versions share."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import scale

KERNELS: dict[str, dict[str, Any]] = {
    "rbf": {"kernel": "rbf", "gamma": 0.05},
    "wide rbf": {"kernel": "rbf", "gamma": 0.002},
    "laplacian": {"kernel": "laplacian", "gamma": 0.03},
    "polynomial": {"kernel": "poly", "gamma": 0.1, "degree": 2, "coef0": 1},
    "linear": {"kernel": "linear"},
    "cosine": {"kernel": "cosine"},
}
# Choices that exact numbers put closer together than this are decided by rounding.
DECIDED = 1e-12


@dataclass(frozen=True)
class Samples:
    """Samples to fit, their labels, and new samples."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray


def _subset(load, columns, n_classes, n_samples=28):
    X, y = load(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    rows = np.random.default_rng(1).permutation(len(X))[:n_samples]
    X, y = scale(X[rows][:, columns]), y[rows]
    cut = 3 * n_samples // 4
    return Samples(X[:cut], y[:cut], X[cut:])


def _synthetic():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2, 3], [3, 9, 2, 6])
    X = rng.standard_normal((20, 4)) * [1, 3, 0.5, 2] + np.outer(y, [1, 0, 1, -2])
    return Samples(X, y, X[::3] + 0.3 * rng.standard_normal((7, 4)))


DATA = {
    "wine": lambda: _subset(load_wine, [0, 1, 6, 9, 10, 12], 3),
    "wine, two classes": lambda: _subset(load_wine, [0, 1, 6, 9, 10, 12], 2),
    "breast cancer": lambda: _subset(load_breast_cancer, [0, 1, 4, 7, 20, 27], 2),
    "digits": lambda: _subset(load_digits, [10, 20, 21, 28, 34, 36, 42, 43], 4),
    "synthetic": _synthetic,
}


@cache
def samples(data):
    return DATA[data]()


def kernel_matrix(X, Z=None, *, kernel, gamma=1.0, **options):
    """The exact kernel matrix, of two kernels more than the exact versions know."""
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
    """K of the samples to fit, C of the new samples with those, and k(x, x) of the new samples."""
    part, options = samples(data), KERNELS[kernel]
    diagonal = [kernel_matrix(x[None], **options)[0, 0] for x in part.new]
    return kernel_matrix(part.X, **options), kernel_matrix(part.new, part.X, **options), diagonal


def decided(*decisions):
    """Skip data on which an exact decision is closer than rounding can tell. Exact ties are no reason."""
    for each in decisions:
        if each.scale_margin < DECIDED:
            pytest.skip(
                f"{each.closest} is decided by a relative difference of {float(each.scale_margin):.1g}"
            )


def close(values, expected, tolerance=1e-8):
    """Equal up to a share of the largest."""
    expected = exact.to_float(expected)
    assert_allclose(values, expected, rtol=0, atol=tolerance * np.abs(expected).max(initial=1e-300))


def close_up_to_sign(values, expected, tolerance=1e-8):
    """KernelColumns equal, or opposite, up to a share of the largest entry of each."""
    expected = exact.to_float(expected)
    assert values.shape == expected.shape
    sign = np.where(np.einsum("ij,ij->j", values, expected) < 0, -1.0, 1.0)
    assert_allclose(
        values * sign / np.abs(expected).max(axis=0),
        expected / np.abs(expected).max(axis=0),
        rtol=0,
        atol=tolerance,
    )
