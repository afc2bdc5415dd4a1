"""Rounds of the iterative score: which rankers are iterated, and with updated or searched neighbors."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils import get_tags

import featsieve
from featsieve import (
    ClassGraph,
    ConstraintGraph,
    ConstraintScore,
    GraphPreservingScore,
    IterativeScore,
    KNNGraph,
    LaplacianScore,
    LKRScore,
    LLEReconstructionScore,
    LLEScore,
    RBFGraph,
    ReliefF,
    SPECScore,
)


@pytest.fixture(params=range(3))
def X(request):
    rng = np.random.default_rng(request.param)
    return rng.standard_normal((50, 14)) * rng.uniform(0.1, 30, 14)


class Round(NamedTuple):
    """Features in the order of the last round, and its scores by column."""

    ranked: list
    scores: np.ndarray


def refit_rounds(ranker, X, y, s, step):
    """IterativeLS-1 with any ranker, fitted in each round; return the last round and the dropped features."""
    remaining, dropped = np.arange(X.shape[1]), []
    while remaining.size > s:
        model = sklearn.base.clone(ranker).fit(X[:, remaining], y)
        ranked = remaining[model.order_]
        n_remaining = max(s, remaining.size - step)
        if n_remaining > s:
            dropped = [*ranked[n_remaining:], *dropped]
        remaining = np.sort(ranked[:n_remaining])
    return Round(ranked.tolist(), model.scores_), dropped


SCORES = [
    LaplacianScore(),
    LaplacianScore(KNNGraph(7, weights="binary")),
    LKRScore(),
    LLEScore(),
    LLEReconstructionScore(3),
    SPECScore(kind=3),
]


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("memory", [1024, 1e-3], ids=["updated distances", "searched neighbors"])
def test_rounds_equal_refitting_with_updated_and_searched_neighbors(X, score, memory):
    last_round, dropped = refit_rounds(score, X, None, 4, 3)
    with sklearn.config_context(working_memory=memory):
        selector = IterativeScore(score, step=3, n_features_to_select=4).fit(X)
    assert selector.order_.tolist() == [*last_round.ranked, *dropped]
    assert_allclose(selector.round_scores_[-1], last_round.scores, rtol=1e-9)


@pytest.mark.parametrize("record", featsieve.methods(), ids=lambda record: record.name)
def test_every_ranker_of_the_registry_is_iterated_or_rejected(X, record):
    """Rankers that depend on the set of features are refitted in each round; others are rejected."""
    y = np.arange(50) % 3
    selector = IterativeScore(record.make(), step=3, n_features_to_select=4)
    depends = record.family in ("graph", "reconstruction", "neighbor") and record.name != "constraint"
    if not depends:
        with pytest.raises(ValueError, match=r"^`ranker` must .*(; got|regardless of the features)"):
            selector.fit(X, y)
        return
    last_round, dropped = refit_rounds(record.make(), X, y, 4, 3)
    selector.fit(X, y)
    assert selector.order_.tolist() == [*last_round.ranked, *dropped]
    assert (selector.graph_ is None) == (not hasattr(selector.ranker, "graph"))


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (LaplacianScore(np.eye(50)), "a prebuilt graph"),
        (SPECScore(KNNGraph().build(np.eye(50))), "a prebuilt graph"),
        (LKRScore(sp.eye_array(50)), "a prebuilt graph"),
        (SPECScore(ClassGraph()), r"ClassGraph\(\)"),
        (LaplacianScore(ConstraintGraph("must")), r"ConstraintGraph\(\)"),
        (ConstraintScore(must_link=[(0, 1)], cannot_link=[(1, 2)]), "pairs of samples"),
        (GraphPreservingScore(np.eye(50), np.eye(50)), "prebuilt matrices"),
    ],
)
def test_graphs_that_do_not_depend_on_the_features_are_rejected(X, ranker, message):
    with pytest.raises(ValueError, match=f"{message} regardless of the features"):
        IterativeScore(ranker).fit(X, np.arange(50) % 3)


@pytest.mark.parametrize(
    "ranker",
    [
        LKRScore(ClassGraph()),
        GraphPreservingScore(
            lambda X, y: KNNGraph(3).build(X).laplacian, lambda X, y: sp.eye_array(len(X), format="csr")
        ),
        LaplacianScore(RBFGraph()),
    ],
    ids=["lkr on classes", "computed matrices", "rbf graph"],
)
def test_graphs_that_depend_on_the_features_are_rebuilt(X, ranker):
    y = np.arange(50) % 3
    last_round, dropped = refit_rounds(ranker, X, y, 2, 4)
    selector = IterativeScore(ranker, step=4, n_features_to_select=2).fit(X, y)
    assert selector.order_.tolist() == [*last_round.ranked, *dropped]


@pytest.mark.parametrize("ranker", [ReliefF(), LKRScore(ClassGraph())], ids=repr)
def test_labels_are_required_if_the_ranker_requires_them(X, ranker):
    assert get_tags(IterativeScore(ranker)).target_tags.required
    with pytest.raises(ValueError, match="requires y"):
        IterativeScore(ranker).fit(X)


@pytest.mark.parametrize("seed", range(4))
def test_ties_are_resolved_as_by_a_search_in_each_round(seed):
    X = np.random.default_rng(seed).integers(0, 4, (60, 9)).astype(float)
    updated = IterativeScore(n_features_to_select=1).fit(X)
    with sklearn.config_context(working_memory=0.001):  # too little for distances between all samples
        searched = IterativeScore(n_features_to_select=1).fit(X)
    assert_array_equal(updated.order_, searched.order_)
    for scores, expected in zip(updated.round_scores_, searched.round_scores_, strict=True):
        assert_allclose(scores, expected, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("readmit", [False, True])
@pytest.mark.parametrize("encoded", [False, True])
def test_ties_do_not_depend_on_working_memory(readmit, encoded):
    """Some samples are duplicates in the remaining features only; encoded columns may be complementary."""
    X = np.random.default_rng(0).integers(0, 3, (120, 8)).astype(float)
    if encoded:
        X = np.hstack([X[:, [j]] == values for j, values in enumerate([[0, 1, 2], [0, 1]] * 4)]).astype(float)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    reference = IterativeScore(n_features_to_select=2, readmit=readmit).fit(X)
    for order in (np.arange(120), np.random.default_rng(1).permutation(120)):
        with sklearn.config_context(working_memory=0.01):
            selector = IterativeScore(n_features_to_select=2, readmit=readmit).fit(X[order])
        assert_array_equal(selector.order_, reference.order_)
        assert_allclose(selector.scores_, reference.scores_, rtol=1e-9)
