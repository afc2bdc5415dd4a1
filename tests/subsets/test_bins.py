"""Mutual information of bins."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mutual_info_score

from featsieve.scores import information_gain_score
from featsieve.subsets import _bins
from featsieve.subsets._bins import Bins


@pytest.mark.parametrize("n_bins", [2, 5, 300])
def test_information_with_labels_is_the_information_gain(n_bins, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((400, 30)), rng.integers(0, 3, (400, 10)), np.ones(400)])
    y = rng.integers(0, 4, 400)
    information = Bins(X, n_bins).information(y)
    assert_allclose(information, information_gain_score(X, y, n_bins), rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(_bins, "_CACHE_BYTES", 1)  # one feature at a time
    assert_array_equal(Bins(X, n_bins).information(y), information)


def test_information_of_independent_features_is_zero():
    X = np.array([[a, b, a + b] for a in range(6) for b in range(5)], dtype=float)
    assert Bins(X, 10).information(X[:, 0].astype(int))[1] == 0


def test_information_is_that_of_scikit_learn_in_bits():
    X = np.random.default_rng(0).integers(0, 4, (50, 6)).astype(float)
    bins = Bins(X, 4)
    expected = [mutual_info_score(X[:, 2], column) / np.log(2) for column in X.T]
    assert_allclose(bins.information(bins.codes[2]), expected, atol=1e-12)
