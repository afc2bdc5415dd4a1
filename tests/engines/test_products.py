"""Products that stand for distances: within their error bounds, and exact where they claim to be."""

import numpy as np
import pytest

from featsieve.engines.distances.products import gram_matrix


@pytest.mark.parametrize("shape", [(0, 3), (1, 5), (7, 40), (700, 301)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_gram_matrix_is_within_its_error_bound(shape, dtype, threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    A = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    for same in (A, np.asfortranarray(A), A[::-1]):
        found = gram_matrix(same)
        assert found.dtype == dtype
        exact = same.astype(np.longdouble)
        # the classical error bound of a sum of products, whatever order BLAS adds them in
        bound = shape[1] * np.finfo(dtype).eps * (abs(exact) @ abs(exact).T)
        assert (abs(found - exact @ exact.T) <= bound).all()
