import numpy as np
import pytest
from literal import greedy
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer

import featsieve
from featsieve import Diverse, FisherScore, LaplacianScore, LKRScore, VarianceScore
from featsieve.subsets import diverse_ranking, score_quality

from .greedy_data import KINDS, check_equal, make


@pytest.mark.slow
@pytest.mark.parametrize("penalty", ["correlation", "squared"])
@pytest.mark.parametrize("kind", KINDS)
def test_ranking_equals_the_literal_version(kind, penalty):
    for seed in range(10):
        X, y, n = make(kind, seed)
        model = Diverse(FisherScore(), penalty=penalty, n_features_to_select=n).fit(X, y)
        constant = np.ptp(X, axis=0) == 0
        assert_allclose(model.quality_, greedy.quality(model.ranker_.scores_, "larger", constant))
        check_equal((model.scores_, model.order_), greedy.diverse(X, model.quality_, n, penalty), kind)


@pytest.mark.parametrize("direction", ["smaller", "larger"])
@pytest.mark.parametrize(
    "scores", [[1.0, 2.0, 5.0, 2.0], [1.0, np.inf, 0.5, 2.0], [-np.inf, 3.0, 1.0, 1.0], [7.0] * 4]
)
def test_quality_equals_the_literal_version(scores, direction):
    constant = [False, False, False, True]
    assert_allclose(
        score_quality(scores, direction, constant), greedy.quality(np.array(scores), direction, constant)
    )


def test_quality_of_scores_near_the_largest_float():
    assert_allclose(score_quality([-1.7e308, 0, 1.7e308], "larger", [False] * 3), [0, 1 / 3, 1])


def test_copies_follow_all_distinct_features():
    X, y, _ = make("plain", 1)
    doubled = np.hstack([X, -2 * X + 1])
    model = Diverse(FisherScore(), n_features_to_select=1.0).fit(doubled, y)
    distinct = model.order_[: X.shape[1]] % X.shape[1]
    assert_array_equal(np.sort(distinct), np.arange(X.shape[1]))


def test_noise_is_chosen_after_a_copy_with_noise_only_if_its_quality_is_better():
    # f1 = f0 + noise is correlated with f0; f2 is independent and less relevant
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    f0 = y + 0.3 * rng.standard_normal(400)
    f1 = f0 + 0.05 * rng.standard_normal(400)
    f2 = y + 0.6 * rng.standard_normal(400)
    X = np.column_stack([f0, f1, f2])
    assert FisherScore().fit(X, y).order_.tolist() == [0, 1, 2]
    quality = score_quality(FisherScore().fit(X, y).scores_, "larger", [False] * 3)
    assert diverse_ranking(X, np.maximum(quality, 0.3), 2)[1].tolist() == [0, 2, 1]


def test_default_ranker_is_the_laplacian_score():
    X = load_breast_cancer().data
    assert_array_equal(Diverse().fit(X).order_, Diverse(LaplacianScore()).fit(X).order_)


def test_labels_are_required_if_the_ranker_requires_them():
    X = load_breast_cancer().data
    with pytest.raises(ValueError, match="requires y"):
        Diverse(FisherScore()).fit(X)
    assert Diverse(FisherScore()).__sklearn_tags__().target_tags.required
    assert not Diverse(VarianceScore()).__sklearn_tags__().target_tags.required


def test_inputs_are_those_of_the_ranker():
    assert "sparse" in featsieve.get_method("diverse:variance").inputs
    assert "sparse" not in featsieve.get_method("diverse:mcfs").inputs
    assert Diverse(VarianceScore()).__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize("ranker", ["fisher", FisherScore, object()])
def test_other_objects_are_rejected_as_rankers(ranker):
    with pytest.raises(ValueError, match="'ranker' parameter"):
        Diverse(ranker).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize("name", ["fisher", "lkr", "pearson"])
def test_combined_names(name):
    method = featsieve.get_method(f"diverse:{name}")
    inner = featsieve.get_method(name)
    assert (method.supervised, method.direction) == (inner.supervised, "larger")
    assert isinstance(method.make().ranker, inner.estimator)
    assert method.make(penalty="squared").penalty == "squared"
    assert method.make().ranker is not method.make().ranker


def test_iterative_score_combines_too():
    method = featsieve.get_method("iterative:lkr")
    assert isinstance(method.make().ranker, LKRScore)
    assert method.direction == "smaller"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fisher:lkr", "no parameter `ranker`"),
        ("diverse:fischer", "Did you mean fisher"),
        ("diverse:kpca", "unknown method|must be a ranker"),
        ("divers:fisher", "unknown method"),
    ],
)
def test_wrong_combinations_are_rejected(name, message):
    with pytest.raises(ValueError, match=message):
        featsieve.get_method(name)


def test_quality_of_copies_does_not_depend_on_the_order_of_samples():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    f = rng.standard_normal(60) + y
    copies = np.column_stack([f, 3 * f + 1, -0.7 * f, 1.3 * f - 2])
    X = np.column_stack([rng.standard_normal(60), copies, rng.standard_normal(60) + 3 * y])
    expected = Diverse(FisherScore()).fit(X, y).quality_
    for _ in range(5):
        rows = rng.permutation(60)
        assert_allclose(Diverse(FisherScore()).fit(X[rows], y[rows]).quality_, expected, atol=1e-12)
        model = Diverse(FisherScore()).fit(copies[rows], y[rows])
        assert_array_equal(model.quality_, 1)
        assert_array_equal(model.order_, [0, 1, 2, 3])
    constant = np.ptp(X, axis=0) == 0
    assert_allclose(expected, greedy.quality(FisherScore().fit(X, y).scores_, "larger", constant))
