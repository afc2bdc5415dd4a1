import pytest
from literal import graphs as lg
from literal import scores as ls
from numpy.testing import assert_allclose

from featsieve import ConstraintGraph, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("kind", ["ratio", "difference"])
def test_score_matches_literal(data, kind):
    X, y = data
    y = y.copy()
    y[::3] = -1
    must, cannot = lg.pairs_from_labels(y)
    expected = ls.constraint(X, must, cannot, kind, 0.2)
    from_labels = [ConstraintGraph(link).build(X, y) for link in ("must", "cannot")]
    assert_allclose(scores.constraint_score(X, *from_labels, kind, 0.2), expected, **TIGHT)
    from_pairs = [ConstraintGraph("must", pairs=must), ConstraintGraph("cannot", pairs=cannot)]
    assert_allclose(scores.constraint_score(X, *from_pairs, kind, 0.2), expected, **TIGHT)
