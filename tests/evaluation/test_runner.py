"""Comparisons: what is computed, kept, resumed; what fails is told."""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.feature_selection import SelectKBest, f_classif

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

FEW = Plan(RepeatedSplits(3), sizes=[1, 2, 4], measures=["nn"], draws=4)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def without_times(found):
    return [replace(cell, seconds=None, peak_bytes=None, finished="") for cell in found.cells]


def test_a_comparison(iris):
    X, y = iris
    found = compare(X, y, ["fisher", "laplacian"], Plan(RepeatedSplits(3), draws=20))
    assert found.labels == ["random", "all", "variance", "fisher", "laplacian"]
    assert found.complete
    assert len(found.cells) == 5 * 3 + 3
    assert {cell.status for cell in found.cells} == {"ok"}
    assert found.sizes == [1, 2, 3, 4]
    assert list(found.measures) == ["nn", "ncm", "linear", "preservation", "redundancy"]
    assert found.main == ["nn", "ncm", "linear"]
    assert found.info["dataset"]["class_counts"] == {"0": 50, "1": 50, "2": 50}
    cells = {(cell.method, cell.split): cell for cell in found.cells}
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


def test_a_cell_is_what_one_would_compute_by_hand(iris):
    X, y = iris
    found = compare(X, y, "laplacian", replace(FEW, scale=False))
    split = FEW.protocol.splits(150, y, 0)[2]
    fold = Fold(X[split.train], X[split.test], y[split.train], y[split.test])
    ranker = LaplacianScore().fit(fold.X_train)
    cell = next(cell for cell in found.cells if (cell.method, cell.split) == ("laplacian", 2))
    assert cell.result["order"] == ranker.order_.tolist()
    np.testing.assert_allclose(cell.result["scores"], ranker.scores_)
    assert cell.result["measures"]["nn"] == nearest_neighbor_curve(fold, ranker.order_, [1, 2, 4]).tolist()


def test_results(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    found = compare(frame, pd.Series(y, name="species"), "fisher", Plan(RepeatedSplits(3), draws=3))
    curves = found.frame()
    assert list(curves) == ["method", "split", "size", "measure", "value"]
    assert len(curves) == 4 * 3 * 4 * 5
    table = found.table()
    assert len(table) == 4 * 5
    assert set(table["measure"]) == set(found.measures)
    fisher = table[(table["method"] == "fisher") & (table["measure"] == "nn")].iloc[0]
    assert fisher["auc_low"] < fisher["auc"] < fisher["auc_high"]
    assert fisher["wins"] + fisher["ties"] + fisher["losses"] == fisher["splits"] == 3
    redundancy = table[table["measure"] == "redundancy"].set_index("method")
    assert redundancy.loc["fisher", "gain"] == pytest.approx(
        redundancy.loc["random", "auc"] - redundancy.loc["fisher", "auc"]
    )
    summary = found.summary()
    assert summary["gain"].dropna().is_monotonic_decreasing
    assert found.info["dataset"]["target"] == "species"
    ranking = found.ranking()
    assert sorted(ranking["fisher"]) == [1, 2, 3, 4]
    assert ranking["fisher"].idxmin() in ("c", "d")
    assert list(ranking) == ["column", "variance", "fisher", "consensus"]
    stable = found.stability()
    assert (stable[stable["size"] == 4]["value"] == 1).all()


def test_signal_beats_random_and_noise_does_not():
    random = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = random.standard_normal((120, 40))
    X[:, :3] += 1.5 * y[:, None]
    found = compare(
        X, y, {"fisher": "fisher", "junk": Backwards()}, Plan(RepeatedSplits(8), measures=["nn"], draws=8)
    )
    summary = found.summary().set_index("method")
    assert summary.loc["fisher", "outcome"] == "better"
    assert summary.loc["fisher", "verdict"].startswith("beats random by ")
    assert summary.loc["junk", "outcome"] == "worse"
    assert found.best() == "fisher"


class Backwards(BaseEstimator):
    """Ranks the last features first."""

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])[::-1]
        return self


def test_the_store_is_read_back_and_resumed(iris, tmp_path):
    X, y = iris
    store = tmp_path / "results.sqlite"
    first = compare(X, y, "fisher", FEW, Execution(store))
    again = Comparison.read(store)
    assert again.cells == first.cells
    assert again.info == first.info
    computed = []
    more = compare(X, y, ["fisher", "relieff"], FEW, Execution(store, progress=lambda *a: computed.append(a)))
    assert {cell.method for cell, _ in computed} == {"relieff"}
    assert [total for _, total in computed] == [4] * 4
    assert [cell for cell in more.cells if cell.method != "relieff"] == first.cells
    assert Comparison.read(store, more.run_id[:5]).cells == more.cells
    assert sorted(os.listdir(tmp_path)) == ["results.sqlite"]


def test_what_decides_the_results_makes_another_run(iris, tmp_path):
    X, y = iris
    store = Execution(tmp_path / "s.sqlite")
    plan = replace(FEW, protocol=RepeatedSplits(1))
    runs = [
        compare(X, y, "fisher", each, store).run_id
        for each in (plan, plan, replace(plan, seed=1), replace(plan, scale=True), replace(plan, sizes=[1]))
    ]
    assert runs[0] == runs[1]
    assert len(set(runs)) == 4
    assert compare(X * 2, y, "fisher", plan, store).run_id not in runs
    assert Comparison.read(tmp_path / "s.sqlite").run_id not in runs
    with pytest.raises(ValueError, match="has no run 'zzz'"):
        Comparison.read(tmp_path / "s.sqlite", "zzz")


def test_a_label_stands_for_one_thing(iris, tmp_path):
    X, y = iris
    plan, store = replace(FEW, protocol=RepeatedSplits(1)), Execution(tmp_path / "s.sqlite")
    compare(X, y, {"mine": LaplacianScore()}, plan, store)
    with pytest.raises(
        ValueError, match=r"'mine' with other parameters .*n_features_to_select=None in the store, now 2"
    ):
        compare(X, y, {"mine": LaplacianScore(n_features_to_select=2)}, plan, store)


def test_workers_change_no_result(iris):
    X, y = iris
    one, two = (compare(X, y, ["relieff", "mcfs"], FEW, Execution(n_jobs=n)) for n in (1, 2))
    for a, b in zip(without_times(one), without_times(two), strict=True):
        assert (a.method, a.split, a.result["order"], a.result["measures"]) == (
            b.method,
            b.split,
            b.result["order"],
            b.result["measures"],
        )


class Trouble(BaseEstimator):
    """Ends in the way it is told to."""

    def __init__(self, kind):
        self.kind = kind

    def fit(self, X, y=None):
        self.order_ = np.arange(X.shape[1])
        if X.shape[1] == 5:  # when it is tried out
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

            warnings.warn("mind the gap", stacklevel=1)
        return self


def test_failures_and_timeouts_are_kept(iris, tmp_path):
    X, y = iris
    plan = replace(FEW, protocol=RepeatedSplits(1))
    methods = {kind: Trouble(kind) for kind in ("error", "slow", "crash", "order", "warning")}
    execution = Execution(tmp_path / "s.sqlite", n_jobs=2, timeout=5)
    found = compare(X, y, methods | {"needs y": "fisher"}, plan, execution)
    cells = {cell.method: cell for cell in found.cells if cell.split == 0}
    assert (cells["error"].status, cells["error"].error) == ("failed", "RuntimeError: no luck")
    assert (cells["slow"].status, cells["slow"].error) == ("timeout", "stopped after 5 seconds")
    assert cells["crash"].status == "failed"
    assert "the process died (signal 11)" in cells["crash"].error
    assert "does not rank each of the 4 features once" in cells["order"].error
    assert cells["warning"].result["warnings"] == ["mind the gap"]
    assert cells["needs y"].status == "ok"
    assert found.complete
    summary = found.summary().set_index("method")
    assert summary.loc["error", "verdict"] == "failed: RuntimeError: no luck"
    assert summary.loc["slow", "outcome"] == "failed"

    computed = []
    again = replace(execution, progress=lambda cell, total: computed.append(cell.method))
    compare(X, y, {"error": methods["error"]}, plan, again)
    assert computed == []
    compare(X, y, {"error": methods["error"]}, plan, replace(again, retry=True))
    assert computed == ["error", "error"]


def test_without_labels(iris):
    found = compare(iris[0], None, ["laplacian", "fisher"], replace(FEW, measures=None))
    assert list(found.measures) == ["preservation", "redundancy"]
    assert found.main == ["preservation"]
    assert found.errors("fisher") == ["this method needs labels, and there are none."]
    assert found.info["dataset"]["n_classes"] is None
    ranked = compare(iris[0], None, None, replace(FEW, measures=["redundancy"], protocol=RepeatedSplits(1)))
    assert "fisher" not in ranked.labels
    assert "laplacian" in ranked.labels


def test_numbers_as_targets():
    X, y = load_diabetes(return_X_y=True)
    found = compare(X, y, "pearson", replace(FEW, measures=None))
    assert found.main == ["r2", "knn_r2"]
    assert found.info["methods"]["pearson"]["parameters"]["target"] == "numeric"
    assert "using them as numbers" in found.info["dataset"]["notes"][0]
    order = next(cell.result["order"] for cell in found.cells if (cell.method, cell.split) == ("pearson", -1))
    expected = np.argsort([-abs(np.corrcoef(x, y)[0, 1]) for x in X.T])
    assert order == expected.tolist()


def test_clustering_is_marked(iris):
    X, y = iris
    plan = Plan(Clustering(2, 2), sizes=[1, 4], measures=["acc", "nmi", "ari"], draws=4)
    found = compare(X, y, "laplacian", plan)
    assert found.info["protocol"]["transductive"]
    assert not found.info["protocol"]["sees_labels"]
    assert found.info["draws"] == 2
    assert compare(X, y, "fisher", plan).info["protocol"]["sees_labels"]
    cells = {(cell.method, cell.split): cell.result for cell in found.cells}
    assert cells["laplacian", 0]["order"] == cells["laplacian", 1]["order"]
    assert cells["all", 0]["measures"]["acc"][0] == pytest.approx(0.89, abs=0.03)
    with pytest.raises(ValueError, match="pass labels"):
        compare(X, None, "laplacian", Plan(Clustering(2)))


class Counted(BaseEstimator):
    """Leaves a file for every fit; ranks at random where it has a seed."""

    def __init__(self, folder=None, seeded=False, random_state=None):
        self.folder, self.seeded, self.random_state = folder, seeded, random_state

    def get_params(self, deep=True):
        parameters = super().get_params(deep)
        return parameters if self.seeded else {k: v for k, v in parameters.items() if k != "random_state"}

    def fit(self, X, y=None):
        (self.folder / f"{self.seeded}-{len(X)}-{time.time_ns()}").touch()
        self.ranking_ = np.random.default_rng(self.random_state).permutation(X.shape[1]) + 1
        return self


def test_where_splits_share_their_training_part_one_fit_does(iris, tmp_path):
    plan = Plan(Clustering(4, 1), sizes=[1, 4], measures=["acc"], draws=4)
    methods = {"same": Counted(tmp_path), "other": Counted(tmp_path, seeded=True)}
    found = compare(*iris, methods, plan, Execution(n_jobs=1))
    assert {cell.status for cell in found.cells} == {"ok"}
    fits = [file.name.rsplit("-", 1)[0] for file in tmp_path.iterdir()]  # some on little data, as a trial
    assert (fits.count("False-150"), fits.count("True-150")) == (1, 5)
    same = [cell for cell in found.cells if cell.method == "same"]
    assert len({(cell.seconds, *cell.result["order"]) for cell in same}) == 1
    assert len({tuple(cell.result["order"]) for cell in found.cells if cell.method == "other"}) > 1


def test_folds(iris):
    found = compare(*iris, "fisher", replace(FEW, protocol=RepeatedFolds(3, 1)))
    assert {cell.split for cell in found.cells} == {-1, 0, 1, 2}


def test_units_decide_on_scaling(iris):
    X, y = iris
    plan = replace(FEW, protocol=RepeatedSplits(1))
    assert not compare(X, y, "fisher", plan).info["scale"]
    found = compare(X * [1, 1, 1, 1000], y, "variance", plan)
    assert found.info["scale"]
    assert "standardized" in found.info["dataset"]["notes"][0]
    # variances are those of the columns as they are: standardized, all would be the same
    order = next(
        cell.result["order"] for cell in found.cells if (cell.method, cell.split) == ("variance", -1)
    )
    assert order == [3, 2, 0, 1]


def test_missing_values(iris):
    X, y = iris[0].copy(), iris[1]
    X[::7, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN or infinity in column 1: use impute=True"):
        compare(X, y, "fisher", FEW)
    found = compare(X, y, "fisher", replace(FEW, impute=True))
    assert {cell.status for cell in found.cells} == {"ok"}


def test_a_dataset_brings_its_own():
    from featsieve.datasets import load

    wine = load("wine")
    found = compare(wine, methods="fisher", plan=replace(FEW, protocol=RepeatedSplits(1)))
    assert found.info["dataset"]["name"] == "wine"
    assert found.info["dataset"]["feature_names"] == wine.feature_names
    assert found.info["scale"]


def test_sparse_data_and_scikit_learns_selectors():
    X, y = load_breast_cancer(return_X_y=True)
    plan = replace(FEW, scale=False, protocol=RepeatedSplits(1))
    methods = {"kbest": SelectKBest(f_classif), "fisher": "fisher"}
    dense = compare(X, y, methods, plan)
    sparse = compare(sp.csr_array(X), y, methods, plan)
    assert dense.run_id == sparse.run_id
    ranking = dense.ranking()
    assert spearmanr(ranking["kbest"], ranking["fisher"]).statistic == pytest.approx(1)
    assert dense.info["methods"]["kbest"]["method"] is None
    assert dense.info["methods"]["kbest"]["uses_labels"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda X, y: compare(X, y, "fischer"), "unknown method 'fischer'. Did you mean fisher"),
        (lambda X, y: compare(X, y, "variance+labels"), "uses no labels"),
        (lambda X, y: compare(X, y, {"random": LaplacianScore()}), "'random' is taken"),
        (lambda X, y: compare(X, y, [3]), "names or estimators"),
        (lambda X, y: compare(X, y, LaplacianScore), "names or estimators"),
        (lambda X, y: compare(X, y, plan=Plan(sizes=[9])), "between 1 and 4"),
        (lambda X, y: compare(X, y, plan=Plan(measures=["r2"])), "`measures` must suit .* got 'r2'"),
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
def test_mistakes_are_told(iris, call, says):
    with pytest.raises(ValueError, match=says):
        call(*iris)


def test_files_that_are_no_store(tmp_path, iris):
    (tmp_path / "text").write_text("no store at all, but long enough to look like a file of some kind" * 20)
    with pytest.raises(ValueError, match="cannot be used"):
        compare(*iris, "fisher", FEW, Execution(tmp_path / "text"))
    with pytest.raises(ValueError, match="does not exist"):
        Comparison.read(tmp_path / "none")
    import sqlite3

    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t(a)")
    with pytest.raises(ValueError, match="is not a store"):
        Comparison.read(tmp_path / "other")
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match="has no runs"):
        Comparison.read(tmp_path / "empty")
