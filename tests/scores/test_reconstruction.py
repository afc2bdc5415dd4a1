import numpy as np
import pytest
import scipy.sparse as sp
from literal import lle as ll
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import KNNGraph, scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("k", [1, 2, 5, 9])  # 9 exceeds the 5 features of the smallest matrix
@pytest.mark.parametrize("reg", [0.0, 0.5])
@pytest.mark.parametrize("normalize", [True, False])
def test_score_matches_literal(data, k, reg, normalize):
    X, _ = data
    ours = scores.lle_reconstruction_score(X, KNNGraph(k), k, reg, normalize)
    assert_allclose(ours, ll.lle_reconstruction(X, k, reg, normalize), **TIGHT)


def test_exact_reconstructions_score_zero_in_float32():
    X = np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32)
    for same in (X, X.astype(np.float64), sp.csr_array(X)):
        assert_array_equal(scores.lle_reconstruction_score(same, KNNGraph()), 0)
