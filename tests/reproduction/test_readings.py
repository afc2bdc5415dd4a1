"""What the papers did: the estimators and protocols that stand for it."""

import numpy as np
import pytest

from featsieve import KNNGraph, LaplacianScore, VarianceScore
from featsieve.graphs import l1_weights, nearest_neighbors
from featsieve.reproduction.protocols import Leading, Published
from featsieve.reproduction.readings import FixedOrder, ReversedLaplacian, TransposedSparsity, Unlabeled


def test_reversed_laplacian_is_the_laplacian_score_worst_first(data):
    X, _ = data
    t = 3.0
    right = LaplacianScore(KNNGraph(5, bandwidth=2 * t**2)).fit(X)
    wrong = ReversedLaplacian(t).fit(X)
    np.testing.assert_allclose(wrong.scores_, 1 - right.scores_, rtol=1e-6, atol=1e-9)
    assert wrong.order_.tolist() == right.order_[::-1].tolist()


def test_reversed_laplacian_sorts_nothing_where_every_weight_underflows(data):
    X, _ = data
    assert ReversedLaplacian(1e-6).fit(X).order_.tolist() == list(range(X.shape[1]))


def test_small_denominators_become_ten_thousand(data):
    X, _ = data
    tiny = 1e-9 * X  # every spread is under 1e-12
    graph = KNNGraph(5, bandwidth=18e-18).build(tiny)
    centerd = tiny - graph.degree @ tiny / graph.degree.sum()
    inside = np.sum(centerd * (graph.weights @ centerd), axis=0)
    np.testing.assert_allclose(
        ReversedLaplacian(3e-9).fit(tiny).scores_, inside / 10000, rtol=1e-3, atol=1e-24
    )


def test_transposed_sparsity_swaps_who_rebuilds_whom(data):
    X, _ = data
    weights = l1_weights(X - X.mean(axis=0), 0.05, nearest_neighbors(X, 5).indices).toarray()
    centerd = X - X.mean(axis=0)
    energy = np.sum((centerd - weights.T @ centerd) ** 2, axis=0)
    np.testing.assert_allclose(TransposedSparsity(5).fit(X).scores_, energy / X.var(axis=0), rtol=1e-8)


def test_unlabeled_hides_the_labels(data):
    X, y = data
    assert Unlabeled(VarianceScore()).fit(X, y).order_.tolist() == VarianceScore().fit(X).order_.tolist()
    assert FixedOrder([1, 0]).fit(X, y).order_.tolist() == [1, 0]


def test_leading_samples_are_learnt_from():
    classes = np.array([0, 1, 0, 1, 0, 1])
    split = Leading(2, per_class=True).splits(6, classes, 0)[0]
    assert split.train.tolist() == [0, 1, 2, 3]
    assert Leading(4).splits(6, classes, 0)[0].test.tolist() == [4, 5]


def test_missing_splits_are_named(monkeypatch, tmp_path):
    from featsieve.datasets.catalog import find_entry

    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="Yale_5Train"):
        Published(5)(find_entry("yale"))
