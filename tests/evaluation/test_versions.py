"""Results are identified by the hash of the source that they depend on."""

import shutil

import pytest
from sklearn.datasets import load_iris

import featsieve
from featsieve import FisherScore, LaplacianScore
from featsieve.evaluation import (
    Clustering,
    Comparison,
    Execution,
    Measure,
    Plan,
    RepeatedSplits,
    compare,
    source_hash,
    versions,
    worker,
)
from featsieve.evaluation.measures import MEASURES
from featsieve.scores import fisher_score

PLAN = Plan(RepeatedSplits(2), sizes=[1], measures=["nn"], draws=1)


@pytest.fixture
def edit(tmp_path, monkeypatch):
    """Use a copy of the package; return a function that changes one file in another copy and uses that."""
    copies = iter(range(100))

    def use_copy():
        copy = tmp_path / str(next(copies)) / "featsieve"
        shutil.copytree(versions.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(versions, "PACKAGE", copy)
        return copy

    def edit(file, text="\nCHANGED = True\n"):
        with (use_copy() / file).open("a") as source:
            source.write(text)

    use_copy()
    return edit


def run_sources():
    """Hashes of a run of the Laplacian score: of worker, protocol and measure, and of the method."""
    curve = MEASURES["nn"].curve
    return source_hash(worker, RepeatedSplits(), curve), source_hash(LaplacianScore())


@pytest.mark.parametrize(
    "file",
    [
        "evaluation/worker.py",
        "evaluation/protocols.py",
        "evaluation/folds.py",
        "evaluation/measures/classification.py",
        "engines/blocks.py",
    ],
)
def test_change_of_worker_protocol_or_measure_changes_the_run(edit, file):
    before = run_sources()
    edit(file)
    assert run_sources()[0] != before[0]


@pytest.mark.parametrize(
    "file", ["scores/laplacian.py", "graphs/knn.py", "selectors.py", "engines/blocks.py"]
)
def test_change_of_a_module_that_the_method_imports_changes_the_method(edit, file):
    before = run_sources()
    edit(file)
    assert run_sources()[1] != before[1]


@pytest.mark.parametrize(
    "file",
    [
        "cli/compare.py",
        "report/summarize.py",
        "scores/fisher.py",
        "subsets/mcfs.py",
        "evaluation/results.py",
        "evaluation/measures/clustering.py",
    ],
)
def test_change_of_a_module_that_the_run_does_not_import_changes_nothing(edit, file):
    before = run_sources()
    edit(file)
    assert run_sources() == before


def test_imports_inside_functions_and_through_packages_are_followed(edit):
    before = source_hash(FisherScore)
    edit("scores/fisher.py", "\ndef late():\n    from featsieve.graphs import KNNGraph\n")
    imported = source_hash(FisherScore)
    edit("graphs/knn.py")
    changed = source_hash(FisherScore)
    edit("graphs/rbf.py")
    assert len({before, imported, changed}) == 3
    assert source_hash(FisherScore) == changed


def test_imports_for_type_checkers_are_ignored(edit):
    edit("scores/fisher.py", "\nif TYPE_CHECKING:\n    from featsieve.cli.compare import compare\n")
    before = source_hash(FisherScore)
    edit("cli/compare.py")
    assert source_hash(FisherScore) == before


def test_objects_from_outside_featsieve_are_ignored():
    assert source_hash() == source_hash(load_iris, 5, None, "text") == ""
    assert source_hash(FisherScore, load_iris) == source_hash(FisherScore()) == source_hash(fisher_score)


def test_package_without_source(tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "PACKAGE", tmp_path)
    assert source_hash(FisherScore) == "unknown"


def test_versions_contain_the_hash():
    assert versions.versions()["featsieve"] == featsieve.__version__
    assert versions.versions(worker)["featsieve"].endswith(f"(source {source_hash(worker)})")


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_changed_worker_starts_another_run(iris, tmp_path, edit):
    execution = Execution(tmp_path / "s.sqlite")
    first = compare(*iris, "fisher", PLAN, execution)
    assert compare(*iris, "fisher", PLAN, execution).run_id == first.run_id
    edit("evaluation/worker.py")
    other = compare(*iris, "fisher", PLAN, execution)
    assert other.run_id != first.run_id
    assert other.info["versions"] != first.info["versions"]


def test_changed_method_recomputes_its_cells_only(iris, tmp_path, edit):
    computed = []
    execution = Execution(tmp_path / "s.sqlite", progress=lambda cell, _: computed.append(cell.method))
    methods = ["fisher", "relieff"]
    first = compare(*iris, methods, PLAN, execution)
    edit("scores/fisher.py")
    computed.clear()
    second = compare(*iris, methods, PLAN, execution)
    assert second.run_id == first.run_id
    assert computed == ["fisher"] * 3
    sources = [{cell.source for cell in run.cells if cell.method == "fisher"} for run in (first, second)]
    assert len(sources[0] | sources[1]) == 2
    assert len(second.cells) == len(first.cells)
    assert Comparison.read(tmp_path / "s.sqlite").cells == second.cells


def test_cells_of_earlier_source_are_reused(iris, tmp_path, edit, monkeypatch):
    computed = []
    execution = Execution(tmp_path / "s.sqlite", progress=lambda cell, _: computed.append(cell))
    package = versions.PACKAGE
    first = compare(*iris, "fisher", PLAN, execution)
    edit("scores/fisher.py")
    compare(*iris, "fisher", PLAN, execution)
    monkeypatch.setattr(versions, "PACKAGE", package)
    computed.clear()
    assert compare(*iris, "fisher", PLAN, execution).cells == first.cells
    assert computed == []


def test_measures_and_protocols_of_a_run_are_hashed():
    measures = [MEASURES["nn"].curve, MEASURES["redundancy"].curve, Measure("own", "own", len).curve]
    hashes = {source_hash(measure) for measure in measures} | {source_hash(Clustering(1))}
    assert len(hashes) == 4
