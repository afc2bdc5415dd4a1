"""Data of a comparison: a correct result, or one line that states what to do."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.feature_selection import SelectKBest, f_classif

from featsieve.evaluation import Plan, RepeatedSplits, compare
from featsieve.evaluation.data import prepare

PLAN = Plan(RepeatedSplits(3), measures=["nn"], draws=2)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_unique_labels_raise(X):
    with pytest.raises(ValueError, match="every sample has a different label"):
        compare(X, [f"sample {i}" for i in range(15)], "fisher", PLAN)


def test_numeric_labels_of_type_object(X):
    y = np.array(X[:, 0].tolist(), dtype=object)
    comparison = compare(X, y, "variance", Plan(RepeatedSplits(2), draws=2))
    assert comparison.main == ["r2", "knn_r2"]


def test_text_in_a_frame_raises(X):
    frame = pd.DataFrame({"a": X[:, 0], "b": list("xyz") * 5})
    with pytest.raises(ValueError, match=r"it has text \(.*'x'\): encode it"):
        compare(frame, np.arange(15) % 2, "fisher", PLAN)


def test_encoding_on_the_whole_table_is_noted(X, tmp_path):
    pytest.importorskip("skrub")
    from featsieve.datasets import load

    frame = pd.DataFrame({"a": X[:, 0], "color": ["red", "blue", "green"] * 5, "kind": ["p", "q", "r"] * 5})
    frame.to_csv(tmp_path / "t.csv", index=False)
    notes = compare(load(tmp_path / "t.csv", target="kind"), None, "fisher", PLAN).info["dataset"]["notes"]
    assert any("on the whole table, before any split" in note for note in notes)
    plain = load(tmp_path / "t.csv", target="kind", drop=["color"])
    notes = compare(plain, None, "fisher", PLAN).info["dataset"]["notes"]
    assert not any("whole table" in note for note in notes)


def test_class_with_a_single_sample_is_noted(X):
    notes = compare(X, ["a"] * 7 + ["b"] * 7 + ["c"], "fisher", PLAN).info["dataset"]["notes"]
    assert notes == ["1 class has a single sample, which is always in the training set."]


def test_scaling_depends_on_the_ranges(iris):
    X, y = iris
    plan = replace(PLAN, protocol=RepeatedSplits(1))
    assert not compare(X, y, "fisher", plan).info["scale"]
    comparison = compare(X * [1, 1, 1, 1000], y, "variance", plan)
    assert comparison.info["scale"]
    assert "standardized" in comparison.info["dataset"]["notes"][0]
    # variances are those of the unscaled columns; standardized columns have equal variances
    order = next(
        cell.result["order"] for cell in comparison.cells if (cell.method, cell.split) == ("variance", -1)
    )
    assert order == [3, 2, 0, 1]


def test_missing_values(iris):
    X, y = iris[0].copy(), iris[1]
    X[::7, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN or infinity in column 1: use impute=True"):
        compare(X, y, "fisher", PLAN)
    comparison = compare(X, y, "fisher", replace(PLAN, impute=True))
    assert {cell.status for cell in comparison.cells} == {"ok"}


def test_dataset_provides_names_and_labels():
    from featsieve.datasets import load

    wine = load("wine")
    comparison = compare(wine, methods="fisher", plan=replace(PLAN, protocol=RepeatedSplits(1)))
    assert comparison.info["dataset"]["name"] == "wine"
    assert comparison.info["dataset"]["feature_names"] == wine.feature_names
    assert comparison.info["scale"]


def test_sparse_data_and_selectors_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    plan = replace(PLAN, scale=False, protocol=RepeatedSplits(1))
    methods = {"kbest": SelectKBest(f_classif), "fisher": "fisher"}
    dense = compare(X, y, methods, plan)
    sparse = compare(sp.csr_array(X), y, methods, plan)
    assert dense.run_id == sparse.run_id
    ranking = dense.ranking()
    assert spearmanr(ranking["kbest"], ranking["fisher"]).statistic == pytest.approx(1)
    assert dense.info["methods"]["kbest"]["method"] is None
    assert dense.info["methods"]["kbest"]["uses_labels"]


@pytest.mark.parametrize(
    ("sizes", "note"),
    [
        ((20, 20), None),
        ((36, 4), "Class '1' has fewer than 5 samples, so its results rest on very few"),
        ((30, 5, 3, 2), "2 classes ('2', '3') have fewer than 5 samples"),
    ],
)
def test_small_classes_are_noted(sizes, note):
    y = np.repeat(np.arange(len(sizes)), sizes)
    notes = prepare(np.random.default_rng(0).standard_normal((40, 3)), y, "auto", False).info["notes"]
    assert [text.startswith(note) for text in notes] == [True] if note else notes == []


def test_numeric_target():
    X, y = load_diabetes(return_X_y=True)
    comparison = compare(X, y, "pearson", replace(PLAN, measures=None))
    assert comparison.main == ["r2", "knn_r2"]
    assert comparison.info["methods"]["pearson"]["parameters"]["target"] == "numeric"
    assert "using them as numbers" in comparison.info["dataset"]["notes"][0]
    order = next(
        cell.result["order"] for cell in comparison.cells if (cell.method, cell.split) == ("pearson", -1)
    )
    expected = np.argsort([-abs(np.corrcoef(x, y)[0, 1]) for x in X.T])
    assert order == expected.tolist()
