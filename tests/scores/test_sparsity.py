import numpy as np
import pytest
from literal import lle as ll
from numpy.testing import assert_allclose

from featsieve import scores

TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("n_neighbors", [None, 4])
@pytest.mark.parametrize(("n", "d"), [(30, 5), (40, 9), (35, 40)])
def test_score_matches_literal(n_neighbors, n, d):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d)) * rng.uniform(1, 5, d) + 10
    ours = scores.sparsity_score(X, n_neighbors, 0.1)
    assert_allclose(ours, ll.sparsity(X, n_neighbors, 0.1), **TIGHT)
    raw = scores.sparsity_score(X, n_neighbors, 0.1, normalize=False)
    assert_allclose(raw, ll.sparsity(X, n_neighbors, 0.1, normalize=False), **TIGHT)
