"""Which estimators a comparison makes of the names of methods."""

import numpy as np

from featsieve import IterativeScore
from featsieve.evaluation import Plan, RepeatedSplits, compare

FEW = Plan(RepeatedSplits(2), sizes=[2], measures=["nn"], draws=2, scale=False)


def test_rounds_are_bounded_where_features_are_many():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((24, 300)), np.arange(24) % 2
    comparison = compare(X, y, ["iterative", IterativeScore(step=5)], FEW)
    expected = IterativeScore(step=3).fit(X).order_
    assert comparison.orders()["iterative"].tolist() == expected.tolist()
    assert any("iterative drops 3 features in each round" in note for note in comparison.notes)
    assert comparison.info["methods"]["IterativeScore(step=5)"]["parameters"]["step"] == 5
    few = compare(X[:, :20], y, ["iterative"], FEW)
    assert not any("round" in note for note in few.notes)
