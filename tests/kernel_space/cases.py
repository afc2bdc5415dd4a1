"""Kernel-space estimators by what they require, samples to fit, and kernels."""

from math import factorial

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from featsieve import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelGramSchmidt,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    TAKESTransformer,
)

BASES = [KernelOrthogonalBasis, KernelGramSchmidt]
DISCRIMINANTS = [KernelDiscriminantAnalysis, GeneralizedDiscriminantAnalysis]
SUPERVISED = [*DISCRIMINANTS, TAKESTransformer]
TRANSFORMERS = [*BASES, *SUPERVISED]
KERNEL_ESTIMATORS = [*TRANSFORMERS, KernelNearestNeighbor]


def make_samples(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, d)) + y[:, None] * [1, 0, 0.5, 0, -1][:d], y


def predict_or_transform(model, X):
    return model.transform(X) if hasattr(model, "transform") else model.predict(X)


def raises_error(*words):
    """Expect a ValueError or TypeError whose message contains every word."""
    pattern = "".join(f"(?=.*{word})" for word in words)
    return pytest.raises((ValueError, TypeError), match=f"(?s){pattern}")


def polynomial_features(X, degree):
    """Compute phi with phi(x).phi(z) = (1 + x.z)^degree."""
    expand = PolynomialFeatures(degree).fit(X)
    weights = []
    for powers in expand.powers_:
        ways = factorial(degree) / factorial(degree - int(powers.sum()))
        weights.append(np.sqrt(ways / np.prod([factorial(int(p)) for p in powers])))
    return expand.transform(X) * weights


def rbf_matrix(X, Z, gamma):
    """Compute the RBF kernel from differences."""
    return np.exp(-gamma * np.sum((X[:, None] - Z) ** 2, axis=2))


def split_in_half(X, y):
    return (X[::2], y[::2]), (X[1::2], y[1::2])


WORDS = [
    "kernel",
    "kernels",
    "colonel",
    "basis",
    "bases",
    "basic",
    "feature",
    "features",
    "creature",
    "sample",
]


def count_common_bigrams(a, b):
    """Count the pairs of letters that two words share, with repetition: a spectrum kernel."""
    pairs = [word[i : i + 2] for word in (a,) for i in range(len(word) - 1)]
    return float(sum(b[j : j + 2] == pair for pair in pairs for j in range(len(b) - 1)))


def rbf_callable(x, z):
    return np.exp(-0.02 * ((x - z) ** 2).sum())
