"""Representations of objects in notebooks and terminals."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context

from featsieve import KernelForwardSelection, KNNGraph, VarianceScore, datasets
from featsieve.evaluation import Comparison, Plan, RepeatedSplits, compare
from featsieve.notebook import MAX_COLUMNS, MAX_ROWS, html_table

HOSTILE = "<script>alert(1)</script>"


def cells(html):
    return re.findall(r"<td>(.*?)</td>", html)


def test_texts_are_escaped():
    html = html_table(HOSTILE, [HOSTILE], [[HOSTILE, 3]])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3
    assert cells(html)[1] == "3"


def test_selector_shows_the_diagram_and_the_selected_features():
    X = pd.DataFrame(np.arange(12.0).reshape(4, 3) * [1, 3, 2], columns=["a", HOSTILE, "c"])
    selector = VarianceScore(n_features_to_select=2)
    assert "Selected features" not in selector._repr_html_()
    html = selector.fit(X)._repr_html_()
    assert "sk-container" in html
    assert "Selected features: 2 of 3" in html
    chosen = cells(html[html.index("Selected features") :])
    assert chosen[0::3] == ["1", "2"]
    assert chosen[1::3] == ["&lt;script&gt;alert(1)&lt;/script&gt;", "c"]
    assert chosen[2::3] == [f"{score:.4g}" for score in selector.scores_[[1, 2]]]
    assert selector._repr_mimebundle_()["text/html"].count("Selected features") == 1
    with config_context(display="text"):
        assert not hasattr(selector, "_repr_html_")


def test_many_features_are_shortened():
    X = np.random.default_rng(0).standard_normal((10, 40))
    html = VarianceScore().fit(X)._repr_html_()
    assert "20 of 40; the best 10 are shown" in html
    assert len(cells(html[html.index("Selected features") :])) == 3 * MAX_ROWS


def test_selector_in_kernel_space():
    X, y = np.random.default_rng(0).standard_normal((20, 4)), np.arange(20) % 2
    html = KernelForwardSelection(n_features_to_select=2).fit(X, y)._repr_html_()
    assert "Selected features" in html


def test_graph():
    graph = KNNGraph(2, bandwidth=1.0).build(np.arange(12.0).reshape(6, 2))
    html = graph._repr_html_()
    shown = dict(zip(cells(html)[0::2], cells(html)[1::2], strict=True))
    assert shown["samples"] == "6 samples"
    assert repr(graph) == f"Graph: {', '.join(shown.values())}"


def test_dataset():
    iris = datasets.load("iris")
    assert repr(iris) == "<Dataset iris: 150 samples, 4 features, 3 classes of 'target'>"
    html = iris._repr_html_()
    assert cells(html)[:5] == ["5.1", "3.5", "1.4", "0.2", "0"]
    assert html.count("<tr>") == 6
    assert "sepal length (cm)" in html
    hostile = replace(iris, notes=(HOSTILE,), name=HOSTILE)
    assert "<script" not in hostile._repr_html_()


def test_dataset_with_other_targets():
    iris = datasets.load("iris")
    assert "no labels" in repr(replace(iris, y=None))
    assert "numeric target 'target'" in repr(replace(iris, y=iris.X[:, 0]))
    several = replace(iris, y=iris.X)
    assert "4 targets" in repr(several)
    assert "labels" not in several._repr_html_()


def test_wide_sparse_dataset():
    iris = datasets.load("iris")
    names = [f"word{index}" for index in range(30)]
    wide = replace(iris, X=sp.csr_array(np.ones((2, 30))), y=np.array([0, 1]), feature_names=names)
    html = wide._repr_html_()
    assert f"word{MAX_COLUMNS - 1}" in html
    assert f"word{MAX_COLUMNS}" not in html
    assert html.count("<tr>") == 3


@pytest.fixture(scope="module")
def comparison():
    y = np.arange(60) % 2
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 40)))
    X[3] += 6 * y
    X.columns = ["a", "b", "c", HOSTILE, *(f"noise{index}" for index in range(36))]
    return compare(X, y, "fisher", Plan(RepeatedSplits(12), draws=3, measures=["nn"]))


def test_comparison(comparison):
    html = comparison._repr_html_()
    summary = comparison.summary()
    assert cells(html)[0::3] == summary["method"].tolist()
    assert cells(html)[1::3] == [f"{100 * value:.1f}" for value in summary["mean_over_sizes"]]
    assert cells(html)[2::3] == [verdict.replace("'", "&#x27;") for verdict in summary["verdict"]]
    assert "1 recommended features: &lt;script&gt;" in html
    assert "<script" not in html
    assert "not complete" not in html


def test_incomplete_comparison(comparison):
    partial = Comparison(comparison.run_id, comparison.info, comparison.cells[:3])
    assert "not complete" in partial._repr_html_()
    assert "methods on" in Comparison(comparison.run_id, comparison.info, [])._repr_html_()
