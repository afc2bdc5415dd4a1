"""Iterative scores against literal loops that rebuild everything in each round."""

import numpy as np
import pytest
from literal import graphs as lg
from literal import scores as ls
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import (
    ClassGraph,
    FisherScore,
    IterativeScore,
    KNNGraph,
    LaplacianScore,
    LKRScore,
)


@pytest.fixture(params=range(3))
def X(request):
    rng = np.random.default_rng(request.param)
    return rng.standard_normal((50, 14)) * rng.uniform(0.1, 30, 14)


def first_version(X, s, step, k=5):
    """IterativeLS-1: rank the remaining features and discard the worst, until at most s remain."""
    remaining, discarded = list(range(X.shape[1])), []
    while True:
        scores = ls.laplacian(X[:, remaining], lg.knn_graph(X[:, remaining], k))
        ranked = [remaining[i] for i in np.argsort(scores, kind="stable")]
        n_discarded = min(step, len(remaining) - s)
        remaining = sorted(ranked[: len(ranked) - n_discarded])
        if len(remaining) <= s:
            return ranked + discarded
        discarded = ranked[len(ranked) - n_discarded :] + discarded


def second_version(X, s, step, k=5):
    """IterativeLS-2: rank all features on the graph of the remaining ones, keep n - t * step of them."""
    d = X.shape[1]
    remaining, t = list(range(d)), 0
    while True:
        t += 1
        ranked = np.argsort(ls.laplacian(X, lg.knn_graph(X[:, remaining], k)), kind="stable")
        remaining = sorted(ranked[: max(s, d - t * step)])
        if len(remaining) <= s:
            return ranked.tolist()


@pytest.mark.parametrize(("share", "step"), [(0.5, 7), (0.2, 2), (0.01, 1), (0.99, 13)])
def test_step_as_a_fraction_of_all_features(X, share, step):
    assert X.shape[1] == 14
    for readmit in (False, True):
        options = {"readmit": readmit, "n_features_to_select": 2}
        expected = IterativeScore(step=step, **options).fit(X)
        model = IterativeScore(step=share, **options).fit(X)
        assert model.order_.tolist() == expected.order_.tolist()
        assert len(model.round_scores_) == len(expected.round_scores_)


@pytest.mark.parametrize(("step", "s"), [(1, 1), (1, 6), (3, 4), (5, 1), (13, 1), (100, 3), (1, 14)])
def test_orders_equal_both_published_versions(X, step, s):
    options = {"step": step, "n_features_to_select": s}
    assert IterativeScore(**options).fit(X).order_.tolist() == first_version(X, s, step)
    assert IterativeScore(**options, readmit=True).fit(X).order_.tolist() == second_version(X, s, step)


def test_published_versions_differ(X):
    assert first_version(X, 1, 1) != second_version(X, 1, 1)


def test_rounds_are_recorded(X):
    model = IterativeScore(step=4, n_features_to_select=2).fit(X)
    assert [f.size for f in model.round_features_] == [14, 10, 6]
    for features, scores in zip(model.round_features_, model.round_scores_, strict=True):
        assert_allclose(scores, LaplacianScore().fit(X[:, features]).scores_, rtol=1e-9)
    assert_allclose(model.scores_[model.round_features_[-1]], model.round_scores_[-1])
    assert_array_equal(
        model.graph_.neighbors.indices, KNNGraph().build(X[:, model.round_features_[-1]]).neighbors.indices
    )
    assert_array_equal(np.sort(model.order_[:2]), model.get_support(indices=True))


@pytest.mark.parametrize("readmit", [False, True])
def test_result_does_not_depend_on_the_order_of_samples(readmit):
    X = np.random.default_rng(0).integers(0, 4, (60, 9)).astype(float)
    X[1] = X[0]
    reference = IterativeScore(n_features_to_select=1, readmit=readmit).fit(X)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(60)
        selector = IterativeScore(n_features_to_select=1, readmit=readmit).fit(X[order])
        assert_array_equal(selector.order_, reference.order_)
        assert_allclose(selector.scores_, reference.scores_, rtol=1e-9)


def test_constant_features_are_dropped_first(X):
    X[:, 3] = 7.0
    order = IterativeScore(n_features_to_select=2).fit(X).order_
    assert order[-1] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0}, "step"),
        (
            {"n_features_to_select": 15},
            "must be at most the number of features .14.; got 15",
        ),
        ({"ranker": FisherScore()}, "a graph of all features; got FisherScore"),
        ({"ranker": LaplacianScore(np.eye(50))}, "prebuilt graph regardless of the features"),
        ({"ranker": LKRScore(), "readmit": True}, "readmit"),
        ({"ranker": LaplacianScore(KNNGraph(50))}, r"`n_neighbors` must be .* got 50"),
        ({"ranker": LaplacianScore(ClassGraph())}, r"ClassGraph\(\) regardless of the features"),
        ({"ranker": LaplacianScore(KNNGraph(0))}, "n_neighbors"),
    ],
)
def test_errors(X, options, message):
    with pytest.raises(ValueError, match=message):
        IterativeScore(**options).fit(X)
