"""Worker processes compute many cells, and no cell is affected by those before it."""

import os
import random
import signal

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from featsieve.evaluation import Execution, Plan, RepeatedSplits, compare
from featsieve.evaluation.memory import reset_peak_memory
from featsieve.evaluation.process import ProcessPool

X, y = np.random.default_rng(0).standard_normal((60, 4)), np.arange(60) % 2
PLAN = Plan(RepeatedSplits(2), sizes=[1, 4], measures=["nn"], draws=1, scale=True)


class Careless(BaseEstimator):
    """Estimator that overwrites X and uses global random numbers; its scores are what it sees."""

    def __init__(self, name=None):
        self.name = name

    def fit(self, X, y):
        self.order_ = np.arange(X.shape[1])
        self.scores_ = np.array([os.getpid(), np.random.rand(), random.random(), (X**2).sum() + y.sum()])[
            : X.shape[1]
        ]
        X[:] = y[:] = 0
        return self


class Second(BaseEstimator):
    """Estimator that fails in a process that it was fitted in before."""

    def __init__(self, problem):
        self.problem = problem

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])
        if X.shape[1] == 5:  # the trial fit that determines the role of labels
            return self
        if self.problem in os.environ:
            if self.problem == "MEMORY":
                raise MemoryError
            os.kill(os.getpid(), signal.SIGKILL)
        os.environ[self.problem] = "1"
        return self


def scores(methods, n_jobs, splits=(0, 1)):
    comparison = compare(X, y, methods, PLAN, Execution(n_jobs=n_jobs))
    assert {cell.status for cell in comparison.cells} == {"ok"}
    return {
        (cell.method, cell.split): cell.result["scores"]
        for cell in comparison.cells
        if cell.method in methods and cell.split in splits
    }


def test_a_cell_does_not_depend_on_the_cells_before_it():
    forward = scores({name: Careless(name) for name in "abc"}, n_jobs=1)
    backward = scores({name: Careless(name) for name in "cba"}, n_jobs=2)
    assert {key: values[1:] for key, values in forward.items()} == {
        key: values[1:] for key, values in backward.items()
    }
    assert len({values[1] for values in forward.values()}) == 6
    assert len({values[3] for values in forward.values()}) == 1  # standardized, whatever was overwritten


@pytest.mark.skipif(not reset_peak_memory(), reason="each process computes one cell here")
def test_a_process_computes_many_cells():
    processes = {
        n_jobs: [values[0] for values in scores({name: Careless(name) for name in "abc"}, n_jobs).values()]
        for n_jobs in (1, 2)
    }
    assert len(set(processes[1])) == 1
    assert len(set(processes[2])) <= 2


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed by a signal")
@pytest.mark.parametrize("problem", ["MEMORY", "CRASH"])
def test_a_failure_that_earlier_cells_may_have_caused_is_retried_in_a_new_process(problem):
    methods = {name: Second(problem) for name in "ab"}
    comparison = compare(X, y, methods, PLAN, Execution(n_jobs=1, ranking=False))
    assert {cell.status for cell in comparison.cells} == {"ok"}


class Recorded:
    """A stand-in for a process: its answers are its number, and it dies at a task ``b"crash"``."""

    started = 0

    def __init__(self, context, setting, limits):
        Recorded.started += 1
        self.number, self.is_usable, self.is_closed = Recorded.started, True, False
        self.process = self

    def compute(self, task, timeout):
        self.is_usable = task != b"crash"
        return {"process": self.number}

    def kill(self):
        self.is_usable = False

    def close(self):
        self.is_closed = True


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr("featsieve.evaluation.process.WorkerProcess", Recorded)
    monkeypatch.setattr("featsieve.evaluation.process.dump", lambda value: b"")
    monkeypatch.setattr(Recorded, "started", 0)
    return ProcessPool(None, None, {})


def test_a_split_returns_to_its_process(pool):
    first, second = pool._take(0), pool._take(1)
    pool._give_back(1, second)
    pool._give_back(0, first)
    answers = [pool.compute(b"", split, None)["process"] for split in (0, 1, 0, 1, 2, 1)]
    assert answers == [1, 2, 1, 2, 1, 2]


def test_a_process_that_died_is_replaced(pool):
    assert pool.compute(b"crash", 0, None) == {"process": 1}
    assert pool.compute(b"", 0, None) == {"process": 2}
    assert len(pool.processes) == 1


def test_a_stopped_pool_computes_nothing(pool):
    pool.compute(b"", 0, None)
    (process,) = pool.processes
    pool.stop()
    assert process.is_closed
    assert pool.compute(b"", 0, None) is None
    assert not pool.processes
