"""K-means without each feature, against scikit-learn started from the same solutions."""

import numpy as np
import pytest
from literal.leave_one_out import (
    literal_clustering_accuracy,
    literal_nmi,
    mixed,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from featsieve.subsets import LeaveOneFeatureOut, _kmeans
from featsieve.subsets._kmeans import best_clusterings


def continue_clusterings(X, y, seeds, measure):
    """Return the best scikit-learn k-means without each feature, started from the means on all features."""
    k = len(np.unique(y))
    X = X - X.mean(axis=0)
    full = [KMeans(k, n_init=1, tol=0, random_state=seed).fit(X) for seed in seeds]
    best_models = [min(full, key=lambda model: model.inertia_)]
    n_iter = [sum(model.n_iter_ for model in full)]
    for r in range(X.shape[1]):
        Z = np.delete(X, r, axis=1)
        models = [
            KMeans(k, init=np.delete(model.cluster_centers_, r, axis=1), n_init=1, tol=0).fit(Z)
            for model in full
        ]
        best_models.append(min(models, key=lambda model: model.inertia_))
        n_iter.append(sum(model.n_iter_ for model in models))
    values = [measure(y, model.labels_) for model in best_models]
    return values[0] - np.array(values[1:]), [model.inertia_ for model in best_models], n_iter


@pytest.mark.slow
@pytest.mark.parametrize(
    ("objective", "measure"), [("clustering", literal_clustering_accuracy), ("nmi", literal_nmi)]
)
@pytest.mark.parametrize("seed", range(3))
def test_clustering_equals_lloyd_iterations_from_the_full_solutions(objective, measure, seed):
    X, y = mixed(70, 6, seed)
    model = LeaveOneFeatureOut(objective, n_repeats=2, random_state=seed).fit(X, y)
    seeds = np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=(2, 10))
    expected, total, saved = [], 0, 0
    for starts in seeds:
        scores, inertias, n_iter = continue_clusterings(X, y, starts, measure)
        clusterings = list(best_clusterings(X, 3, starts))
        assert_allclose([clustering.inertia for clustering in clusterings], inertias, rtol=1e-10)
        # scikit-learn may need one more iteration per run, if rounding moves the means
        extra = np.array(n_iter) - [clustering.n_iter for clustering in clusterings]
        assert np.all((extra >= 0) & (extra <= 10))
        assert extra[0] == 0
        assert extra.mean() < 5
        expected.append(scores)
        total += sum(clustering.n_iter for clustering in clusterings)
        saved += sum(clusterings[0].n_iter - clustering.n_iter for clustering in clusterings[1:])
    assert_allclose(model.scores_, np.mean(expected, axis=0), atol=1e-12)
    assert np.abs(model.scores_).max() > 0.01
    assert model.n_iter_ == total
    assert model.n_iter_saved_ == saved > 0


def test_updated_products_equal_recomputed_products(monkeypatch):
    """Products updated sample by sample equal recomputed products."""
    X, _ = mixed(150, 5)
    seeds = range(3)
    updated = list(best_clusterings(X, 12, seeds))
    partition = _kmeans._Partition
    recompute = lambda self, X, moved, labels, products: partition.from_labels(X, labels, self.counts.size)  # noqa: E731
    monkeypatch.setattr(partition, "_move", recompute)
    recomputed = list(best_clusterings(X, 12, seeds))
    assert max(clustering.n_iter for clustering in updated) > 6  # samples moved
    for a, b in zip(updated, recomputed, strict=True):
        assert_array_equal(a.labels, b.labels)


def test_fewer_distinct_samples_than_classes():
    X = np.repeat([[0.0, 1.0], [5.0, 3.0]], 6, axis=0)
    y = np.arange(12) % 4
    model = LeaveOneFeatureOut("clustering", n_repeats=2, random_state=0).fit(X, y)
    assert_array_equal(model.scores_, [0, 0])


@pytest.mark.parametrize("seed", range(8))
def test_samples_that_coincide_without_a_feature_share_a_cluster(seed):
    """Without the first column, only two of the four points are distinct."""
    points = np.random.default_rng(seed).standard_normal((2, 2))
    X = np.column_stack([np.tile(np.repeat([0.1, 0.8], 10), 2), np.repeat(points, 20, axis=0)])
    for r, clustering in enumerate(best_clusterings(X, 4, [seed]), start=-1):
        rows = np.delete(X, r, axis=1) if r >= 0 else X
        codes = np.unique(rows, axis=0, return_inverse=True)[1].ravel()  # NumPy 2.0.0 adds a dimension
        assert all(np.unique(clustering.labels[codes == code]).size == 1 for code in range(codes.max() + 1))


def test_leaving_out_a_dominant_feature_leaves_no_error():
    X = np.random.default_rng(0).standard_normal((120, 5)) + 6 * np.eye(5)[np.arange(120) % 4]
    X[:, 4] = np.random.default_rng(1).permutation(120) * 1e9
    clustering = list(best_clusterings(X, 4, range(5)))[5]
    reduced = X[:, :4]
    means = np.array([reduced[clustering.labels == c].mean(axis=0) for c in np.unique(clustering.labels)])
    squared = ((reduced[:, None] - means) ** 2).sum(axis=2)
    assert_allclose(clustering.inertia, squared.min(axis=1).sum(), rtol=1e-9)
    assert_array_equal(np.unique(clustering.labels)[squared.argmin(axis=1)], clustering.labels)
