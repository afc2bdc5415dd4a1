"""Regression at every size equals models that are refitted at that size."""

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evaluation.folds import refitted_scores, split_halves
from featsieve.evaluation import (
    Fold,
    linear_regression_curve,
    nearest_regression_curve,
    rank_correlation_curve,
)


def test_regression_curves_equal_refitting():
    X, y = load_diabetes(return_X_y=True)
    fold, order, sizes = split_halves(X, y), np.arange(10)[::-1], np.arange(1, 11)
    model = make_pipeline(StandardScaler(), Ridge(1.0))
    np.testing.assert_allclose(
        linear_regression_curve(fold, order, alpha=1.0), refitted_scores(model, fold, order, sizes)
    )
    model = KNeighborsRegressor(5, algorithm="brute")
    # With one or two features neighbors tie, and scikit-learn does not define the order of ties.
    np.testing.assert_allclose(
        nearest_regression_curve(fold, order)[2:], refitted_scores(model, fold, order, sizes)[2:]
    )


def test_rank_correlation_equals_that_of_refitted_models():
    X, y = load_diabetes(return_X_y=True)
    fold, order = split_halves(X, y), np.arange(10)[::-1]
    model = make_pipeline(StandardScaler(), Ridge(1.0))
    expected = []
    for size in range(1, 11):
        predicted = model.fit(fold.X_train[:, order[:size]], fold.y_train).predict(
            fold.X_test[:, order[:size]]
        )
        expected.append(spearmanr(fold.y_test, predicted).statistic)
    np.testing.assert_allclose(rank_correlation_curve(fold, order, alpha=1.0), expected)
    constant = Fold(np.ones((9, 2)), np.ones((5, 2)), np.arange(9.0), np.arange(5.0))
    assert rank_correlation_curve(constant, [0, 1]).tolist() == [0, 0]
