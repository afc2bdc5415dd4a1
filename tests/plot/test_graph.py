"""Samples and edges of a graph."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from featsieve import ClassGraph, KNNGraph
from featsieve.plot import GraphDisplay
from featsieve.plot import graph as module


@pytest.fixture
def X():
    return np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])


def test_edges_connect_the_samples(X):
    display = GraphDisplay.from_graph(KNNGraph(1, bandwidth=1.0), X, feature=0)
    segments = {tuple(map(tuple, segment)) for segment in display.edges_.get_segments()}
    assert segments == {((0, 0), (1, 0)), ((5, 5), (6, 5))}
    np.testing.assert_array_equal(display.points_.get_offsets(), X)
    np.testing.assert_array_equal(display.points_.get_array(), X[:, 0])
    assert display.figure_.axes[1].get_ylabel() == "Feature 0"


def test_class_graph_has_no_loops(X):
    display = GraphDisplay.from_graph(ClassGraph().build(X, [0, 0, 0, 1]), X)
    assert {tuple(edge) for edge in display.edges.tolist()} == {(0, 1), (0, 2), (1, 2)}
    assert display.points_.get_array() is None


def test_the_strongest_edges_are_drawn(X, monkeypatch):
    monkeypatch.setattr(module, "MAX_EDGES", 2)
    weights = np.array([[0, 1, 5, 0], [1, 0, 2, 0], [5, 2, 0, 3], [0, 0, 3, 0]], dtype=float)
    display = GraphDisplay.from_graph(weights, X)
    assert display.edges.tolist() == [[0, 2], [2, 3]]


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_many_features_are_projected(convert):
    X = np.random.default_rng(0).standard_normal((30, 5)) * [10, 5, 1, 1, 1]
    display = GraphDisplay.from_graph(KNNGraph(3), convert(X))
    assert display.positions.shape == (30, 2)
    assert abs(np.corrcoef(display.positions[:, 0], X[:, 0])[0, 1]) > 0.9


def test_names_and_positions(X):
    frame = pd.DataFrame(X, columns=["a", "b"])
    display = GraphDisplay.from_graph(KNNGraph(1), frame, feature="b", positions=X[:, ::-1])
    np.testing.assert_array_equal(display.points_.get_array(), X[:, 1])
    np.testing.assert_array_equal(display.points_.get_offsets(), X[:, ::-1])
    assert display.figure_.axes[1].get_ylabel() == "b"
    with pytest.raises(ValueError, match="name of a column of X; got 'c'"):
        GraphDisplay.from_graph(KNNGraph(1), frame, feature="c")
    with pytest.raises(ValueError, match=r"shape \(4, 2\).*got \(4, 1\)"):
        GraphDisplay.from_graph(KNNGraph(1), frame, positions=X[:, :1])
