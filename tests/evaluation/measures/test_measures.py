"""Choice of measures, measures of users, and intermediate results that measures share."""

import re

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from featsieve.evaluation import MEASURES, Fold, Measure, Plan, RepeatedSplits, compare
from featsieve.evaluation.measures import are_uneven, choose_measures


def size_curve(fold, order, sizes):
    return np.array(sizes) / fold.X_test.shape[1]


OWN = Measure("own", "share of the features", size_curve)


def suitable(*targets):
    return [key for key, measure in MEASURES.items() if measure.target in targets]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((None, "classes", False), ["nn", "ncm", "linear", "preservation", "redundancy"]),
        (
            (None, "classes", False, 2, True),
            ["balanced_nn", "balanced_ncm", "balanced_linear", "roc_auc", "preservation", "redundancy"],
        ),
        ((None, "numeric", False), suitable("numeric", None)),
        ((None, "classes", True), suitable("clusters", None)),
        ((None, None, False), suitable(None)),
        ((None, "classes", False, 1), ["nn", "ncm", "linear"]),
        ((None, "classes", False, 1, True), ["balanced_nn", "balanced_ncm", "balanced_linear"]),
        ((["roc_auc", "nn"], "classes", False), ["roc_auc", "nn"]),
        ((["redundancy", OWN], "classes", False), ["redundancy", "own"]),
    ],
)
def test_measures_suit_labels_and_protocol(arguments, expected):
    assert [measure.key for measure in choose_measures(*arguments)] == expected


@pytest.mark.parametrize(
    ("counts", "expected"), [(None, False), ({"a": 15, "b": 10}, False), ({"a": 16, "b": 10, "c": 12}, True)]
)
def test_uneven_classes(counts, expected):
    assert are_uneven(counts) == expected


def test_first_measure_is_main_if_no_other_is():
    first, second = choose_measures(["redundancy", "preservation"], None, False)
    assert first.main
    assert not second.main
    assert not MEASURES["redundancy"].main


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        (["acc"], "got 'acc'"),
        (
            ["unknown"],
            f"be among {', '.join(suitable('classes', None))} for these labels and protocol; got 'unknown'",
        ),
        ([Measure("own", "own", size_curve, target="numeric")], "got 'own'"),
        (["nn", Measure("nn", "own", size_curve)], "two have the key 'nn'"),
        ([], "at least one"),
    ],
)
def test_unsuitable_measures_raise(requested, message):
    with pytest.raises(ValueError, match=message):
        choose_measures(requested, "classes", False)


def test_measure_of_a_user_in_a_comparison():
    plan = Plan(RepeatedSplits(2), measures=["nn", OWN], draws=2)
    comparison = compare(*load_iris(return_X_y=True), "fisher", plan)
    results = {(cell.method, cell.split): cell.result["measures"] for cell in comparison.cells}
    assert results["fisher", 0]["own"] == results["random", 1]["own"] == [0.25, 0.5, 0.75, 1]
    assert results["all", 0]["own"] == [1] * 4
    assert comparison.measures["own"]["name"] == "share of the features"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.zeros(3), "3"),
        (0.5, r"an array of shape \(\)"),
        (np.zeros((4, 1)), r"an array of shape \(4, 1\)"),
    ],
)
def test_measure_without_a_value_for_each_size_fails(value, found):
    plan = Plan(RepeatedSplits(1), measures=["nn", Measure("own", "own", lambda *_: value)], draws=2)
    comparison = compare(*load_iris(return_X_y=True), "fisher", plan)
    assert {cell.status for cell in comparison.cells if cell.split == 0} == {"failed"}
    message = rf"measure 'own' must return one value per size \(here 1\); got {found}."
    assert re.fullmatch(message, comparison.errors("fisher")[0])


class CountedKMeans(KMeans):
    """K-means that counts its fits."""

    n_fits = 0

    def fit_predict(self, X, y=None):
        CountedKMeans.n_fits += 1
        return super().fit_predict(X)


def test_measures_of_clusters_share_the_clusters():
    X, y = load_iris(return_X_y=True)
    fold = Fold(X, X, y, y, CountedKMeans(3, n_init=1, random_state=0))
    for order in (np.arange(4), np.arange(4)[::-1]):
        CountedKMeans.n_fits = 0
        first = [MEASURES[key].curve(fold, order, [1, 3]) for key in ("acc", "nmi", "ari")]
        assert CountedKMeans.n_fits == 2
        again = Fold(X, X, y, y, KMeans(3, n_init=1, random_state=0))
        np.testing.assert_array_equal(
            first, [MEASURES[k].curve(again, order, [1, 3]) for k in ("acc", "nmi", "ari")]
        )


def test_key_of_the_table_is_the_key_of_the_measure():
    assert all(key == measure.key for key, measure in MEASURES.items())
