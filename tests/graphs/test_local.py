import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import KNNGraph, LLEReconstructionScore
from featsieve.graphs import barycenter_weights


def test_repeated_neighbors_have_equal_weights():
    X = np.array([[0.0, 0.0], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])
    others = np.array([[j for j in range(6) if j != i] for i in range(6)])
    np.testing.assert_allclose(barycenter_weights(X, others)[0], 0.2)
    # so too where they lie on a line up to rounding, and the sample does not
    X[1:] = np.arange(5)[:, None] * [0.1, 0.3]
    weights = barycenter_weights(np.c_[X, [1e3, 0, 0, 0, 0, 0]], others)[0]
    np.testing.assert_allclose(weights @ X[1:], [0, 0], atol=1e-9)
    assert np.abs(weights).max() < 1


def test_barycenter_weights_of_badly_scaled_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4)) * [1, 1e3, 1e6, 1] + [0, 0, 1e7, 0]
    neighbors = KNNGraph(5).build(X).neighbors.indices
    weights = barycenter_weights(X, neighbors)
    assert_allclose(weights.sum(axis=1), 1, rtol=1e-9)
    reconstructed = np.einsum("ik,ikd->id", weights, X[neighbors])
    # five neighbors rebuild four features exactly
    assert np.abs((reconstructed - X) / X.std(axis=0)).max() < 1e-6
    assert_array_equal(LLEReconstructionScore(5).fit(X[:, [0, 3]]).scores_, 0)
