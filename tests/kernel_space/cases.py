"""The kernel-space methods by what they need, and data to try them on."""

import numpy as np
import pytest

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
LABELED = [*DISCRIMINANTS, TAKESTransformer]
TRANSFORMERS = [*BASES, *LABELED]
KERNEL_METHODS = [*TRANSFORMERS, KernelNearestNeighbor]


def plain(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, d)) + y[:, None] * [1, 0, 0.5, 0, -1][:d], y


def outcome(model, X):
    return model.transform(X) if hasattr(model, "transform") else model.predict(X)


def named(*words):
    """A ValueError (or TypeError) that holds every word."""
    pattern = "".join(f"(?=.*{word})" for word in words)
    return pytest.raises((ValueError, TypeError), match=f"(?s){pattern}")
