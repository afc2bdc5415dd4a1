"""Kernels and parameters that mean nothing, or nearly: a sensible result or a clear ValueError."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import hilbert
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import scale

from featsieve import (
    KernelForwardSelection,
    KernelGramSchmidt,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESTransformer,
)

from .cases import BASES, DISCRIMINANTS, KERNEL_METHODS, TRANSFORMERS, named, outcome, plain


@pytest.mark.parametrize("method", BASES)
def test_a_negative_diagonal(method):
    with named("kernel", "positive"):
        method(kernel="precomputed").fit(-np.eye(4))
    with named("kernel", "positive"):
        method(kernel="precomputed").fit(np.diag([1.0, 1.0, -0.5]))


@pytest.mark.parametrize("method", BASES)
def test_a_negative_residual(method):
    K = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.9]])
    with named("kernel", "positive"):
        method(kernel="precomputed").fit(K)


def test_an_indefinite_kernel_is_refused_or_its_features_are_finite():
    X, _ = plain()
    for gamma in (0.1, 1.0, 10.0):
        try:
            F = KernelOrthogonalBasis("sigmoid", gamma=gamma, coef0=-1).fit_transform(X)
        except ValueError as error:
            assert "kernel" in str(error)  # noqa: PT017
        else:
            assert np.all(np.isfinite(F))


@pytest.mark.parametrize("method", BASES)
def test_a_kernel_positive_but_for_rounding(method):
    X, _ = plain()
    for K in (X @ X.T - 1e-13 * np.eye(len(X)), hilbert(100), pairwise_kernels(X, metric="rbf", gamma=1e-7)):
        model = method(kernel="precomputed").fit(K)
        F = model.transform(K)
        assert np.all(np.isfinite(F))
        assert_allclose(
            model.reconstruction_cost_,
            np.mean(np.sqrt(np.maximum(np.diag(K) - np.sum(F**2, 1), 0))),
            atol=1e-3,
        )


@pytest.mark.parametrize("gamma", [0.25, 0.001])
def test_gram_schmidt_on_samples_that_are_nearly_dependent(gamma):
    """Kernels that are positive: their small residuals are no reason to call them otherwise."""
    X = scale(load_iris().data)
    K = pairwise_kernels(X, metric="poly", degree=3, gamma=gamma)
    model = KernelGramSchmidt("poly", degree=3, gamma=gamma).fit(X)
    F = model.transform(X)
    assert_allclose(F @ F.T, K, atol=1e-5 * K.max())


@pytest.mark.parametrize("method", KERNEL_METHODS)
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
def test_a_callable_that_does_not_return_a_number(method, kernel, word):
    X, y = plain(12)
    with named(word):
        outcome(method(kernel=kernel).fit(X, y), X)


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_a_callable_may_return_any_kind_of_number(method):
    X, y = plain(15)
    expected = outcome(method(gamma=0.3).fit(X, y), X)
    for wrap in (float, np.float32, np.array, lambda v: np.array([v]), lambda v: np.array([[v]])):
        model = method(kernel=lambda a, b, wrap=wrap: wrap(np.exp(-0.3 * (a - b) @ (a - b)))).fit(X, y)
        assert_allclose(outcome(model, X), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("method", BASES)
def test_a_callable_reads_only_what_is_needed(method):
    X, _ = plain(50)
    calls = []

    def kernel(a, b):
        calls.append(1)
        return np.exp(-0.1 * np.sum((a - b) ** 2))

    model = method(kernel=kernel, n_components=4).fit(X)
    assert model.n_components_ == 4
    assert len(calls) <= 50 * (4 + 1)
    calls.clear()
    model.transform(X[:10])
    assert len(calls) <= 10 * (4 + 1)


@pytest.mark.parametrize("method", KERNEL_METHODS)
@pytest.mark.parametrize("shape", [(5, 4), (4, 5)])
def test_precomputed_must_be_square(method, shape):
    with named("precomputed", "square"):
        method(kernel="precomputed").fit(np.ones(shape), np.arange(shape[0]) % 2)


@pytest.mark.parametrize("method", TRANSFORMERS)  # the neighbors need its diagonal only
def test_precomputed_must_be_symmetric(method):
    K = np.eye(6) * 3 + np.triu(np.ones((6, 6)))
    with named("precomputed", "symmetric"):
        method(kernel="precomputed").fit(K, np.arange(6) % 2)


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_precomputed_of_new_samples(method):
    X, y = plain()
    new = plain(9, seed=1)[0]
    expected = outcome(method(kernel="poly", gamma=0.2, degree=2).fit(X, y), new)
    model = method(kernel="precomputed").fit((1 + 0.2 * X @ X.T) ** 2, y)
    C = (1 + 0.2 * new @ X.T) ** 2
    if method is KernelNearestNeighbor:
        # k(x, x) is the same for all neighbors of x
        assert np.array_equal(model.predict(C), expected)
    else:
        assert_allclose(outcome(model, C), expected, atol=1e-6)
    with named("feature|column|shape"):
        outcome(model, C[:, :-1])


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_the_wrong_number_of_columns(method):
    X, y = plain()
    model = method().fit(X, y)
    with named("4 features", "5 features"):
        outcome(model, X[:, :4])
    with pytest.raises(NotFittedError):
        outcome(method(), X)


@pytest.mark.parametrize("method", KERNEL_METHODS)
@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("kernel", "gaussian"),
        ("kernel", 3),
        ("kernel", None),
        ("gamma", 0.0),
        ("gamma", -1.0),
        ("gamma", "auto"),
        ("gamma", np.nan),
        ("gamma", [1.0]),
        ("degree", -1),
        ("degree", "two"),
        ("coef0", "one"),
        ("coef0", None),
    ],
)
def test_kernel_parameters_that_mean_nothing(method, parameter, value):
    X, y = plain()
    with named(parameter):
        method(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("method", [KernelOrthogonalBasis, TAKESTransformer])
def test_a_width_for_a_dimension(method):
    X, y = plain()
    with named("gamma", "n_components"):
        method(gamma="dimension").fit(X, y)
    with named("gamma", "poly"):
        method(kernel="poly", gamma="dimension", n_components=5).fit(X, y)
    with named("n_components"):
        method(gamma="dimension", n_components=len(X) + 1).fit(X, y)
    for dimension in (1, 2, 7, 20):
        model = method(gamma="dimension", n_components=dimension).fit(X, y)
        basis = model if method is KernelOrthogonalBasis else model.basis_
        assert basis.n_components_ == dimension
        assert basis.gamma_ > 0


def test_a_width_for_a_dimension_that_cannot_be():
    """Ten different samples have at most ten dimensions."""
    X = np.repeat(plain(10)[0], 3, axis=0)
    basis = KernelOrthogonalBasis(gamma="dimension", n_components=25).fit(X)
    assert basis.n_components_ == 10
    assert np.isfinite(basis.gamma_)


@pytest.mark.parametrize(
    "f",
    [
        lambda t: 1 - t,
        lambda t: np.nan,
        lambda t: "half",
        lambda t: None,
        lambda t: [t, t],
        lambda t: 2.0,
        lambda t: 1j,
    ],
    ids=["falling", "nan", "string", "None", "two", "above one", "complex"],
)
@pytest.mark.parametrize("method", [KernelOrthogonalBasis, TAKESTransformer])
def test_thresholds_that_mean_nothing(method, f):
    X, y = plain()
    with named("threshold"):
        method(gamma=0.3, threshold=f).fit(X, y)


@pytest.mark.parametrize("value", ["quadratic", 0.5, None])
def test_thresholds_that_are_no_functions(value):
    with named("threshold"):
        KernelOrthogonalBasis(threshold=value).fit(plain()[0])


def test_a_negative_threshold_is_refused_or_accepts_all_that_is_not_rounding():
    X, _ = plain()
    try:
        basis = KernelOrthogonalBasis("linear", threshold=lambda t: t - 2).fit(X)
    except ValueError as error:
        assert "threshold" in str(error)  # noqa: PT017
    else:
        assert basis.n_components_ == X.shape[1]


@pytest.mark.parametrize("method", BASES)
def test_more_components_than_samples(method):
    X, _ = plain(8)
    model = method(gamma=1.0, n_components=500).fit(X)
    assert model.n_components_ <= 8
    assert np.all(np.isfinite(model.transform(X)))


@pytest.mark.parametrize("method", TRANSFORMERS)
@pytest.mark.parametrize("value", [0, -3, 2.5, "all"])
def test_component_counts_that_mean_nothing(method, value):
    X, y = plain()
    with named("n_components"):
        method(n_components=value).fit(X, y)


@pytest.mark.parametrize("method", DISCRIMINANTS)
def test_discriminants_hold_at_most_one_component_less_than_classes(method):
    X, y = plain()
    assert method(n_components=1).fit(X, y).transform(X).shape == (len(X), 1)
    try:
        F = method(n_components=9).fit(X, y).transform(X)
    except ValueError as error:
        assert "n_components" in str(error)  # noqa: PT017
    else:
        assert F.shape == (len(X), 2)


@pytest.mark.parametrize("method", DISCRIMINANTS)
@pytest.mark.parametrize("value", [-1.0, np.nan, "small", None])
def test_penalties_that_mean_nothing(method, value):
    X, y = plain()
    with named("reg"):
        method(reg=value).fit(X, y)


@pytest.mark.parametrize("method", DISCRIMINANTS)
def test_no_penalty_at_all_is_refused_or_finite(method):
    """The scatter of a full-rank kernel is zero inside the classes: reg=0 leaves 0/0."""
    X, y = plain()
    try:
        F = method(reg=0.0, gamma=1.0).fit(X, y).transform(X)
    except ValueError as error:
        assert "reg" in str(error)  # noqa: PT017
    else:
        assert np.all(np.isfinite(F))


@pytest.mark.parametrize(
    "make",
    [
        lambda k: KernelForwardSelection(n_features_to_select=k),
        lambda k: TAKESTransformer(n_features_to_select=k),
        lambda k: KernelRelief(KernelOrthogonalBasis(), n_features_to_select=k),
    ],
    ids=["kffs", "takes", "relief"],
)
@pytest.mark.parametrize("value", [0, -1, 10_000, 1.5, "most"])
def test_feature_counts_that_mean_nothing(make, value):
    X, y = plain()
    with named("n_features_to_select"):
        make(value).fit(X, y)


@pytest.mark.parametrize("value", [0, -1, 1.5, "all", None, 41])
def test_neighbor_counts_that_mean_nothing(value):
    X, y = plain()
    with named("n_neighbors"):
        KernelNearestNeighbor(value).fit(X, y).predict(X)
