"""Shapes of images and the mean image."""

import numpy as np
import pytest
from scipy import sparse

from featsieve.report import ImageShape, summarize
from report.synthetic import comparison


def test_shape_by_columns():
    X = np.arange(24.0)[None, :]
    pixels = summarize(comparison(), X=X, image_shape="4x6F")["pixels"]
    image = np.empty(24)
    image[pixels["positions"]] = pixels["mean"]
    expected = X[0].reshape(4, 6, order="F")
    np.testing.assert_allclose(image.reshape(4, 6), np.rint(expected / 23 * 255))


@pytest.mark.parametrize("shape", ["4x6", (4, 6), ImageShape(4, 6), " 4 X 6c "])
def test_shape_by_rows(shape):
    pixels = summarize(comparison(), image_shape=shape)["pixels"]
    assert (pixels["height"], pixels["width"], pixels["mean"]) == (4, 6, None)
    assert pixels["positions"] == list(range(24))


@pytest.mark.parametrize("order", ["C", "F"])
def test_shape_is_inferred_from_feature_names(order):
    grid = np.array([[f"pixel_{row}_{column}" for column in range(6)] for row in range(4)])
    pixels = summarize(comparison(names=grid.ravel(order=order).tolist()))["pixels"]
    assert pixels["positions"] == ImageShape(4, 6, order).positions.tolist()


@pytest.mark.parametrize("names", [["pixel_0_0"] * 24, [f"pixel_{index}_0" for index in range(1, 25)]])
def test_shape_is_not_inferred_from_incomplete_names(names):
    assert summarize(comparison(names=names))["pixels"] is None


@pytest.mark.parametrize("shape", ["5x5", "4", "0x24", "fourxsix", (5, 5), (4, 6, "F", 1), 24])
def test_invalid_shape(shape):
    with pytest.raises(ValueError, match="`image_shape` must"):
        summarize(comparison(), image_shape=shape)


def test_sparse_and_constant_data():
    mean = summarize(comparison(), X=sparse.eye_array(24).tocsr()[:12], image_shape="4x6")["pixels"]["mean"]
    assert mean == [255] * 12 + [0] * 12
    flat = summarize(comparison(), X=np.ones((3, 24)), image_shape="4x6")["pixels"]["mean"]
    assert flat == [128] * 24


def test_data_with_another_number_of_features():
    with pytest.raises(ValueError, match="got 7"):
        summarize(comparison(), X=np.ones((3, 7)))
