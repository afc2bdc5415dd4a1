"""Leave-one-feature-out scores and their estimator: invariances, averages and errors."""

import pickle

import numpy as np
import pytest
import sklearn
from literal.leave_one_out import (
    mixed,
    tied,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from featsieve.subsets import LeaveOneFeatureOut, leave_one_feature_out_score


@pytest.mark.parametrize("data", [mixed, tied])
@pytest.mark.parametrize("memory", [1e-4, 1e-2])
def test_scores_do_not_depend_on_block_sizes(data, memory):
    X, y = data(80, 9)
    for objective in ("accuracy", "clustering"):
        expected = leave_one_feature_out_score(X, y, objective, 2, 0)
        with sklearn.config_context(working_memory=memory):
            assert_array_equal(leave_one_feature_out_score(X, y, objective, 2, 0), expected)


def test_float32_equals_float64():
    X, y = mixed(80, 9)
    single = X.astype(np.float32)
    for objective in ("accuracy", "nmi"):
        assert_array_equal(
            leave_one_feature_out_score(single, y, objective, 3, 0),
            leave_one_feature_out_score(single.astype(np.float64), y, objective, 3, 0),
        )


def test_the_only_informative_feature_has_the_highest_score():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.standard_normal((80, 6))
    X[:, 4] += 6 * y
    for objective in ("accuracy", "clustering", "nmi"):
        model = LeaveOneFeatureOut(objective, n_repeats=3, random_state=0).fit(X, y)
        assert model.order_[0] == 4
        assert model.scores_[4] > 0.2


def test_scores_do_not_depend_on_the_names_of_classes():
    X, y = mixed()
    for objective in ("accuracy", "nmi", KNeighborsClassifier(1)):
        original, renamed = (
            leave_one_feature_out_score(X, labels, objective, 3, 0)
            for labels in (y, np.array(list("zbk"))[y])
        )
        assert_allclose(renamed, original, atol=1e-12)


def test_scores_are_means_with_standard_errors():
    X, y = mixed()
    repeats = leave_one_feature_out_score(X, y, n_repeats=7, random_state=2)
    model = LeaveOneFeatureOut(n_repeats=7, random_state=2).fit(X, y)
    assert repeats.shape == (7, 8)
    assert_allclose(model.scores_, repeats.mean(axis=0))
    squares = ((repeats - repeats.mean(axis=0)) ** 2).sum(axis=0)
    assert_allclose(model.scores_std_error_, np.sqrt(squares / 6 / 7))
    assert np.all(model.scores_std_error_[:3] > 0)
    single = LeaveOneFeatureOut(n_repeats=1, random_state=2).fit(X, y)
    assert np.isnan(single.scores_std_error_).all()
    assert not np.isnan(single.scores_).any()


def test_reproducible():
    X, y = mixed()
    for objective in ("accuracy", "clustering"):
        fits = [
            LeaveOneFeatureOut(objective, n_repeats=2, random_state=s).fit(X, y).scores_ for s in (0, 0, 1)
        ]
        assert_array_equal(fits[0], fits[1])
        assert np.any(fits[0] != fits[2])


def test_pickle_and_clone():
    X, y = mixed()
    model = LeaveOneFeatureOut(KNeighborsClassifier(2), n_repeats=2, random_state=0).fit(X, y)
    unpickled = pickle.loads(pickle.dumps(model))
    assert_array_equal(unpickled.transform(X), model.transform(X))
    assert_array_equal(unpickled.scores_std_error_, model.scores_std_error_)
    assert clone(model).objective.n_neighbors == 2
    assert model.set_params(objective__n_neighbors=5).objective.n_neighbors == 5


@parametrize_with_checks([LeaveOneFeatureOut("clustering", n_repeats=1)])
def test_scikit_learn(estimator, check):
    check(estimator)


X3, Y3 = mixed(20, 3)


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ((X3, np.zeros(20)), ["y must have at least two classes"]),
        ((X3, np.zeros(20), "nmi"), ["y must have at least two classes"]),
        ((X3, Y3, "accuracy", 0), ["`n_repeats` must be an integer of at least 1; got 0."]),
        ((X3, Y3, "accuracy", 2.5), ["n_repeats", "got 2.5."]),
        ((X3, Y3, "acuracy"), ["`objective` must be", "'clustering'", "callable", "got 'acuracy'."]),
        ((X3, Y3, 7), ["`objective` must be", "got 7."]),
        ((X3[:, :1], Y3), ["1 feature(s)", "minimum of 2"]),
        ((X3, Y3[:-1]), ["samples"]),
        ((X3, X3[:, 0]), ["continuous"]),
        (
            (X3, np.arange(20) % 2 / 3, lambda X, y: np.nan),
            ["`objective` must return a finite number; got nan."],
        ),
        ((X3, Y3, lambda X, y: X), ["`objective` must return a finite number; got array"]),
        ((X3, Y3, lambda X, y: "0.5"), ["got '0.5'."]),
        ((X3, Y3, lambda X, y: None), ["got None."]),
    ],
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_errors(arguments, fragments):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        leave_one_feature_out_score(*arguments)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_errors_of_the_estimator():
    with pytest.raises(ValueError, match="requires y"):
        LeaveOneFeatureOut().fit(X3)
    with pytest.raises(ValueError, match=r"'n_repeats'.*\[1, inf\)"):
        LeaveOneFeatureOut(n_repeats=0).fit(X3, Y3)
    with pytest.raises(ValueError, match="'objective'"):
        LeaveOneFeatureOut(3).fit(X3, Y3)
    with pytest.raises(ValueError, match="`scoring` must be None unless `objective` is an estimator"):
        LeaveOneFeatureOut(scoring="r2").fit(X3, Y3)
    with pytest.raises(ValueError, match=r"`n_features_to_select` must be .* got 4"):
        LeaveOneFeatureOut(n_features_to_select=4).fit(X3, Y3)
    selector = LeaveOneFeatureOut(KNeighborsClassifier(1), scoring=lambda m, X, y: float("nan"))
    with pytest.raises(ValueError, match=r"`scoring` must return a finite number; got .*nan"):
        selector.fit(X3, Y3)


@pytest.mark.parametrize("objective", ["clustering", "nmi"])
def test_as_many_classes_as_samples_is_rejected(objective):
    with pytest.raises(ValueError, match=r"y must have fewer classes than X has samples \(15\); got 15"):
        leave_one_feature_out_score(X3[:15], np.arange(15), objective)


def test_nested_cross_validation_as_documented():
    X, y = mixed(60, 10)
    selector = LeaveOneFeatureOut(n_repeats=4, random_state=0)
    search = GridSearchCV(
        make_pipeline(selector, KNeighborsClassifier(1)),
        {"leaveonefeatureout__n_features_to_select": [1, 6]},
        cv=3,
        refit=True,
    )
    folds = list(StratifiedKFold(3).split(X, y))
    nested = cross_val_score(search, X, y, cv=folds)
    for score, (train, test) in zip(nested, folds, strict=True):
        best = clone(search).fit(X[train], y[train]).best_params_
        chosen = (
            clone(selector).set_params(n_features_to_select=next(iter(best.values()))).fit(X[train], y[train])
        )
        model = KNeighborsClassifier(1).fit(chosen.transform(X[train]), y[train])
        assert score == model.score(chosen.transform(X[test]), y[test])
