"""``featsieve.select``: the fitted selector."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

import featsieve


@pytest.mark.parametrize("labels", [True, False])
def test_select_fits_the_automatic_selector(labels):
    X, y = load_wine(return_X_y=True, as_frame=True)
    y = y if labels else None
    fitted = featsieve.select(X, y)
    expected = featsieve.AutoSelector(n_features_to_select="auto").fit(X, y)
    assert fitted.report_ == expected.report_
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert fitted.transform(X).shape == (178, expected.n_features_)


@pytest.mark.parametrize(("n_features", "n_selected"), [(4, 4), (0.5, 6), (np.int64(2), 2)])
def test_number_of_features(n_features, n_selected):
    X, y = load_wine(return_X_y=True)
    assert featsieve.select(X, y, n_features).n_features_ == n_selected


@pytest.mark.parametrize("n_features", [0, 14, 1.5, "all"])
def test_impossible_number_of_features(n_features):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="n_features_to_select"):
        featsieve.select(X, y, n_features)
