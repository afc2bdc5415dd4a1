"""Lines of figures as plain data."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.panels import figure_panels, line_names, line_value
from featsieve.reproduction.schema import BASELINES, Experiment, Row, Sweep

FIGURE = Experiment(key="figure-1", runs=(), rows=(Row("A", "a"), *BASELINES), measures=("nn",))


def make_outcome(experiment=FIGURE, **curves):
    curves = curves or {"a": [10, np.nan, 30], "random": [1, 2, 3], "all": [40, 40, 40]}
    arrays = {label: {"nn": np.array(curve, dtype=float)} for label, curve in curves.items()}
    stds = {label: {"nn": np.full(3, 0.12345)} for label in curves}
    info = {"dataset": {"n_features": 8}}
    return Outcome(experiment, {"x": RunResult([1, 2, 4], arrays, stds, info=info)}, {})


def test_a_line_per_method():
    (panel,) = figure_panels(make_outcome())
    assert (panel["title"], panel["measure"], panel["axis"]) == (
        "x",
        "1-NN accuracy (%)",
        "number of features",
    )
    assert line_names([panel]) == ["A", "Random selection", "All features"]
    line = panel["lines"][0]
    assert line["sizes"] == [1, 2, 4]
    assert line["mean"] == [10, None, 30]
    assert line["std"] == [0.123] * 3


def test_lines_are_summarized_by_their_mean():
    (panel,) = figure_panels(make_outcome())
    assert line_value(panel, "A") == 20
    assert line_value(panel, "Random selection") == 2
    assert line_value(panel, "B") is None
    assert line_value({"lines": [{"name": "A", "mean": [1.0], "value": 7}]}, "A") == 7


def test_axis_of_fractions():
    (panel,) = figure_panels(make_outcome(replace(FIGURE, axis_is_fraction=True)))
    assert panel["axis"] == "fraction of features"
    assert panel["lines"][0]["sizes"] == [0.125, 0.25, 0.5]


def test_methods_that_were_not_measured_have_no_line():
    (panel,) = figure_panels(make_outcome(random=[1, 2, 3]))
    assert line_names([panel]) == ["Random selection"]


def test_sweep_over_a_parameter():
    sweep = Sweep(name="lambda", labels={0.1: "a", 1.0: "random"}, sizes={"x": 4}, log=True)
    curves = {"a": [10, 20, 30], "random": [1, 2, 3], "all": [40, 40, 40]}
    (panel,) = figure_panels(make_outcome(replace(FIGURE, sweeps=(sweep,)), **curves))
    assert (panel["title"], panel["log"]) == ("lambda", True)
    assert line_names([panel]) == ["x, 4 features", "x, 4 random features", "x, all features"]
    assert [line["mean"] for line in panel["lines"]] == [[30, 3], [3, 3], [40, 40]]
    assert panel["lines"][0]["sizes"] == pytest.approx([0.1, 1.0])
