"""Curves of a measure."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

from featsieve import FisherScore
from featsieve.evaluation import Plan, RepeatedSplits
from featsieve.plot import CurveDisplay


def mean_curve(comparison, label, measure):
    frame = comparison.to_frame()
    frame = frame[(frame["method"] == label) & (frame["measure"] == measure)]
    return frame.groupby("size")["value"].mean().to_numpy()


def band_limits(display, index):
    points = display.ax_.collections[index].get_paths()[0].vertices
    return {
        x: (points[points[:, 0] == x, 1].min(), points[points[:, 0] == x, 1].max()) for x in display.sizes
    }


def test_lines_are_the_means_in_percent(comparison):
    display = CurveDisplay.from_comparison(comparison)
    assert list(display.lines_) == ["variance", "fisher", "laplacian"]
    for label, line in display.lines_.items():
        np.testing.assert_array_equal(line.get_xdata(), comparison.sizes)
        np.testing.assert_allclose(line.get_ydata(), 100 * mean_curve(comparison, label, "nn"))
    np.testing.assert_allclose(display.random_.get_ydata(), 100 * mean_curve(comparison, "random", "nn"))
    np.testing.assert_allclose(display.all_features_.get_ydata(), 100 * mean_curve(comparison, "all", "nn"))
    assert "(%)" in display.ax_.get_ylabel()
    assert display.ax_.get_xscale() == "log"


def test_bands_contain_the_lines(comparison):
    display = CurveDisplay.from_comparison(comparison, methods=["fisher"])
    assert list(display.lines_) == ["fisher"]
    assert len(display.ax_.collections) == 3  # Fisher, random selection, all features
    for index, line in enumerate((display.lines["fisher"], display.random, display.all_features)):
        limits = band_limits(display, index)
        for size, low, high, mean in zip(display.sizes, line["low"], line["high"], line["mean"], strict=True):
            assert limits[size] == pytest.approx((low, high))
            assert low <= mean <= high


def test_another_measure_on_given_axes(comparison):
    _, ax = plt.subplots()
    display = CurveDisplay.from_comparison(comparison, measure="redundancy", ax=ax)
    assert display.ax_ is ax
    expected = 100 * mean_curve(comparison, "fisher", "redundancy")
    np.testing.assert_allclose(display.lines_["fisher"].get_ydata(), expected)


def test_a_display_can_be_drawn_again(comparison):
    display = CurveDisplay.from_comparison(comparison)
    first = display.ax_
    assert display.plot().ax_ is not first
    assert len(display.ax_.lines) == 5


def test_unknown_measure(comparison):
    with pytest.raises(ValueError, match="`measure` must be among nn, redundancy; got 'accuracy'"):
        CurveDisplay.from_comparison(comparison, measure="accuracy")


def test_curves_of_estimators():
    X, y = load_iris(return_X_y=True)
    plan = Plan(RepeatedSplits(2), measures=["nn"], draws=2)
    display = CurveDisplay.from_estimators({"mine": FisherScore()}, X, y, plan=plan)
    assert "mine" in display.lines_


def test_baselines_are_optional():
    display = CurveDisplay([1, 2], {"a": {"mean": [0.5, 0.7], "low": None, "high": None}}).plot()
    assert display.random_ is None
    assert display.all_features_ is None
    assert len(display.ax_.collections) == 0
    assert display.lines_["a"].get_ydata().tolist() == [0.5, 0.7]
