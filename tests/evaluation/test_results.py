"""Tables, rankings and verdicts of comparisons, and ranks over datasets."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

from evaluation.comparisons import make_comparison, noisy
from featsieve.evaluation import (
    Clustering,
    Execution,
    Plan,
    RepeatedSplits,
    compare,
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
    monkeypatch.setattr("featsieve.evaluation.process.WorkerProcess.compute", lambda *_: dict(late))
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
    assert summary.loc["fisher", "verdict"] == "random selection did not finish"


def test_stability_of_a_transductive_protocol_is_empty(X):
    plan = Plan(Clustering(2, 1), sizes=[1, 3], draws=2)
    assert compare(X, np.arange(15) % 2, "fisher", plan).stability().empty


def test_select_finds_columns_by_name():
    polars = pytest.importorskip("polars")
    peaked = noisy([0.5, 0.9, 0.9, 0.65], seed=2)
    comparison = make_comparison(
        {"random": peaked - 0.2, "a": peaked}, [1, 2, 3, 4], orders={"a": [2, 0, 1, 3]}
    )
    frame = pd.DataFrame(np.arange(12).reshape(3, 4), columns=["f0", "f1", "f2", "f3"])
    assert list(comparison.select(frame)) == ["f0", "f2"]
    exchanged = polars.from_pandas(frame[["f3", "f2", "f0"]])
    assert comparison.select(exchanged).columns == ["f2", "f0"]
    with pytest.raises(ValueError, match="must have the recommended columns; it has none named 'f2'"):
        comparison.select(frame.drop(columns="f2"))
