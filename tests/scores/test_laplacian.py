import pytest
from literal import graphs as lg
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import ClassGraph, KNNGraph, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("weights", ["heat", "binary"])
@pytest.mark.parametrize("bandwidth", ["median", 20.0])
@pytest.mark.parametrize("k", [2, 7])
def test_score_matches_literal(data, weights, bandwidth, k):
    X, _ = data
    graph = KNNGraph(k, weights=weights, bandwidth=bandwidth)
    W = lg.knn_graph(X, k, weights=weights, bandwidth=bandwidth)
    assert_allclose(scores.laplacian_score(X, graph), ls.laplacian(X, W), **TIGHT)


def test_class_graph_matches_literal_and_fisher_score(data):
    X, y = data
    ours = scores.laplacian_score(X, ClassGraph().build(X, y))
    assert_allclose(ours, ls.laplacian(X, lg.class_graph(y)), **TIGHT)
    assert_allclose(ours, 1 / (1 + scores.fisher_score(X, y)), **TIGHT)
