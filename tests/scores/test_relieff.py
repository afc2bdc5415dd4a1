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
