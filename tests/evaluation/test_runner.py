"""Comparisons: computed, resumed, stopped; failures are recorded."""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

from featsieve import LaplacianScore
from featsieve.evaluation import (
    Clustering,
    Comparison,
    Execution,
    Fold,
    Plan,
    RepeatedFolds,
    RepeatedSplits,
    compare,
    nearest_neighbor_curve,
)
from featsieve.evaluation.measures import choose_measures

PLAN = Plan(RepeatedSplits(3), sizes=[1, 2, 4], measures=["nn"], draws=4)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


class Trouble(BaseEstimator):
    """Estimator whose fit fails as requested."""

    def __init__(self, kind):
        self.kind = kind

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])
        if X.shape[1] == 5:  # the trial fit that determines the role of labels
            return self
        if self.kind == "error":
            raise RuntimeError("no\nluck")
        if self.kind == "slow":
            time.sleep(60)
        if self.kind == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.kind == "order":
            self.order_ = np.zeros(4, dtype=int)
        if self.kind == "warning":
            import warnings

            warnings.warn("wide gap", stacklevel=1)
        return self


class Counted(BaseEstimator):
    """Estimator that creates a file at every fit and ranks at random."""

    def __init__(self, folder=None, seeded=False, random_state=None):
        self.folder, self.seeded, self.random_state = folder, seeded, random_state

    def get_params(self, deep=True):
        parameters = super().get_params(deep)
        return parameters if self.seeded else {k: v for k, v in parameters.items() if k != "random_state"}

    def fit(self, X, y=None):
        (self.folder / f"{self.seeded}-{len(X)}-{time.time_ns()}").touch()
        self.ranking_ = np.random.default_rng(self.random_state).permutation(X.shape[1]) + 1
        return self


def without_times(comparison):
    return [replace(cell, seconds=None, peak_bytes=None, finished="") for cell in comparison.cells]


def test_comparison_computes_every_cell(iris):
    X, y = iris
    comparison = compare(X, y, ["fisher", "laplacian"], Plan(RepeatedSplits(3), draws=20))
    assert comparison.labels == ["random", "all", "variance", "fisher", "laplacian"]
    assert comparison.complete
    assert len(comparison.cells) == 5 * 3 + 3
    assert {cell.status for cell in comparison.cells} == {"ok"}
    assert comparison.sizes == [1, 2, 3, 4]
    measures = choose_measures(None, "classes", False)
    assert list(comparison.measures) == [measure.key for measure in measures]
    assert comparison.main == [measure.key for measure in measures if measure.main]
    assert comparison.info["dataset"]["class_counts"] == {"0": 50, "1": 50, "2": 50}
    cells = {(cell.method, cell.split): cell for cell in comparison.cells}
    drawn = cells["random", 0].result
    assert np.shape(drawn["draws"]["nn"]) == (20, 4)
    np.testing.assert_allclose(np.mean(drawn["draws"]["nn"], axis=0), drawn["measures"]["nn"])
    everything = cells["all", 1].result["measures"]["linear"]
    assert len(everything) == 4
    assert set(everything) == {cells["fisher", 1].result["measures"]["linear"][-1]}
    assert cells["fisher", -1].result["measures"] == {}
    assert cells["fisher", -1].result["n_train"] == 150
    assert cells["fisher", 0].result["n_train"] == cells["fisher", 0].result["n_test"] == 75
    assert cells["fisher", 0].seconds > 0


def test_cell_equals_direct_computation(iris):
    X, y = iris
    comparison = compare(X, y, "laplacian", replace(PLAN, scale=False))
    split = PLAN.protocol.splits(150, y, 0)[2]
    fold = Fold(X[split.train], X[split.test], y[split.train], y[split.test])
    ranker = LaplacianScore().fit(fold.X_train)
    cell = next(cell for cell in comparison.cells if (cell.method, cell.split) == ("laplacian", 2))
    assert cell.result["order"] == ranker.order_.tolist()
    np.testing.assert_allclose(cell.result["scores"], ranker.scores_)
    assert cell.result["measures"]["nn"] == nearest_neighbor_curve(fold, ranker.order_, [1, 2, 4]).tolist()


def test_settings_that_change_results_start_another_run(iris, tmp_path):
    X, y = iris
    store = Execution(tmp_path / "s.sqlite")
    plan = replace(PLAN, protocol=RepeatedSplits(1))
    runs = [
        compare(X, y, "fisher", settings, store).run_id
        for settings in (
            plan,
            plan,
            replace(plan, seed=1),
            replace(plan, scale=True),
            replace(plan, sizes=[1]),
        )
    ]
    assert runs[0] == runs[1]
    assert len(set(runs)) == 4
    assert compare(X * 2, y, "fisher", plan, store).run_id not in runs
    assert Comparison.read(tmp_path / "s.sqlite").run_id not in runs
    with pytest.raises(ValueError, match="has no run 'zzz'"):
        Comparison.read(tmp_path / "s.sqlite", "zzz")


def test_results_do_not_depend_on_the_number_of_jobs(iris):
    X, y = iris
    one, two = (compare(X, y, ["relieff", "mcfs"], PLAN, Execution(n_jobs=n)) for n in (1, 2))
    for a, b in zip(without_times(one), without_times(two), strict=True):
        assert (a.method, a.split, a.result["order"], a.result["measures"]) == (
            b.method,
            b.split,
            b.result["order"],
            b.result["measures"],
        )


@pytest.mark.slow
def test_failures_and_timeouts_are_stored(iris, tmp_path):
    X, y = iris
    plan = replace(PLAN, protocol=RepeatedSplits(1))
    methods = {kind: Trouble(kind) for kind in ("error", "slow", "crash", "order", "warning")}
    execution = Execution(tmp_path / "s.sqlite", n_jobs=2, timeout=5)
    comparison = compare(X, y, methods | {"needs y": "fisher"}, plan, execution)
    cells = {cell.method: cell for cell in comparison.cells if cell.split == 0}
    assert (cells["error"].status, cells["error"].error) == ("failed", "RuntimeError: no luck")
    assert (cells["slow"].status, cells["slow"].error) == ("timeout", "stopped after 5 seconds")
    assert cells["crash"].status == "failed"
    assert "the process died (signal 11)" in cells["crash"].error
    assert "does not rank each of the 4 features once" in cells["order"].error
    assert cells["warning"].result["warnings"] == ["wide gap"]
    assert cells["needs y"].status == "ok"
    assert comparison.complete
    summary = comparison.summary().set_index("method")
    assert summary.loc["error", "verdict"] == "failed: RuntimeError: no luck"
    assert summary.loc["slow", "outcome"] == "failed"

    computed = []
    again = replace(execution, progress=lambda cell, total: computed.append(cell.method))
    compare(X, y, {"error": methods["error"]}, plan, again)
    assert computed == []
    compare(X, y, {"error": methods["error"]}, plan, replace(again, retry=True))
    assert computed == ["error", "error"]


def test_comparison_without_labels(iris):
    comparison = compare(iris[0], None, ["laplacian", "fisher"], replace(PLAN, measures=None))
    assert list(comparison.measures) == ["preservation", "redundancy"]
    assert comparison.main == ["preservation"]
    assert comparison.errors("fisher") == ["this method needs labels, and there are none."]
    assert comparison.info["dataset"]["n_classes"] is None
    ranked = compare(iris[0], None, None, replace(PLAN, measures=["redundancy"], protocol=RepeatedSplits(1)))
    assert "fisher" not in ranked.labels
    assert "laplacian" in ranked.labels


def test_clustering_is_transductive(iris):
    X, y = iris
    plan = Plan(Clustering(2, 2), sizes=[1, 4], measures=["acc", "nmi", "ari"], draws=4)
    comparison = compare(X, y, "laplacian", plan)
    assert comparison.info["protocol"]["transductive"]
    assert not comparison.info["protocol"]["sees_labels"]
    assert comparison.info["draws"] == 2
    assert compare(X, y, "fisher", plan).info["protocol"]["sees_labels"]
    cells = {(cell.method, cell.split): cell.result for cell in comparison.cells}
    assert cells["laplacian", 0]["order"] == cells["laplacian", 1]["order"]
    assert cells["all", 0]["measures"]["acc"][0] == pytest.approx(0.89, abs=0.03)
    with pytest.raises(ValueError, match="pass labels"):
        compare(X, None, "laplacian", Plan(Clustering(2)))


def test_splits_with_the_same_training_set_share_a_fit(iris, tmp_path):
    plan = Plan(Clustering(4, 1), sizes=[1, 4], measures=["acc"], draws=4)
    methods = {"same": Counted(tmp_path), "other": Counted(tmp_path, seeded=True)}
    comparison = compare(*iris, methods, plan, Execution(n_jobs=1))
    assert {cell.status for cell in comparison.cells} == {"ok"}
    fits = [file.name.rsplit("-", 1)[0] for file in tmp_path.iterdir()]  # the trial fits have fewer samples
    assert (fits.count("False-150"), fits.count("True-150")) == (1, 5)
    same = [cell for cell in comparison.cells if cell.method == "same"]
    assert len({(cell.seconds, *cell.result["order"]) for cell in same}) == 1
    assert len({tuple(cell.result["order"]) for cell in comparison.cells if cell.method == "other"}) > 1


def test_comparison_by_folds(iris):
    comparison = compare(*iris, "fisher", replace(PLAN, protocol=RepeatedFolds(3, 1)))
    assert {cell.split for cell in comparison.cells} == {-1, 0, 1, 2}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: compare(X, y, "fischer"), "unknown method 'fischer'. Did you mean fisher"),
        (lambda X, y: compare(X, y, "variance+labels"), "uses no labels"),
        (lambda X, y: compare(X, y, {"random": LaplacianScore()}), "'random' is taken"),
        (lambda X, y: compare(X, y, [3]), "names or estimators"),
        (lambda X, y: compare(X, y, LaplacianScore), "names or estimators"),
        (lambda X, y: compare(X, y, plan=Plan(sizes=[9])), "between 1 and 4"),
        (lambda X, y: compare(X, y, plan=Plan(measures=["r2"])), "`measures` must be among .* got 'r2'"),
        (lambda X, y: compare(X, y[:5]), "inconsistent numbers"),
        (lambda X, y: compare(X, np.zeros(150)), "the same label"),
        (lambda X, y: compare(X, [None, *y[1:]]), "no missing labels, but 1 are"),
        (lambda X, y: compare(X, [f"c{v}" for v in y], plan=Plan(target="numeric")), "not numbers"),
        (lambda X, y: compare(X, y, execution=Execution("/no/such/folder/s.sqlite")), "no folder"),
        (lambda X, y: Plan(scale="yes"), "scale"),
        (lambda X, y: Plan(seed=-1), "seed"),
        (lambda X, y: Plan(draws=0), "draws"),
        (lambda X, y: Execution(timeout=0), "timeout"),
        (lambda X, y: Execution(n_jobs=0), "n_jobs"),
    ],
)
def test_invalid_arguments_raise(iris, call, message):
    with pytest.raises(ValueError, match=message):
        call(*iris)


def test_infinite_timeout(iris):
    comparison = compare(*iris, "fisher", PLAN, Execution(timeout=float("inf")))
    assert {cell.status for cell in comparison.cells} == {"ok"}
