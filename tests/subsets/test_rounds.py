"""Which rankers can be iterated, against fitting them to the remaining features in each round."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose
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


def first_version_of(ranker, X, y, s, step):
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
@pytest.mark.parametrize("memory", [1024, 1e-3], ids=["updated distances", "searched anew"])
def test_any_graph_score(X, score, memory):
    last_round, dropped = first_version_of(score, X, None, 4, 3)
    with sklearn.config_context(working_memory=memory):
        selector = IterativeScore(score, step=3, n_features_to_select=4).fit(X)
    assert selector.order_.tolist() == [*last_round.ranked, *dropped]
    assert_allclose(selector.round_scores_[-1], last_round.scores, rtol=1e-9)


@pytest.mark.parametrize("record", featsieve.methods(), ids=lambda record: record.name)
def test_every_ranker_of_the_registry_is_iterated_or_rejected(X, record):
    """A ranker that depends on the set of features is fitted to the remaining ones in each round."""
    y = np.arange(50) % 3
    selector = IterativeScore(record.estimator(), step=3, n_features_to_select=4)
    depends = record.family in ("graph", "reconstruction", "neighbor") and record.name != "constraint"
    if not depends:
        with pytest.raises(ValueError, match=r"^ranker must .*(no graph to rebuild|does not depend)"):
            selector.fit(X, y)
        return
    last_round, dropped = first_version_of(record.estimator(), X, y, 4, 3)
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
    with pytest.raises(ValueError, match=f"{message}, which does not depend on the features"):
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
    ids=repr,
)
def test_graphs_that_depend_on_the_features_are_rebuilt(X, ranker):
    y = np.arange(50) % 3
    last_round, dropped = first_version_of(ranker, X, y, 2, 4)
    assert IterativeScore(ranker, step=4, n_features_to_select=2).fit(X, y).order_.tolist() == [
        *last_round.ranked,
        *dropped,
    ]


@pytest.mark.parametrize("ranker", [ReliefF(), LKRScore(ClassGraph())])
def test_labels_are_required_if_the_ranker_requires_them(X, ranker):
    assert get_tags(IterativeScore(ranker)).target_tags.required
    with pytest.raises(ValueError, match="requires y"):
        IterativeScore(ranker).fit(X)
