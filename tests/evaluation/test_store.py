"""The file that keeps comparisons: made by many at once, first come stays, only JSON inside."""

import json
import os
import sqlite3

import pytest

from featsieve.evaluation import Cell, Store


def test_layout(tmp_path):
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
                "source",
                "status",
                "error",
                "seconds",
                "peak_bytes",
                "finished",
                "result",
            ],
        }
        (text,) = connection.execute("SELECT result FROM cells").fetchone()
        assert json.loads(text) == {"order": [1, 0], "scores": [None]}


def test_the_first_cell_stays_unless_replaced():
    store = Store()
    for status in ("failed", "ok"):
        store.put("r", Cell("m", 0, status))
    assert store.status("r", "m", 0) == "failed"
    store.put("r", Cell("m", 0, "ok"), replace=True)
    assert store.finished("r") == {("m", 0): "ok"}
    assert store.status("r", "m", 1) is None
    with pytest.raises(ValueError, match="CHECK"):
        store.put("r", Cell("m", 2, "perhaps"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_many_make_a_store_at_once(tmp_path):
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
                    os.read(ready, 1)  # until all are there
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


def test_ranks_over_datasets():
    import numpy as np

    from featsieve.evaluation import Comparison, rank_over_datasets

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

    found = [
        comparison({"random": 0.5, "b": 0.7, "a": 0.9, "lost": 1.0}),
        comparison({"random": 0.6, "a": 0.8, "b": 0.7}),
    ]
    labels, ranks = rank_over_datasets(found)
    assert labels == ["a", "b", "random"]
    np.testing.assert_allclose(ranks.mean_ranks, [1, 2, 3])
    with pytest.raises(ValueError, match="at least 2 comparisons"):
        rank_over_datasets(found[:1])
