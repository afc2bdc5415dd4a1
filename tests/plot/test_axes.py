"""Errors that all displays share."""

import sys

import numpy as np
import pytest

from featsieve import VarianceScore
from featsieve.plot import CurveDisplay, RedundancyDisplay, ScoreDisplay


@pytest.fixture
def selector():
    return VarianceScore().fit(np.arange(12.0).reshape(4, 3) ** 2)


def test_missing_matplotlib_names_the_extra(selector, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'featsieve\[plot\]'"):
        ScoreDisplay.from_estimator(selector)


def test_names_must_fit_the_features(selector):
    with pytest.raises(ValueError, match=r"one name per feature \(3\); got 2 names"):
        ScoreDisplay.from_estimator(selector, feature_names=["a", "b"])


@pytest.mark.parametrize("n_features", [0, 4])
def test_number_of_features_must_exist(selector, n_features):
    with pytest.raises(ValueError, match=rf"number of features \(3\); got {n_features}"):
        RedundancyDisplay.from_estimator(selector, np.eye(3), n_features=n_features)


def test_unknown_methods_are_named(comparison):
    with pytest.raises(ValueError, match="`methods` must be among variance, fisher, laplacian; got lle"):
        CurveDisplay.from_comparison(comparison, methods=["fisher", "lle"])
