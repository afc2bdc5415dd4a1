"""ModelImportance against the models of scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import featsieve
from featsieve import ModelImportance
from featsieve.subsets import model_importance_score
from featsieve.subsets.model_importance import _split


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 8)) * np.logspace(-1, 1, 8)
    X[:, 2] += y
    X[:, 5] -= 8 * (y == 1)
    return X, y, X[:, 2] - 0.2 * X[:, 5] + 0.1 * rng.standard_normal(90)


@pytest.mark.parametrize(
    ("name", "classifier", "regressor"),
    [
        ("forest", RandomForestClassifier(random_state=3), RandomForestRegressor(random_state=3)),
        (
            "boosting",
            GradientBoostingClassifier(max_features="sqrt", random_state=3),
            GradientBoostingRegressor(max_features="sqrt", random_state=3),
        ),
    ],
)
def test_models_by_name(name, classifier, regressor, data):
    X, y, numbers = data
    X = np.round(X, 2)  # in float32, scaled columns have the same splits
    scaled = StandardScaler().fit_transform(X)
    for t, model in ((y, classifier), (numbers, regressor)):
        fitted = ModelImportance(name, random_state=3).fit(X, t)
        assert_allclose(fitted.scores_, model.fit(scaled, t).feature_importances_)
        assert_array_equal(fitted.estimator_.predict(X), model.predict(scaled))
        assert set(fitted.order_[:2]) == {2, 5}
    counts = np.round(3 * numbers).astype(int)
    fitted = ModelImportance(name, target="numeric", random_state=3).fit(X, counts)
    assert_allclose(fitted.scores_, regressor.fit(scaled, counts).feature_importances_)


def test_records():
    forest, boosting = featsieve.get_method("forest"), featsieve.get_method("boosting")
    assert forest.inputs == {"sparse", "multioutput"}
    assert boosting.inputs == frozenset()
    assert boosting.make().estimator == "boosting"


@pytest.mark.parametrize(
    "model", [LogisticRegression(max_iter=2000), SVC(kernel="linear"), Ridge(), Lasso(0.01)]
)
def test_coefficients_times_deviations(model, data):
    X, y, numbers = data
    t = numbers if isinstance(model, Ridge | Lasso) else y
    selector = ModelImportance(model).fit(X, t)
    coefficients = np.atleast_2d(model.fit(X, t).coef_)
    assert_allclose(selector.scores_, np.abs(coefficients).mean(axis=0) * X.std(axis=0))
    assert selector.estimator_ is not model


def test_several_targets(data):
    X, y, numbers = data
    Y = np.column_stack([numbers, 10 * X[:, 0]])
    coefficients = Ridge().fit(X, Y).coef_
    expected = (np.abs(coefficients) * X.std(axis=0)).mean(axis=0)
    assert_allclose(ModelImportance(Ridge()).fit(X, Y).scores_, expected)
    assert set(ModelImportance(random_state=0).fit(X, Y).order_[:3]) == {0, 2, 5}
    both = np.column_stack([y, X[:, 0] > 0])
    model = ModelImportance(random_state=0).fit(X, both)
    assert set(model.order_[:3]) == {0, 2, 5}
    assert isinstance(model.estimator_[-1], RandomForestClassifier)
    mixed = ModelImportance(random_state=0).fit(X, np.column_stack([y == 1, 10 * X[:, 0]]))
    assert isinstance(mixed.estimator_[-1], RandomForestRegressor)
    assert set(mixed.order_[:2]) == {0, 5}
    with pytest.raises(ValueError, match="1d array"):
        ModelImportance("boosting").fit(X, Y)


def test_a_column_of_targets_is_one_target(data):
    X, y, _ = data
    expected = ModelImportance(random_state=0).fit(X, y).scores_
    assert_array_equal(ModelImportance(random_state=0).fit(X, y[:, None]).scores_, expected)


def test_sparse_coefficients_and_data(data):
    X, y, _ = data
    X = np.where(np.abs(X) < 0.5, 0, X)
    model = LogisticRegression(tol=1e-10, max_iter=5000)
    dense = ModelImportance(model).fit(X, y)
    sparse = ModelImportance(model).fit(sp.csr_array(X), y)
    assert_allclose(sparse.scores_, dense.scores_, rtol=1e-4)
    fitted = model.fit(X, y).sparsify()
    assert sp.issparse(fitted.coef_)
    assert_allclose(model_importance_score(fitted, sp.csr_array(X)), dense.scores_, rtol=1e-9)


def test_pipelines_use_the_data_of_their_last_step(data):
    X, y, _ = data
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    scores = ModelImportance(pipeline).fit(X, y).scores_
    coefficients = LogisticRegression().fit(StandardScaler().fit_transform(X), y).coef_
    assert_allclose(scores, np.abs(coefficients).mean(axis=0))
    assert_allclose(ModelImportance(pipeline).fit(X * 1e5, y).scores_, scores)
    alone = ModelImportance(make_pipeline(Ridge()), target="numeric").fit(X, y)
    assert_allclose(alone.scores_, ModelImportance(Ridge()).fit(X, y).scores_)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (KNeighborsClassifier(), "KNeighborsClassifier"),
        (SVC(kernel="rbf"), "SVC"),
        (HistGradientBoostingClassifier(max_iter=5), "HistGradientBoostingClassifier"),
        (make_pipeline(PCA(2), LogisticRegression()), r"\(8\); got 2"),
        (make_pipeline(PCA(2), ExtraTreesClassifier(5)), r"\(8\); got 2"),
    ],
)
def test_models_without_importances_are_rejected(model, problem, data):
    X, y, _ = data
    with pytest.raises(ValueError, match=rf"`estimator` must have .*{problem}.*importance='permutation'"):
        ModelImportance(model).fit(X, y)


@pytest.mark.parametrize("model", ["forest", KNeighborsClassifier(), make_pipeline(PCA(4), SVC())])
def test_permutation_of_held_out_samples(model, data):
    X, y, _ = data
    X = X / X.std(axis=0)
    X[:, 7] = 1.0
    selector = ModelImportance(model, importance="permutation", random_state=0).fit(X, y)
    assert set(selector.order_[:2]) == {2, 5}
    assert selector.order_[-1] == 7
    assert selector.scores_[7] == 0
    assert 0 < selector.scores_.max() <= 1
    assert_array_equal(clone(selector).fit(X, y).scores_, selector.scores_)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        selector.fit(sp.csr_array(X), y)


def test_permutation_does_not_reward_memorized_samples():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 6)), rng.integers(0, 2, 400)
    y[:] = np.where(rng.random(400) < 0.9, X[:, 1] > 0, y)
    scores = ModelImportance(importance="permutation", random_state=0).fit(X, y).scores_
    assert scores[1] > 0.2
    assert np.abs(np.delete(scores, 1)).max() < 0.05


def test_permutation_with_numbers_and_a_class_of_one(data):
    X, y, numbers = data
    model = ModelImportance(KNeighborsRegressor(), importance="permutation", random_state=0)
    assert model.fit(X / X.std(axis=0), numbers).order_[0] in (2, 5)
    y = y.copy()
    y[7] = 9
    assert ModelImportance(importance="permutation", random_state=0).fit(X, y).scores_.any()


def test_a_quarter_of_each_class_is_held_out():
    y = np.repeat([0, 1], [88, 12])
    for seed in range(5):
        train, test = _split(100, y, seed)
        assert_array_equal(np.sort([*train, *test]), np.arange(100))
        assert_array_equal(np.bincount(y[test]), [22, 3])


@pytest.mark.parametrize("factor", [1e-100, 1e-8, 1e8, 1e100])
def test_units_do_not_matter(factor, data):
    X, y, _ = data
    X = np.round(X, 2)
    scores = ModelImportance(random_state=0).fit(X, y).scores_
    assert_allclose(ModelImportance(random_state=0).fit(X * factor, y).scores_, scores, rtol=1e-6)


def test_offsets_do_not_matter(data):
    X, y, _ = data
    scores = ModelImportance(random_state=0).fit(np.round(X), y).scores_
    assert_allclose(ModelImportance(random_state=0).fit(np.round(X) + 1e8, y).scores_, scores, rtol=1e-6)


@pytest.mark.parametrize("name", ["forest", "boosting"])
@pytest.mark.parametrize("y", [np.ones(90), np.full(90, "a"), np.full(90, 0.5)])
def test_one_value_is_rejected(name, y, data):
    with pytest.raises(ValueError, match="y must contain at least two"):
        ModelImportance(name).fit(data[0], y)


@pytest.mark.parametrize("estimator", ["tree", None, 3])
def test_invalid_estimators_are_rejected(estimator, data):
    X, y, _ = data
    with pytest.raises(ValueError, match="estimator"):
        ModelImportance(estimator).fit(X, y)
