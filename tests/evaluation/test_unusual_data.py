"""Data and settings at the edge: a result that is right, or one line that says what to do."""

import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from featsieve.evaluation import (
    Clustering,
    Comparison,
    Execution,
    Fold,
    Plan,
    RepeatedFolds,
    RepeatedSplits,
    compare,
)
from featsieve.evaluation import nearest_neighbor_curve as curve

FEW = Plan(RepeatedSplits(2), measures=["nn"], draws=2)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


def test_one_sample_in_a_fold_is_enough_for_accuracy(X):
    found = compare(X, np.arange(15) % 2, "fisher", Plan(RepeatedFolds(10, 1), draws=2))
    assert {cell.status for cell in found.cells} == {"ok"}
    assert list(found.measures) == ["nn", "ncm", "linear"]


def test_one_sample_in_a_fold_is_not_enough_for_the_rest(X):
    for y in (None, X[:, 0]):
        with pytest.raises(ValueError, match="use fewer folds"):
            compare(X, y, "variance", Plan(RepeatedFolds(10, 1)))


def test_labels_that_name_the_samples(X):
    with pytest.raises(ValueError, match="every sample has a different label"):
        compare(X, [f"sample {place}" for place in range(15)], "fisher", FEW)


def test_numbers_that_come_as_objects(X):
    y = np.array(X[:, 0].tolist(), dtype=object)
    found = compare(X, y, "variance", Plan(RepeatedSplits(2), draws=2))
    assert found.main == ["r2", "knn_r2"]


@pytest.mark.parametrize("y", [None, "numbers"])
def test_without_classes_nothing_is_stratified(X, y):
    found = compare(X, None if y is None else X[:, 0], "variance", Plan(RepeatedSplits(2), draws=2))
    assert found.info["protocol"]["description"].startswith("2 random splits, ")


def test_text_in_a_frame(X):
    frame = pd.DataFrame({"a": X[:, 0], "b": list("xyz") * 5})
    with pytest.raises(ValueError, match=r"it has text \(.*'x'\): encode it"):
        compare(frame, np.arange(15) % 2, "fisher", FEW)


def test_encoding_on_the_whole_table_is_said(X, tmp_path):
    pytest.importorskip("skrub")
    from featsieve.datasets import load

    frame = pd.DataFrame({"a": X[:, 0], "color": ["red", "blue", "green"] * 5, "kind": ["p", "q", "r"] * 5})
    frame.to_csv(tmp_path / "t.csv", index=False)
    notes = compare(load(tmp_path / "t.csv", target="kind"), None, "fisher", FEW).info["dataset"]["notes"]
    assert any("on the whole table, before any split" in note for note in notes)
    plain = load(tmp_path / "t.csv", target="kind", drop=["color"])
    notes = compare(plain, None, "fisher", FEW).info["dataset"]["notes"]
    assert not any("whole table" in note for note in notes)


def test_a_failed_reference_is_told(X, monkeypatch):
    late = {"status": "timeout", "error": "stopped after 1 seconds"}
    monkeypatch.setattr("featsieve.evaluation.runner._Run._run_process", lambda *_: dict(late))
    found = compare(X, np.arange(15) % 2, "fisher", FEW, Execution(timeout=1))
    summary = found.summary().set_index("method")
    assert summary.loc["random", "outcome"] == "failed"
    assert summary.loc["random", "verdict"].startswith("failed: stopped after")


def test_a_time_without_end(X):
    found = compare(X, np.arange(15) % 2, "fisher", FEW, Execution(timeout=float("inf")))
    assert {cell.status for cell in found.cells} == {"ok"}


@pytest.mark.parametrize("label", ["column", "consensus", "all", "random", "variance"])
def test_labels_that_are_taken(X, label):
    with pytest.raises(ValueError, match=f"label '{label}' is taken"):
        compare(X, np.arange(15) % 2, {label: "fisher"}, FEW)


def test_sizes_are_whole(X):
    with pytest.raises(ValueError, match="`sizes` must be integers"):
        compare(X, np.arange(15) % 2, "fisher", Plan(sizes=[1, 2.5]))
    assert Plan(sizes=np.array([3, 1, 1])).check_sizes(3) == [1, 3]


def test_curves_refuse_what_is_missing():
    with pytest.raises(ValueError, match="NaN or infinity"):
        curve(Fold(np.array([[1, np.nan], [2, 3.0]]), np.ones((1, 2)), [0, 1], [0]), [0, 1])


def test_nothing_is_said_of_methods_without_a_reference(X):
    found = compare(X, np.arange(15) % 2, "fisher", FEW)
    cells = [
        replace(cell, status="timeout", error="stopped after 1 seconds", result=None)
        if cell.method == "random"
        else cell
        for cell in found.cells
    ]
    summary = replace(found, cells=cells).summary().set_index("method")
    assert summary.loc["fisher", "outcome"] == "unclear"
    assert summary.loc["fisher", "verdict"] == "not compared: random selection did not finish"


def test_repeats_on_the_same_samples_tell_nothing_of_stability(X):
    plan = Plan(Clustering(2, 1), sizes=[1, 3], draws=2)
    assert compare(X, np.arange(15) % 2, "fisher", plan).stability().empty


def test_every_command_that_added_to_a_run_is_kept(X, tmp_path):
    y, store = np.arange(15) % 2, tmp_path / "s.sqlite"
    for method in ("fisher", "fisher", "pearson"):
        found = compare(X, y, method, FEW, Execution(store, command=f"compare -m {method}"))
    assert found.info["command"] == "compare -m fisher\ncompare -m pearson"


class Forwards(BaseEstimator):
    """Ranks the first features first."""

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])
        return self


class Backwards(Forwards):
    """Ranks the last features first."""

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])[::-1]
        return self


def test_one_label_for_two_estimators(X, tmp_path):
    store = Execution(tmp_path / "s.sqlite")
    compare(X, None, {"mine": Forwards()}, Plan(RepeatedSplits(1), draws=2), store)
    with pytest.raises(ValueError, match="estimator='Forwards' in the store, now 'Backwards'"):
        compare(X, None, {"mine": Backwards()}, Plan(RepeatedSplits(1), draws=2), store)


def test_a_store_in_a_folder_that_cannot_be_written(X, tmp_path, monkeypatch):
    found = compare(X, None, "variance", Plan(RepeatedSplits(1), draws=2), Execution(tmp_path / "s.sqlite"))
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr("sqlite3.connect", lambda path, **kw: opened.append(path) or connect(path, **kw))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert Comparison.read(tmp_path / "s.sqlite").cells == found.cells
    assert opened[0].endswith("s.sqlite?immutable=1")


def test_one_repeat_is_no_plural():
    assert "repeated once" in Clustering(1).description
    assert "repeated 2 times" in Clustering(2).description


def test_a_method_for_counts_sees_them_as_they_are(X):
    counts = np.round(np.abs(X) * [1, 10, 100])
    found = compare(counts, np.arange(15) % 2, "chi-square", replace(FEW, scale=True))
    assert found.errors("chi-square") == []


def test_a_class_of_one_is_told_of(X):
    notes = compare(X, ["a"] * 7 + ["b"] * 7 + ["c"], "fisher", FEW).info["dataset"]["notes"]
    assert notes == ["1 class has a single sample, which is always in the training set."]
