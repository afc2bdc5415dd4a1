import pytest
from literal import lle as ll
from numpy.testing import assert_allclose

from featsieve import KNNGraph, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("k", [1, 2, 5, 9])
@pytest.mark.parametrize("reg", [1e-5, 0.1])
def test_score_matches_literal(data, k, reg):
    X, _ = data
    assert_allclose(scores.lle_score(X, KNNGraph(k), k, reg), ll.lle(X, k, reg), **TIGHT)
