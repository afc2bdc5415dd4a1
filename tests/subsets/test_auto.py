"""AutoSelector: which method it chooses, and what it reports."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from featsieve import AutoSelector
from featsieve.evaluation import RepeatedSplits, neighborhood_preservation
from featsieve.subsets.auto import N_SPLITS, labeled_rankings, unlabeled_rankings

LABELED = {"supervised column subset", "diverse relevance", "mRMR", "L1 path"}
UNLABELED = {"weighted column subset", "facility location", "diverse"}


def standardized(load):
    X, y = load(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_the_best_method_on_held_out_samples_is_chosen():
    X, y = standardized(load_diabetes)
    fitted = AutoSelector(n_features_to_select=3).fit(X, y)
    expected = dict.fromkeys(LABELED, 0.0)
    for split in RepeatedSplits(20, 0.25).splits(len(X), None, 0)[:N_SPLITS]:
        for name, (_, order) in labeled_rankings(X[split.train], y[split.train], 3).items():
            chosen = X[:, order[:3]]
            for model in (KNeighborsRegressor(5), LinearRegression()):
                model.fit(chosen[split.train], y[split.train])
                score = r2_score(y[split.test], model.predict(chosen[split.test]))
                expected[name] += score / 2 / N_SPLITS
    scores = fitted.comparison_.set_index("method")["score"]
    assert {*scores.index} == LABELED | {"random features"}
    for name, score in expected.items():
        assert scores[name] == pytest.approx(score, abs=2e-3), name  # ridge instead of least squares
    assert scores[fitted.chosen_method_] == max(scores)
    scores, order = labeled_rankings(X, y, 3)[fitted.chosen_method_]
    assert_array_equal(fitted.order_, order)
    assert_array_equal(fitted.scores_, scores)


def test_without_labels_the_method_that_preserves_neighborhoods_is_chosen():
    X, _ = standardized(load_wine)
    fitted = AutoSelector(n_features_to_select=4).fit(X)
    scores = fitted.comparison_.set_index("method")["score"]
    assert {*scores.index} == UNLABELED | {"random features"}
    for name, (_, order) in unlabeled_rankings(X, 4).items():
        assert scores[name] == pytest.approx(neighborhood_preservation(X, X[:, order[:4]]))
    assert scores[fitted.chosen_method_] == max(scores)
    assert_array_equal(fitted.order_, unlabeled_rankings(X, 4)[fitted.chosen_method_][1])


def test_report_states_the_choice_the_reason_and_the_comparison():
    X, y = load_wine(return_X_y=True)
    for n_features, criterion in (
        (3, "of 4 methods. "),
        (None, "their mean over 1 to 13"),
        ("auto", "their highest score over 1 to 13"),
    ):
        fitted = AutoSelector(n_features_to_select=n_features).fit(X, y)
        assert fitted.report_.startswith(f"Selected {fitted.n_features_} features with '")
        assert fitted.chosen_method_ in fitted.report_
        assert criterion in fitted.report_
        for method, score in fitted.comparison_.to_numpy():
            assert f"{method} {score:.1%}" in fitted.report_


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_three_informative_features_are_found(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30))
    y = X[:, [4, 11, 29]].sum(axis=1) + 0.5 * rng.standard_normal(200)
    fitted = AutoSelector(n_features_to_select="auto").fit(X, y if kind == "numbers" else y > 0)
    assert 3 <= fitted.n_features_ <= 5
    assert {4, 11, 29} <= {*fitted.get_support(indices=True)}
    assert {"n_features", "score", "chance"} <= {*fitted.n_features_curve_}


@pytest.mark.parametrize("labels", [np.arange(100) % 2, np.random.default_rng(1).random(100), None])
def test_noise_is_reported(labels):
    X = np.random.default_rng(0).standard_normal((100, 20))
    with pytest.warns(UserWarning, match="no better than"):
        assert AutoSelector(n_features_to_select="auto").fit(X, labels).n_features_ == 1


def test_features_are_better_than_random_ones():
    X, y = standardized(load_breast_cancer)
    chosen = AutoSelector(n_features_to_select=3).fit(X[::2], y[::2]).transform(X)
    rng = np.random.default_rng(0)
    random = [X[:, rng.permutation(30)[:3]] for _ in range(20)]
    accuracies = [
        cross_val_score(KNeighborsClassifier(1), Z[1::2], y[1::2]).mean() for Z in (chosen, *random)
    ]
    assert accuracies[0] > np.mean(accuracies[1:]) + 0.03


def test_several_targets_have_no_mrmr():
    X, y = standardized(load_diabetes)
    fitted = AutoSelector(n_features_to_select=4).fit(X, np.column_stack([y, X[:, 0] + X[:, 1]]))
    assert {*fitted.comparison_["method"]} == (LABELED - {"mRMR"}) | {"random features"}
    assert {0, 1} <= {*fitted.order_[:4]}


def test_sparse_samples_use_methods_that_keep_them_sparse():
    rng = np.random.default_rng(0)
    X = sp.random_array(
        (300, 4000), density=0.01, random_state=rng, format="csr"
    )  # too large to be densified
    y = (X[:, :40].sum(axis=1) > 0).astype(int)
    fitted = AutoSelector(n_features_to_select=20).fit(X, y)
    assert {*fitted.comparison_["method"]} <= LABELED | {"random features"}
    assert fitted.transform(X).shape == (300, 20)
    assert sp.issparse(fitted.transform(X))


def test_constant_features_are_last():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([np.ones(len(X)), X, np.zeros(len(X))])
    for labels in (y, None):
        fitted = AutoSelector(n_features_to_select=5).fit(X, labels)
        assert_array_equal(np.sort(fitted.order_[-2:]), [0, 14])
        assert_array_equal(fitted.scores_[[0, 14]], 0)


def test_all_constant_features():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for labels in (np.arange(12) % 2, None):
            fitted = AutoSelector(n_features_to_select=2).fit(np.ones((12, 4)), labels)
            assert_array_equal(fitted.order_, range(4))


def test_duplicates_are_not_both_chosen_before_all_distinct_features():
    X, y = standardized(load_wine)
    X = np.column_stack([X, -3 * X])
    for labels in (y, None):
        order = AutoSelector(n_features_to_select=13).fit(X, labels).order_[:13]
        assert_array_equal(np.sort(order % 13), range(13))


def test_units_do_not_matter():
    X, y = load_wine(return_X_y=True)
    for labels in (y, None):
        expected = AutoSelector(n_features_to_select=3).fit(X * np.logspace(-3, 3, 13), labels)
        fitted = AutoSelector(n_features_to_select=3).fit(X, labels)
        assert_allclose(fitted.scores_, expected.scores_, rtol=1e-6)
        assert_array_equal(fitted.order_[:3], expected.order_[:3])


def test_names_of_a_frame():
    X, y = load_wine(return_X_y=True, as_frame=True)
    assert isinstance(X, pd.DataFrame)
    names = AutoSelector(n_features_to_select=2).fit(X, y).get_feature_names_out()
    assert {*names} <= {*X.columns}
