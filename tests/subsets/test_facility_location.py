import itertools

import numpy as np
import pytest
from literal import greedy
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import FacilityLocation, KNNGraph
from featsieve.subsets import facility_location_ranking
from featsieve.subsets.facility_location import _Coverage

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
