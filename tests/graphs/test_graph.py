import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import ClassGraph, Graph, KNNGraph, LaplacianScore, RBFGraph
from featsieve.graphs.graph import as_graph


def dense(graph):
    return graph.weights @ np.eye(graph.n_samples)


@pytest.mark.parametrize("build", [KNNGraph(3).build, RBFGraph().build, ClassGraph().build])
def test_degree_and_laplacian(data, build):
    X, y = data
    graph = build(X, y)
    W = dense(graph)
    assert_allclose(graph.degree, W.sum(axis=1))
    laplacian = graph.laplacian.toarray() if sp.issparse(graph.laplacian) else graph.laplacian
    assert_allclose(laplacian, np.diag(W.sum(axis=1)) - W, atol=1e-12)
    assert graph.degree is graph.degree  # computed once
    assert graph.laplacian is graph.laplacian


def test_graph_is_immutable_and_copies_the_weights(data):
    X, _ = data
    graph = KNNGraph(3).build(X)
    with pytest.raises(AttributeError):
        graph.weights = None
    for array in (graph.weights.data, graph.neighbors.indices, graph.neighbors.distances):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    W = np.ones((4, 4))
    Graph(W)
    W[0, 0] = 2  # the caller's own array stays writable


def test_repr_describes_the_graph():
    X = np.concatenate([np.zeros((5, 1)), np.full((5, 1), 9.0)]) + np.arange(10)[:, None] / 100
    text = repr(KNNGraph(2, weights="binary").build(X))
    assert text == "Graph: 10 samples, 12 edges, binary weights, degree 2 to 4, 2 components"
    assert "(directed)" in repr(KNNGraph(2, symmetric=False).build(X))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.ones((3, 4)), "square"),
        (-np.eye(4), "negative"),
        (np.full((4, 4), np.nan), "NaN"),
        (np.eye(5), "one vertex per sample of X .4.; got 5"),
        ("knn", "builder"),
    ],
)
def test_invalid_weights_are_rejected(graph, message):
    with pytest.raises(ValueError, match=message):
        as_graph(graph, np.eye(4))


def test_directed_weights_are_rejected_by_scores_of_symmetric_graphs():
    X = np.random.default_rng(0).standard_normal((20, 3))
    for graph in (KNNGraph(3, symmetric=False), sp.csr_array(np.triu(np.ones((20, 20)), 1))):
        with pytest.raises(ValueError, match="symmetric"):
            LaplacianScore(graph).fit(X)


def test_graph_without_edges_is_rejected():
    with pytest.raises(ValueError, match="must have edges"):
        LaplacianScore(sp.csr_array((6, 6))).fit(np.random.default_rng(0).standard_normal((6, 2)))


def test_duplicate_entries_of_small_integers_are_summed():
    ends = np.repeat([0, 1], 300)
    counts = sp.coo_array((np.ones(600, dtype=np.int8), (ends, 1 - ends)), shape=(2, 2))
    assert_array_equal(Graph(counts).weights.toarray(), [[0, 300], [300, 0]])


def test_builder_must_return_a_graph(data):
    class MatrixGraph(KNNGraph):
        def build(self, X, y=None):
            return np.ones((len(X), len(X)))

    with pytest.raises(ValueError, match=r"`MatrixGraph\.build` must return a Graph; got ndarray\."):
        LaplacianScore(MatrixGraph()).fit(data[0])
