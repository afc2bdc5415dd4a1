from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


def test_class_target_matches_literal(data):
    X, y = data
    assert_allclose(scores.pearson_score(X, y), ls.pearson(X, y), **TIGHT)
    assert_allclose(scores.pearson_score(X, y > 0), ls.pearson(X, y > 0), **TIGHT)


def test_numeric_target_matches_literal(data):
    X, y = data
    target = X[:, 0] * y + 0.5
    assert_allclose(scores.pearson_score(X, target), ls.pearson(X, target), **TIGHT)
