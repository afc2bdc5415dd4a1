"""Checks of the labels of samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from featsieve import KernelForwardSelection, KernelNearestNeighbor, KernelOrthogonalBasis, KernelRelief

from .cases import SUPERVISED, make_samples, raises_error


def test_one_sample_of_supervised_methods():
    for estimator in SUPERVISED:
        with raises_error("sample|class"):
            estimator().fit([[1.0, 2.0]], [0])
    assert KernelNearestNeighbor().fit([[1.0, 2.0]], ["a"]).predict([[9.0, 9.0]]).tolist() == ["a"]


@pytest.mark.parametrize("estimator", SUPERVISED)
def test_two_samples_of_two_classes(estimator):
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    F = estimator(gamma=1.0).fit(X, ["no", "yes"]).transform(X)
    assert F.shape[1] >= 1
    assert np.all(np.isfinite(F))
    assert not np.allclose(F[0], F[1])


@pytest.mark.parametrize("estimator", SUPERVISED)
def test_one_class_is_rejected(estimator):
    X, _ = make_samples()
    with raises_error("class"):
        estimator().fit(X, np.zeros(len(X)))


def test_one_class_in_selection_and_classifier():
    X, _ = make_samples()
    with raises_error("class"):
        KernelForwardSelection().fit(X, np.zeros(len(X)))
    with raises_error("class"):
        KernelRelief(KernelOrthogonalBasis()).fit(X, np.zeros(len(X)))
    assert set(KernelNearestNeighbor().fit(X, ["x"] * len(X)).predict(X)) == {"x"}


@pytest.mark.parametrize("estimator", SUPERVISED)
def test_class_of_one_sample(estimator):
    X, y = make_samples(12)
    y = y.copy()
    y[4] = 9
    F = estimator(gamma=0.3).fit(X, y).transform(X)
    assert np.all(np.isfinite(F))


LABELS = {
    "strings": np.array(["rot", "grün", "blau"]),
    "objects": np.array(["rot", "grün", "blau"], dtype=object),
    "floats": np.array([0.0, 1.0, 2.0]) - 7,
    "huge": np.array([2**53 + 1, 2**53 + 2, -(2**62)]),
    "int8": np.array([-128, 0, 127], dtype=np.int8),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("estimator", SUPERVISED)
def test_class_names_have_no_effect_on_transformers(estimator, labels):
    X, y = make_samples()
    named_y = LABELS[labels][y]
    expected = estimator(gamma=0.3).fit(X, y).transform(X)
    coordinates = estimator(gamma=0.3).fit(X, named_y).transform(X)
    assert_allclose(np.abs(coordinates), np.abs(expected), atol=1e-7)


@pytest.mark.parametrize("labels", LABELS)
def test_class_names_have_no_effect_on_selection_and_classifier(labels):
    X, y = make_samples()
    named_y = LABELS[labels][y]
    assert_allclose(
        KernelForwardSelection().fit(X, named_y).weights_, KernelForwardSelection().fit(X, y).weights_
    )
    basis = KernelOrthogonalBasis(gamma=0.3)
    assert_allclose(KernelRelief(basis).fit(X, named_y).weights_, KernelRelief(basis).fit(X, y).weights_)
    assert np.array_equal(KernelNearestNeighbor().fit(X, named_y).predict(X), named_y)


def test_boolean_labels():
    X, y = make_samples()
    for estimator in SUPERVISED:
        expected = estimator(gamma=0.3).fit(X, (y > 0).astype(int)).transform(X)
        assert_allclose(estimator(gamma=0.3).fit(X, y > 0).transform(X), expected)
    predictions = KernelNearestNeighbor().fit(X, y > 0).predict(X)
    assert predictions.dtype == bool
    assert np.array_equal(predictions, y > 0)


@pytest.mark.parametrize("estimator", [*SUPERVISED, KernelNearestNeighbor])
def test_invalid_labels_are_rejected(estimator):
    X, y = make_samples()
    with raises_error("y|abel|target|inconsistent|class"):
        estimator().fit(X, y[:-1])
    with raises_error("NaN|unknown|ontinuous"):
        estimator().fit(X, np.where(y == 0, np.nan, y))
    with raises_error("y|target"):
        estimator().fit(X, None)
    with raises_error("ontinuous|class"):
        estimator().fit(X, X[:, 0])


@pytest.mark.parametrize(
    "estimator", [*SUPERVISED, KernelNearestNeighbor, KernelForwardSelection, KernelRelief]
)
def test_unsortable_labels_are_rejected(estimator):
    X, y = make_samples()
    for labels in ((None, "a", "b"), (1, "a", "b"), (np.nan, "a", "b"), ("a", float("nan"), None)):
        with pytest.raises(ValueError, match=r"\by\b"):
            estimator().fit(X, np.array(labels, dtype=object)[y])
