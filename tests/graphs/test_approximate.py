"""Approximate searches measure their recall; cuVS is called as its release 26.10 declares."""

import sys
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from featsieve.graphs import KNNGraph, approximate, nearest_neighbors


def recall_of(graph, truth):
    k = truth.shape[1]
    pairs = zip(graph.neighbors.indices, truth, strict=True)
    return np.mean([len(set(found) & set(nearest)) / k for found, nearest in pairs])


def test_approximate_search_estimates_its_recall():
    pytest.importorskip("pynndescent", reason="pynndescent is not installed")
    X = np.random.default_rng(0).standard_normal((2000, 60))
    graph = KNNGraph(10, algorithm="approximate").build(X)
    recall = recall_of(graph, nearest_neighbors(X, 10).indices)
    assert 0.7 < graph.neighbors.recall <= 1
    assert abs(graph.neighbors.recall - recall) < 0.03  # estimated from 500 of the 2000 rows
    assert f"recall {graph.neighbors.recall:.3f}" in repr(graph)
    assert np.all(graph.neighbors.indices != np.arange(2000)[:, None])
    assert np.all(np.diff(graph.neighbors.distances, axis=1) >= 0)


class IndexParams:
    """Parameters of cuvs.neighbors.nn_descent, with the names of its release 26.10."""

    def __init__(
        self,
        *,
        metric=None,
        metric_arg=None,
        graph_degree=None,
        intermediate_graph_degree=None,
        max_iterations=None,
        termination_threshold=None,
        return_distances=None,
        dist_comp_dtype="auto",
    ):
        assert metric in {"l2", "euclidean", "sqeuclidean", "inner_product", "cosine", "bitwise_hamming"}
        assert dist_comp_dtype in {"auto", "fp32", "fp16"}
        self.graph_degree, self.intermediate_graph_degree = graph_degree, intermediate_graph_degree


class Index:
    """Result of cuvs.neighbors.nn_descent.build."""

    def __init__(self, graph):
        self.trained, self.graph = True, graph


def build(index_params, dataset, graph=None, resources=None):
    """Find the nearest samples, except that those of each tenth sample are random, repeated or not found."""
    assert isinstance(index_params, IndexParams)
    assert str(dataset.dtype) == "torch.float32"
    assert dataset.is_contiguous(), "Row major input is expected"
    n = dataset.shape[0]
    assert index_params.graph_degree <= index_params.intermediate_graph_degree <= n - 1
    squared = cdist(dataset.numpy(), dataset.numpy())
    np.fill_diagonal(squared, np.inf)
    found = squared.argsort(axis=1)[:, : index_params.graph_degree].astype(np.uint32)
    found[::10] = np.random.default_rng(0).integers(n, size=found[::10].shape)
    found[5::10, 1:2] = found[5::10, :1]
    found[7::10, 2:] = 2**32 - 1
    return Index(found)


@pytest.fixture
def torch(monkeypatch):
    """PyTorch, whose tensors pass for tensors on a device, with a stand-in for cuVS."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    nn_descent = ModuleType("cuvs.neighbors.nn_descent")
    nn_descent.IndexParams, nn_descent.Index, nn_descent.build = IndexParams, Index, build
    neighbors = ModuleType("cuvs.neighbors")
    neighbors.nn_descent = nn_descent
    modules = {"cuvs": ModuleType("cuvs"), "cuvs.neighbors": neighbors, nn_descent.__name__: nn_descent}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(approximate, "find_spec", lambda name: name == "cuvs")
    monkeypatch.setattr(approximate, "is_on_cuda", lambda X: True)
    return torch


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_tensors_on_a_device_are_searched_by_cuvs(dtype, order, torch):
    X = np.asarray(np.random.default_rng(0).standard_normal((400, 30)), dtype=dtype, order=order)
    truth = nearest_neighbors(X, 6)
    graph = KNNGraph(6, algorithm="approximate").build(torch.asarray(X))
    found = graph.neighbors
    assert isinstance(found._indices, torch.Tensor)
    assert abs(found.recall - recall_of(graph, truth.indices)) < 1e-9  # estimated from all rows
    assert 0.85 < found.recall < 0.95
    exact = np.setdiff1d(np.arange(400), np.arange(0, 400, 10))
    exact = exact[exact % 10 != 5]  # incomplete lists are searched again
    assert_array_equal(found.indices[exact], truth.indices[exact])
    assert_allclose(found.distances[exact], truth.distances[exact], rtol=1e-12)
    assert all(len({*row, i}) == 7 for i, row in enumerate(found.indices))


@pytest.mark.parametrize("n_samples", [2, 3, 12])
def test_few_samples_are_searched_by_cuvs(n_samples, torch):
    X = 1e60 * np.random.default_rng(0).standard_normal((n_samples, 3))
    found = nearest_neighbors(torch.asarray(X), n_samples - 1, algorithm="approximate")
    assert_array_equal(np.sort(found.indices, axis=1), np.sort(nearest_neighbors(X, n_samples - 1).indices))
    assert found.recall == 1


@pytest.mark.skipif(find_spec("cuvs") is None, reason="cuVS is not installed")
def test_the_installed_cuvs_on_a_device():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    X = np.random.default_rng(0).standard_normal((5000, 60)).astype(np.float32)
    graph = KNNGraph(10, algorithm="approximate").build(torch.asarray(X, device="cuda"))
    recall = recall_of(graph, nearest_neighbors(X, 10).indices)
    assert 0.7 < graph.neighbors.recall <= 1
    assert abs(graph.neighbors.recall - recall) < 0.03


@pytest.mark.parametrize(("on_device", "library"), [(False, "pynndescent"), (True, "cuvs")])
def test_missing_library_is_named(on_device, library, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setattr(approximate, "find_spec", lambda name: None)
    monkeypatch.setattr(approximate, "is_on_cuda", lambda X: True)
    X = torch.eye(20) if on_device else np.eye(20)
    with pytest.raises(ValueError, match=rf"requires {library}.*pip install 'featsieve\["):
        nearest_neighbors(X, 2, algorithm="approximate")


def test_tensors_in_main_memory_are_rejected():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(ValueError, match=r"got a tensor that is not on a CUDA device\. Use 'exact'\."):
        nearest_neighbors(torch.eye(20), 2, algorithm="approximate")
