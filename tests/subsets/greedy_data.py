"""Data on which greedy rankings are compared with their literal versions."""

import numpy as np

KINDS = ("plain", "integers", "copies", "constant", "low rank", "scales", "offset", "wide", "zero-inflated")


def make(kind, seed):
    """Return X, three classes, and the number of features to choose."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, d = rng.integers(9, 40), rng.integers(3, 25)
    X = rng.standard_normal((n, d))
    if kind == "integers":
        X = rng.integers(0, 3, (n, d)).astype(float)
    elif kind == "copies":
        X[:, rng.integers(0, d, d // 2)] = X[:, [0]] * rng.choice([-2.0, 1.0, 3.0])
    elif kind == "constant":
        X[:, 0], X[:, -1] = 5, 0
    elif kind == "low rank":
        X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, d))
    elif kind == "scales":
        X *= 10.0 ** rng.integers(-2, 3, d)
    elif kind == "offset":
        X += 1e6
    elif kind == "wide":
        X = rng.standard_normal((7, 30))
    elif kind == "zero-inflated":
        X[rng.random(X.shape) < 0.7] = 0
    y = np.resize([0, 0, 1, 1, 2, 2], len(X))
    X[:, 1] += y * X[:, 1].std()
    return X, y, int(rng.integers(1, X.shape[1] + 1))


def check_equal(ranking, expected, kind):
    """Check that scores and order are those of the literal version."""
    scores, order = ranking
    expected_scores, expected_order = expected
    np.testing.assert_array_equal(order, expected_order)
    atol = 1e-9 * np.abs(expected_scores).max()
    np.testing.assert_allclose(scores, expected_scores, rtol=1e-6 if kind == "scales" else 1e-9, atol=atol)
