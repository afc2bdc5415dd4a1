"""Labels and values of the test set never reach a method."""

import time
from dataclasses import replace

import joblib
import numpy as np
import pytest

from featsieve.evaluation import MEASURES, Measure, Plan, RepeatedSplits, SeenSplits, compare
from featsieve.evaluation.candidates import RANDOM, choose_candidates
from featsieve.evaluation.protocols import Split
from featsieve.evaluation.worker import Cells, Setting, Task
from featsieve.graphs import neighbors
from featsieve.registry import methods

SIZES, ACCURACIES = [1, 2, 5, 12], [MEASURES[key] for key in ("nn", "ncm", "linear")]


CANDIDATES = {candidate.label: candidate for candidate in choose_candidates("all", labeled=True)}


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Setting with features that are independent of the labels, and splits."""
    random = np.random.default_rng(3)
    X, y = np.abs(random.standard_normal((120, 50))), np.arange(120) % 2
    file = str(tmp_path_factory.mktemp("data") / "noise.joblib")
    joblib.dump((X, y), file)
    return Setting(file, SIZES, ACCURACIES, False, False, 2, 1, 0), RepeatedSplits(5).splits(120, y, 0)


def accuracy(setting, candidate, splits):
    cells = Cells(setting)
    measures = [
        cells.compute(Task(candidate, number, split))["result"]["measures"]
        for number, split in enumerate(splits)
    ]
    return np.mean([list(curves.values()) for curves in measures])


def test_every_method_is_tested():
    assert {method.name for method in methods()} <= set(CANDIDATES)
    assert any(candidate.uses_labels for candidate in CANDIDATES.values())


@pytest.mark.parametrize("label", CANDIDATES)
def test_accuracy_on_noise_is_chance(noise, label):
    assert accuracy(noise[0], CANDIDATES[label], noise[1]) == pytest.approx(0.5, abs=0.06)


def test_accuracy_on_noise_detects_a_leak(noise):
    setting, splits = noise
    leaky = [Split(np.r_[split.train, split.test], split.test) for split in splits]
    assert accuracy(setting, CANDIDATES["fisher"], leaky) > 0.6


@pytest.mark.parametrize("label", [label for label in CANDIDATES if label not in (RANDOM, "all")])
def test_order_does_not_depend_on_the_test_set(tmp_path, label):
    random = np.random.default_rng(0)
    X, y = random.random((60, 8)) * 10.0 ** np.arange(8), np.arange(60) % 3
    X[random.random(X.shape) < 0.05] = np.nan
    split = RepeatedSplits(1).splits(60, y, 0)[0]
    other, labels = X.copy(), y.copy()
    other[split.test] = random.random((30, 8)) * 1000
    labels[split.test] = random.permutation(labels[split.test])
    results = []
    for name, data in (("a", (X, y)), ("b", (other, labels))):
        joblib.dump(data, tmp_path / name)
        setting = Setting(str(tmp_path / name), [1], [MEASURES["nn"]], True, True, 1, 1, 0)
        results.append(Cells(setting).compute(Task(CANDIDATES[label], 0, split))["result"])
    assert results[0]["order"] == results[1]["order"]
    np.testing.assert_array_equal(results[0]["scores"], results[1]["scores"])


def test_methods_share_neighbor_lists_and_are_charged_for_them(noise, monkeypatch):
    searches = []

    def search(X, n_neighbors, *rest):
        searches.append((X.shape, n_neighbors))
        time.sleep(0.2)
        return original(X, n_neighbors, *rest)

    original = neighbors._search
    monkeypatch.setattr(neighbors, "_search", search)
    setting, splits = noise
    cells = Cells(setting)
    answers = {
        (label, number): cells.compute(Task(CANDIDATES[label], number, splits[number]))
        for number in (0, 1)
        for label in ("laplacian", "lle", "mcfs", "lkr")
    }
    assert searches == [((60, 50), 5), ((60, 50), 10)] * 2
    assert min(answer["seconds"] for answer in answers.values()) > 0.2
    alone = Cells(setting).compute(Task(CANDIDATES["mcfs"], 1, splits[1]))
    assert answers["mcfs", 1]["result"] == alone["result"]


def test_all_features_are_measured_once_per_split(noise):
    setting, splits = noise
    measured = []

    def curve(fold, order, sizes):
        measured.append(sizes)
        return np.array(sizes) / 50

    setting = replace(setting, measures=[Measure("own", "own", curve)], sizes=[1, 50])
    cells = Cells(setting)
    results = [
        cells.compute(Task(CANDIDATES[label], number, splits[number]))["result"]["measures"]["own"]
        for number in (0, 1)
        for label in ("all", "fisher", "random")
    ]
    assert results == [[1, 1], [0.02, 1], [0.02, 1]] * 2
    assert measured == [[50], [1], [1], [1]] * 2


def test_seen_labels_make_results_too_good():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((80, 500)) * random.uniform(1, 50, 500), np.arange(80) % 2
    options = {"sizes": [10], "measures": ["nn"], "scale": True, "draws": 3}
    seen = compare(X, y, ["fisher"], Plan(SeenSplits(5), **options))
    held = compare(X, y, ["fisher"], Plan(RepeatedSplits(5), **options))
    assert seen.info["protocol"]["sees_labels"]
    assert "chosen on all samples" in seen.info["protocol"]["description"]
    assert seen.info["draws"] == 3
    assert seen.test_ratio() == held.test_ratio() == 1
    assert seen.stability().empty
    assert len({tuple(cell.result["order"]) for cell in seen.cells if cell.method == "fisher"}) == 1
    too_good, fair = (
        np.mean(
            [c.result["measures"]["nn"] for c in comparison.cells if c.method == "fisher" and c.split >= 0]
        )
        for comparison in (seen, held)
    )
    assert too_good > 0.65
    assert fair == pytest.approx(0.5, abs=0.1)
    random_curves = [
        [cell.result["measures"] for cell in comparison.cells if cell.method == "random"]
        for comparison in (seen, held)
    ]
    assert random_curves[0] == random_curves[1]
