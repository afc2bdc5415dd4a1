"""Tables, rankings and verdicts of comparisons, and ranks over datasets."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

from featsieve.evaluation import (
    Cell,
    Clustering,
    Comparison,
    Execution,
    Plan,
    RepeatedSplits,
    compare,
    rank_over_datasets,
)

PLAN = Plan(RepeatedSplits(3), measures=["nn"], draws=2)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


class Backwards(BaseEstimator):
    """Ranks the last features first."""

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])[::-1]
        return self


def test_tables_and_ranking(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    comparison = compare(frame, pd.Series(y, name="species"), "fisher", Plan(RepeatedSplits(3), draws=3))
    curves = comparison.to_frame()
    assert list(curves) == ["method", "split", "size", "measure", "value"]
    assert len(curves) == 4 * 3 * 4 * 5
    table = comparison.table()
    assert len(table) == 3 * 5
    assert set(table["measure"]) == set(comparison.measures)
    fisher = table[(table["method"] == "fisher") & (table["measure"] == "nn")].iloc[0]
    assert fisher["mean_over_sizes_low"] < fisher["mean_over_sizes"] < fisher["mean_over_sizes_high"]
    assert fisher["wins"] + fisher["ties"] + fisher["losses"] == fisher["splits"] == 3
    redundancy = table[table["measure"] == "redundancy"].set_index("method")
    assert redundancy.loc["fisher", "gain"] == pytest.approx(
        redundancy.loc["random", "mean_over_sizes"] - redundancy.loc["fisher", "mean_over_sizes"]
    )
    summary = comparison.summary()
    assert summary["gain"].dropna().is_monotonic_decreasing
    assert comparison.info["dataset"]["target"] == "species"
    ranking = comparison.ranking()
    assert sorted(ranking["fisher"]) == [1, 2, 3, 4]
    assert ranking["fisher"].idxmin() in ("c", "d")
    assert list(ranking) == ["column", "variance", "fisher", "consensus"]
    stable = comparison.stability()
    assert (stable[stable["size"] == 4]["value"] == 1).all()


def test_signal_beats_random_and_noise_does_not():
    random = np.random.default_rng(0)
    y = np.arange(240) % 2
    X = random.standard_normal((240, 40))
    X[:, :3] += 1.5 * y[:, None]
    comparison = compare(
        X, y, {"fisher": "fisher", "junk": Backwards()}, Plan(RepeatedSplits(10), measures=["nn"], draws=8)
    )
    summary = comparison.summary().set_index("method")
    assert summary.loc["fisher", "outcome"] == "better"
    assert summary.loc["fisher", "verdict"].startswith("beats random by ")
    assert summary.loc["junk", "outcome"] == "worse"
    assert comparison.recommend().method == "fisher"


def test_failed_random_selection_is_reported(X, monkeypatch):
    late = {"status": "timeout", "error": "stopped after 1 seconds"}
    monkeypatch.setattr("featsieve.evaluation.runner._Run._run_process", lambda *_: dict(late))
    comparison = compare(X, np.arange(15) % 2, "fisher", PLAN, Execution(timeout=1))
    summary = comparison.summary().set_index("method")
    assert summary.loc["random", "outcome"] == "failed"
    assert summary.loc["random", "verdict"].startswith("failed: stopped after")


def test_no_verdict_without_random_selection(X):
    comparison = compare(X, np.arange(15) % 2, "fisher", PLAN)
    cells = [
        replace(cell, status="timeout", error="stopped after 1 seconds", result=None)
        if cell.method == "random"
        else cell
        for cell in comparison.cells
    ]
    summary = replace(comparison, cells=cells).summary().set_index("method")
    assert summary.loc["fisher", "outcome"] == "untested"
    assert summary.loc["fisher", "verdict"] == "not compared: random selection did not finish"


def test_stability_of_a_transductive_protocol_is_empty(X):
    plan = Plan(Clustering(2, 1), sizes=[1, 3], draws=2)
    assert compare(X, np.arange(15) % 2, "fisher", plan).stability().empty


def test_rank_over_datasets():
    def comparison(values):
        info = {
            "sizes": [1, 2],
            "measures": [{"key": "nn", "name": "1-NN", "direction": "larger", "main": True, "percent": True}],
            "methods": {label: {} for label in values},
            "protocol": {"transductive": False, "n_splits": 2},
        }
        cells = [
            Cell(label, split, "ok", result={"measures": {"nn": [value, value]}, "n_train": 5, "n_test": 5})
            for label, value in values.items()
            for split in range(2)
        ]
        return Comparison("r", info, cells)

    comparisons = [
        comparison({"random": 0.5, "b": 0.7, "a": 0.9, "lost": 1.0}),
        comparison({"random": 0.6, "a": 0.8, "b": 0.7}),
    ]
    labels, ranks = rank_over_datasets(comparisons)
    assert labels == ["a", "b", "random"]
    np.testing.assert_allclose(ranks.mean_ranks, [1, 2, 3])
    with pytest.raises(ValueError, match="at least 2 comparisons"):
        rank_over_datasets(comparisons[:1])
