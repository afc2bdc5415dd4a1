"""Comparisons on a Dask cluster: the same results, also if machines die."""

import os
import signal
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

from evaluation.clusters import is_alive, real_cluster, wait_for
from featsieve.evaluation import Clustering, Execution, Plan, RepeatedSplits, Store, compare, remote
from featsieve.evaluation.cluster import Cluster

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes are killed by signals")

X, y = load_iris(return_X_y=True)
PLAN = Plan(RepeatedSplits(4), sizes=[1, 2, 4], measures=["nn"], draws=3)


class Slow(BaseEstimator):
    """Estimator that takes its time or fails."""

    def __init__(self, seconds=0.2, crash=False):
        self.seconds, self.crash = seconds, crash

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])
        if X.shape[1] == 5:  # the trial fit that determines the role of labels
            return self
        time.sleep(self.seconds)
        if self.crash:
            os.kill(os.getpid(), signal.SIGKILL)
        return self


METHODS = {"slow": Slow(), "fisher": "fisher", "laplacian": "laplacian", "mcfs+labels": "mcfs+labels"}


def without_times(cells):
    return sorted(
        [replace(cell, seconds=None, peak_bytes=None, finished="") for cell in cells],
        key=lambda cell: (cell.method, cell.split),
    )


@pytest.fixture(scope="module")
def here():
    """The cells computed without a cluster."""
    return without_times(compare(X, y, METHODS, PLAN, Execution(n_jobs=2)).cells)


@pytest.fixture(scope="module")
def running(tmp_path_factory, here):  # there is no client yet when the cells are computed here
    with real_cluster(tmp_path_factory.mktemp("cluster"), 3) as (cluster, client):
        yield cluster, client


@pytest.fixture
def workers(running):
    """Three workers on this machine, and the active client."""
    cluster, client = running
    cluster.start_workers(client, 3)
    return cluster, client


@pytest.fixture
def some_workers(running):
    """One worker or more on this machine, and the active client."""
    cluster, client = running
    cluster.start_workers(client, 1)
    return cluster, client


@contextmanager
def threads_of_this_process(folder):
    """Make a client of two workers in this process active."""
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=2, local_directory=folder, **options) as local,
        distributed.Client(local),
    ):
        yield


class AfterCells:
    """Progress that calls a function once, after a number of cells."""

    def __init__(self, n_cells, call):
        self.n_cells, self.call, self.cells = n_cells, call, []

    def __call__(self, cell, total):
        self.cells.append(cell)
        if len(self.cells) == self.n_cells:
            self.call()


def remains(dask_worker):
    """Return files of data and processes of cells on a worker."""
    import psutil

    cells = [
        process
        for process in psutil.Process().children(recursive=True)
        if process.parent().pid != os.getpid()  # not the server that forks them
    ]
    folders = [name for name in os.listdir(dask_worker.local_directory) if name.startswith("featsieve-")]
    return [*map(str, cells), *folders]


def test_a_cell_whose_workers_die_fails():
    class Lost:
        def result(self):
            raise distributed.KilledWorker("slow-split-0", None, 3)

    client = SimpleNamespace(scheduler=None)
    answer = Cluster(client, None, Execution())._answer(Lost())
    assert answer == {"error": "4 workers of the cluster died with this cell"}


def test_a_fit_on_all_samples_is_shared_by_the_splits(tmp_path):
    plan = Plan(Clustering(3, n_starts=1), sizes=[1, 4], draws=3)
    with threads_of_this_process(tmp_path):
        there = compare(X, y, ["laplacian"], plan)
    here = compare(X, y, ["laplacian"], plan)
    assert without_times(there.cells) == without_times(here.cells)
    seconds = {cell.seconds for cell in there.cells if cell.method == "laplacian" and cell.split >= 0}
    assert len(seconds) < 3


def test_workers_must_have_the_same_versions(tmp_path, monkeypatch):
    found = remote.installed_versions

    def other_numpy(modules):
        is_client = threading.current_thread() is threading.main_thread()
        return found(modules) | ({"numpy": "1.0"} if is_client else {})

    monkeypatch.setattr(remote, "installed_versions", other_numpy)
    message = rf"has numpy {np.__version__} instead of 1.0. Install the same"
    with threads_of_this_process(tmp_path), pytest.raises(ValueError, match=message):
        compare(X, y, "fisher", PLAN)


@pytest.mark.slow
def test_the_store_keeps_finished_results_if_the_scheduler_dies(tmp_path, here):
    store = tmp_path / "s.sqlite"
    with real_cluster(tmp_path, 1) as (cluster, _):
        execution = Execution(store, progress=AfterCells(5, cluster.scheduler.kill))
        message = (
            rf"connection to the Dask scheduler tcp://.* was lost. Finished results are saved in {store}"
        )
        with pytest.raises(ConnectionError, match=message):
            compare(X, y, METHODS, PLAN, execution)
        with Store(store) as stored:
            (run_id,) = stored.runs()
            n_cells = len(stored.cells(run_id))
        assert 5 <= n_cells < len(here)
        wait_for(lambda: not is_alive(cluster.workers[0]))  # its processes end too
    resumed = AfterCells(0, None)
    there = compare(X, y, METHODS, PLAN, Execution(store, n_jobs=2, progress=resumed))
    assert len(resumed.cells) == len(here) - n_cells
    assert without_times(there.cells) == here


@pytest.mark.slow
def test_results_are_those_of_this_machine(workers, here):
    _, client = workers
    there = compare(X, y, METHODS, PLAN)
    assert without_times(there.cells) == here
    names = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    expected = {f"{label}-{part}" for label in METHODS for part in ("split", "all-samples")}
    assert {*names} >= expected | {"random-split", "all-split", "featsieve-data"}
    wait_for(lambda: not any(client.run(remains).values()))


@pytest.mark.slow
def test_failures_and_timeouts_belong_to_their_cells(some_workers):
    methods = {"crash": Slow(0, crash=True), "hang": Slow(600), "fisher": "fisher"}
    plan = replace(PLAN, protocol=RepeatedSplits(1))
    comparison = compare(X, y, methods, plan, Execution(timeout=5))
    cells = {cell.method: cell for cell in comparison.cells if cell.split == 0}
    assert (cells["hang"].status, cells["hang"].error) == ("timeout", "stopped after 5 seconds")
    assert cells["crash"].error == "the process died (killed, possibly because memory ran out)"
    assert cells["fisher"].status == "ok"
    assert all(worker.poll() is None for worker in some_workers[0].workers)


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(workers, here):
    cluster, client = workers
    kill = AfterCells(8, lambda: cluster.workers[0].kill())
    there = compare(X, y, METHODS, PLAN, Execution(progress=kill))
    assert without_times(there.cells) == without_times(kill.cells) == here
    assert cluster.workers[0].wait(60) == -signal.SIGKILL
    assert len(client.nthreads()) == 2


@pytest.mark.slow
def test_the_data_is_sent_again_if_all_workers_died(some_workers, here):
    cluster, client = some_workers

    def replace_all():
        for worker in cluster.workers:
            worker.kill()
            worker.wait()
        wait_for(lambda: not client.nthreads())
        cluster.start_workers(client, 1)

    there = compare(X, y, METHODS, PLAN, Execution(progress=AfterCells(8, replace_all)))
    assert without_times(there.cells) == here


@pytest.mark.slow
def test_an_interrupt_stops_the_cells(some_workers):
    _, client = some_workers

    def interrupt():
        wait_for(lambda: all(client.run(remains).values()))  # all workers compute
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(X, y, {"hang": Slow(600)}, PLAN, Execution(progress=AfterCells(8, interrupt)))
    wait_for(lambda: not any(client.run(remains).values()))


CLIENT = """
import sys
from distributed import Client
from evaluation.test_cluster import PLAN, Slow, X, y
from featsieve.evaluation import Execution, compare

with Client(scheduler_file=sys.argv[1]):
    progress = lambda cell, total: print(cell.method, flush=True)
    compare(X, y, {"slow": Slow(1)}, PLAN, Execution(progress=progress))
"""


@pytest.mark.slow
def test_a_client_that_dies_leaves_nothing_behind(some_workers, tmp_path):
    cluster, client = some_workers
    script = tmp_path / "script.py"
    script.write_text(CLIENT)
    with cluster.popen(script, cluster.file, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        assert any(client.run(remains).values())
        process.kill()
    wait_for(lambda: not any(client.run(remains).values()))
