"""Curves, bands and tables of the report match the numbers of the comparison."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve.evaluation import stability
from featsieve.report import summarize
from report.synthetic import MEASURES, comparison


def test_curves_are_means_over_splits():
    results = comparison()
    summary = summarize(results)
    curve = summary["curves"][2]
    assert (curve["key"], curve["name"]) == ("ncm", "nearest class mean accuracy (%)")
    index = [method["label"] for method in summary["methods"]].index("fair")
    own = [c.result["measures"]["ncm"] for c in results.cells if c.method == "fair" and c.split >= 0]
    line = curve["methods"][index]
    np.testing.assert_allclose(line["mean"], 100 * np.mean(own, axis=0))
    assert (np.array(line["low"]) < line["mean"]).all()
    assert (np.array(line["high"]) > line["mean"]).all()
    table = results.table()
    row = table[(table["method"] == "fair") & (table["measure"] == "ncm")].iloc[0]
    (row_of_table,) = [method for method in curve["table"] if method["label"] == "fair"]
    assert row_of_table["area"] == pytest.approx(100 * row["mean_over_sizes"])
    assert row_of_table["p"] == pytest.approx(row["p_corrected"])
    assert row_of_table["verdict"] == "better"
    assert [curve["key"] for curve in summary["curves"]] == [
        "score",
        "nn",
        "ncm",
    ]  # redundancy has its own section


def test_the_first_curve_is_the_score_of_the_verdicts():
    results = comparison()
    summary = summarize(results)
    score, verdicts = summary["curves"][0], summary["answer"]["verdicts"]
    assert score["name"] == "score (%)"
    rows = {row["label"]: row for row in score["table"]}
    for verdict in verdicts:
        row = rows[verdict["label"]]
        assert (row["difference"], row["low"]) == pytest.approx(
            (100 * verdict["difference"], 100 * verdict["low"])
        )
    parts = summary["curves"][1:]
    for index in range(len(summary["methods"])):
        mean = np.mean([part["methods"][index]["mean"] for part in parts], axis=0)
        np.testing.assert_allclose(score["methods"][index]["mean"], mean)
    draws = [
        np.mean([100 * np.array(cell.result["draws"][key]) for key in ("nn", "ncm")], axis=0)
        for cell in results.cells
        if cell.method == "random" and cell.split >= 0
    ]
    centered = np.concatenate([draw - draw.mean(axis=0) for draw in draws]) + score["random"]["mean"]
    inside = (centered >= score["random"]["low"]) & (centered <= score["random"]["high"])
    assert 0.93 < inside.mean() < 0.97


def test_a_single_measure_is_the_score():
    results = comparison()
    results.info["measures"] = [MEASURES[0], MEASURES[1] | {"main": False}]
    assert [curve["key"] for curve in summarize(results)["curves"]] == ["nn", "ncm"]


def test_random_band_contains_95_percent_of_centered_draws():
    results = comparison()
    band = summarize(results)["curves"][1]["random"]
    inside = []
    for cell in results.cells:
        if cell.method == "random" and cell.split >= 0:
            draws = 100 * np.array(cell.result["draws"]["nn"])
            centered = draws - draws.mean(axis=0) + band["mean"]
            inside.append((centered >= band["low"]) & (centered <= band["high"]))
    assert 0.93 < np.mean(inside) < 0.97


def test_intervals_are_clipped_to_the_range_of_the_measure():
    results = comparison({"good": 0.1}, n_splits=5)
    cells = [
        replace(
            cell, result=cell.result | {"measures": {key: [cell.split % 2] * 6 for key in results.measures}}
        )
        if cell.method == "good" and cell.split >= 0
        else cell
        for cell in results.cells
    ]
    summary = summarize(replace(results, cells=cells))
    curve = summary["curves"][0]
    line = curve["methods"][[method["label"] for method in summary["methods"]].index("good")]
    assert (line["low"], line["high"]) == ([0] * 6, [100] * 6)
    row = next(row for row in curve["table"] if row["label"] == "good")
    assert (row["area_low"], row["area_high"]) == (0, 100)
    assert row["low"] < 0  # a difference may be anything


def test_stability_is_the_index_of_nogueira():
    results = comparison()
    summary = summarize(results)["stability"]
    index = [method["label"] for method in summarize(results)["methods"]].index("good")
    orders = [c.result["order"] for c in results.cells if c.method == "good" and c.split >= 0]
    chosen = np.zeros((6, 24), dtype=bool)
    for row, order in zip(chosen, orders, strict=True):
        row[order[:4]] = True
    at = summary["sizes"].index(4)
    assert summary["methods"][index]["mean"][at] == pytest.approx(stability(chosen).value)
    assert 24 not in summary["sizes"]
    assert summarize(comparison(n_splits=1))["stability"] is None


def test_redundancy_is_the_mean_over_splits():
    results = comparison()
    summary = summarize(results)["redundancy"]
    index = [method["label"] for method in summarize(results)["methods"]].index("good")
    own = [c.result["measures"]["redundancy"] for c in results.cells if c.method == "good" and c.split >= 0]
    np.testing.assert_allclose(summary["methods"][index]["mean"], np.mean(own, axis=0)[1:])  # one has no pair
    assert summary["sizes"] == results.sizes[1:]
    assert summary["rows"][-1]["label"] == "random selection"
    results.info["measures"] = results.info["measures"][:2]
    assert summarize(results)["redundancy"] is None
