"""Degenerate data: constant features, duplicates, single samples, outliers and extreme units."""

import numpy as np
import pytest
from literal import lle as literal
from numpy.testing import assert_allclose

from featsieve import (
    MCFS,
    AutoSelector,
    ClassGraph,
    FacilityLocation,
    FisherScore,
    KNNGraph,
    LaplacianScore,
    LKRScore,
    LLEReconstructionScore,
    LLEScore,
    ReliefF,
    SPECScore,
    TraceRatio,
)

from .cases import check_ranking, is_a, over, plain, rejects

exact = {"rtol": 1e-9, "atol": 1e-12}


@over()
@pytest.mark.parametrize("value", [0.0, 2.5, 0.1, 1e6 + 0.1])
def test_a_constant_feature_ranks_last(case, value):
    X, y = plain()
    X[:, 2] = value  # the floating-point mean of thirty 0.1 is not 0.1
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert selector.order_[-1] == 2
    assert selector.ranking_[2] == X.shape[1]


@over()
def test_a_constant_feature_ranks_after_uninformative_features(case):
    X, _ = plain()
    y = np.random.default_rng(5).permutation(np.arange(len(X)) % 3)
    X[:, 0] = 1.0
    selector = case.fit(np.round(X, 1), y)
    assert selector.order_[-1] == 0


@over()
def test_features_that_are_unrelated_to_the_labels(case):
    X = np.random.default_rng(6).gamma(3.0, 1.0, (45, 8))
    selector = case.fit(X, np.arange(45) % 3)
    check_ranking(selector, 8)
    assert np.isfinite(selector.scores_).all()


@over()
def test_several_constant_features_rank_last(case):
    X, y = plain()
    X[:, [4, 1, 6]] = [1.0, 0.0, 0.3]
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert sorted(selector.order_[-3:]) == [1, 4, 6]


@over()
@pytest.mark.parametrize("value", [0.0, 0.1])
def test_all_features_constant(case, value):
    X, y = plain()
    X[:] = value
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert selector.order_.tolist() == list(range(X.shape[1]))
    assert selector.transform(X).shape == (len(X), X.shape[1] // 2)


@over()
def test_a_nearly_constant_feature_has_a_score(case):
    X, y = plain()
    X[:, 2] = 1e8
    X[4, 2] = np.nextafter(1e8, 2e8)
    check_ranking(case.fit(X, y), X.shape[1])


# subset methods select one of two duplicates, and random trees use either
CHOOSE_ONE = (
    "MCFS",
    "SPFS",
    "MRMR",
    "L1Path",
    "ModelImportance",
    "Diverse",
    "ColumnSubset",
    "SupervisedColumnSubset",
    "FacilityLocation",
    "AutoSelector",
)


@over(lambda case: not is_a(*CHOOSE_ONE)(case))
def test_duplicate_features_have_equal_scores(case):
    X, y = plain()
    X[:, 5] = X[:, 1]
    selector = case.fit(X, y)
    assert_allclose(selector.scores_[5], selector.scores_[1], **exact)
    assert selector.ranking_[1] < selector.ranking_[5]


@over()
@pytest.mark.parametrize("copies", [2, 7], ids=["pairs", "more duplicates than neighbors"])
def test_duplicate_samples(case, copies):
    X, y = plain()
    selector = case.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    check_ranking(selector, X.shape[1])
    assert np.isfinite(selector.scores_).all()


@over()
def test_a_class_of_one_sample(case):
    X, y = plain()
    y[7] = 8
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert np.isfinite(selector.scores_).all()


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@over(lambda case: case.needs_y)
def test_every_sample_is_a_separate_class(case):
    X, y = plain()
    try:
        selector = case.fit(X, np.arange(len(y)))
    except ValueError as error:
        assert "class" in str(error)  # noqa: PT017
        assert "y" in str(error).split()  # noqa: PT017
    else:
        check_ranking(selector, X.shape[1])


USE_LABELS = ["TraceRatio", "MCFS", "SPFS", "AutoSelector"]  # if they are passed


@over(lambda case: case.needs_y or is_a(*USE_LABELS, "ConstraintScore")(case))
@pytest.mark.parametrize("label", [0, 1.0, "a", -1])
def test_one_class_is_rejected(case, label):
    X, y = plain()
    message = rejects(lambda: case.fit(X, np.full(len(y), label)), "y must", "class")
    assert message.startswith("y must"), message


@pytest.mark.parametrize("score", [LaplacianScore, LKRScore, SPECScore, TraceRatio, MCFS])
def test_one_class_has_no_class_graph(score):
    X, y = plain()
    rejects(lambda: score(graph=ClassGraph()).fit(X, np.zeros(len(y))), "y must contain at least two classes")


@pytest.mark.parametrize(
    "selector",
    [
        AutoSelector(n_features_to_select=3),
        *(Selector(n_features_to_select="auto") for Selector in (AutoSelector, FisherScore, LaplacianScore)),
    ],
)
@pytest.mark.parametrize("label", [0.0, 0.5], ids=["class", "number"])
def test_equal_labels_are_rejected_before_samples_are_held_out(selector, label):
    X, y = plain()
    message = rejects(lambda: selector.fit(X, np.full(len(y), label)), "got one")
    assert message.startswith("y must contain at least two")


@pytest.mark.parametrize("score", [LLEScore, LLEReconstructionScore, FacilityLocation])
def test_unsupervised_methods_reject_graphs_of_classes(score):
    X, y = plain()
    rejects(lambda: score(graph=ClassGraph()).fit(X, y), "ClassGraph", "KNNGraph()")


@over()
def test_two_samples(case):
    X, y = np.array([[1.0, 2.0, 5.0, 0.0], [2.0, 2.0, 1.0, 3.0]]), np.array([0, 1])
    impossible = {"ConstraintScore": "must-link", "AutoSelector": "at least one class must have 2 samples"}
    name = type(case.estimator).__name__
    if name in impossible:
        with pytest.raises(ValueError, match=impossible[name]):
            case.fit(X, y)
        return
    selector = case.fit(X, y, **case.with_neighbors(1))
    check_ranking(selector, 4)
    assert selector.order_[-1] == 1


def test_relieff_with_fewer_samples_than_neighbors():
    X, y = plain(n=6)
    expected, scores = ReliefF(n_neighbors=2).fit(X, y), ReliefF(n_neighbors=50).fit(X, y)
    assert_allclose(scores.scores_, expected.scores_, **exact)
    assert np.isfinite(expected.scores_).all()


@over()
def test_distant_clusters_and_an_outlier(case):
    X, y = plain()
    X[::2] += 1e3  # disconnects the neighbor graph
    X[5] += 1e6
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert np.isfinite(selector.scores_).all()


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_samples_without_edges(kind):
    X, _ = plain()
    X[5] += 1e3  # exp(-1e6) is 0
    for score in (SPECScore(KNNGraph(bandwidth=1.0), kind=kind), LaplacianScore(KNNGraph(bandwidth=1.0))):
        assert np.isfinite(score.fit(X).scores_).all()


def _depends_on_origin(case):
    """Return whether the published score changes with the origin."""
    return is_a("LKRScore", "ChiSquareScore", "GraphPreservingScore")(case) or (
        is_a("SPECScore")(case) and case.estimator.kind != 2
    )


@over(lambda case: not _depends_on_origin(case))
def test_scores_do_not_depend_on_the_origin(case):
    X, y = plain()
    shifted = case.fit(X + 2.0**20, y)  # exact, see plain
    assert_allclose(shifted.scores_, case.fit(X, y).scores_, rtol=1e-7)


@over(_depends_on_origin)
def test_scores_far_from_the_origin_are_finite(case):
    X, y = plain()
    assert np.isfinite(case.fit(X + 2.0**20, y).scores_).all()


@over(lambda case: not is_a("LLEScore")(case))
@pytest.mark.parametrize("scale", [2.0**-40, 2.0**40, 1e-100, 1e100])
def test_order_does_not_depend_on_the_unit(case, scale):
    X, y = plain()
    original, scaled = case.fit(X, y), case.fit(X * scale, y)
    check_ranking(scaled, X.shape[1])
    assert np.array_equal(scaled.order_, original.order_)


UNIT_FREE = [
    "PearsonScore",
    "FisherScore",
    "InformationGain",
    "ReliefF",
    "LaplacianScore",
    "LKRScore",
    "SparsityScore",
    "SPECScore",
]


@over(is_a(*UNIT_FREE))
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scores_do_not_depend_on_the_unit(case, scale):
    X, y = plain()
    assert_allclose(case.fit(X * scale, y).scores_, case.fit(X, y).scores_, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e6, 1e12])
def test_lle_score_equals_the_literal_version_at_any_scale(scale):
    X, _ = plain(n=20, d=12)
    assert_allclose(LLEScore().fit(X * scale).scores_, literal.lle(X * scale), rtol=1e-6)


@over()
def test_one_feature_in_another_unit(case):
    X, y = plain()
    X[:, 3] *= 1e12
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert np.isfinite(selector.scores_).all()


@over(lambda case: not is_a("LeaveOneFeatureOut")(case))  # needs two features
def test_a_single_feature(case):
    X, y = plain(d=1)
    selector = case.fit(X, y, n_features_to_select=1)
    check_ranking(selector, 1)
    assert selector.transform(X).shape == X.shape


@over()
def test_many_more_features_than_samples(case):
    X, y = plain(n=12, d=300)
    selector = case.fit(X, y)
    check_ranking(selector, 300)
    assert np.isfinite(selector.scores_).all()


def test_supervised_lkr_predicts_zero_for_a_class_of_one_sample():
    X, y = plain()
    y[7] = 8
    assert_allclose(LKRScore(ClassGraph()).fit(X, y).scores_, literal.lkr_supervised(X, y), **exact)
