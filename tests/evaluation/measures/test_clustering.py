"""Agreement of clusters and classes against brute force and scikit-learn."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from featsieve.evaluation import ari, clustering_accuracy, kmeans_curve, nmi


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("n_classes", "n_clusters"), [(4, 4), (3, 5), (5, 3)])
def test_clustering_accuracy_is_the_best_matching(random, n_classes, n_clusters):
    y, clusters = random.integers(n_classes, size=40), random.integers(n_clusters, size=40)
    names = list(range(max(n_classes, n_clusters)))
    best = max(np.mean(np.array(names)[list(p)][clusters] == y) for p in permutations(names))
    assert clustering_accuracy(y, clusters) == pytest.approx(best)


def test_agreement_ignores_names_of_clusters(random):
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


def test_kmeans_curve_equals_kmeans_at_each_size():
    from sklearn.cluster import KMeans

    X, y = load_iris(return_X_y=True)
    kmeans = KMeans(3, n_init=2, random_state=5)
    curves = kmeans_curve(X, y, [2, 3, 0, 1], [1, 4], kmeans)
    for index, size in enumerate((1, 4)):
        clusters = KMeans(3, n_init=2, random_state=5).fit_predict(X[:, [2, 3, 0, 1][:size]])
        assert curves["acc"][index] == clustering_accuracy(y, clusters)
    assert set(curves) == {"acc", "nmi", "ari"}
    assert kmeans_curve(X, y, [2, 3, 0, 1], [4])["acc"][0] == pytest.approx(0.893, abs=0.02)
