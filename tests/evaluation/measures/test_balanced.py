"""Balanced accuracies and ROC AUC equal those of scikit-learn, refitted at each size."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featsieve.evaluation import (
    Fold,
    balanced_linear_curve,
    balanced_nearest_mean_curve,
    balanced_nearest_neighbor_curve,
    roc_auc_curve,
)

SIZES = [1, 3, 10, 30]


def make_fold(load):
    X, y = load(return_X_y=True)
    kept = np.sort(
        np.random.default_rng(0).permutation(np.flatnonzero((y > 0) | (np.arange(y.size) % 6 == 0)))[:240]
    )
    X, y = X[kept] * (1 + 1e-3 * np.random.default_rng(1).standard_normal((240, X.shape[1]))), y[kept]
    return Fold(X[::2], X[1::2], y[::2], y[1::2])


@pytest.fixture(params=[load_breast_cancer, load_digits])
def fold(request):
    return make_fold(request.param)


def refitted(model, fold, order, score):
    values = []
    for size in SIZES:
        chosen = order[:size]
        model.fit(fold.X_train[:, chosen], fold.y_train)
        values.append(score(model, fold.X_test[:, chosen], fold.y_test))
    return values


def recall(model, X, y):
    return balanced_accuracy_score(y, model.predict(X))


def linear(n_train):
    return make_pipeline(StandardScaler(), RidgeClassifier(n_train / 10, class_weight="balanced"))


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least 1 zero")
def test_balanced_accuracies(fold):
    order = np.random.default_rng(1).permutation(fold.X_train.shape[1])
    n_train = len(fold.y_train)
    for curve, model in (
        (balanced_nearest_neighbor_curve, KNeighborsClassifier(1, algorithm="brute")),
        (balanced_nearest_mean_curve, NearestCentroid()),
        (balanced_linear_curve, linear(n_train)),
    ):
        expected = refitted(model, fold, order, recall)
        np.testing.assert_allclose(curve(fold, order, SIZES), expected, rtol=1e-12)


def test_roc_auc(fold):
    order = np.random.default_rng(1).permutation(fold.X_train.shape[1])

    def area(model, X, y):
        decision = model.decision_function(X)
        if decision.ndim == 1:
            return roc_auc_score(y, decision)
        return np.mean([roc_auc_score(y == k, column) for k, column in enumerate(decision.T) if k in y])

    expected = refitted(linear(len(fold.y_train)), fold, order, area)
    np.testing.assert_allclose(roc_auc_curve(fold, order, SIZES), expected, rtol=1e-9)


def test_more_features_than_samples():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((40, 30)), (np.arange(40) % 5 == 0).astype(int)
    fold = Fold(X[:20], X[20:], y[:20], y[20:])
    order = np.arange(30)
    expected = refitted(linear(20), fold, order, recall)
    np.testing.assert_allclose(balanced_linear_curve(fold, order, SIZES), expected, rtol=1e-12)


def test_single_classes():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((20, 3)), np.arange(20) % 2
    one_test = Fold(X[:10], X[10:], y[:10], np.zeros(10, dtype=int))
    assert roc_auc_curve(one_test, [0, 1, 2], [1, 3]).tolist() == [0.5, 0.5]
    assert (balanced_nearest_neighbor_curve(one_test, [0, 1, 2], [1, 3]) <= 1).all()
    one_train = Fold(X[:10], X[10:], np.zeros(10, dtype=int), y[10:])
    assert roc_auc_curve(one_train, [0, 1, 2], [1, 3]).tolist() == [0.5, 0.5]
    np.testing.assert_allclose(balanced_linear_curve(one_train, [0, 1, 2], [1, 3]), 0.5)


def test_new_orders_are_not_mixed_up(fold):
    order = np.random.default_rng(1).permutation(fold.X_train.shape[1])
    first = balanced_linear_curve(fold, order, SIZES)
    assert not np.array_equal(balanced_linear_curve(fold, order[::-1], SIZES), first)
    np.testing.assert_array_equal(balanced_linear_curve(fold, order, SIZES), first)
