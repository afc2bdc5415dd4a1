"""Cached edge energies with weights of extreme magnitudes."""

import numpy as np
from numpy.testing import assert_allclose

from featsieve import (
    IterativeScore,
    KNNGraph,
    LaplacianScore,
)
from featsieve.scores import laplacian_score


def test_spread_dominated_by_a_distant_sample():
    """The degree of the sample vanishes, so weighted centering removes nearly all of the spread."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    X[0] = 1e7
    X[0, 3] = 0.0
    model = IterativeScore(LaplacianScore(KNNGraph(5, bandwidth=1.0)), n_features_to_select=1).fit(X)
    for features, scores in zip(model.round_features_, model.round_scores_, strict=True):
        expected = LaplacianScore(KNNGraph(5, bandwidth=1.0)).fit(X[:, features]).scores_
        assert_allclose(scores, expected, rtol=1e-6)


def test_weights_whose_squares_underflow():
    X = 40 * np.random.default_rng(1).standard_normal((12, 4))
    builder = KNNGraph(3, bandwidth=2.0)
    assert 0 < builder.build(X).degree.max() < 1e-154
    scores = IterativeScore(LaplacianScore(builder), n_features_to_select=3).fit(X).round_scores_[0]
    assert_allclose(scores, laplacian_score(X, builder))
