"""Methods of a comparison: labels, parameters, groups."""

from dataclasses import replace

import numpy as np
import pytest

from featsieve import IterativeScore
from featsieve.evaluation import Plan, RepeatedSplits, compare

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
