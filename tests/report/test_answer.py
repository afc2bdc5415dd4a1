"""The recommendation, the headline and the verdicts of the report match the comparison."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.evaluation import Comparison
from featsieve.report import summarize
from report.synthetic import comparison


def test_verdicts_match_the_summary_of_the_comparison():
    answer = summarize(comparison())["answer"]
    outcomes = {verdict["label"]: verdict["outcome"] for verdict in answer["verdicts"]}
    assert outcomes == {"good": "better", "fair": "better", "variance": "unclear", "poor": "worse"}
    assert answer["summary"] == "2 of 4 methods beat random selection"
    for verdict in answer["verdicts"]:
        assert verdict["low"] <= verdict["difference"] <= verdict["high"]
        assert answer["scale"][0] < verdict["low"]
        assert verdict["high"] < answer["scale"][1]
        assert (verdict["outcome"] == "better") == (verdict["low"] > 0)
    best = next(verdict for verdict in answer["verdicts"] if verdict["label"] == "good")
    assert best["details"].endswith("better on 6 of 6 splits; uses labels")


@pytest.mark.parametrize(
    ("gains", "summary"),
    [
        ({"a": 0.1, "b": 0.1, "variance": 0.1}, "All 3 methods beat random selection"),
        ({"a": 0.1, "variance": -0.1}, "1 of 2 methods beats random selection"),
        ({"a": -0.1, "variance": -0.1}, "None of 2 methods is clearly better than random selection"),
        ({"variance": 0.1}, "variance beats random selection"),
        ({"variance": -0.1}, "variance is not clearly better than random selection"),
    ],
)
def test_summary_of_the_verdicts(gains, summary):
    assert summarize(comparison(gains))["answer"]["summary"] == summary


def test_the_recommendation_is_that_of_the_comparison():
    results = comparison({"great": 0.25, "fair": 0.1, "variance": 0.0})
    summary, advice = summarize(results), results.recommend()
    shown = summary["answer"]["recommendation"]
    assert shown["method"] == advice.method
    assert shown["names"] == [feature.name for feature in advice.features][:30]
    assert summary["answer"]["headline"] == f"Keep {advice.n_features} of the 24 features"
    assert shown["held_out"] == f"{100 * advice.held_out:.1f}%"
    assert summary["features"]["n_top"] == advice.n_features
    recommended = summary["features"]["recommended"]
    assert recommended["label"] == advice.method
    frequency = dict(zip(summary["features"]["names"], recommended["frequency"], strict=True))
    assert [frequency[feature.name] for feature in advice.features] == pytest.approx(
        [feature.frequency for feature in advice.features], abs=1e-3
    )
    labels = [fact["label"] for fact in shown["facts"]]
    size = results.best_sizes().set_index("method").loc[advice.method, "n_features"]
    noun = "feature" if size == 1 else "features"
    (verdict,) = [row for row in summary["answer"]["verdicts"] if row["label"] == advice.method]
    assert verdict["details"].startswith(f"recommended; needs {size} ")
    assert labels == [f"with {size} random {noun}", "with all 24 features"]


def test_the_recommended_method_beats_random_selection():
    """Another may have the larger gain, and too few splits to show it."""
    results = comparison({"wild": 0.1, "steady": 0.05, "variance": 0.0})
    for cell in results.cells:
        if cell.method == "wild" and cell.split >= 0:
            for key in ("nn", "ncm"):
                values = np.array(cell.result["measures"][key])
                cell.result["measures"][key] = (values + (-1) ** cell.split * 0.3).tolist()
    summary = summarize(results)
    assert summary["answer"]["summary"] == "1 of 3 methods beats random selection"
    assert summary["answer"]["recommendation"]["method"] == "steady"
    assert summary["features"]["consensus_of"] == ["steady"]
    ranks = {method["label"]: method["ranks"] for method in summary["features"]["methods"]}
    assert summary["features"]["consensus"] == ranks["steady"]


def test_the_curve_of_the_recommended_method_is_visible(monkeypatch):
    """Others with the same order, or better with other numbers of features, are not shown in its place."""
    gains = {f"method {index}": 0.15 - 0.01 * index for index in range(7)} | {"variance": 0.0}
    results = comparison(gains)
    orders = {cell.split: cell.result["order"] for cell in results.cells if cell.method == "method 0"}
    for cell in results.cells:
        if cell.method == "method 1":
            cell.result["order"] = orders[cell.split]
    methods = summarize(results)["methods"]
    visible = [method["label"] for method in methods if method["visible"]]
    assert len(visible) == 5  # four, and variance
    assert not {"method 0", "method 1"} <= set(visible)
    assert [m["label"] for m in methods if m["recommended"]] == [results.recommend().method]
    assert results.recommend().method in visible
    last = methods[-2]["label"]
    advice = replace(results.recommend(), method=last)
    monkeypatch.setattr(Comparison, "recommend", lambda self: advice)
    methods = summarize(results)["methods"]
    assert [m["label"] for m in methods if m["recommended"] and m["visible"]] == [last]


def test_no_recommendation_if_no_method_is_better():
    summary = summarize(comparison({"poor": -0.05, "variance": -0.1}))
    assert summary["answer"]["recommendation"] is None
    assert summary["answer"]["headline"] == "No features can be recommended"
    assert "None of the 2 methods is clearly better" in summary["answer"]["reason"]
    assert summary["features"]["recommended"] is None
    assert summary["features"]["consensus"] is None
    assert summary["features"]["n_top"] == 10


def test_too_few_splits():
    answer = summarize(comparison(n_splits=4))["answer"]
    assert answer["summary"] == "Gain of each method, without a verdict"
    assert answer["recommendation"] is None
    assert "4 splits: too few" in answer["reason"]
    assert {verdict["outcome"] for verdict in answer["verdicts"]} == {"untested"}


def test_equal_methods_are_one_verdict():
    results = comparison({"good": 0.1, "twin": 0.1, "variance": 0.0})
    orders = {cell.split: cell.result["order"] for cell in results.cells if cell.method == "good"}
    for cell in results.cells:
        if cell.method == "twin":
            cell.result["order"] = orders[cell.split]
    verdicts = summarize(results)["answer"]["verdicts"]
    assert len(verdicts) == 2
    assert summarize(results)["answer"]["summary"].endswith("2 of 3 methods beat random selection")
    assert "same order as" in verdicts[0]["details"]


def test_headline_if_no_method_finished():
    results = comparison({"good": 0.1, "fair": 0.0})
    cells = [replace(cell, status="failed", error="no luck", result=None) for cell in results.cells]
    answer = summarize(replace(results, cells=cells))["answer"]
    assert answer["summary"] == "No method finished"
    assert answer["reason"] == "No method finished."
