"""Contract of every registered method."""

import pickle
from typing import get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.fixes import parse_version

import featsieve
from featsieve.engines import blocks
from featsieve.engines.arrays import round_to_bits
from featsieve.registry import Family, Input, Role
from featsieve.types import Supervision

METHODS = featsieve.methods()
OTHERS = [m for m in featsieve.methods(role=None) if m.role != "ranker"]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)


@pytest.fixture(scope="module")
def X():
    """Non-negative data, 30% zeros: every method and every storage format accepts it."""
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(80, 23)) * rng.uniform(0.5, 3, 23)
    X[rng.random(X.shape) < 0.3] = 0
    return X


@pytest.fixture(scope="module")
def y():
    return np.repeat(["a", "b", "c"], [30, 30, 20])


def seeded(method):
    """Return the estimator with default parameters and, if it draws random numbers, a seed."""
    estimator = method.make()
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def fit(method, X, y):
    return seeded(method).fit(X, y)


CHECKS = [pair for m in METHODS + OTHERS for pair in estimator_checks_generator(m.make())]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=[f"{type(e).__name__}-{c.func.__name__}" for e, c in CHECKS]
)
def test_scikit_learn(estimator, check):
    check(clone(estimator))


def test_records_are_complete():
    assert len({m.name for m in METHODS + OTHERS}) == len(METHODS + OTHERS) >= 28
    for m in METHODS + OTHERS:
        assert m.family in get_args(Family)
        assert m.supervised in get_args(Supervision)
        assert m.role in get_args(Role)
        assert m.direction in (("smaller", "larger") if m.role == "ranker" else (None,))
        assert m in featsieve.methods(role=m.role)
        assert m.inputs <= {*get_args(Input)}
        assert m.reference
        assert m.summary
        assert getattr(featsieve, m.estimator.__name__) is m.estimator
        assert m is featsieve.get_method(m.name)


def test_unknown_method_is_rejected_with_a_suggestion():
    with pytest.raises(ValueError, match=r"unknown method 'laplacien'.*laplacian"):
        featsieve.get_method("laplacien")


@every_method
def test_ranking_is_the_order_of_scores(method, X, y):
    model = fit(method, X, y)
    assert model.scores_.shape == (X.shape[1],)
    sign = -1 if method.direction == "larger" else 1
    if "_rank" not in vars(method.estimator):  # else the method orders features by more than their scores
        rounded = round_to_bits(np.asarray(model.scores_, dtype=np.float64))
        assert_array_equal(model.order_, np.argsort(sign * rounded, kind="stable"))
    assert_array_equal(model.ranking_[model.order_], np.arange(1, X.shape[1] + 1))
    assert_array_equal(model.get_support(indices=True), np.sort(model.order_[:11]))
    assert_array_equal(model.transform(X), X[:, np.sort(model.order_[:11])])


@every_method
@pytest.mark.parametrize(
    ("n_selected", "n_expected"), [(None, 11), (4, 4), (0.2, 4), (1, 1), (1.0, 23), (23, 23)]
)
def test_number_of_features(method, X, y, n_selected, n_expected):
    model = method.make(n_features_to_select=n_selected).fit(X, y)
    assert model.transform(X).shape == (len(X), n_expected)


@every_method
def test_number_of_features_is_chosen_on_held_out_samples(method, X, y):
    X = X[:, :6] + 4 * (y == "b")[:, None] * [0, 1, 1, 0, 0, 0]
    model = seeded(method).set_params(n_features_to_select="auto").fit(pd.DataFrame(X), y)
    assert model.n_features_curve_["n_features"].tolist() == list(range(1, 7))
    assert model.n_features_curve_["score"].max() > 0.6  # the share of the largest class is 0.375
    assert model.get_support().sum() == model.n_features_
    if method.supervised == "yes":
        assert {1, 2} & {*model.order_[: model.n_features_]}


NAMES = [f"gene {i}" for i in range(23)]


@every_method
def test_transform_keeps_column_names_of_pandas(method, X, y):
    model = method.make(n_features_to_select=3).set_output(transform="pandas")
    frame = model.fit(pd.DataFrame(X, columns=NAMES), y).transform(pd.DataFrame(X, columns=NAMES))
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == [NAMES[i] for i in sorted(model.order_[:3])] == list(model.get_feature_names_out())


@every_method
@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="this scikit-learn does not read the names of new polars frames",
)
def test_transform_keeps_column_names_of_polars(method, X, y):
    model = method.make(n_features_to_select=3).set_output(transform="polars")
    frame = model.fit_transform(pl.DataFrame(X, schema=NAMES), y)
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == [NAMES[i] for i in sorted(model.order_[:3])]


@every_method
def test_clone_and_pickle(method, X, y):
    model = fit(method, X, y)
    assert clone(model).get_params() == seeded(method).get_params()
    assert_array_equal(pickle.loads(pickle.dumps(model)).order_, model.order_)


@pytest.fixture(params=["continuous", "counts"])
def numbers(request, X):
    """Matrices without ties and with many ties."""
    return X if request.param == "continuous" else np.random.default_rng(1).poisson(0.7, X.shape) * 1.0


@every_method
def test_scores_of_sparse_and_dense_data_are_equal(method, numbers, y):
    X = numbers
    if "sparse" not in method.inputs:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            fit(method, sp.csr_array(X), y)
        return
    dense = fit(method, X, y).scores_
    for layout in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        assert_allclose(fit(method, layout(X), y).scores_, dense, rtol=1e-9, atol=1e-12)


@every_method
def test_scores_of_float32_are_accurate(method, numbers, y):
    X = numbers
    single = X.astype(np.float32)
    exact = fit(method, single.astype(np.float64), y).scores_
    assert_allclose(fit(method, single, y).scores_, exact, rtol=2e-4, atol=2e-6 * np.abs(exact).max())


@every_method
def test_scores_do_not_depend_on_blocks_and_threads(method, X, y, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    whole = fit(method, X, y).scores_
    with sklearn.config_context(working_memory=1e-3):
        assert len(blocks.slices(X.shape[1], 8 * len(X), X)) > 2
        assert_allclose(fit(method, X, y).scores_, whole, rtol=1e-12)
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.setattr(blocks, "_HOST_BYTES", 4096)
    assert len(blocks.slices(X.shape[1], 8 * len(X), X)) > 2
    assert_allclose(fit(method, X, y).scores_, whole, rtol=1e-12)


@every_method
def test_scores_depend_on_units_unless_the_record_excludes_it(method, X, y):
    X = X * 2.0 ** np.resize([0, 6, -6], X.shape[1])
    y = y if get_tags(method.make()).target_tags.required else None
    scores, others = (fit(method, Z, y).scores_ for Z in (X, X * 2.0 ** np.resize([5, 0, -5, 3], X.shape[1])))
    assert np.allclose(scores, others, rtol=1e-6) == method.scale_invariant


@pytest.mark.parametrize("name", [m.name for m in METHODS if m.supervised == "optional"])
def test_scores_by_labels_depend_on_units_unless_the_record_excludes_it(name, X, y):
    method = featsieve.get_method(name + "+labels")
    X = X * 2.0 ** np.resize([0, 6, -6], X.shape[1])
    scores, others = (fit(method, Z, y).scores_ for Z in (X, X * 2.0 ** np.resize([5, 0, -5, 3], X.shape[1])))
    assert np.allclose(scores, others, rtol=1e-6) == method.scale_invariant


@every_method
def test_progress_is_reported_to_callbacks(method, X, y):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9 has no callbacks")
    events = []

    class Listener:
        def setup(self, estimator, context):
            events.append("setup")

        def on_fit_task_begin(self, estimator, context):
            events.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context):
            events.append(("end", context.task_name))

        def teardown(self, estimator, context):
            events.append("teardown")

    assert isinstance(Listener(), callback.FitCallback)
    method.make().set_callbacks(Listener()).fit(X, y)
    assert events[0] == "setup"
    assert events[-1] == "teardown"
    names = {event[1] for event in events if event[0] == "begin"}
    assert events.count(("begin", "fit")) == events.count(("end", "fit")) == 1
    assert len(names) >= 2
    assert sorted(e[1] for e in events if e[0] == "begin") == sorted(e[1] for e in events if e[0] == "end")


@pytest.mark.parametrize("name", ["LaplacianScore", "LKRScore", "SPECScore"])
def test_grid_search_over_the_graph(name, X, y):
    selector = getattr(featsieve, name)(featsieve.KNNGraph(), n_features_to_select=5)
    pipeline = make_pipeline(selector, KNeighborsClassifier(1))
    step = name.lower()
    search = GridSearchCV(
        pipeline, {f"{step}__graph__n_neighbors": [2, 9], f"{step}__graph__weights": ["binary"]}, cv=2
    )
    search.fit(X, y)
    ranks = [clone(pipeline).set_params(**p).fit(X, y)[0].scores_ for p in search.cv_results_["params"]]
    assert np.abs(ranks[0] - ranks[1]).max() > 1e-6


@pytest.mark.parametrize(
    "name", ["LaplacianScore", "LKRScore", "SPECScore", "LLEScore", "LLEReconstructionScore"]
)
def test_scores_accept_a_prebuilt_graph(name, X, y):
    estimator = getattr(featsieve, name)
    builder = featsieve.KNNGraph(10)
    built = builder.build(X)
    assert_array_equal(estimator(graph=built).fit(X).scores_, estimator(graph=builder).fit(X).scores_)
    message = r"one vertex per sample of X \(40\); got 80"
    with pytest.raises(ValueError, match=message):
        estimator(graph=built).fit(X[:40])


@pytest.mark.parametrize("method", OTHERS, ids=lambda m: m.name)
def test_transformers_and_classifiers_keep_their_api(method, X, y):
    model = fit(method, X, y)
    again = pickle.loads(pickle.dumps(model))
    if method.role == "classifier":
        assert_array_equal(model.predict(X), y)
        assert_array_equal(again.predict(X), y)
        return
    made = model.transform(X)
    assert made.shape[0] == len(X)
    assert_allclose(again.transform(X), made)
    assert list(model.get_feature_names_out()) == list(map(str, model.get_feature_names_out()))
    assert_allclose(method.make().fit_transform(X, y), made, atol=1e-9)
    frame = method.make().set_output(transform="pandas").fit_transform(pd.DataFrame(X, columns=NAMES), y)
    assert isinstance(frame, pd.DataFrame)
    assert_allclose(frame.to_numpy(), made, atol=1e-9)
    if "sparse" in method.inputs:
        assert_allclose(method.make().fit(sp.csr_array(X), y).transform(sp.csr_array(X)), made, atol=1e-8)


@pytest.mark.parametrize("method", OTHERS, ids=lambda m: m.name)
def test_transformers_preserve_float32(method, X, y):
    single = X.astype(np.float32)
    model = fit(method, single, y)
    if method.role == "transformer":
        assert model.transform(single).dtype == np.float32
        exact = method.make().fit(single.astype(np.float64), y).transform(single.astype(np.float64))
        assert_allclose(model.transform(single), exact, rtol=1e-4, atol=1e-4)
