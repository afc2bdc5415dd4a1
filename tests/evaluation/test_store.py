"""The store: created by several processes at once, unchanged by later cells, JSON only."""

import json
import os
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

from featsieve import LaplacianScore
from featsieve.evaluation import Cell, Comparison, Execution, Plan, RepeatedSplits, Store, compare

PLAN = Plan(RepeatedSplits(3), measures=["nn"], draws=2)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


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


def test_layout_of_the_file(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.add_run("r", {"seed": 0})
        store.add_method("r", "fisher", {"parameters": {}})
        store.put(
            "r",
            Cell(
                "fisher",
                0,
                "ok",
                seconds=0.5,
                peak_bytes=7,
                result={"order": [1, 0], "scores": [float("inf")]},
            ),
        )
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        columns = {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in ("runs", "methods", "cells")
        }
        assert columns == {
            "runs": ["run_id", "created", "info"],
            "methods": ["run_id", "label", "source", "info"],
            "cells": [
                "run_id",
                "method",
                "split",
                "status",
                "error",
                "seconds",
                "peak_bytes",
                "finished",
                "result",
                "source",
            ],
        }
        (text,) = connection.execute("SELECT result FROM cells").fetchone()
        assert json.loads(text) == {"order": [1, 0], "scores": [None]}


def test_first_cell_is_kept_unless_replaced():
    store = Store()
    for status in ("failed", "ok"):
        store.put("r", Cell("m", 0, status))
    assert store.status("r", "m", 0) == "failed"
    store.put("r", Cell("m", 0, "ok"), replace=True)
    assert store.status("r", "m", 0) == "ok"
    assert store.status("r", "m", 1) is None
    with pytest.raises(ValueError, match="CHECK"):
        store.put("r", Cell("m", 2, "perhaps"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_processes_create_a_store_at_once(tmp_path):
    for attempt in range(5):
        path = tmp_path / f"{attempt}.sqlite"
        ready, go = os.pipe()
        pids = []
        for number in range(6):
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    os.close(go)
                    os.read(ready, 1)  # wait until all processes are forked
                    with Store(path) as store:
                        store.add_run("r", {})
                        for split in range(5):
                            store.put("r", Cell("m", split, "ok", result={"order": [split]}))
                        store.put("r", Cell(f"own{number}", 0, "ok"))
                    code = 0
                finally:
                    os._exit(code)
            pids.append(pid)
        os.close(ready)
        os.close(go)
        assert {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids} == {0}
        with Store(path) as store:
            assert len(store.cells("r")) == 5 + 6


def test_store_is_read_and_resumed(iris, tmp_path):
    X, y = iris
    store = tmp_path / "results.sqlite"
    first = compare(X, y, "fisher", PLAN, Execution(store))
    again = Comparison.read(store)
    assert again.cells == first.cells
    assert again.info == first.info
    computed = []
    more = compare(
        X, y, ["fisher", "relieff"], PLAN, Execution(store, progress=lambda *a: computed.append(a))
    )
    assert {cell.method for cell, _ in computed} == {"relieff"}
    assert [total for _, total in computed] == [4] * 4
    assert [cell for cell in more.cells if cell.method != "relieff"] == first.cells
    assert Comparison.read(store, more.run_id[:5]).cells == more.cells
    assert sorted(os.listdir(tmp_path)) == ["results.sqlite"]


def test_label_with_other_parameters_raises(iris, tmp_path):
    X, y = iris
    plan, store = replace(PLAN, protocol=RepeatedSplits(1)), Execution(tmp_path / "s.sqlite")
    compare(X, y, {"mine": LaplacianScore()}, plan, store)
    with pytest.raises(
        ValueError,
        match=r"'mine' with other parameters .*=None in the store, now 2\). Choose .* another --store file",
    ):
        compare(X, y, {"mine": LaplacianScore(n_features_to_select=2)}, plan, store)


def test_files_that_are_not_stores_raise(tmp_path, iris):
    (tmp_path / "text").write_text("not a store, but long enough to be read as a file" * 20)
    with pytest.raises(ValueError, match="cannot be used"):
        compare(*iris, "fisher", PLAN, Execution(tmp_path / "text"))
    with pytest.raises(ValueError, match="does not exist"):
        Comparison.read(tmp_path / "none")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t(a)")
    with pytest.raises(ValueError, match="is not a store of featsieve: it has other tables"):
        Comparison.read(tmp_path / "other")
    Store(tmp_path / "new").close()
    with sqlite3.connect(tmp_path / "new") as new:
        new.execute("PRAGMA user_version=9")
    with pytest.raises(ValueError, match=r"is a store of version 9, but .* reads version 2"):
        Comparison.read(tmp_path / "new")
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match="has no tables"):
        Comparison.read(tmp_path / "empty")


def test_label_of_another_estimator_raises(X, tmp_path):
    store = Execution(tmp_path / "s.sqlite")
    compare(X, None, {"mine": Forwards()}, Plan(RepeatedSplits(1), draws=2), store)
    with pytest.raises(ValueError, match="estimator='Forwards' in the store, now 'Backwards'"):
        compare(X, None, {"mine": Backwards()}, Plan(RepeatedSplits(1), draws=2), store)


def test_commands_of_a_run_are_stored(X, tmp_path):
    y, store = np.arange(15) % 2, tmp_path / "s.sqlite"
    for method in ("fisher", "fisher", "pearson"):
        comparison = compare(X, y, method, PLAN, Execution(store, command=f"compare -m {method}"))
    assert comparison.info["command"] == "compare -m fisher\ncompare -m pearson"


def test_store_in_a_read_only_folder(X, tmp_path, monkeypatch):
    comparison = compare(
        X, None, "variance", Plan(RepeatedSplits(1), draws=2), Execution(tmp_path / "s.sqlite")
    )
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr("sqlite3.connect", lambda path, **kw: opened.append(path) or connect(path, **kw))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert Comparison.read(tmp_path / "s.sqlite").cells == comparison.cells
    assert opened[0].endswith("s.sqlite?immutable=1")
