"""Comparisons that are killed, interrupted or run twice at once lose no cells and leave no processes."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")]

SCRIPT = Path(__file__).parent / "killed_run.py"


def rows(store):
    """Return the cells without times and memory."""
    with sqlite3.connect(store) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return connection.execute(
            "SELECT run_id, method, split, status, error, result FROM cells ORDER BY 1, 2, 3"
        ).fetchall()


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Stores of a comparison that was killed ten times, of two at once, and of an uninterrupted one."""
    folder = tmp_path_factory.mktemp("stores")
    killed, shared, uninterrupted = (
        folder / f"{name}.sqlite" for name in ("killed", "shared", "uninterrupted")
    )
    done = subprocess.run(
        [sys.executable, SCRIPT, killed, shared], capture_output=True, text=True, timeout=300, check=True
    )
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        from killed_run import run
    finally:
        sys.path.pop(0)
    counts = [int(line) for line in done.stdout.split()]
    return {
        "counts": counts,
        "killed": (rows(killed), run(killed), rows(killed)),
        "shared": rows(shared),
        "uninterrupted": (run(uninterrupted), rows(uninterrupted)),
    }


def test_killed_and_resumed_equals_uninterrupted(stores):
    counts, (before, resumed, after) = stores["counts"][:10], stores["killed"]
    assert len(counts) == 10
    assert counts == sorted(counts)
    assert 0 < counts[0] < counts[-1] < len(after)  # it never finished before it was killed
    assert len(before) == counts[-1]
    uninterrupted, expected = stores["uninterrupted"]
    assert resumed.complete
    assert after == expected
    assert resumed.info == uninterrupted.info


def test_two_processes_share_a_store(stores):
    assert stores["shared"] == stores["uninterrupted"][1]


SLOW = """
import signal, sys, time
import numpy as np
from sklearn.base import BaseEstimator
from featsieve.evaluation import Execution, compare

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it

class Slow(BaseEstimator):
    def fit(self, X, y=None):
        if len(X) > 24:  # not at the trial fit
            open(sys.argv[1] + "/started", "w")
            time.sleep(600)
        self.order_ = np.arange(X.shape[1])
        return self

X = np.random.default_rng(0).standard_normal((60, 4))
compare(X, None, {"slow": Slow()}, execution=Execution(n_jobs=2))
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_interrupt_stops_all_processes(tmp_path, sent):
    script = tmp_path / "script.py"  # without a guard of the main module
    script.write_text(SLOW.replace("sys.argv[1]", repr(str(tmp_path))))
    process = subprocess.Popen([sys.executable, script], start_new_session=True, stderr=subprocess.PIPE)
    try:
        wait_for((tmp_path / "started").exists)
        os.killpg(process.pid, sent) if sent == signal.SIGINT else process.send_signal(sent)
        _, errors = process.communicate(timeout=60)
        assert process.returncode != 0
        assert (b"KeyboardInterrupt" in errors) == (sent == signal.SIGINT)
        wait_for(lambda: not alive(process.pid))
    finally:
        if alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.02)
