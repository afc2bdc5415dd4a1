import numpy as np
import pytest
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("k", [1, 3, 10])
def test_score_matches_literal(data, k):
    X, y = data
    X = np.column_stack([X, np.ones(len(X))])
    y = y.copy()
    y[0] = 7  # a class of one
    assert_allclose(scores.relieff_score(X, y, k), ls.relieff(X, y, k), **TIGHT)


def test_numeric_target_is_found_by_its_difference_between_neighbors():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 6))
    y = X[:, 1] + np.abs(X[:, 4] - 0.5)  # the second term is not correlated with the feature
    score = scores.relieff_score(X, y, target="numeric")
    assert set(np.argsort(-score)[:2]) == {1, 4}
    assert scores.pearson_score(X, np.abs(X[:, 4] - 0.5))[4] < 0.15
    assert_allclose(scores.relieff_score(X, y), score)
    # neither the unit nor the direction of the target matters
    assert_allclose(scores.relieff_score(X, 7 - 1e5 * y), score, rtol=1e-7, atol=1e-12)


def test_the_type_of_the_target_can_be_set(data):
    X, y = data
    numeric = scores.relieff_score(X, y, target="numeric")
    assert np.abs(numeric - scores.relieff_score(X, y)).max() > 1e-3
    with pytest.raises(ValueError, match="at least two values"):
        scores.relieff_score(X, np.full(len(X), 0.5))
