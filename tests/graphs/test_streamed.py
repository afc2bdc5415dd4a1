"""The neighbors of streamed data are those of arrays, for blocks of any size."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context

import featsieve
from featsieve.graphs import nearest_neighbors

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.mark.parametrize("working_memory", [1024, 0.02])
@pytest.mark.parametrize("kind", ["numbers", "ties", "copies", "far"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbors_of_streamed_data_and_arrays_are_equal(kind, dtype, working_memory):
    X = np.random.default_rng(0).normal(size=(250, 20))
    X = {"numbers": X, "ties": np.rint(X[:, :3]), "copies": X[np.arange(250) // 10], "far": X + 1e3}[kind]
    X = X.astype(dtype)
    expected = nearest_neighbors(X, 4)
    with config_context(working_memory=working_memory):
        neighbors = nearest_neighbors(featsieve.stream(X, "cpu"), 4)
    assert_array_equal(neighbors.indices, expected.indices)
    assert_allclose(neighbors.distances, expected.distances, rtol=1e-12)
