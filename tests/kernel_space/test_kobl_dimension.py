"""The search for the gamma at which the basis has a given dimension."""

import numpy as np
import pytest

from featsieve import KernelOrthogonalBasis, TAKESTransformer

from .cases import make_samples, raises_error


@pytest.mark.parametrize("estimator", [KernelOrthogonalBasis, TAKESTransformer])
def test_gamma_dimension_requires_a_valid_target(estimator):
    X, y = make_samples()
    with raises_error("gamma", "n_components"):
        estimator(gamma="dimension").fit(X, y)
    with raises_error("gamma", "poly"):
        estimator(kernel="poly", gamma="dimension", n_components=5).fit(X, y)
    with raises_error("n_components"):
        estimator(gamma="dimension", n_components=len(X) + 1).fit(X, y)
    for dimension in (1, 2, 7, 20):
        model = estimator(gamma="dimension", n_components=dimension).fit(X, y)
        basis = model if estimator is KernelOrthogonalBasis else model.basis_
        assert basis.n_components_ == dimension
        assert basis.gamma_ > 0


def test_unreachable_dimension_returns_the_closest():
    """Ten distinct samples have at most ten dimensions."""
    X = np.repeat(make_samples(10)[0], 3, axis=0)
    basis = KernelOrthogonalBasis(gamma="dimension", n_components=25).fit(X)
    assert basis.n_components_ == 10
    assert np.isfinite(basis.gamma_)


@pytest.mark.parametrize("target", [1, 2, 13, 40, 177, 178])
def test_gamma_reaches_the_dimension(wine, target):
    basis = KernelOrthogonalBasis(gamma="dimension", n_components=target).fit(wine[0])
    assert basis.n_components_ == target
    assert KernelOrthogonalBasis(gamma=basis.gamma_).fit(wine[0]).n_components_ == target
