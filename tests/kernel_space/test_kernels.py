"""Kernels of dense, sparse and precomputed samples, and callable kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.utils import get_tags

from featsieve import KernelNearestNeighbor, KernelOrthogonalBasis

from .cases import KERNEL_ESTIMATORS, make_samples, predict_or_transform, raises_error


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
@pytest.mark.parametrize(
    ("kernel", "word"),
    [
        (lambda a, b: np.nan, "kernel"),
        (lambda a, b: np.inf, "kernel"),
        (lambda a, b: a - b, "kernel"),
        (lambda a, b: "near", "kernel"),
        (lambda a, b: None, "kernel"),
        (lambda a, b: 1j, "kernel"),
        (lambda a, b: [1.0, 2.0], "kernel"),
        (lambda a, b: np.eye(2), "kernel"),
    ],
    ids=["nan", "inf", "vector", "string", "None", "complex", "list", "matrix"],
)
def test_callable_must_return_a_number(estimator, kernel, word):
    X, y = make_samples(12)
    with raises_error(word):
        predict_or_transform(estimator(kernel=kernel).fit(X, y), X)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_callable_may_return_any_type_of_number(estimator):
    X, y = make_samples(15)
    expected = predict_or_transform(estimator(gamma=0.3).fit(X, y), X)
    for wrap in (float, np.float32, np.array, lambda v: np.array([v]), lambda v: np.array([[v]])):
        model = estimator(kernel=lambda a, b, wrap=wrap: wrap(np.exp(-0.3 * (a - b) @ (a - b)))).fit(X, y)
        assert_allclose(predict_or_transform(model, X), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_precomputed_kernel_of_new_samples(estimator):
    X, y = make_samples()
    new = make_samples(9, seed=1)[0]
    expected = predict_or_transform(estimator(kernel="poly", gamma=0.2, degree=2).fit(X, y), new)
    model = estimator(kernel="precomputed").fit((1 + 0.2 * X @ X.T) ** 2, y)
    C = (1 + 0.2 * new @ X.T) ** 2
    if estimator is KernelNearestNeighbor:
        # k(x, x) is the same for all neighbors of x
        assert np.array_equal(model.predict(C), expected)
    else:
        assert_allclose(predict_or_transform(model, C), expected, atol=1e-6)
    with raises_error("feature|column|shape"):
        predict_or_transform(model, C[:, :-1])


@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_chi2_kernels_require_dense_samples(kernel):
    X, y = make_samples()
    model = KernelNearestNeighbor(kernel=kernel)
    assert not get_tags(model).input_tags.sparse
    with raises_error("dense"):
        model.fit(sp.csr_array(np.abs(X)), y)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine", "laplacian"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_equals_dense(estimator, kernel, kind):
    X, y = make_samples()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    options = {} if kernel in ("linear", "cosine") else {"gamma": 0.3}
    dense, sparse = (
        estimator(kernel=kernel, **options).fit(X, y),
        estimator(kernel=kernel, **options).fit(kind(X), y),
    )
    assert_allclose(predict_or_transform(sparse, kind(X)), predict_or_transform(dense, X), atol=1e-7)
    assert_allclose(predict_or_transform(sparse, X), predict_or_transform(dense, kind(X)), atol=1e-7)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_overflow_of_the_kernel_is_rejected(estimator):
    X, y = make_samples()
    with raises_error("kernel|large|infinity|scale"):
        predict_or_transform(estimator(kernel="poly", degree=9, gamma=1.0).fit(X * 1e60, y), X * 1e60)


def test_rbf_kernel_is_translation_invariant():
    X, _ = make_samples()
    basis, translated = (KernelOrthogonalBasis(gamma=0.3).fit(samples) for samples in (X, X + 1e6))
    assert np.array_equal(basis.pivots_, translated.pivots_)
    assert_allclose(translated.transform(X + 1e6), basis.transform(X), atol=1e-5)
