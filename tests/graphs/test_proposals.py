"""Backends that propose the nearest samples."""

import numpy as np
import pytest

from featsieve.graphs.proposals import choose_backends


@pytest.mark.parametrize("algorithm", ["exact", "scikit-learn", "faiss"])
@pytest.mark.parametrize("precise", [False, True])
def test_no_sample_outside_the_candidates_is_within_the_horizon(algorithm, precise):
    if algorithm == "faiss":
        pytest.importorskip("faiss", reason="faiss is not installed")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 20)) + 30
    X[:50] = X[50:100] + 1e-6 * rng.standard_normal((50, 20))
    rows, pool = np.arange(0, 200, 7), np.arange(0, 200, 2)
    backend = choose_backends(X, "euclidean", algorithm)[precise]
    candidates = backend(X, pool, "euclidean")(rows, 6)
    squared = ((X[rows, None] - X) ** 2).sum(axis=2)
    for row, indices, horizon in zip(squared, candidates.indices, candidates.horizon, strict=True):
        assert np.isin(indices, pool).all()
        assert row[np.setdiff1d(pool, indices)].min() >= horizon
        assert row[indices].max() >= horizon * (1 - 1e-3)
