"""Samples and labels that people have: a sensible result, or a ValueError that names what to change."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from featsieve import (
    KernelForwardSelection,
    KernelGramSchmidt,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
)

from .cases import BASES, KERNEL_METHODS, LABELED, named, outcome, plain


@pytest.mark.parametrize("method", BASES)
def test_duplicate_samples_add_no_vector(method):
    X, _ = plain()
    once, twice = method(gamma=0.5).fit(X), method(gamma=0.5).fit(np.concatenate([X, X, X]))
    assert len(np.unique(np.concatenate([X, X, X])[twice.pivots_], axis=0)) == twice.n_components_
    assert twice.n_components_ <= len(X)
    assert np.all(np.isfinite(twice.transform(X)))
    if method is KernelGramSchmidt:
        assert np.array_equal(once.pivots_, twice.pivots_)
        assert_allclose(once.transform(X), twice.transform(X), atol=1e-8)


@pytest.mark.parametrize("method", BASES)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "cosine"])
def test_all_samples_equal(method, kernel):
    X = np.full((12, 3), 2.5)
    model = method(kernel=kernel).fit(X)
    assert model.n_components_ == 1
    assert model.pivots_.tolist() == [0]
    assert_allclose(model.reconstruction_cost_, 0, atol=1e-7)
    assert_allclose(model.transform(X), model.residuals_[0])


@pytest.mark.parametrize("method", BASES)
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_a_kernel_that_is_zero_everywhere(method, kernel):
    with named("kernel"):
        method(kernel=kernel).fit(np.zeros((5, 3)))


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_constant_features_change_nothing(method):
    X, y = plain()
    more = np.column_stack([X, np.full(len(X), 7.0)])
    model, wider = method(gamma=0.3).fit(X, y), method(gamma=0.3).fit(more, y)
    assert_allclose(outcome(wider, more), outcome(model, X), atol=1e-7)


@pytest.mark.parametrize("gamma", ["scale", "median", None])
def test_constant_features_only(gamma):
    basis = KernelOrthogonalBasis(gamma=gamma).fit(np.ones((6, 2)))
    assert np.isfinite(basis.gamma_)
    assert basis.gamma_ > 0
    assert basis.n_components_ == 1


@pytest.mark.parametrize("method", BASES)
def test_one_sample(method):
    model = method().fit([[1.0, 2.0, 3.0]])
    assert model.n_components_ == 1
    assert model.transform([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]).shape == (2, 1)
    assert model.reconstruction_cost_ == 0


@pytest.mark.parametrize("method", BASES)
def test_two_samples(method):
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    model = method(gamma=1.0).fit(X)
    assert model.pivots_.tolist() == [0, 1]
    c = np.exp(-1)
    assert_allclose(model.transform(X), [[1, 0], [c, np.sqrt(1 - c**2)]])


def test_one_sample_for_methods_with_labels():
    for method in LABELED:
        with named("sample|class"):
            method().fit([[1.0, 2.0]], [0])
    assert KernelNearestNeighbor().fit([[1.0, 2.0]], ["a"]).predict([[9.0, 9.0]]).tolist() == ["a"]


@pytest.mark.parametrize("method", LABELED)
def test_two_samples_of_two_classes(method):
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    F = method(gamma=1.0).fit(X, ["no", "yes"]).transform(X)
    assert F.shape[1] >= 1
    assert np.all(np.isfinite(F))
    assert not np.allclose(F[0], F[1])


@pytest.mark.parametrize("method", LABELED)
def test_one_class(method):
    X, _ = plain()
    with named("class"):
        method().fit(X, np.zeros(len(X)))


def test_one_class_for_selection_and_neighbors():
    X, _ = plain()
    with named("class"):
        KernelForwardSelection().fit(X, np.zeros(len(X)))
    with named("class"):
        KernelRelief(KernelOrthogonalBasis()).fit(X, np.zeros(len(X)))
    assert set(KernelNearestNeighbor().fit(X, ["x"] * len(X)).predict(X)) == {"x"}


@pytest.mark.parametrize("method", LABELED)
def test_classes_of_one_sample(method):
    X, y = plain(12)
    y = y.copy()
    y[4] = 9
    F = method(gamma=0.3).fit(X, y).transform(X)
    assert np.all(np.isfinite(F))


LABELS = {
    "strings": np.array(["rot", "grün", "blau"]),
    "objects": np.array(["rot", "grün", "blau"], dtype=object),
    "floats": np.array([0.0, 1.0, 2.0]) - 7,
    "huge": np.array([2**53 + 1, 2**53 + 2, -(2**62)]),
    "int8": np.array([-128, 0, 127], dtype=np.int8),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("method", LABELED)
def test_the_names_of_the_classes_do_not_matter(method, labels):
    X, y = plain()
    named_y = LABELS[labels][y]
    expected = method(gamma=0.3).fit(X, y).transform(X)
    found = method(gamma=0.3).fit(X, named_y).transform(X)
    assert_allclose(np.abs(found), np.abs(expected), atol=1e-7)


@pytest.mark.parametrize("labels", LABELS)
def test_the_names_of_the_classes_in_selection_and_neighbors(labels):
    X, y = plain()
    named_y = LABELS[labels][y]
    assert_allclose(
        KernelForwardSelection().fit(X, named_y).weights_, KernelForwardSelection().fit(X, y).weights_
    )
    basis = KernelOrthogonalBasis(gamma=0.3)
    assert_allclose(KernelRelief(basis).fit(X, named_y).weights_, KernelRelief(basis).fit(X, y).weights_)
    found = KernelNearestNeighbor().fit(X, named_y).predict(X)
    assert np.array_equal(found, named_y)


def test_boolean_labels():
    X, y = plain()
    for method in LABELED:
        expected = method(gamma=0.3).fit(X, (y > 0).astype(int)).transform(X)
        assert_allclose(method(gamma=0.3).fit(X, y > 0).transform(X), expected)
    found = KernelNearestNeighbor().fit(X, y > 0).predict(X)
    assert found.dtype == bool
    assert np.array_equal(found, y > 0)


@pytest.mark.parametrize("method", [*LABELED, KernelNearestNeighbor])
def test_labels_that_cannot_be_labels(method):
    X, y = plain()
    with named("y|abel|target|inconsistent|class"):
        method().fit(X, y[:-1])
    with named("NaN|unknown|ontinuous"):
        method().fit(X, np.where(y == 0, np.nan, y))
    with named("y|target"):
        method().fit(X, None)
    with named("ontinuous|class"):
        method().fit(X, X[:, 0])


def test_one_long_sample_does_not_hide_the_order_of_the_others():
    X = np.array([[0.0], [1.0], [2.0], [1e8]])
    model = KernelNearestNeighbor(kernel="linear").fit(X, list("abcd"))
    assert model.predict([[0.1], [0.9], [1.9], [1e9]]).tolist() == list("abcd")


def test_weights_that_are_zero_but_for_rounding_choose_nothing():
    """Features that vote for the larger class always: each leaves the error where it was."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [37, 13])
    good = y + 0.3 * rng.standard_normal(50)
    idle = rng.standard_normal((50, 8)) * 1e-3 + 5
    idle -= np.outer(y - y.mean(), (y - y.mean()) @ idle / np.sum((y - y.mean()) ** 2))  # tells nothing of y
    selection = KernelForwardSelection().fit(np.column_stack([idle, good]), y)
    near_zero = np.abs(selection.weights_) < 1e-9
    assert near_zero.any()
    assert not selection.get_support()[near_zero].any()
    assert np.all(selection.weights_[near_zero] == 0)


@pytest.mark.parametrize("method", BASES)
def test_duplicates_are_duplicates_whatever_the_width(method):
    X = np.repeat(plain(10)[0] + 100, 3, axis=0)
    for gamma in (1e-3, 1.0, 1e6, 1e15):
        assert method(gamma=gamma).fit(X).n_components_ <= 10
