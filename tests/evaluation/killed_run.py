"""Run by test_runner_interrupted.py: comparisons that are killed, or that share a store.

The processes that are killed are forked from one that has imported everything, because importing takes longer
than the comparison.
"""

import multiprocessing.forkserver
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np

from featsieve.evaluation import Execution, Plan, RepeatedSplits, compare

X = np.random.default_rng(0).standard_normal((40, 6))
y = np.arange(40) % 2
X[:, 0] += y


def run(store):
    plan = Plan(RepeatedSplits(60), sizes=[1, 3, 6], measures=["nn"], draws=3)
    return compare(X, y, ["fisher"], plan, Execution(store, n_jobs=2))


def start(store):
    pid = os.fork()
    if pid == 0:
        # use the fork server of the parent
        multiprocessing.forkserver._forkserver.ensure_running = lambda: None
        try:
            run(store)
        finally:
            os._exit(0)
    return pid


def count(store):
    try:
        return sqlite3.connect(store, timeout=60).execute("SELECT COUNT(*) FROM cells").fetchone()[0]
    except sqlite3.OperationalError:  # not created yet
        return 0


def kill_often(store, times):
    delays = random.Random(0)
    for _ in range(times):
        before, pid = count(store), start(store)
        deadline = time.monotonic() + 60
        while count(store) <= before and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(delays.uniform(0, 0.01))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        print(count(store), flush=True)


def share(store):
    """Run two independent processes on one store; raise if one of them fails."""
    command = [sys.executable, __file__, store]
    for process in [subprocess.Popen(command), subprocess.Popen(command)]:
        if process.wait():
            raise RuntimeError(f"a comparison on a shared store ended with {process.returncode}")
    print(count(store), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        run(sys.argv[1])
    else:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["featsieve.evaluation._preload"])
        multiprocessing.forkserver.ensure_running()
        kill_often(sys.argv[1], 10)
        share(sys.argv[2])
