"""Objectives of leave-one-feature-out scores: halves, clusterings, callables, estimators and workers."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from joblib import parallel_config
from literal.leave_one_out import (
    literal_accuracy,
    literal_clustering_accuracy,
    mixed,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from featsieve.evaluation import clustering_accuracy
from featsieve.subsets import LeaveOneFeatureOut, leave_one_feature_out_score
from featsieve.subsets._objectives import held_out_halves


def test_halves_are_shared_stratified_and_disjoint():
    y = np.repeat(["a", "b", "c"], [10, 6, 2])
    halves = held_out_halves(y, 5, np.random.RandomState(0))
    assert len({tuple(train) for train, _ in halves}) > 1
    for train, test in halves:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(18))
        assert [np.sum(y[train] == c) for c in "abc"] == [5, 3, 1]
        assert np.all(np.diff(train) > 0)


def test_clustering_accuracy_uses_the_best_matching():
    y = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    labels = np.array([2, 2, 0, 0, 0, 1, 1, 3])
    assert clustering_accuracy(y, labels) == literal_clustering_accuracy(y, labels) == 6 / 8


def test_callable_with_the_same_objective_has_the_same_scores():
    X, y = mixed(50, 6)
    ((train, test),) = held_out_halves(y, 1, np.random.RandomState(4))
    J = lambda Z, labels: literal_accuracy(Z, labels, train, test)  # noqa: E731
    expected = leave_one_feature_out_score(X, y, "accuracy", 1, 4)
    assert_array_equal(leave_one_feature_out_score(X, y, J, 1), expected)
    assert np.count_nonzero(expected)


def test_callable_is_called_once_per_repeat_and_feature():
    X, y = mixed(20, 4)
    calls = []

    def J(Z, labels):
        calls.append(Z.copy())
        Z[:] = 0  # must be a copy
        return len(calls)

    original = X.copy()
    repeats = leave_one_feature_out_score(X, y, J, 2)
    assert_array_equal(X, original)
    assert_array_equal(repeats, [[-2, -4, -6, -8]] * 2)
    assert_array_equal(calls[0], X)
    assert_array_equal(calls[5], np.delete(X, 1, axis=1))


def test_estimator_on_the_same_halves_has_the_same_scores():
    X, y = mixed(60, 6)
    expected = leave_one_feature_out_score(X, y, "accuracy", 3, 7)
    model = KNeighborsClassifier(1, algorithm="brute")
    assert_array_equal(leave_one_feature_out_score(X, y, model, 3, 7), expected)
    errors = leave_one_feature_out_score(
        X, y, model, 3, 7, scoring=lambda m, Z, t: -np.mean(m.predict(Z) != t)
    )
    assert_allclose(errors, expected, atol=1e-12)
    assert not hasattr(model, "classes_")


def test_regressor_with_a_scorer():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    y = X @ [0, 3.0, 0, 1.0] + 0.1 * rng.standard_normal(60)
    model = LeaveOneFeatureOut(LinearRegression(), scoring="r2", n_repeats=4, random_state=0).fit(X, y)
    assert model.order_[:2].tolist() == [1, 3]
    assert_allclose(model.scores_[[1, 3]], [0.9, 0.1], atol=0.1)


@pytest.fixture(scope="module")
def dask_processes(tmp_path_factory):
    """The active client of a worker in another process."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    options = {"threads_per_worker": 2, "dashboard_address": ":0", "memory_limit": 0}
    folder = tmp_path_factory.mktemp("dask")
    cluster = distributed.LocalCluster(n_workers=1, local_directory=folder, **options)
    with cluster, distributed.Client(cluster) as client:
        yield client


def spread_of_means(X, y):
    return float(np.ptp([X[y == c].mean() for c in np.unique(y)]))


@pytest.mark.parametrize("objective", [spread_of_means, KNeighborsClassifier(3), "accuracy", "nmi"])
def test_scores_do_not_depend_on_the_number_of_jobs(objective):
    X, y = mixed()
    one, two = (
        LeaveOneFeatureOut(objective, n_repeats=2, random_state=0, n_jobs=n).fit(X, y) for n in (None, 2)
    )
    assert_array_equal(one.scores_, two.scores_)
    assert_array_equal(one.scores_std_error_, two.scores_std_error_)
    assert np.ptp(one.scores_) > 0


@pytest.mark.parametrize("objective", [spread_of_means, KNeighborsClassifier(3)])
def test_scores_are_the_same_on_a_dask_cluster(objective, dask_processes):
    X, y = mixed()
    here = LeaveOneFeatureOut(objective, n_repeats=2, random_state=0).fit(X, y)
    with parallel_config("dask"):
        there = LeaveOneFeatureOut(objective, n_repeats=2, random_state=0).fit(X, y)
    assert_array_equal(here.scores_, there.scores_)
    assert_array_equal(here.scores_std_error_, there.scores_std_error_)
    names = dask_processes.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert any("_measure_without" in name for name in names)  # not computed here


@pytest.mark.parametrize("objective", ["accuracy", "clustering", spread_of_means])
def test_progress_is_reported(objective):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9 has no callbacks")
    steps = []

    class Listener:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            steps.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

    assert isinstance(Listener(), callback.FitCallback)
    X, y = mixed(30, 5)
    LeaveOneFeatureOut(objective, n_repeats=3, random_state=0).set_callbacks(Listener()).fit(X, y)
    expected = {"accuracy": ("held-out halves", 3), "clustering": ("features left out", 15)}
    name, count = expected.get(objective, ("features left out", 6))
    assert name in steps
    assert steps.count("step") == count + 1  # and one for the constant features


INTERRUPTED = """
    import os, signal, sys, time
    import numpy as np
    from pathlib import Path
    from featsieve.subsets.leave_one_out import LeaveOneFeatureOut

    def workers():
        processes = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                command = (folder / "cmdline").read_text()
            except (OSError, IndexError):
                continue
            if parent == os.getpid() and "popen_loky" in command:
                processes.append(folder.name)
        return processes

    def slow(X, y):
        time.sleep(0.2)
        return 0.0

    calls = []
    def interrupt(*_):
        calls.extend(workers())
        raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 4)
    X = np.random.default_rng(0).standard_normal((10, 900))
    try:
        LeaveOneFeatureOut(slow, n_repeats=1, n_jobs=2).fit(X, np.arange(10) % 2)
    except KeyboardInterrupt:
        end = time.monotonic() + 5
        while workers() and time.monotonic() < end:
            time.sleep(0.1)
        print(len(calls), "workers,", len(workers()), "left")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_interrupt_ends_all_workers():
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.stdout == "2 workers, 0 left\n", run.stdout + run.stderr
