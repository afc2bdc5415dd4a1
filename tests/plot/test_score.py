"""Bars of scores and ranks."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from featsieve import LaplacianScore, VarianceScore
from featsieve.plot import ScoreDisplay


@pytest.fixture
def X():
    X = np.random.default_rng(0).standard_normal((30, 6)) * [1, 6, 3, 2, 5, 4]
    X[:, 0] = 1.0
    return X


def test_bars_are_the_scores_best_first(X):
    selector = VarianceScore(n_features_to_select=2).fit(X)
    display = ScoreDisplay.from_estimator(selector, n_features=4)
    assert [bar.get_width() for bar in display.bars_] == selector.scores_[[1, 4, 5, 2]].tolist()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["x1", "x4", "x5", "x2"]
    colors = [bar.get_facecolor() for bar in display.bars_]
    assert colors[0] == colors[1] != colors[2] == colors[3]
    bottom, top = display.ax_.get_ylim()
    assert bottom > top
    assert display.ax_.get_xlabel() == "Score (larger is better)"


def test_bars_are_ranks_on_given_axes(X):
    _, ax = plt.subplots()
    selector = VarianceScore().fit(X)
    display = ScoreDisplay.from_estimator(selector, feature_names="abcdef", kind="ranks", ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert [bar.get_width() for bar in display.bars_] == [1, 2, 3, 4, 5, 6]
    assert [text.get_text() for text in ax.get_yticklabels()] == [*"befcda"]


def test_infinite_scores_have_no_bar(X):
    selector = LaplacianScore().fit(X)
    assert np.isinf(selector.scores_[0])
    display = ScoreDisplay.from_estimator(selector)
    assert display.bars_[-1].get_width() == 0
    assert display.ax_.get_xlabel() == "Score (smaller is better)"


def test_names_are_not_formulas(X):
    names = ["a", "$\\frac$", "c", "d", "e", "f" * 60]
    display = ScoreDisplay.from_estimator(VarianceScore().fit(X), feature_names=names)
    display.figure_.canvas.draw()
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels[0] == "\\$\\frac\\$"
    assert len(labels[2]) == 40


def test_invalid_arguments(X):
    with pytest.raises(NotFittedError):
        ScoreDisplay.from_estimator(VarianceScore())
    with pytest.raises(ValueError, match="'kind' parameter"):
        ScoreDisplay.from_estimator(VarianceScore().fit(X), kind="weights")
