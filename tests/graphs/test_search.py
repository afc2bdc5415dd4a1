"""Searches in a pool of samples, by Euclidean and by weighted Manhattan distance."""

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import FacilityLocation, IterativeScore, LaplacianScore
from featsieve.graphs.search import NeighborSearch


def test_rows_are_padded_where_the_pool_is_smaller_than_k():
    X = np.arange(6.0)[:, None]
    indices, distances = NeighborSearch(X).nearest(np.arange(6), np.array([0, 1]), 3)
    assert_array_equal(indices[:2], [[1, 0, 0], [0, 1, 1]])  # padded with itself
    assert_array_equal(distances[:2], [[1, np.inf, np.inf], [1, np.inf, np.inf]])
    assert_array_equal(distances[5], [16, 25, np.inf])


def test_weighted_manhattan_distances_far_from_zero():
    for seed in range(40):
        X = np.random.default_rng(seed).integers(0, 50, (60, 4)) / 8 + 1e6
        scale = 1 / np.ptp(X, axis=0)
        expected = (np.abs(X[:, None] - X) * scale).sum(axis=2)
        np.fill_diagonal(expected, np.inf)
        samples = np.arange(60)
        distances = NeighborSearch(X.astype(np.float32), scale=scale).nearest(samples, samples, 3)[1]
        assert_allclose(distances, np.sort(expected, axis=1)[:, :3], rtol=1e-9)


def test_a_search_leaves_no_reference_cycles():
    """Tensors in a cycle would occupy the memory of a device until the garbage collection."""
    X = np.random.default_rng(0).normal(size=(50, 30)).round(1)
    gc.collect()
    gc.disable()
    try:
        search = NeighborSearch(X)
        search.nearest(np.arange(50), np.arange(50), 3)
        collected = weakref.ref(search)
        del search
        assert collected() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("n_features", [4, 20])
@pytest.mark.parametrize("make", [FacilityLocation, IterativeScore, LaplacianScore])
def test_squared_distances_beyond_the_range_of_numbers(make, n_features):
    X = np.random.default_rng(0).random((60, n_features)) * 1e200
    with pytest.raises(
        ValueError, match=r"finite squared distances.*got values from .* to 1\.0e\+200\. Divide"
    ):
        make().fit(X)
