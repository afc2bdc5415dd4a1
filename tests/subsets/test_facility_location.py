import itertools

import numpy as np
import pytest
from literal import greedy
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import FacilityLocation, KNNGraph
from featsieve.subsets import facility_location_ranking
from featsieve.subsets.facility_location import _Coverage, _sample_weights

from .greedy_data import KINDS, check_equal, make


# ties between neighbors are broken by the content of the samples, in the literal version by their order
@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("integers", "zero-inflated")])
def test_ranking_equals_the_literal_version(kind):
    for seed in range(15):
        X, _, n = make(kind, seed)
        model = FacilityLocation(n_features_to_select=n).fit(X)
        assert_allclose(
            model.weights_, greedy.facility_weights(X), rtol=1e-7, atol=1e-9 * X.var(axis=0).max()
        )
        check_equal((model.scores_, model.order_), greedy.facility_location(X, n), kind)


@pytest.mark.parametrize("kind", ["integers", "zero-inflated"])
def test_choices_are_those_of_all_gains(kind):
    for seed in range(15):
        X, _, n = make(kind, seed)
        X = X[:, np.ptp(X, axis=0) > 0]
        n = min(n, X.shape[1])
        weights = np.random.default_rng(seed).random(X.shape[1])
        squares = np.corrcoef(X.T) ** 2
        scores, order = facility_location_ranking(X, weights, n)
        coverage = np.zeros(X.shape[1])
        for j in order[:n]:
            gains = np.maximum(squares - coverage, 0) @ weights
            if scores[j] < 1e-9:
                break
            assert_allclose(scores[j], gains.max(), atol=1e-12)
            coverage = np.maximum(coverage, squares[j])


def test_two_choices_reach_the_guarantee_of_the_greedy_algorithm():
    X, _, _ = make("plain", 5)
    weights = X.var(axis=0)
    squares = np.corrcoef(X.T) ** 2
    scores, order = facility_location_ranking(X, weights, 2)
    best = max(
        weights @ np.maximum(squares[i], squares[j]) for i, j in itertools.combinations(range(X.shape[1]), 2)
    )
    assert_allclose(scores.sum(), weights @ np.maximum(*squares[order[:2]]))
    assert best * (1 - 1 / np.e) <= scores.sum() <= best * (1 + 1e-12)


def test_gains_are_computed_again_only_where_they_may_win(monkeypatch):
    rng = np.random.default_rng(0)
    blocks = rng.standard_normal((200, 8))
    X = np.repeat(blocks, 40, axis=1) + 0.3 * rng.standard_normal((200, 320))
    batches = []
    compute = _Coverage.values

    def count(self, candidates):
        before = self.exact.copy()
        values = compute(self, candidates)
        batches.append(int((self.exact & ~before).sum()))
        return values

    monkeypatch.setattr(_Coverage, "values", count)
    facility_location_ranking(X, X.var(axis=0), 6)
    assert sum(batches) < 6 * 320 / 2


def test_a_graph_with_enough_neighbors_is_shared():
    X, _, _ = make("plain", 2)
    graph = KNNGraph(7).build(X)
    assert_array_equal(FacilityLocation(graph=graph).fit(X).order_, FacilityLocation().fit(X).order_)


def make_factors(d=600, seed=0):
    rng = np.random.default_rng(seed)
    loadings = rng.standard_normal((10, d)) / np.sqrt(np.arange(1, 11))[:, None]
    return (rng.standard_normal((150, 10)) @ loadings + rng.standard_normal((150, d))) * rng.uniform(
        0.5, 2, d
    )


def test_a_sample_of_all_features_changes_nothing():
    X = make_factors(60)
    expected = facility_location_ranking(X, X.var(axis=0), 10)
    for n_represented in (60, 1000):
        ranking = facility_location_ranking(X, X.var(axis=0), 10, n_represented)
        assert_array_equal(ranking[0], expected[0])
        assert_array_equal(ranking[1], expected[1])


@pytest.mark.parametrize("n_represented", [1, 7, 100])
def test_a_sample_weighs_as_much_as_all_features_and_prefers_large_weights(n_represented):
    weights = np.random.default_rng(1).random(300) ** 3
    sampled = _sample_weights(weights, n_represented)
    assert_allclose(sampled.sum(), weights.sum())
    assert np.count_nonzero(sampled) <= n_represented
    shuffled = np.random.default_rng(2).permutation(300)
    assert_allclose(_sample_weights(weights[shuffled], n_represented), sampled[shuffled])
    step = weights.sum() / n_represented
    assert (sampled[weights >= step] > 0).all()


def test_choices_by_a_sample_represent_all_features_nearly_as_well():
    X = make_factors()
    weights = X.var(axis=0)
    squares = np.corrcoef(X.T) ** 2

    def represented(order):
        return weights @ squares[:, order[:20]].max(axis=1)

    exact, sampled = (facility_location_ranking(X, weights, 20, m) for m in (None, 200))
    assert represented(sampled[1]) > 0.97 * represented(exact[1])
    assert_allclose(sampled[0].sum(), represented(sampled[1]), rtol=0.1)


def test_the_error_of_the_sample_is_reported():
    X = make_factors()
    assert FacilityLocation(n_features_to_select=20).fit(X).sampling_error_ == 0
    model = FacilityLocation(n_represented=200, n_features_to_select=20).fit(X)
    objective = model.weights_ @ (np.corrcoef(X.T)[:, model.order_[:20]] ** 2).max(axis=1)
    assert_allclose(model.sampling_error_, abs(model.scores_.sum() / objective - 1), rtol=1e-6)
    assert 0 < model.sampling_error_ < 0.1


def test_copies_of_a_chosen_feature_are_not_chosen_by_a_sample():
    X = np.repeat(make_factors(40), 5, axis=1)
    order = facility_location_ranking(X, X.var(axis=0), 40, 30)[1]
    assert np.unique(order[:40] // 5).size == 40


@pytest.mark.parametrize("weights", [np.full(4, -1.0), [1, np.nan, 1, 1], [1, np.inf, 1, 1], np.ones(3)])
def test_invalid_weights_are_rejected(weights):
    X = np.random.default_rng(0).standard_normal((20, 4))
    with pytest.raises(ValueError, match="`weights` must be 4 finite, non-negative numbers"):
        facility_location_ranking(X, weights, 2)


def test_the_number_of_represented_features_is_positive():
    X = np.random.default_rng(0).standard_normal((20, 4))
    with pytest.raises(ValueError, match="`n_represented` must be at least 1"):
        facility_location_ranking(X, np.ones(4), 2, 0)
