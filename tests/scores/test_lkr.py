import numpy as np
import pytest
from literal import lle as ll
from numpy.testing import assert_allclose

from featsieve import ClassGraph, KNNGraph, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("bandwidth", ["median", 100.0])
@pytest.mark.parametrize("k", [1, 4, 10])
def test_score_matches_literal(data, k, bandwidth):
    X, _ = data
    ours = scores.lkr_score(X, KNNGraph(k, bandwidth=bandwidth), bandwidth, 0.1)
    assert_allclose(ours, ll.lkr(X, k, bandwidth, 0.1), **TIGHT)


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", ["median", 100.0])
def test_class_graph_matches_literal(data, bandwidth):
    X, y = data
    y = y.copy()
    y[0] = 7  # a class of one is predicted by nothing
    ours = scores.lkr_score(X, ClassGraph().build(X, y), bandwidth, 0.3)
    assert_allclose(ours, ll.lkr_supervised(X, y, bandwidth, 0.3), **TIGHT)


def test_matrix_of_weights_defines_the_neighbors(data):
    X, _ = data
    built = KNNGraph(4).build(X)
    symmetric = scores.lkr_score(X, built.weights, 20.0)
    neighbors = [np.flatnonzero(row) for row in built.weights.toarray()]
    prediction = np.array([ll.kernel_ridge_weights(X, i, neighbors[i], 20.0, 0.1) for i in range(len(X))])
    expected = ll.prediction_score(X, prediction, built.degree)
    assert_allclose(symmetric, expected, **TIGHT)
