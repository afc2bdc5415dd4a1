import numpy as np
import pytest
from literal import graphs as lg
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import KNNGraph


def dense(graph):
    return graph.weights @ np.eye(graph.n_samples)


@pytest.mark.parametrize("weights", ["heat", "binary"])
@pytest.mark.parametrize("bandwidth", ["median", 9.0])
@pytest.mark.parametrize("symmetric", [True, False])
def test_graph_matches_literal(data, weights, bandwidth, symmetric):
    X, _ = data
    graph = KNNGraph(4, weights=weights, bandwidth=bandwidth, symmetric=symmetric).build(X)
    assert_allclose(dense(graph), lg.knn_graph(X, 4, weights, bandwidth, symmetric), rtol=1e-10)
    assert_array_equal(
        graph.neighbors.indices, lg.knn(X, 4)[0]
    )  # nearest first, also after a graph was built


def test_bandwidth_is_the_median_of_positive_distances_if_the_median_is_zero():
    X = np.zeros((20, 2))
    X[-1] = 3
    assert np.isfinite(KNNGraph(2).build(X).weights.data).all()
    assert "bandwidth 18" in repr(KNNGraph(2).build(X))
    assert "bandwidth 1)" in repr(KNNGraph(2).build(np.ones((9, 2))))
