"""Datasets included in scikit-learn."""

import numpy as np
import pytest
import sklearn.datasets

from featsieve.datasets import DataNotFoundError, load, names


@pytest.mark.parametrize("name", names())
def test_embedded(name):
    data = load(name)
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.name == name
    assert data.target_name == "target"
    assert len(data.feature_names) == X.shape[1]
    assert all(type(feature) is str for feature in data.feature_names)


def test_names_can_be_modified():
    names().clear()
    assert "iris" in names()


def test_several_targets_are_not_embedded():
    assert "linnerud" not in names()
    with pytest.raises(DataNotFoundError, match="linnerud"):
        load("linnerud")
