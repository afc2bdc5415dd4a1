"""Cases of claims from outcomes."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.reproduction.cases import (
    Scope,
    absolute_differences,
    compare_with_best,
    gains_over_all_features,
)
from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.schema import BASELINES, Experiment, Row, Run

CURVES = {"a": [10, 30, 50, 90], "b": [20, 30, 40, 90], "random": [5, 5, 5, 90], "all": [90] * 4}
FIGURE_1 = Scope(experiments=("figure-1",))


def make_outcomes(curves, sizes=(1, 2, 3, 4), measure="nn"):
    """Return an outcome with these curves, of 4 features."""
    run = Run(key="x", dataset="synthetic", methods={}, protocol=None, measures=(measure,))
    experiment = Experiment(
        key="figure-1",
        title="synthetic",
        runs=(run,),
        rows=(*(Row(name, name) for name in curves if name not in ("random", "all")), *BASELINES),
        measures=(measure,),
    )
    arrays = {name: {measure: np.array(curve, dtype=float)} for name, curve in curves.items()}
    info = {"dataset": {"n_features": 4}, "repeats": (50, "split")}
    return {"figure-1": Outcome(experiment, {"x": RunResult(list(sizes), arrays, info=info)}, {})}


def differences(scope, outcomes):
    return [case.difference for case in compare_with_best(scope, outcomes, "a", ("b",)).measured]


def test_all_features_are_excluded_and_size_limits_apply():
    outcomes = make_outcomes(CURVES)
    assert differences(FIGURE_1, outcomes) == [0.0]
    assert differences(replace(FIGURE_1, min_size=3), outcomes) == [10.0]
    assert differences(replace(FIGURE_1, size_limit=3), outcomes) == [-5.0]
    assert differences(replace(FIGURE_1, max_fraction=0.5), outcomes) == [-5.0]
    assert differences(replace(FIGURE_1, by_size=True), outcomes) == [-10.0, 0.0, 10.0]
    case = compare_with_best(FIGURE_1, outcomes, "a", ("b",)).measured[0]
    assert case.baselines == {"random selection": 25.0, "all features": -60.0}


def test_crossing_curves_are_not_almost_the_same():
    case = absolute_differences(FIGURE_1, make_outcomes(CURVES), "a", "b").measured[0]
    assert case.difference == pytest.approx(20 / 3)


def test_gains_include_the_maximum_of_random_selection():
    curves = CURVES | {"a": [10, 95, 50, 90], "random": [5, 93, 5, 90]}
    case = gains_over_all_features(FIGURE_1, make_outcomes(curves), ("a",)).measured[0]
    assert case.difference == 5.0
    assert case.baselines["maximum of random selection"] == 3.0


def test_smaller_redundancy_is_better():
    outcomes = make_outcomes(CURVES, measure="redundancy")
    assert differences(replace(FIGURE_1, min_size=3), outcomes) == [-10.0]


@pytest.mark.parametrize("problem", ["nan", "failed", "absent", "tied"])
def test_unmeasured_methods_are_omitted(problem):
    outcomes = make_outcomes(CURVES | ({"a": [10, np.nan, 50, 90]} if problem == "nan" else {}))
    result = outcomes["figure-1"].results["x"]
    if problem == "failed":
        result.errors["a"] = ["no luck"]
    if problem == "absent":
        del result.curves["a"]
    if problem == "tied":
        result.tied["a"] = 1.0
    cases = compare_with_best(FIGURE_1, outcomes, "a", ("b",))
    assert not cases.measured
    assert list(cases.omitted) == ["x"]
