"""Running experiments: what is computed and what is read from the store."""

import numpy as np
import pytest

from featsieve import LaplacianScore
from featsieve.evaluation import (
    Clustering,
    Comparison,
    Execution,
    Plan,
    RepeatedFolds,
    RepeatedSplits,
    Store,
    compare,
)
from featsieve.reproduction.protocols import LeadingSamples
from featsieve.reproduction.schema import Computation, Experiment, Run
from featsieve.reproduction.session import Session, count_repeats


def make_plan():
    return Plan(RepeatedSplits(2), sizes=[1, 2], measures=["nn"], draws=2)


@pytest.mark.slow
def test_rankings_of_all_samples_are_optional(data, tmp_path):
    X, y = data
    store = tmp_path / "s.sqlite"
    without_ranking = compare(X, y, ["fisher"], make_plan(), Execution(store, ranking=False))
    assert {cell.split for cell in without_ranking.cells} == {0, 1}
    assert without_ranking.complete
    assert without_ranking.orders() == {}
    with_ranking = compare(X, y, ["fisher"], make_plan(), Execution(store))
    assert with_ranking.run_id == without_ranking.run_id
    assert with_ranking.complete
    assert list(with_ranking.orders()) == ["variance", "fisher"]


@pytest.mark.parametrize(("ranking", "removed"), [(True, -1), (True, 0), (False, 1)])
def test_comparison_without_a_cell_is_incomplete(data, ranking, removed):
    X, y = data
    comparison = compare(X, y, ["fisher"], make_plan(), Execution(ranking=ranking))
    assert comparison.complete
    rest = [cell for cell in comparison.cells if (cell.method, cell.split) != ("fisher", removed)]
    assert not Comparison(comparison.run_id, comparison.info, rest).complete


def test_session_fits_only_on_splits_and_counts_repeats(tmp_path):
    run = Run(
        key="x",
        dataset="iris",
        methods={"laplacian": LaplacianScore()},
        protocol=RepeatedFolds(3, 2),
        measures=("nn",),
        sizes=(1, 2),
    )
    result = Session(tmp_path / "s.sqlite", n_jobs=1).run(run)
    assert result.repeats == (2, "round")
    assert result.n_features == 4
    with Store(tmp_path / "s.sqlite") as store:
        assert min(cell.split for cell in store.cells(result.info["run"])) == 0


def test_damaged_file_is_reported_and_other_runs_continue(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    (tmp_path / "sonar.csv").write_text("a,b,target\n")
    runs = tuple(
        Run(
            key=name,
            dataset=name,
            methods={"laplacian": LaplacianScore()},
            protocol=RepeatedSplits(1),
            measures=("nn",),
            sizes=(1, 2),
        )
        for name in ("sonar", "iris")
    )
    experiment = Experiment(key="figure-1", title="", runs=runs, rows=(), measures=("nn",))
    outcome = Session(n_jobs=1).run_experiment(experiment)
    assert "no rows" in outcome.missing["sonar"]
    assert list(outcome.results) == ["iris"]


@pytest.mark.parametrize(
    ("protocol", "n_samples", "repeats"),
    [
        (RepeatedFolds(10, 5), 100, (5, "round")),
        (RepeatedSplits(7), 100, (7, "split")),
        (Clustering(4, 3), 100, (4, "clustering")),
        (LeadingSamples(60000), 70000, (10, "split")),
        (LeadingSamples(5000), 6000, (1, "split")),
        (LeadingSamples(30, per_class=True), 150, (1, "split")),
    ],
)
def test_repeats_are_independent(protocol, n_samples, repeats):
    assert count_repeats(protocol, n_samples) == repeats


def random_cost(X, y, seed):
    return {"a": {"cost": float(np.random.default_rng(seed).random())}}


def test_interrupted_computation_is_repeated(tmp_path):
    run = Computation(key="x", dataset=None, function=random_cost, parameters={"seed": 3})
    first = Session(tmp_path / "s.sqlite").run(run)
    assert first.info["seed"] == 3
    with Store(tmp_path / "s.sqlite") as store:
        store._execute("DELETE FROM cells", ())  # as if killed between the two writes
    assert Session(tmp_path / "s.sqlite").run(run).values == first.values
