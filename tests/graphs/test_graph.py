import numpy as np
import pytest
import scipy.sparse as sp
from literal import graphs as lg
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import ClassGraph, ConstraintGraph, Graph, KNNGraph, LaplacianScore, RBFGraph
from featsieve.engines.distances.direct import squared_distances
from featsieve.graphs.graph import as_graph


def dense(graph):
    return graph.weights @ np.eye(graph.n_samples)


@pytest.mark.parametrize("weights", ["heat", "binary"])
@pytest.mark.parametrize("bandwidth", ["median", 9.0])
@pytest.mark.parametrize("symmetric", [True, False])
def test_neighbor_graph(data, weights, bandwidth, symmetric):
    X, _ = data
    graph = KNNGraph(4, weights=weights, bandwidth=bandwidth, symmetric=symmetric).build(X)
    assert_allclose(dense(graph), lg.knn_graph(X, 4, weights, bandwidth, symmetric), rtol=1e-10)
    assert_array_equal(
        graph.neighbors.indices, lg.knn(X, 4)[0]
    )  # nearest first, whatever was built from them


def test_class_graph(data):
    X, y = data
    graph = ClassGraph().build(X, y)
    assert_allclose(dense(graph), lg.class_graph(y), rtol=1e-12)
    assert_allclose(graph.degree, 1)
    assert graph.weights.left.nnz == len(y)


@pytest.mark.parametrize("bandwidth", [30.0, "median"])
def test_gaussian_graph(data, bandwidth):
    X, _ = data
    gaps = lg.squared_distances(X)
    number = np.median(gaps[np.triu_indices(len(X), 1)]) if bandwidth == "median" else bandwidth
    assert_allclose(dense(RBFGraph(bandwidth).build(X)), lg.rbf_graph(X, number), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array])
def test_copies_and_near_copies_of_the_gaussian_graph(form):
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


def test_constraint_graphs(data):
    X, y = data
    y = y.copy()
    y[:9] = -1
    pairs = dict(zip(("must", "cannot"), lg.pairs_from_labels(y), strict=True))
    for link, listed in pairs.items():
        expected = lg.pair_graph(len(y), listed)
        from_labels = dense(ConstraintGraph(link).build(X, y))
        np.fill_diagonal(from_labels, 0)  # a loop has no energy
        assert_allclose(from_labels, expected)
        assert_allclose(dense(ConstraintGraph(link, pairs=listed).build(X)), expected)


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


def test_graph_cannot_be_changed_and_leaves_its_source_alone(data):
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


def test_repr_tells_what_a_person_wants_to_know():
    X = np.concatenate([np.zeros((5, 1)), np.full((5, 1), 9.0)]) + np.arange(10)[:, None] / 100
    text = repr(KNNGraph(2, weights="binary").build(X))
    assert text == "Graph: 10 samples, 12 edges, binary weights, degree 2 to 4, 2 components"
    assert "(directed)" in repr(KNNGraph(2, symmetric=False).build(X))


def test_median_of_zero_falls_back_to_the_positive_distances():
    X = np.zeros((20, 2))
    X[-1] = 3
    assert np.isfinite(KNNGraph(2).build(X).weights.data).all()
    assert "bandwidth 18" in repr(KNNGraph(2).build(X))
    assert "bandwidth 1)" in repr(KNNGraph(2).build(np.ones((9, 2))))


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
def test_weights_that_cannot_be_used(graph, message):
    with pytest.raises(ValueError, match=message):
        as_graph(graph, np.eye(4))


def test_directed_weights_are_refused_where_the_equation_needs_symmetric_ones():
    X = np.random.default_rng(0).standard_normal((20, 3))
    for graph in (KNNGraph(3, symmetric=False), sp.csr_array(np.triu(np.ones((20, 20)), 1))):
        with pytest.raises(ValueError, match="symmetric"):
            LaplacianScore(graph).fit(X)


def test_a_graph_without_edges_is_refused():
    with pytest.raises(ValueError, match="must have edges"):
        LaplacianScore(sp.csr_array((6, 6))).fit(np.random.default_rng(0).standard_normal((6, 2)))


@pytest.mark.parametrize("y", [["a", None, "b", "a"], [None, "a", "b", "a"], [1, "a", 1, "a"]])
def test_labels_of_different_kinds_are_refused(y):
    with pytest.raises(ValueError, match="y must contain labels of one type"):
        ClassGraph().build(np.eye(4), np.array(y, dtype=object))


def test_small_integers_stored_many_times_add_up():
    ends = np.repeat([0, 1], 300)
    counts = sp.coo_array((np.ones(600, dtype=np.int8), (ends, 1 - ends)), shape=(2, 2))
    assert_array_equal(Graph(counts).weights.toarray(), [[0, 300], [300, 0]])
