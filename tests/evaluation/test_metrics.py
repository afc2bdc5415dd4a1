"""Metrics against brute force, scikit-learn, and cases that can be worked out by hand."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.neighbors import NearestNeighbors

from featsieve.evaluation import (
    ari,
    clustering_accuracy,
    neighborhood_preservation,
    nmi,
    redundancy_rate,
    stability,
)


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("n_classes", "n_clusters"), [(4, 4), (3, 5), (5, 3)])
def test_clustering_accuracy_is_the_best_matching(random, n_classes, n_clusters):
    y, clusters = random.integers(n_classes, size=40), random.integers(n_clusters, size=40)
    names = list(range(max(n_classes, n_clusters)))
    best = max(np.mean(np.array(names)[list(p)][clusters] == y) for p in permutations(names))
    assert clustering_accuracy(y, clusters) == pytest.approx(best)


def test_clustering_metrics_ignore_names(random):
    y = random.integers(3, size=50)
    renamed = np.array(["x", "y", "z"])[(y + 1) % 3]
    for metric in (clustering_accuracy, nmi, ari):
        assert metric(y, renamed) == pytest.approx(1)


def test_nmi_divides_by_the_larger_entropy(random):
    y, clusters = random.integers(3, size=60), random.integers(5, size=60)

    def entropy(labels):
        share = np.unique(labels, return_counts=True)[1] / len(labels)
        return -np.sum(share * np.log(share))

    joint = entropy(10 * y + clusters)
    expected = (entropy(y) + entropy(clusters) - joint) / max(entropy(y), entropy(clusters))
    assert nmi(y, clusters) == pytest.approx(expected)
    assert nmi(y, clusters) < normalized_mutual_info_score(y, clusters)
    assert ari(y, clusters) == adjusted_rand_score(y, clusters)


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


def literal_stability(Z):
    """The formulas of the paper, sum by sum."""
    M, d = Z.shape
    k = [sum(row) for row in Z]
    kbar = sum(k) / M
    p = [sum(Z[i][f] for i in range(M)) / M for f in range(d)]
    chance = (kbar / d) * (1 - kbar / d)
    phi = 1 - sum(M / (M - 1) * q * (1 - q) for q in p) / d / chance
    each = [
        (
            sum(Z[i][f] * p[f] for f in range(d)) / d
            - k[i] * kbar / d**2
            + phi / 2 * (2 * k[i] * kbar / d**2 - k[i] / d - kbar / d + 1)
        )
        / chance
        for i in range(M)
    ]
    mean = sum(each) / M
    variance = 4 / M**2 * sum((value - mean) ** 2 for value in each)
    return phi, variance


def test_stability_is_the_published_index(random):
    Z = random.random((12, 30)) < np.linspace(0.05, 0.95, 30)
    value, variance = literal_stability(Z.astype(int))
    found = stability(Z)
    assert found.value == pytest.approx(value)
    assert found.high - found.low == pytest.approx(2 * 1.959964 * variance**0.5, rel=1e-5)
    assert found.low < found.value < found.high


def test_stability_limits(random):
    same = np.tile([True, False, False, True], (5, 1))
    assert stability(same).value == pytest.approx(1)
    assert stability(np.ones((3, 4))).value == 1
    random_choice = np.array([random.permutation(200) < 40 for _ in range(100)])
    assert abs(stability(random_choice).value) < 0.02


@pytest.mark.parametrize("wrong", [[[1, 0]], [[1, 2], [0, 1]], [1, 0]])
def test_stability_refuses(wrong):
    with pytest.raises(ValueError, match="selections"):
        stability(wrong)
