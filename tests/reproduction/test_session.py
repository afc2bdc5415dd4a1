"""Carrying out experiments: what is computed, what is read again, what is known of it."""

import numpy as np
import pytest

from featsieve import LaplacianScore
from featsieve.datasets import load
from featsieve.datasets.catalog import find_entry
from featsieve.datasets.errors import DataError, DataNotFoundError
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
from featsieve.papers import get_paper
from featsieve.reproduction.protocols import Leading, Published
from featsieve.reproduction.schema import Computation, Experiment, Run
from featsieve.reproduction.session import Session, _repeats


def plan():
    return Plan(RepeatedSplits(2), sizes=[1, 2], measures=["nn"], draws=2)


def test_fits_on_all_samples_can_be_left_out(data, tmp_path):
    X, y = data
    store = tmp_path / "s.sqlite"
    without = compare(X, y, ["fisher"], plan(), Execution(store, ranking=False))
    assert {cell.split for cell in without.cells} == {0, 1}
    assert without.complete
    assert without.orders() == {}
    with_them = compare(X, y, ["fisher"], plan(), Execution(store))
    assert with_them.run_id == without.run_id
    assert with_them.complete
    assert list(with_them.orders()) == ["variance", "fisher"]


@pytest.mark.parametrize(("ranking", "lost"), [(True, -1), (True, 0), (False, 1)])
def test_a_comparison_that_lacks_a_cell_is_not_complete(data, ranking, lost):
    X, y = data
    found = compare(X, y, ["fisher"], plan(), Execution(ranking=ranking))
    assert found.complete
    rest = [cell for cell in found.cells if (cell.method, cell.split) != ("fisher", lost)]
    assert not Comparison(found.run_id, found.info, rest).complete


def test_a_session_fits_for_splits_alone_and_knows_how_often(tmp_path):
    run = Run("x", "iris", {"laplacian": LaplacianScore()}, RepeatedFolds(3, 2), ("nn",), sizes=(1, 2))
    finding = Session(tmp_path / "s.sqlite", n_jobs=1).finding(run)
    assert finding.repeats == (2, "round")
    assert finding.n_features == 4
    with Store(tmp_path / "s.sqlite") as store:
        assert min(cell.split for cell in store.cells(finding.info["run"])) == 0


def test_a_damaged_file_is_told_and_the_rest_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    (tmp_path / "sonar.csv").write_text("a,b,target\n")
    common = ({"laplacian": LaplacianScore()}, RepeatedSplits(1), ("nn",))
    runs = tuple(Run(name, name, *common, sizes=(1, 2)) for name in ("sonar", "iris"))
    experiment = Experiment("figure-1", "", "figure", runs, (), ("nn",))
    outcome = Session(n_jobs=1).carry_out(experiment)
    assert "no rows" in outcome.missing["sonar"]
    assert list(outcome.findings) == ["iris"]


def test_damaged_splits_are_told_too(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    entry = find_entry("yale")
    file = tmp_path / entry.splits.format(k=5)
    with pytest.raises(DataNotFoundError):
        Published(5)(entry)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("no splits")
    with pytest.raises(DataError, match="cannot be read"):
        Published(5)(entry).splits(165, None, 0)


@pytest.mark.parametrize(
    ("protocol", "n_samples", "repeats"),
    [
        (RepeatedFolds(10, 5), 100, (5, "round")),
        (RepeatedSplits(7), 100, (7, "split")),
        (Clustering(4, 3), 100, (4, "clustering")),
        (Leading(60000), 70000, (10, "split")),
        (Leading(5000), 6000, (1, "split")),
        (Leading(30, per_class=True), 150, (1, "split")),
    ],
)
def test_repeats_are_what_is_independent(protocol, n_samples, repeats):
    assert _repeats(protocol, n_samples) == repeats


def numbers(X, y, seed):
    return {"a": {"cost": float(np.random.default_rng(seed).random())}}


def test_a_computation_that_was_cut_off_is_done_again(tmp_path):
    run = Computation("x", None, numbers, {"seed": 3})
    first = Session(tmp_path / "s.sqlite").finding(run)
    assert first.info["seed"] == 3
    with Store(tmp_path / "s.sqlite") as store:
        store._execute("DELETE FROM cells", ())  # as a kill between the two writes leaves it
    assert Session(tmp_path / "s.sqlite").finding(run).values == first.values


def test_full_forms_have_all_sizes_of_the_images():
    paper = get_paper("lle")
    for key in ("table-VI", "table-VII", "table-VIII", "table-IX", "figure-8"):
        assert all(run.sizes is None for run in paper.experiment(key).runs)


def test_dermatology_has_the_samples_of_each_paper(data_dir):
    dataset = load("dermatology")
    run = next(run for run in get_paper("iterative").experiment("figure-1").runs if run.key == "Dermatology")
    X, y = run.prepare(dataset.raw, dataset.y)
    assert X.shape == (358, 34)
    assert len(y) == 358
    assert not np.isnan(X).any()
    assert get_paper("leave-one-out").experiment("figure-1").runs[0].prepare(X, y)[0] is X
