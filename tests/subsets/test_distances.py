"""Updated distances against direct sums, after any change of the features."""

import numpy as np
import pytest
from literal import graphs as lg
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import (
    KNNGraph,
)
from featsieve.subsets._distances import SubsetDistances


def test_distances_are_recomputed_when_updates_lose_digits():
    rng = np.random.default_rng(0)
    # features are dropped in descending order of scale, and distances decrease by a factor of 1e24
    X = rng.standard_normal((40, 9)) * 10.0 ** np.arange(0, 27, 3)[::-1]
    distances = SubsetDistances(X, 5)
    for n_remaining in range(8, 0, -1):
        features = np.arange(9 - n_remaining, 9)
        distances.restrict(features)
        indices, squared = lg.knn(X[:, features], 5)
        neighbors = distances.nearest()
        assert_array_equal(neighbors.indices, indices)
        assert_allclose(neighbors.distances, squared, rtol=1e-6)
    assert distances.n_recomputed >= 4


@pytest.mark.parametrize("seed", range(4))
def test_neighbors_after_arbitrary_changes(seed):
    """Few or many features change at a time, so that samples outside the candidates become neighbors."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((90, 60)) * 10.0 ** rng.uniform(-1, 1, 60)
    distances = SubsetDistances(X, 4)
    included = np.ones(60, dtype=bool)
    for _ in range(60):
        included[rng.integers(60, size=rng.integers(1, 4))] ^= True
        if rng.random() < 0.05:
            included[:] = rng.random(60) < 0.4
        distances.restrict(np.flatnonzero(included))
        indices, squared = lg.knn(X[:, included], 4)
        neighbors = distances.nearest()
        assert_array_equal(neighbors.indices, indices)
        assert_allclose(neighbors.distances, squared, rtol=1e-9)


def test_more_equal_distances_than_candidates():
    X = np.zeros((70, 3))
    X[:, 0] = np.arange(70) % 2  # two distinct samples, 35 times each
    X[:, 1] = 1e-3 * np.arange(70)
    distances = SubsetDistances(X, 5)
    distances.restrict(np.array([0]))
    neighbors = distances.nearest()
    assert_array_equal(neighbors.distances, 0)
    assert np.all(neighbors.indices % 2 == np.arange(70)[:, None] % 2)
    assert np.all(neighbors.indices != np.arange(70)[:, None])


def test_tie_for_the_last_neighbor_does_not_depend_on_the_order_of_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    X *= np.linspace(0, 10, 40)[:, None] / np.linalg.norm(X, axis=1, keepdims=True)  # 0 at the origin
    X[6] = -X[5]
    last_neighbors = set()
    for _ in range(20):
        order = rng.permutation(40)
        origin = np.flatnonzero(order == 0)[0]
        last_neighbors.add(int(order[SubsetDistances(X[order], 5).nearest().indices[origin, 4]]))
    assert len(last_neighbors) == 1
    assert last_neighbors <= {5, 6}


def test_distances_of_a_few_close_samples_are_recomputed():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((60, 3)) * 100, rng.standard_normal((60, 3))])
    X[:4, 3:] = X[0, 3:] + 1e-9 * rng.standard_normal(
        (4, 3)
    )  # near duplicates without the first three features
    distances = SubsetDistances(X, 3)
    distances.restrict(np.arange(3, 6))
    indices, squared = lg.knn(X[:, 3:], 3)
    assert_array_equal(distances.nearest().indices, indices)
    assert_allclose(distances.nearest().distances, squared, rtol=1e-6)


def test_duplicate_samples_have_distance_zero():
    """Standardized categories: more duplicates than candidates, and rounding differences between them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (300, 6))
    X = np.hstack([codes == value for value in range(3)] + [rng.integers(0, 5, (300, 2))]).astype(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    distances = SubsetDistances(X, 5)
    order = rng.permutation(20)
    for features in [order[start:] for start in range(20)] + [order[start:] for start in (12, 6)]:
        distances.restrict(features)
        neighbors = distances.nearest()
        squared = ((X[:, None, features] - X[:, features]) ** 2).sum(axis=2)
        assert_allclose(
            np.take_along_axis(squared, neighbors.indices, axis=1), neighbors.distances, atol=1e-12
        )
        np.fill_diagonal(squared, np.inf)
        assert_allclose(neighbors.distances, np.sort(squared, axis=1)[:, :5], atol=1e-12)
        assert_array_equal(neighbors.distances == 0, np.sort(squared, axis=1)[:, :5] == 0)


def test_adding_and_removing_large_features_leaves_no_error():
    X = np.random.default_rng(0).standard_normal((300, 45))
    X[:, 5:] *= 1e7
    distances = SubsetDistances(X, 5)
    for count in (45, 5, 45, 5):
        distances.restrict(np.arange(count))
        neighbors, expected = distances.nearest(), KNNGraph().build(X[:, :count]).neighbors
        assert_allclose(neighbors.distances, expected.distances, rtol=1e-9)


@pytest.mark.parametrize("gap", [1e-5, 1e-7, 1e-8])
def test_distances_of_near_duplicates_are_accurate(gap):
    """Five neighbors in groups of four near duplicates: three are close, the rest far."""
    rng = np.random.default_rng(0)
    groups = np.repeat(rng.standard_normal((60, 4)), 4, axis=0) + gap * rng.standard_normal((240, 4))
    X = np.hstack([groups, rng.standard_normal((240, 8))])
    distances = SubsetDistances(X, 5)
    distances.restrict(np.arange(4))
    neighbors, expected = distances.nearest(), KNNGraph().build(X[:, :4]).neighbors
    assert_array_equal(neighbors.indices[:, :3], expected.indices[:, :3])
    assert_allclose(neighbors.distances, expected.distances, rtol=1e-9)
