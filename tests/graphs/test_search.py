"""Searches in a pool of samples, by Euclidean and by weighted Manhattan distance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.graphs.proposals import choose_backends
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


@pytest.mark.parametrize("algorithm", ["exact", "scikit-learn", "faiss"])
@pytest.mark.parametrize("precise", [False, True])
def test_no_sample_outside_the_candidates_is_within_the_horizon(algorithm, precise):
    if algorithm == "faiss":
        pytest.importorskip("faiss", reason="faiss is not installed")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 20)) + 30
    X[:50] = X[50:100] + 1e-6 * rng.standard_normal((50, 20))
    rows, pool = np.arange(0, 200, 7), np.arange(0, 200, 2)
    backend = choose_backends(X, "euclidean", algorithm)[precise]
    candidates = backend(X, pool, "euclidean")(rows, 6)
    squared = ((X[rows, None] - X) ** 2).sum(axis=2)
    for row, indices, horizon in zip(squared, candidates.indices, candidates.horizon, strict=True):
        assert np.isin(indices, pool).all()
        assert row[np.setdiff1d(pool, indices)].min() >= horizon
        assert row[indices].max() >= horizon * (1 - 1e-3)
