from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


def test_score_matches_literal(data):
    X, y = data
    assert_allclose(scores.chi_square_score(abs(X), y), ls.chi_square(abs(X), y), **TIGHT)
