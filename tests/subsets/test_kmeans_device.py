"""K-means without each feature: tensors and arrays have the same clusters and numbers of iterations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context

from featsieve.subsets import _kmeans, _kmeans_device

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def make_data(dominance=1.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 9)) + 1.5 * rng.integers(0, 3, (120, 1))
    X[:, 4] *= dominance
    return X


def check(X, n_clusters, seeds):
    expected = list(_kmeans.best_clusterings(X, n_clusters, seeds))
    clusterings = list(_kmeans_device.best_clusterings(torch.asarray(X), n_clusters, seeds))
    assert len(clusterings) == X.shape[1] + 1
    for actual, known in zip(clusterings, expected, strict=True):
        assert_array_equal(actual.labels, known.labels)
        assert_allclose(actual.inertia, known.inertia, rtol=1e-10)
        assert actual.n_iter == known.n_iter
    return expected


def test_clusterings_of_tensors_and_arrays_are_equal():
    expected = check(make_data(), 4, [0, 1, 2])
    assert any((known.labels != expected[0].labels).any() for known in expected)  # some samples move


def test_a_dominant_feature_leaves_no_rounding_error():
    check(make_data(dominance=1e9), 3, [0, 1])


def test_clusterings_do_not_depend_on_the_block_size():
    with config_context(working_memory=1):
        check(make_data(), 4, [0, 1])


def test_fewer_distinct_samples_than_clusters():
    check(np.repeat(np.arange(3.0), 4)[:, None] * np.array([1.0, 2.0]), 5, [0])
