import numpy as np
import pytest
import scipy.sparse as sp
from literal import graphs as lg
from numpy.testing import assert_allclose

from featsieve import RBFGraph
from featsieve.engines.distances.direct import squared_distances


def dense(graph):
    return graph.weights @ np.eye(graph.n_samples)


@pytest.mark.parametrize("bandwidth", [30.0, "median"])
def test_graph_matches_literal(data, bandwidth):
    X, _ = data
    gaps = lg.squared_distances(X)
    number = np.median(gaps[np.triu_indices(len(X), 1)]) if bandwidth == "median" else bandwidth
    assert_allclose(dense(RBFGraph(bandwidth).build(X)), lg.rbf_graph(X, number), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array])
def test_copies_and_near_copies(form):
    """Most pairs are copies, so that the median is that of the others: no rounding may count as distance."""
    rng = np.random.default_rng(0)
    codes = rng.random((200, 2)) < [0.1, 0.05]
    X = (codes - codes.mean(axis=0)) / codes.std(axis=0)
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    assert np.median(squared[np.triu_indices(200, 1)]) == 0
    bandwidth = np.median(squared[squared > 0])
    assert_allclose(RBFGraph().build(form(X)).weights, np.exp(-squared / bandwidth), rtol=1e-9)
    X = np.repeat(X[:20], 10, axis=0) + 1e-9 * rng.standard_normal((200, 2))
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    assert_allclose(squared_distances(form(X)), squared, rtol=1e-7)
