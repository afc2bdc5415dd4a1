"""Verdicts, headline and sentence of the report match the numbers of the comparison."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.report import summarize
from report.synthetic import comparison


def test_verdicts_match_the_summary_of_the_comparison():
    answer = summarize(comparison())["answer"]
    outcomes = {verdict["label"]: verdict["outcome"] for verdict in answer["verdicts"]}
    assert outcomes == {"good": "better", "fair": "better", "variance": "unclear", "poor": "worse"}
    assert answer["headline"] == "2 of 4 methods beat random selection"
    assert [verdict["label"] for verdict in answer["verdicts"]] == ["good", "fair", "variance", "poor"]
    for verdict in answer["verdicts"]:
        assert verdict["low"] <= verdict["difference"] <= verdict["high"]
        assert answer["scale"][0] < verdict["low"]
        assert verdict["high"] < answer["scale"][1]
    assert answer["verdicts"][0]["details"] == "better on 6 of 6 splits; uses labels"
    assert "the best method is good: it beats random by" in answer["sentence"]


@pytest.mark.parametrize(
    ("gains", "headline"),
    [
        ({"a": 0.1, "b": 0.1, "variance": 0.1}, "All 3 methods beat random selection"),
        ({"a": 0.1, "variance": -0.1}, "1 of 2 methods beats random selection"),
        ({"a": -0.1, "variance": -0.1}, "None of 2 methods is clearly better than random selection"),
        ({"variance": 0.1}, "variance beats random selection"),
        ({"variance": -0.1}, "variance is not clearly better than random selection"),
    ],
)
def test_headline(gains, headline):
    assert summarize(comparison(gains))["answer"]["headline"] == headline


def test_sufficient_size_is_the_first_within_tolerance():
    results = comparison({"great": 0.2, "variance": 0.0})
    answer = summarize(results)["answer"]
    selected, all_features = (
        np.array(
            [
                [cell.result["measures"][key] for key in ("nn", "ncm")]
                for cell in results.cells
                if cell.method == label and cell.split >= 0
            ]
        )
        for label in ("great", "all")
    )
    short = 100 * (all_features - selected).mean(axis=(0, 1))
    index = np.flatnonzero(short <= 1)[0]
    assert 0 < index < len(short) - 1
    assert 1 < short[index - 1] < 10
    assert answer["sufficient_size"] == results.sizes[index]
    top = f"top {answer['sufficient_size']} features score within 1 point of using all 24"
    assert top in answer["sentence"]
    assert summarize(results)["features"]["n_top"] == answer["sufficient_size"]


def test_best_method_beats_random_selection():
    """Another may have the larger gain, and too few splits to show it."""
    results = comparison({"wild": 0.1, "steady": 0.05, "variance": 0.0})
    for cell in results.cells:
        if cell.method == "wild" and cell.split >= 0:
            for key in ("nn", "ncm"):
                values = np.array(cell.result["measures"][key])
                cell.result["measures"][key] = (values + (-1) ** cell.split * 0.3).tolist()
    answer = summarize(results)["answer"]
    assert [verdict["label"] for verdict in answer["verdicts"]][:2] == ["wild", "steady"]
    assert answer["headline"] == "1 of 3 methods beats random selection"
    assert "accuracy, steady beats random by" in answer["sentence"]


def test_no_sufficient_size_if_no_method_is_better():
    summary = summarize(comparison({"poor": -0.05, "variance": -0.1}))
    assert summary["answer"]["sufficient_size"] is None
    assert summary["features"]["n_top"] == 10
    assert "point of using all" not in summary["answer"]["sentence"]


def test_headline_if_no_method_finished():
    results = comparison({"good": 0.1, "fair": 0.0})
    cells = [replace(cell, status="failed", error="no luck", result=None) for cell in results.cells]
    answer = summarize(replace(results, cells=cells))["answer"]
    assert answer["headline"] == "No method finished"
    assert answer["sentence"] is None


def test_sentence_if_no_difference_is_clear():
    answer = summarize(comparison({"fair": 0.0, "other": 0.0}))["answer"]
    assert "as well as any" not in answer["sentence"]
    assert "no method is clearly better" in answer["sentence"]
