"""The summary is plain data, with warnings, failures and incomplete comparisons."""

import json
from dataclasses import replace

import pytest

from featsieve.report import render, summarize
from report.synthetic import HOSTILE, comparison, filter_cells


def test_plain_data():
    names = HOSTILE + [f"f{index}" for index in range(14)]
    summary = summarize(comparison(dict.fromkeys(HOSTILE, 0.1), names=names, notes=HOSTILE))
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    text = json.dumps(summary, ensure_ascii=False).encode()  # no half of a surrogate pair is left
    assert HOSTILE[6] in summary["features"]["names"]
    assert b"\x00" not in text


def test_failures_are_listed():
    results = comparison()
    for index, cell in enumerate(results.cells):
        if cell.method == "good" and cell.split in (-1, 0):
            results.cells[index] = replace(cell, status="failed", error="ValueError: <b>no</b>", result=None)
        if cell.method == "fair":
            results.cells[index] = replace(cell, status="timeout", error="60 s were not enough", result=None)
    summary = summarize(results)
    failures = summary["cost"]["failures"]
    assert failures == [
        {
            "label": "good",
            "status": "failed",
            "message": "ValueError: <b>no</b>",
            "split": "all samples, 1",
        },
        {
            "label": "fair",
            "status": "timed out",
            "message": "60 s were not enough",
            "split": "all samples, 1, 2, 3, 4, 5, 6",
        },
    ]
    assert [warning["title"] for warning in summary["warnings"]] == ["9 of 42 runs did not finish"]
    (fair,) = [v for v in summary["answer"]["verdicts"] if v["label"] == "fair"]
    assert fair["difference"] is None
    assert fair["sentence"] == "Failed: 60 s were not enough"
    page = render(summary)
    assert "ValueError: &lt;b&gt;no&lt;/b&gt;" in page
    assert "60 s were not enough" in page


def test_warnings_of_the_protocol():
    warnings = summarize(comparison(transductive=True, sees_labels=True))["warnings"]
    titles = ["Features were selected on the test samples", "Some methods have seen the test labels"]
    assert [warning["title"] for warning in warnings] == titles
    assert summarize(comparison())["warnings"] == []


@pytest.mark.parametrize(
    "keep",
    [
        lambda cell: False,
        lambda cell: cell.split == -1,
        lambda cell: cell.split == 0,
        lambda cell: cell.method == "random",
        lambda cell: cell.method != "random",
        lambda cell: cell.method != "all",
        lambda cell: cell.split >= 0,
    ],
    ids=[
        "nothing",
        "all samples",
        "one split",
        "random alone",
        "no random",
        "no all",
        "no fit on all samples",
    ],
)
def test_incomplete_comparison_is_rendered(keep):
    page = render(summarize(filter_cells(comparison(), keep)))
    assert "made-up" in page
    assert "not complete" in page


def test_no_labels_and_one_size():
    results = comparison(sizes=[24], n_classes=None, class_counts=None, target=None)
    page = render(summarize(results))
    assert ">Classes<" not in page
