"""Behavior that kernel-space estimators share: parameters, data types, output, pickling and callbacks."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import scale

from featsieve import KernelNearestNeighbor, TAKESTransformer

from .cases import KERNEL_ESTIMATORS, TRANSFORMERS, make_samples, predict_or_transform, raises_error


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_constant_features_have_no_effect(estimator):
    X, y = make_samples()
    extended = np.column_stack([X, np.full(len(X), 7.0)])
    model, extended_model = (estimator(gamma=0.3).fit(samples, y) for samples in (X, extended))
    assert_allclose(predict_or_transform(extended_model, extended), predict_or_transform(model, X), atol=1e-7)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("kernel", "gaussian"),
        ("kernel", 3),
        ("kernel", None),
        ("gamma", 0.0),
        ("gamma", -1.0),
        ("gamma", "auto"),
        ("gamma", np.nan),
        ("gamma", [1.0]),
        ("degree", -1),
        ("degree", "two"),
        ("coef0", "one"),
        ("coef0", None),
    ],
)
def test_invalid_kernel_parameters_are_rejected(estimator, parameter, value):
    X, y = make_samples()
    with raises_error(parameter):
        estimator(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("estimator", TRANSFORMERS)
@pytest.mark.parametrize("value", [0, -3, 2.5, "all"])
def test_invalid_n_components_is_rejected(estimator, value):
    X, y = make_samples()
    with raises_error("n_components"):
        estimator(n_components=value).fit(X, y)


@pytest.mark.parametrize("estimator", TRANSFORMERS)
def test_float32_samples_have_float32_coordinates(estimator):
    X, y = make_samples()
    expected = estimator(gamma=0.3).fit(X, y).transform(X)
    X32 = X.astype(np.float32)
    model = estimator(gamma=0.3).fit(X32, y)
    coordinates = model.transform(X32)
    assert coordinates.dtype == np.float32
    assert_allclose(np.abs(coordinates), np.abs(expected), atol=1e-3)
    assert model.fit_transform(X32, y).dtype == np.float32


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_samples_are_not_modified(estimator):
    X, y = make_samples()
    original = X.copy()
    predict_or_transform(estimator().fit(X, y), X)
    assert np.array_equal(X, original)
    K = X @ X.T
    original = K.copy()
    predict_or_transform(estimator(kernel="precomputed").fit(K, y), K)
    assert np.array_equal(K, original)
    read_only = X.copy()
    read_only.flags.writeable = False
    predict_or_transform(estimator().fit(read_only, y), read_only)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_pickle_and_clone(estimator):
    X, y = make_samples()
    model = estimator(gamma="median").fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    assert_allclose(predict_or_transform(loaded, X), predict_or_transform(model, X))
    cloned = clone(model)
    assert cloned.get_params() == model.get_params()
    assert not [name for name in vars(cloned) if name.endswith("_")]
    assert_allclose(predict_or_transform(cloned.fit(X, y), X), predict_or_transform(model, X))


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_refit_forgets_the_first_fit(estimator):
    X, y = make_samples()
    other, other_y = make_samples(25, 3, seed=5)
    model = estimator().fit(other, other_y).fit(X, y)
    assert_allclose(predict_or_transform(model, X), predict_or_transform(estimator().fit(X, y), X))
    assert model.n_features_in_ == 5


@pytest.mark.parametrize("estimator", TRANSFORMERS)
def test_fit_transform_equals_fit_and_transform(estimator):
    X, y = make_samples()
    model = estimator(gamma=0.3)
    assert_allclose(model.fit_transform(X, y), model.transform(X), atol=1e-8)


@pytest.mark.parametrize("estimator", TRANSFORMERS)
def test_pandas_output(estimator):
    X, y = make_samples()
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) * 3)
    model = estimator(gamma=0.3).set_output(transform="pandas").fit(frame, y)
    table = model.transform(frame)
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == list(model.get_feature_names_out())
    assert len(set(table.columns)) == table.shape[1]
    assert list(table.index) == list(frame.index)
    assert_allclose(table.to_numpy(), estimator(gamma=0.3).fit(X, y).transform(X), atol=1e-9)
    assert model.feature_names_in_.tolist() == list("abcde")
    with raises_error("feature names"):
        model.transform(frame[["b", "a", "c", "d", "e"]])


def test_grid_search_on_a_precomputed_kernel():
    X, y = load_wine(return_X_y=True)
    K = pairwise_kernels(scale(X), metric="rbf", gamma=0.05)
    model = make_pipeline(TAKESTransformer("precomputed"), KNeighborsClassifier(1))
    search = GridSearchCV(
        model, {"takestransformer__threshold": ["linear", np.square]}, cv=3, error_score="raise"
    )
    assert search.fit(K, y).best_score_ > 0.85
    nearest = GridSearchCV(KernelNearestNeighbor(kernel="precomputed"), {"n_neighbors": [1, 3]}, cv=3)
    assert nearest.fit(K, y).best_score_ > 0.85


def test_progress_is_reported_to_callbacks(wine):
    pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9 has no callbacks")
    names = []

    class Listener:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            names.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

    TAKESTransformer().set_callbacks(Listener()).fit(*wine)
    assert {"fit", "kernel basis", "weak classifiers", "forward selection"} <= set(names)
