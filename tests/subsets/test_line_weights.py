"""LLE scores with the weights of single features computed once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from featsieve import KNNGraph, LLEScore
from featsieve.scores import lle_score
from featsieve.subsets._line_weights import CachedLineWeights


@pytest.mark.parametrize("digits", [1, 9])
def test_scores_on_a_sequence_of_graphs_equal_new_scores(digits):
    X = np.random.default_rng(0).standard_normal((40, 12)).round(digits)
    weights = CachedLineWeights(X, LLEScore(4, reg=1e-3))
    for features in (np.arange(12), np.array([0, 2, 3, 5, 7, 8, 11]), np.array([3, 11])):
        graph = KNNGraph(6).build(X[:, features])
        expected = lle_score(X[:, features], graph, 4, 1e-3)
        assert_allclose(weights.scores(graph.neighbors, features), expected, rtol=1e-9, atol=1e-12)
