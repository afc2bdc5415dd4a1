"""Curves of stability."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from featsieve.evaluation import Plan, RepeatedSplits, compare
from featsieve.plot import StabilityDisplay


def test_lines_are_the_indices(comparison):
    display = StabilityDisplay.from_comparison(comparison, methods=["laplacian", "fisher"])
    assert list(display.lines_) == ["laplacian", "fisher"]
    frame = comparison.stability()
    for label, line in display.lines_.items():
        expected = frame[(frame["method"] == label) & (frame["size"] < 4)]
        np.testing.assert_array_equal(line.get_xdata(), expected["size"])
        np.testing.assert_allclose(line.get_ydata(), expected["value"])


def test_one_training_set_has_no_stability():
    plan = Plan(RepeatedSplits(1), measures=["nn"], draws=2)
    comparison = compare(*load_iris(return_X_y=True), "fisher", plan)
    with pytest.raises(ValueError, match="at least two different training sets"):
        StabilityDisplay.from_comparison(comparison)
