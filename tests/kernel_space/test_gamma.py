"""Kernel coefficients chosen from the data."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import KernelOrthogonalBasis, KernelRelief

from .cases import KERNEL_ESTIMATORS, make_samples, predict_or_transform


@pytest.mark.parametrize("gamma", ["scale", "median", None])
def test_gamma_of_constant_features_is_finite(gamma):
    basis = KernelOrthogonalBasis(gamma=gamma).fit(np.ones((6, 2)))
    assert np.isfinite(basis.gamma_)
    assert basis.gamma_ > 0
    assert basis.n_components_ == 1


@pytest.mark.parametrize("gamma", ["scale", "median"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "poly"])
def test_automatic_gamma_is_invariant_to_units(kernel, gamma):
    X = np.abs(make_samples()[0])
    basis = KernelOrthogonalBasis(kernel, gamma=gamma).fit(X)
    for unit in (1e8, 1e-8):
        rescaled = KernelOrthogonalBasis(kernel, gamma=gamma).fit(X * unit)
        assert_array_equal(rescaled.pivots_, basis.pivots_)
        assert_allclose(rescaled.transform(X * unit), basis.transform(X), atol=1e-9)


@pytest.mark.parametrize("estimator", [*KERNEL_ESTIMATORS, KernelRelief])
def test_overflow_of_squares_is_rejected(estimator):
    X, y = make_samples()
    with pytest.raises(ValueError, match="Scale X"):
        predict_or_transform(estimator().fit(X * 1e200, y), X * 1e200)


@pytest.mark.parametrize("gamma", ["scale", "median"])
def test_gamma_of_sparse_and_dense_samples_is_equal(gamma):
    X, _ = make_samples()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    dense, sparse = (KernelOrthogonalBasis(gamma=gamma).fit(A).gamma_ for A in (X, sp.csr_array(X)))
    assert_allclose(sparse, dense)
    if gamma == "scale":
        assert_allclose(dense, 1 / (X.shape[1] * X.var()))
    else:
        squares = [np.sum((a - b) ** 2) for i, a in enumerate(X) for b in X[:i]]
        assert_allclose(dense, 1 / np.median([s for s in squares if s > 0]))
