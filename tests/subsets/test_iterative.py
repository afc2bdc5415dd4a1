"""Iterative scores against literal loops that build everything anew in each round."""

import numpy as np
import pytest
import sklearn
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
    LLEReconstructionScore,
    LLEScore,
    SPECScore,
)
from featsieve.scores import laplacian_score
from featsieve.subsets._distances import SubsetDistances


@pytest.fixture(params=range(3))
def X(request):
    rng = np.random.default_rng(request.param)
    return rng.standard_normal((50, 14)) * rng.uniform(0.1, 30, 14)


def first_version(X, s, step, k=5):
    """IterativeLS-1: rank what is left, discard the last ones, until no more than s are left."""
    left, behind = list(range(X.shape[1])), []
    while True:
        scores = ls.laplacian(X[:, left], lg.knn_graph(X[:, left], k))
        ranked = [left[i] for i in np.argsort(scores, kind="stable")]
        n_discarded = min(step, len(left) - s)
        left = sorted(ranked[: len(ranked) - n_discarded])
        if len(left) <= s:
            return ranked + behind
        behind = ranked[len(ranked) - n_discarded :] + behind


def second_version(X, s, step, k=5):
    """IterativeLS-2: rank all features on the graph of those that are left, keep n - t * step of them."""
    d = X.shape[1]
    left, t = list(range(d)), 0
    while True:
        t += 1
        ranked = np.argsort(ls.laplacian(X, lg.knn_graph(X[:, left], k)), kind="stable")
        left = sorted(ranked[: max(s, d - t * step)])
        if len(left) <= s:
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
def test_both_published_versions(X, step, s):
    options = {"step": step, "n_features_to_select": s}
    assert IterativeScore(**options).fit(X).order_.tolist() == first_version(X, s, step)
    assert IterativeScore(**options, readmit=True).fit(X).order_.tolist() == second_version(X, s, step)


def test_the_two_versions_are_not_the_same(X):
    assert first_version(X, 1, 1) != second_version(X, 1, 1)


SCORES = [
    LaplacianScore(),
    LaplacianScore(KNNGraph(7, weights="binary")),
    LKRScore(),
    LLEScore(),
    LLEReconstructionScore(3),
    SPECScore(kind=3),
]


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("memory", [1024, 1e-3], ids=["updated distances", "searched anew"])
def test_any_graph_score(X, score, memory):
    left, behind = np.arange(14), []
    while left.size > 4:
        round_ = sklearn.base.clone(score).fit(X[:, left])
        ranked = left[round_.order_]
        n_left = max(4, left.size - 3)
        if n_left > 4:
            behind = [*ranked[n_left:], *behind]
        left = np.sort(ranked[:n_left])
    with sklearn.config_context(working_memory=memory):
        found = IterativeScore(score, step=3, n_features_to_select=4).fit(X)
    assert found.order_.tolist() == [*ranked, *behind]
    assert_allclose(found.round_scores_[-1], round_.scores_, rtol=1e-9)


def test_rounds_are_kept(X):
    model = IterativeScore(step=4, n_features_to_select=2).fit(X)
    assert [f.size for f in model.round_features_] == [14, 10, 6]
    for features, scores in zip(model.round_features_, model.round_scores_, strict=True):
        assert_allclose(scores, LaplacianScore().fit(X[:, features]).scores_, rtol=1e-9)
    assert_allclose(model.scores_[model.round_features_[-1]], model.round_scores_[-1])
    assert_array_equal(
        model.graph_.neighbors.indices, KNNGraph().build(X[:, model.round_features_[-1]]).neighbors.indices
    )
    assert_array_equal(np.sort(model.order_[:2]), model.get_support(indices=True))


def test_digits_lost_by_subtraction_are_noticed():
    rng = np.random.default_rng(0)
    # the features are dropped from the largest to the smallest, and distances shrink by 1e24
    X = rng.standard_normal((40, 9)) * 10.0 ** np.arange(0, 27, 3)[::-1]
    distances = SubsetDistances(X, 5)
    for left in range(8, 0, -1):
        features = np.arange(9 - left, 9)
        distances.restrict(features)
        indices, squared = lg.knn(X[:, features], 5)
        found = distances.nearest()
        assert_array_equal(found.indices, indices)
        assert_allclose(found.distances, squared, rtol=1e-6)
    assert distances.n_recomputed >= 4


@pytest.mark.parametrize("seed", range(4))
def test_neighbors_after_any_changes(seed):
    """Features leave and come back, few or many at a time: more samples than are watched come near."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((90, 60)) * 10.0 ** rng.uniform(-1, 1, 60)
    distances = SubsetDistances(X, 4)
    left = np.ones(60, dtype=bool)
    for _ in range(60):
        left[rng.integers(60, size=rng.integers(1, 4))] ^= True
        if rng.random() < 0.05:
            left[:] = rng.random(60) < 0.4
        distances.restrict(np.flatnonzero(left))
        indices, squared = lg.knn(X[:, left], 4)
        found = distances.nearest()
        assert_array_equal(found.indices, indices)
        assert_allclose(found.distances, squared, rtol=1e-9)


def test_equal_distances_beyond_those_watched():
    X = np.zeros((70, 3))
    X[:, 0] = np.arange(70) % 2  # 35 copies of two samples
    X[:, 1] = 1e-3 * np.arange(70)
    distances = SubsetDistances(X, 5)
    distances.restrict(np.array([0]))
    found = distances.nearest()
    assert_array_equal(found.distances, 0)
    assert np.all(found.indices % 2 == np.arange(70)[:, None] % 2)
    assert np.all(found.indices != np.arange(70)[:, None])


@pytest.mark.parametrize("seed", range(4))
def test_equal_distances_are_those_of_a_search_in_each_round(seed):
    X = np.random.default_rng(seed).integers(0, 4, (60, 9)).astype(float)
    kept = IterativeScore(n_features_to_select=1).fit(X)
    with sklearn.config_context(working_memory=0.001):  # no room for distances between all samples
        searched = IterativeScore(n_features_to_select=1).fit(X)
    assert_array_equal(kept.order_, searched.order_)
    for found, expected in zip(kept.round_scores_, searched.round_scores_, strict=True):
        assert_allclose(found, expected, rtol=1e-9)


def test_a_tie_for_the_last_place_alone_does_not_depend_on_the_order_of_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    X *= np.linspace(0, 10, 40)[:, None] / np.linalg.norm(X, axis=1, keepdims=True)  # 0 at the origin
    X[6] = -X[5]
    chosen = set()
    for _ in range(20):
        order = rng.permutation(40)
        origin = np.flatnonzero(order == 0)[0]
        chosen.add(int(order[SubsetDistances(X[order], 5).nearest().indices[origin, 4]]))
    assert len(chosen) == 1
    assert chosen <= {5, 6}


def test_spread_that_a_far_sample_dominates():
    """Its degree vanishes, and with it nearly all of the spread that the plain mean leaves."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    X[0] = 1e7
    X[0, 3] = 0.0
    model = IterativeScore(LaplacianScore(KNNGraph(5, bandwidth=1.0)), n_features_to_select=1).fit(X)
    for features, scores in zip(model.round_features_, model.round_scores_, strict=True):
        expected = LaplacianScore(KNNGraph(5, bandwidth=1.0)).fit(X[:, features]).scores_
        assert_allclose(scores, expected, rtol=1e-6)


def test_a_few_close_samples_are_measured_afresh():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((60, 3)) * 100, rng.standard_normal((60, 3))])
    X[:4, 3:] = X[0, 3:] + 1e-9 * rng.standard_normal((4, 3))  # near copies, once the first three are gone
    distances = SubsetDistances(X, 3)
    distances.restrict(np.arange(3, 6))
    indices, squared = lg.knn(X[:, 3:], 3)
    assert_array_equal(distances.nearest().indices, indices)
    assert_allclose(distances.nearest().distances, squared, rtol=1e-6)


def test_copies_stay_copies():
    """Categories in units of their deviation: more copies than are watched, and rounding between them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (300, 6))
    X = np.hstack([codes == value for value in range(3)] + [rng.integers(0, 5, (300, 2))]).astype(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    distances = SubsetDistances(X, 5)
    order = rng.permutation(20)
    for features in [order[left:] for left in range(20)] + [order[left:] for left in (12, 6)]:
        distances.restrict(features)
        found = distances.nearest()
        squared = ((X[:, None, features] - X[:, features]) ** 2).sum(axis=2)
        assert_allclose(np.take_along_axis(squared, found.indices, axis=1), found.distances, atol=1e-12)
        np.fill_diagonal(squared, np.inf)
        assert_allclose(found.distances, np.sort(squared, axis=1)[:, :5], atol=1e-12)
        assert_array_equal(found.distances == 0, np.sort(squared, axis=1)[:, :5] == 0)


def test_large_features_that_come_and_go_leave_nothing_behind():
    X = np.random.default_rng(0).standard_normal((300, 45))
    X[:, 5:] *= 1e7
    distances = SubsetDistances(X, 5)
    for count in (45, 5, 45, 5):
        distances.restrict(np.arange(count))
        found, expected = distances.nearest(), KNNGraph().build(X[:, :count]).neighbors
        assert_allclose(found.distances, expected.distances, rtol=1e-9)


@pytest.mark.parametrize("gap", [1e-5, 1e-7, 1e-8])
def test_near_copies_keep_their_distances(gap):
    """Groups of four samples, of whom five neighbors are wanted: the k-th is far, the others are near."""
    rng = np.random.default_rng(0)
    close = np.repeat(rng.standard_normal((60, 4)), 4, axis=0) + gap * rng.standard_normal((240, 4))
    X = np.hstack([close, rng.standard_normal((240, 8))])
    distances = SubsetDistances(X, 5)
    distances.restrict(np.arange(4))
    found, expected = distances.nearest(), KNNGraph().build(X[:, :4]).neighbors
    assert_array_equal(found.indices[:, :3], expected.indices[:, :3])
    assert_allclose(found.distances, expected.distances, rtol=1e-9)


@pytest.mark.parametrize("readmit", [False, True])
@pytest.mark.parametrize("coded", [False, True])
def test_memory_does_not_matter_where_samples_tie(readmit, coded):
    """Some of whom are copies in the features that are left, though not in all; columns may be opposites."""
    X = np.random.default_rng(0).integers(0, 3, (120, 8)).astype(float)
    if coded:
        X = np.hstack([X[:, [j]] == values for j, values in enumerate([[0, 1, 2], [0, 1]] * 4)]).astype(float)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    reference = IterativeScore(n_features_to_select=2, readmit=readmit).fit(X)
    for order in (np.arange(120), np.random.default_rng(1).permutation(120)):
        with sklearn.config_context(working_memory=0.01):
            found = IterativeScore(n_features_to_select=2, readmit=readmit).fit(X[order])
        assert_array_equal(found.order_, reference.order_)
        assert_allclose(found.scores_, reference.scores_, rtol=1e-9)


@pytest.mark.parametrize("readmit", [False, True])
def test_order_of_samples_does_not_matter(readmit):
    X = np.random.default_rng(0).integers(0, 4, (60, 9)).astype(float)
    X[1] = X[0]
    reference = IterativeScore(n_features_to_select=1, readmit=readmit).fit(X)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(60)
        found = IterativeScore(n_features_to_select=1, readmit=readmit).fit(X[order])
        assert_array_equal(found.order_, reference.order_)
        assert_allclose(found.scores_, reference.scores_, rtol=1e-9)


def test_constant_features_go_first(X):
    X[:, 3] = 7.0
    order = IterativeScore(n_features_to_select=2).fit(X).order_
    assert order[-1] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0}, "step"),
        ({"n_features_to_select": 15}, "n_features_to_select=15 but X has only 14"),
        ({"ranker": FisherScore()}, "no graph to rebuild"),
        ({"ranker": LaplacianScore(np.eye(50))}, "built already"),
        ({"ranker": LKRScore(), "readmit": True}, "readmit"),
        ({"ranker": LaplacianScore(KNNGraph(50))}, r"n_neighbors must be .* got 50"),
        ({"ranker": LaplacianScore(ClassGraph())}, "needs labels"),
        ({"ranker": LaplacianScore(KNNGraph(0))}, "n_neighbors"),
    ],
)
def test_errors(X, options, message):
    with pytest.raises(ValueError, match=message):
        IterativeScore(**options).fit(X)


def test_weights_whose_squares_vanish():
    X = 40 * np.random.default_rng(1).standard_normal((12, 4))
    builder = KNNGraph(3, bandwidth=2.0)
    assert 0 < builder.build(X).degree.max() < 1e-154
    found = IterativeScore(LaplacianScore(builder), n_features_to_select=3).fit(X).round_scores_[0]
    assert_allclose(found, laplacian_score(X, builder))
