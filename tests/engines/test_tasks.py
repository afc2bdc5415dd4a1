"""Tasks on a cluster of three worker processes, one of which is killed, and in this process."""

import os
import signal
import threading
import time
from operator import add

import numpy as np
import pytest
import sklearn
from evaluation.clusters import real_cluster
from numpy.testing import assert_allclose, assert_array_equal

import featsieve
from featsieve.engines.chunked import as_chunked
from featsieve.engines.tasks import (
    active_client,
    fold_chunks,
    fold_tasks,
    map_blocks,
    parallelism,
    run_tasks,
    sum_blocks,
)

da = pytest.importorskip("dask.array", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).standard_normal((60, 11)) + np.arange(11)


def test_without_a_client_this_process_works(X):
    chunked = as_chunked(da.from_array(X, chunks=(7, 3)))
    assert active_client() is None
    assert parallelism() == (1, 1)
    assert run_tasks(lambda item: 2 * item, [1, 2, 3], "double") == [2, 4, 6]
    assert fold_tasks(lambda item: 2 * item, [1, 2, 3], add, "double") == 12
    with sklearn.config_context(working_memory=0.002):
        assert len(chunked.column_blocks()) > 2
        assert_array_equal(np.hstack(map_blocks(lambda block: block, chunked, "copy")), X)
        products = sum_blocks(lambda block, columns: block @ block.T, chunked, "product")
    assert_allclose(products, X @ X.T)
    sums = fold_chunks(lambda chunk: chunk.sum(axis=0), chunked.array, add, "sum")
    assert_allclose(sums, X.sum(axis=0))


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and three workers in processes of their own, on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, memory_limit=None, dashboard_address=":0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(3, timeout=60)
        yield cluster


METHODS = ["variance", "laplacian", "lkr", "relieff"]


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_scores_of_a_cluster_are_those_of_this_process(name, cluster, X):
    method, y = featsieve.get_method(name), np.arange(60) % 3
    lazy = da.from_array(X, chunks=(25, 4))
    assert parallelism() == (9, 1)
    persisted = lazy.persist()
    assert as_chunked(persisted)._is_on_cluster
    for source in (lazy, persisted):
        model = method.make().fit(source, y)
        assert_allclose(model.scores_, method.make().fit(X, y).scores_, rtol=1e-10)


@pytest.mark.slow
def test_tasks_have_readable_names(cluster, X):
    featsieve.VarianceScore().fit(da.from_array(X, chunks=(25, 4)))
    assert {"variance", "column-statistics"} <= {
        key.split("-0")[0] for key in cluster.scheduler.task_prefixes
    }


def kill_a_worker(cluster, killed):
    """Kill a worker as soon as some tasks of a neighbor search are done and others are not."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and not killed:
        states = [
            t.state for key, t in list(cluster.scheduler.tasks.items()) if str(key).startswith("nearest")
        ]
        if "memory" in states and "processing" in states:
            pid = cluster.workers[0].pid
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        time.sleep(0.002)


@pytest.mark.slow
def test_a_neighbor_search_survives_the_death_of_a_worker(cluster):
    X = np.random.default_rng(0).standard_normal((4000, 400)).astype(np.float32)
    expected = featsieve.graphs.nearest_neighbors(X, 5)
    killed = []
    killer = threading.Thread(target=kill_a_worker, args=(cluster, killed))
    killer.start()
    found = featsieve.graphs.nearest_neighbors(da.from_array(X, chunks=(1000, -1)), 5)
    killer.join()
    assert killed
    assert_array_equal(found.indices, expected.indices)
    assert_allclose(found.distances, expected.distances, rtol=1e-10)


@pytest.mark.slow
def test_a_scheduler_that_dies_is_reported(tmp_path):
    with real_cluster(tmp_path, 1) as (cluster, _):
        timer = threading.Timer(2, cluster.scheduler.kill)
        timer.start()
        with pytest.raises(ConnectionError, match=r"Dask scheduler tcp://.* was lost. Start it again"):
            run_tasks(time.sleep, [1] * 60, "sleep")
        timer.join()
