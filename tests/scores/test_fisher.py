import numpy as np
import pytest
import scipy.sparse as sp
from literal import scores as ls
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}

UNEQUAL_LABELS = np.repeat([0, 1, 2], [7, 11, 13])


def test_score_matches_literal(data):
    X, y = data
    assert_allclose(scores.fisher_score(X, y), ls.fisher(X, y), **TIGHT)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32], ids=["dense", "sparse", "float32"])
def test_constant_classes_give_infinity(form):
    X = np.column_stack(
        [
            np.full(31, 0.1),
            np.array([0.1, 0.2, 0.7])[UNEQUAL_LABELS],
            np.array([0.0, 0.0, 0.3])[UNEQUAL_LABELS],
        ]
    )
    computed = scores.fisher_score(form(X), UNEQUAL_LABELS)
    assert_array_equal(computed, [0, np.inf, np.inf])


def test_large_constant_classes_give_infinity():
    # 0.1 summed 300 times and divided by 300 is not 0.1
    y = np.repeat([0, 1, 2], [700, 300, 50])
    rng = np.random.default_rng(0)
    X = np.column_stack([0.1 * (y == 1), 0.7 * (y == 2), 0.1 * (rng.random(1050) < 0.2), 1e6 * (y == 0)])
    X[0, 3] = 1e6 + 1
    dense = scores.fisher_score(X, y)
    assert_array_equal(np.isinf(dense), [True, True, False, False])
    assert_allclose(scores.fisher_score(sp.csr_array(X), y), dense, rtol=1e-9)
