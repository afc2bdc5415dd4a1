"""Accuracies at every size equal those of classifiers that are refitted at that size."""

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evaluation.folds import integers_with_ties, refitted_scores, split_halves
from featsieve.evaluation import (
    Fold,
    linear_accuracy,
    linear_curve,
    nearest_mean_accuracy,
    nearest_mean_curve,
    nearest_neighbor_accuracy,
    nearest_neighbor_curve,
)

pytestmark = pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least 1 zero")


def whole_iris(return_X_y):
    X, y = load_iris(return_X_y=True)
    return np.rint(10 * X), y


def tie_free_cancer(return_X_y):
    """Samples at the same distance differ in the last bit, which scikit-learn does not treat as a tie."""
    X, y = load_breast_cancer(return_X_y=True)
    return X * (1 + 1e-3 * np.random.default_rng(0).standard_normal(X.shape)), y


DATASETS = {
    "iris": whole_iris,
    "breast cancer": tie_free_cancer,
    "digits": lambda return_X_y: tuple(part[:400] for part in load_digits(return_X_y=True)),
    "ties": lambda return_X_y: integers_with_ties(),
    "binary": lambda return_X_y: integers_with_ties(levels=2, seed=1),
}


@pytest.mark.parametrize("name", DATASETS)
def test_curves_equal_refitting_at_every_size(name):
    X, y = DATASETS[name](return_X_y=True)
    fold = split_halves(X, y)
    order = np.random.default_rng(1).permutation(X.shape[1])
    sizes = np.arange(1, X.shape[1] + 1)
    # only brute force chooses the smallest index of ties
    neighbor = KNeighborsClassifier(1, algorithm="brute")
    np.testing.assert_array_equal(
        nearest_neighbor_curve(fold, order), refitted_scores(neighbor, fold, order, sizes)
    )
    np.testing.assert_array_equal(
        nearest_mean_curve(fold, order), refitted_scores(NearestCentroid(), fold, order, sizes)
    )


@pytest.mark.parametrize("training", [2, 5])
def test_curves_equal_refitting_on_a_published_split(data_dir, training):
    faces = loadmat(data_dir / "Yale_32x32.mat")
    splits = loadmat(data_dir / "splits" / f"Yale_{training}Train.mat")
    X, y = faces["X"], faces["Y"].ravel()
    train, test = (splits[name][0].astype(int) - 1 for name in ("trainIdx", "testIdx"))
    as_bytes = Fold(X[train], X[test], y[train], y[test])
    fold = Fold(X[train].astype(float), X[test].astype(float), y[train], y[test])
    order = np.argsort(-fold.X_train.var(axis=0), kind="stable")
    every = [nearest_neighbor_curve(as_bytes, order), nearest_mean_curve(as_bytes, order)]
    some = np.unique(np.r_[1:40, np.geomspace(40, 1024, 25).astype(int)])
    for curve, model in zip(
        every, (KNeighborsClassifier(1, algorithm="brute"), NearestCentroid()), strict=True
    ):
        np.testing.assert_array_equal(curve[some - 1], refitted_scores(model, fold, order, some))


def test_selected_sizes_are_points_of_the_full_curve():
    X, y = load_breast_cancer(return_X_y=True)
    for values in (X, StandardScaler().fit_transform(X)):
        fold = split_halves(values, y)
        order = np.arange(30)[::-1]
        for curve in (nearest_neighbor_curve, nearest_mean_curve, linear_curve):
            np.testing.assert_array_equal(
                curve(fold, order, [1, 2, 9, 30]), curve(fold, order)[[0, 1, 8, 29]]
            )


def test_class_missing_from_the_training_set_is_never_predicted():
    X, y = load_iris(return_X_y=True)
    fold = Fold(X[:100:2], X[1::2], y[:100:2], y[1::2])
    for curve in (nearest_neighbor_curve, nearest_mean_curve, linear_curve):
        assert (curve(fold, np.arange(4)) <= 2 / 3).all()


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("alpha", [None, 2.5])
def test_linear_curve_equals_refitting(wide, alpha):
    X, y = load_digits(return_X_y=True)
    fold = split_halves(X[:80] if wide else X[:400], y[:80] if wide else y[:400])  # 40 samples, 64 features
    order = np.random.default_rng(0).permutation(64)
    ridge = len(fold.y_train) / 10 if alpha is None else alpha
    model = make_pipeline(StandardScaler(), RidgeClassifier(ridge))
    np.testing.assert_array_equal(
        linear_curve(fold, order, alpha=alpha), refitted_scores(model, fold, order, range(1, 65))
    )


def test_linear_curve_of_two_classes():
    X, y = load_breast_cancer(return_X_y=True)
    fold, order = split_halves(X, y), np.arange(30)
    model = make_pipeline(StandardScaler(), RidgeClassifier(1.0))
    np.testing.assert_array_equal(
        linear_curve(fold, order, alpha=1.0), refitted_scores(model, fold, order, range(1, 31))
    )


def test_accuracies_are_the_last_points_of_the_curves():
    X, y = load_iris(return_X_y=True)
    fold = split_halves(X, y)
    for curve, metric in (
        (nearest_neighbor_curve, nearest_neighbor_accuracy),
        (nearest_mean_curve, nearest_mean_accuracy),
        (linear_curve, linear_accuracy),
    ):
        assert metric(fold) == curve(fold, [0, 1, 2, 3])[-1]
