"""Redundancy and neighborhood preservation against literal formulas."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from featsieve.evaluation import (
    neighborhood_preservation,
    preservation_curve,
    redundancy_curve,
    redundancy_rate,
)


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_redundancy_rate_is_the_mean_correlation(random):
    X = random.standard_normal((30, 6)) @ random.standard_normal((6, 6))
    pairs = np.abs(np.corrcoef(X.T))[np.triu_indices(6, 1)]
    assert redundancy_rate(X) == pytest.approx(pairs.mean())
    assert redundancy_rate(1e200 * X) == pytest.approx(pairs.mean())
    assert redundancy_rate(X + 1e6) == pytest.approx(pairs.mean(), rel=1e-6)


def test_redundancy_rate_of_constants_and_copies(random):
    x = random.standard_normal(20)
    constant = np.full(20, 0.1)
    assert redundancy_rate(x[:, None]) == 0
    assert redundancy_rate(np.c_[x, -2 * x]) == pytest.approx(1)
    assert redundancy_rate(np.c_[x, x, constant]) == pytest.approx(1 / 3)


def test_neighborhood_preservation_is_the_mean_jaccard(random):
    X = random.standard_normal((40, 7))
    Z = X[:, :3]

    def sets(A):
        return [set(row[1:]) for row in NearestNeighbors(n_neighbors=5).fit(A).kneighbors(A)[1]]

    expected = np.mean([len(a & b) / len(a | b) for a, b in zip(sets(X), sets(Z), strict=True)])
    assert neighborhood_preservation(X, Z, 4) == pytest.approx(expected)
    assert neighborhood_preservation(X, X) == 1
    assert neighborhood_preservation(X, Z, 1000) == 1  # all others are neighbors


def test_neighborhood_preservation_breaks_ties_by_index():
    X = np.zeros((6, 1))
    assert neighborhood_preservation(X, np.zeros((6, 2)), 2) == 1


def test_neighborhoods_need_neighbors_and_samples():
    with pytest.raises(ValueError, match="`n_neighbors` must be at least 1; got 0"):
        preservation_curve(np.eye(3), [0, 1, 2], n_neighbors=0)
    with pytest.raises(ValueError, match="X must have at least 2 samples; got 1"):
        preservation_curve(np.eye(3)[:1], [0, 1, 2])


def test_curves_equal_the_rates_at_each_size():
    X, _ = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:150]
    order = np.random.default_rng(0).permutation(30)
    redundancy, preservation = redundancy_curve(X, order), preservation_curve(X, order)
    for size in (1, 2, 7, 30):
        chosen = X[:, order[:size]]
        assert redundancy[size - 1] == pytest.approx(redundancy_rate(chosen))
        assert preservation[size - 1] == pytest.approx(neighborhood_preservation(X, chosen))
    assert preservation[-1] == 1
