"""Methods of a comparison: labels, parameters, groups."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve import IterativeScore
from featsieve.evaluation import Plan, RepeatedSplits, compare
from featsieve.evaluation.candidates import find_candidate, names_groups
from featsieve.registry import get_ranker

PLAN = Plan(RepeatedSplits(2), sizes=[2], measures=["nn"], draws=2, scale=False)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


def test_number_of_rounds_is_bounded():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((24, 300)), np.arange(24) % 2
    comparison = compare(X, y, ["iterative", IterativeScore(step=5)], PLAN)
    expected = IterativeScore(step=3).fit(X).order_
    assert comparison.orders()["iterative"].tolist() == expected.tolist()
    assert any("iterative drops 3 features in each round" in note for note in comparison.notes)
    assert comparison.info["methods"]["IterativeScore(step=5)"]["parameters"]["step"] == 5
    few = compare(X[:, :20], y, ["iterative"], PLAN)
    assert not any("round" in note for note in few.notes)


@pytest.mark.parametrize("label", ["column", "consensus", "all", "random", "variance"])
def test_reserved_labels_raise(X, label):
    with pytest.raises(ValueError, match=f"label '{label}' is taken"):
        compare(X, np.arange(15) % 2, {label: "fisher"}, PLAN)


def test_method_for_counts_gets_unscaled_columns(X):
    counts = np.round(np.abs(X) * [1, 10, 100])
    comparison = compare(counts, np.arange(15) % 2, "chi-square", replace(PLAN, scale=True))
    assert comparison.errors("chi-square") == []


def test_groups_are_told_from_methods():
    assert names_groups("all")
    assert names_groups(["supervised", "unsupervised"])
    assert not names_groups(["all", "fisher"])
    assert not names_groups({"all": "fisher"})
    assert not names_groups(get_ranker("fisher").make())


def test_labels_of_results_are_found():
    assert find_candidate("spfs+labels").uses_labels
    assert not find_candidate("spfs").uses_labels
    assert find_candidate("fisher+labels").label == "fisher"
    assert find_candidate("diverse:laplacian").estimator.ranker is not None
    with pytest.raises(ValueError, match=r"laplacian uses no labels: remove '\+labels'"):
        find_candidate("laplacian+labels")


@pytest.mark.parametrize("label", ["pearson", "diverse:relieff", "mcfs+labels"])
def test_kind_of_the_labels_is_set_for_nested_estimators_too(label):
    candidate = find_candidate(label)
    candidate.set_target("numeric")
    assert [candidate.parameters[name] for name in candidate.target_parameters] == ["numeric"]
    candidate.set_target("classes")  # the first choice is kept
    assert "classes" not in candidate.parameters.values()
