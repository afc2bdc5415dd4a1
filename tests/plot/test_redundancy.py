"""Heat maps of correlations."""

import numpy as np
import pytest
import scipy.sparse as sp

from featsieve import VarianceScore
from featsieve.plot import RedundancyDisplay


@pytest.fixture
def X():
    base = np.random.default_rng(0).standard_normal((40, 2))
    noise = 0.1 * np.random.default_rng(1).standard_normal((40, 4))
    return np.column_stack([base, -base]) * [4.0, 3.0, 2.0, 1.5] + noise


def test_correlated_features_are_adjacent(X):
    selector = VarianceScore(n_features_to_select=4).fit(X)
    display = RedundancyDisplay.from_estimator(selector, X)
    assert {frozenset(display.names[:2]), frozenset(display.names[2:])} == {
        frozenset({"x0", "x2"}),
        frozenset({"x1", "x3"}),
    }
    order = [int(name[1:]) for name in display.names]
    drawn = display.image_.get_array()
    np.testing.assert_allclose(drawn, np.corrcoef(X[:, order].T), atol=1e-12)
    assert drawn[0, 1] < -0.9
    assert display.image_.get_clim() == (-1, 1)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == display.names


def test_sparse_samples_and_the_best_features(X):
    X[:, 3] = 0.0
    selector = VarianceScore().fit(sp.csr_array(X))
    dense = RedundancyDisplay.from_estimator(selector, X, n_features=4)
    sparse = RedundancyDisplay.from_estimator(selector, sp.csr_array(X), n_features=4)
    np.testing.assert_allclose(dense.correlations, sparse.correlations)
    constant = dense.names.index("x3")
    assert dense.correlations[constant].tolist() == [float(i == constant) for i in range(4)]
    assert RedundancyDisplay.from_estimator(selector, X, n_features=2).correlations.shape == (2, 2)


def test_many_features_have_no_labels():
    X = np.random.default_rng(0).standard_normal((20, 50))
    display = RedundancyDisplay.from_estimator(VarianceScore(n_features_to_select=45).fit(X), X)
    assert display.ax_.get_yticklabels() == []
    assert display.ax_.get_ylabel() == "45 features"
