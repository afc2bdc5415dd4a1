"""Ridge regression for many sizes equals refitting at each size."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featsieve.engines.blocks import blas_libraries
from featsieve.evaluation.folds import Fold
from featsieve.evaluation.ridge import ridge_predictions


def make_fold(n_features=30):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((35, n_features)) * np.logspace(-3, 3, n_features) + 5
    X[:, 4] = 0.1  # a constant whose mean is rounded
    return Fold(X[:20], X[20:], np.arange(20) % 2, np.arange(15) % 2)


@pytest.mark.parametrize("alpha", [None, 0.5])
@pytest.mark.parametrize("sizes", [[1, 5, 20], [25, 30], [3, 20, 21, 30], [30]])
def test_predictions_equal_refitting(sizes, alpha):
    fold = make_fold()
    rng = np.random.default_rng(1)
    order, targets = rng.permutation(30), rng.standard_normal((20, 3)) + 7
    predictions = list(ridge_predictions(fold, order, sizes, targets, alpha))
    assert len(predictions) == len(sizes)
    for size, predicted in zip(sizes, predictions, strict=True):
        features = order[:size]
        model = make_pipeline(StandardScaler(), Ridge(2.0 if alpha is None else alpha))  # 20 samples / 10
        expected = model.fit(fold.X_train[:, features], targets).predict(fold.X_test[:, features])
        assert_allclose(predicted, expected, rtol=1e-9)


def test_constant_features_have_no_effect():
    fold = make_fold()
    targets = np.arange(20.0)[:, None]
    first, second = ridge_predictions(fold, np.array([3, 4]), [1, 2], targets, None)
    assert_allclose(first, second)


def test_small_problems_use_one_thread_of_blas():
    def blas_threads():
        return {library.num_threads for library in blas_libraries().select(user_api="blas").lib_controllers}

    before = blas_threads()
    if before == {1}:
        pytest.skip("BLAS has one thread here")
    for _ in ridge_predictions(make_fold(), np.arange(30), [5, 25], np.ones((20, 1)), None):
        assert blas_threads() == {1}
    assert blas_threads() == before
