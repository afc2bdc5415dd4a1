import numpy as np
import pytest
from literal import graphs as lg
from numpy.testing import assert_allclose

from featsieve import ClassGraph, ConstraintGraph


def dense(graph):
    return graph.weights @ np.eye(graph.n_samples)


def test_class_graph_matches_literal(data):
    X, y = data
    graph = ClassGraph().build(X, y)
    assert_allclose(dense(graph), lg.class_graph(y), rtol=1e-12)
    assert_allclose(graph.degree, 1)
    assert graph.weights.left.nnz == len(y)


def test_constraint_graphs_match_literal(data):
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


@pytest.mark.parametrize("y", [["a", None, "b", "a"], [None, "a", "b", "a"], [1, "a", 1, "a"]])
def test_labels_of_mixed_types_are_rejected(y):
    with pytest.raises(ValueError, match="y must contain labels of one type"):
        ClassGraph().build(np.eye(4), np.array(y, dtype=object))
