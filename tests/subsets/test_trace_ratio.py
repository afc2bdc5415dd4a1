"""Trace ratio against exhaustive search and against its definition."""

from itertools import combinations

import numpy as np
import pytest
from literal import graphs as lg
from literal import lle as ll
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import ClassGraph, KNNGraph, TraceRatio
from featsieve.scores import fisher_score, laplacian_score
from featsieve.subsets import maximize_trace_ratio


def ratio_of(spread, energy, subset):
    total = energy[list(subset)].sum()
    return spread[list(subset)].sum() / total if total > 0 else np.inf


@pytest.mark.parametrize("seed", range(20))
def test_subset_is_the_best_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    spread, energy = rng.random(d) * rng.choice([1, 100], d), rng.random(d)
    if seed % 4 == 0:
        energy[rng.integers(0, d)] = 0.0
    for k in range(1, d + 1):
        scores, ratio = maximize_trace_ratio(spread, energy, k)
        best = max(ratio_of(spread, energy, subset) for subset in combinations(range(d), k))
        chosen = np.argsort(-scores, kind="stable")[:k]
        assert ratio == pytest.approx(best)
        assert ratio_of(spread, energy, chosen) == pytest.approx(best)


def laplacian_of(A):
    return np.diag(A.sum(axis=1)) - A


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [12, 9, 14])
    return rng.standard_normal((35, 7)) * rng.uniform(0.5, 4, 7) + np.outer(y, rng.standard_normal(7)), y


@pytest.mark.parametrize("supervised", [True, False])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_scores_follow_the_definition_with_affinity_matrices(data, supervised, k):
    X, y = data
    n = len(X)
    if supervised:
        within = lg.class_graph(y)
        between = np.ones((n, n)) / n - within
    else:
        within = lg.knn_graph(X, 5)
        degree = within.sum(axis=1)
        between = np.outer(degree, degree) / degree.sum()
    b = np.array([f @ laplacian_of(between) @ f for f in X.T])
    w = np.array([f @ laplacian_of(within) @ f for f in X.T])
    best = max(combinations(range(7), k), key=lambda subset: ratio_of(b, w, subset))
    model = TraceRatio(n_features_to_select=k).fit(X, y if supervised else None)
    assert tuple(model.get_support(indices=True)) == best
    assert model.ratio_ == pytest.approx(ratio_of(b, w, best))
    assert_allclose(model.scores_, b - model.ratio_ * w, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("energy", ["lkr", "lle"])
def test_reconstruction_energies(data, energy):
    X, _ = data
    graph = KNNGraph(4)
    if energy == "lkr":
        single, degree = ll.lkr(X, 4), lg.knn_graph(X, 4).sum(axis=1)
    else:
        single, degree = ll.lle_reconstruction(X, 4) / len(X), np.ones(len(X))
    spread = (degree[:, None] * (X - degree @ X / degree.sum()) ** 2).sum(axis=0)
    best = max(combinations(range(7), 3), key=lambda subset: ratio_of(spread, single * spread, subset))
    model = TraceRatio(graph, energy=energy, n_features_to_select=3).fit(X)
    assert tuple(model.get_support(indices=True)) == best
    assert model.ratio_ == pytest.approx(ratio_of(spread, single * spread, best), rel=1e-7)


def test_a_single_feature_has_the_best_single_score(data):
    X, y = data
    assert TraceRatio(n_features_to_select=1).fit(X, y).order_[0] == fisher_score(X, y).argmax()
    assert TraceRatio(n_features_to_select=1).fit(X).order_[0] == laplacian_score(X, KNNGraph()).argmin()


def test_features_without_spread_are_ignored():
    spread, energy = np.array([1.0, 100.0, 1.1, 0, 0]), np.array([0.1, 15.0, 0.3, 0, 0])
    expected, ratio = maximize_trace_ratio(spread[:3], energy[:3], 2)
    scores, same_ratio = maximize_trace_ratio(spread, energy, 2)
    assert same_ratio == ratio == pytest.approx(101 / 15.1)
    assert_array_equal(scores, [*expected, -np.inf, -np.inf])
    assert maximize_trace_ratio(spread[[3, 0]], np.array([0.0, 0.0]), 2)[1] == np.inf
    assert maximize_trace_ratio(np.zeros(3), np.zeros(3), 2)[1] == 0


def test_rounding_of_a_large_feature_does_not_select_a_small_one():
    y = np.arange(40) % 2
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = np.column_stack([(rng.standard_normal(40) + 3 * y) * 1e6, rng.standard_normal(40) * 1e-6])
        model = TraceRatio(n_features_to_select=1).fit(X, y)
        assert_array_equal(model.get_support(indices=True), [0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exactly_reconstructed_features_have_no_energy(dtype):
    X = np.random.default_rng(0).standard_normal((60, 4)).astype(dtype)
    model = TraceRatio(energy="lle", n_features_to_select=2).fit(X)
    assert model.ratio_ == np.inf
    assert set(model.order_[:2]) == set(np.argsort(-X.var(axis=0))[:2])


def test_errors(data):
    X, y = data
    with pytest.raises(ValueError, match="neighbor lists"):
        TraceRatio(ClassGraph(), energy="lle").fit(X, y)
    with pytest.raises(ValueError, match="energy"):
        TraceRatio(energy="heat").fit(X, y)
    with pytest.raises(ValueError, match="requires y"):
        TraceRatio(ClassGraph()).fit(X)
    with pytest.raises(ValueError, match=r"`n_features_to_select` must be .* got 8"):
        TraceRatio(n_features_to_select=8).fit(X)


@pytest.mark.parametrize("graph", [None, KNNGraph(8)])
def test_small_energies_of_float32_data_keep_their_digits(graph):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = (rng.standard_normal((90, 14)) + 8 * np.outer(y, rng.random(14))).astype(np.float32)
    scores = TraceRatio(graph).fit(X, y).scores_
    expected = TraceRatio(graph).fit(X.astype(np.float64), y).scores_
    assert_allclose(scores, expected, atol=1e-10 * np.abs(expected).max())
