from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


def test_score_matches_literal(data):
    X, _ = data
    assert_allclose(scores.variance_score(X), ls.variance(X), **TIGHT)
