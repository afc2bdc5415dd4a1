"""Chosen pixels over the mean image."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from featsieve import VarianceScore
from featsieve.plot import MaskDisplay
from featsieve.report import ImageShape


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((20, 6)) * np.arange(1, 7) + np.arange(6)


def test_chosen_pixels_cover_the_mean(X):
    selector = VarianceScore(n_features_to_select=2).fit(X)
    display = MaskDisplay.from_estimator(selector, X, image_shape=(2, 3))
    expected = selector.get_support().reshape(2, 3)
    np.testing.assert_array_equal(display.mask_.get_array()[..., 3] > 0, expected)
    drawn, mean = np.asarray(display.image_.get_array()).ravel(), X.mean(axis=0)
    np.testing.assert_allclose(drawn, np.rint(255 * (mean - mean.min()) / np.ptp(mean)))


def test_images_stored_column_by_column(X):
    selector = VarianceScore(n_features_to_select=2).fit(X)
    display = MaskDisplay.from_estimator(selector, X, image_shape=ImageShape(2, 3, "F"))
    np.testing.assert_array_equal(display.mask, selector.get_support().reshape(3, 2).T)
    np.testing.assert_array_equal(np.argsort(display.image.T.ravel()), np.argsort(X.mean(axis=0)))


def test_names_tell_the_shape_and_the_image_is_optional():
    frame, _ = load_digits(return_X_y=True, as_frame=True)
    display = MaskDisplay.from_estimator(VarianceScore(n_features_to_select=9).fit(frame), n_features=5)
    assert display.mask.shape == (8, 8)
    assert display.mask.sum() == 5
    assert display.image_ is None
    assert len(display.ax_.images) == 1


def test_unknown_shape(X):
    with pytest.raises(ValueError, match=r"Pass image_shape=\(height, width\)"):
        MaskDisplay.from_estimator(VarianceScore().fit(X))
