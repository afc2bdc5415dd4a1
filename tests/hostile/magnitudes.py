"""Small data of extreme magnitudes and shapes, without ties between neighbors."""

import numpy as np

N_SAMPLES, N_FEATURES = 15, 5


def _plain():
    rng = np.random.default_rng(4)
    y = np.arange(N_SAMPLES) % 3
    return rng.standard_normal((N_SAMPLES, N_FEATURES)) + np.outer(y, np.linspace(1.5, 0, N_FEATURES)), y


def _zero_inflated(X):
    X = X.copy()
    X[:, :3][np.random.default_rng(1).random((N_SAMPLES, 3)) < 0.75] = 0
    X[:, 0] = 0
    X[7, 0] = 1.1
    return X


def _one_column(X, factor):
    return X * np.where(np.arange(N_FEATURES) == 1, factor, 1.0)


def _outlier(X):
    X = X.copy()
    X[0] *= 1e6
    return X


TRANSFORMATIONS = {
    "plain": lambda X: X,
    "times 1e-8": lambda X: X * 1e-8,
    "times 1e5": lambda X: X * 1e5,
    "times 1e8": lambda X: X * 1e8,
    "one column times 1e-8": lambda X: _one_column(X, 1e-8),
    "one column times 1e5": lambda X: _one_column(X, 1e5),
    "one column times 1e8": lambda X: _one_column(X, 1e8),
    "zero-inflated": _zero_inflated,
    "zero-inflated times 1e8": lambda X: _zero_inflated(X) * 1e8,
    "heavy-tailed": lambda X: np.sign(X) * np.abs(X) ** 7,
    "offset by 1e8": lambda X: X + 1e8,
    "one sample far away": _outlier,
}


def hostile(name, uneven=False):
    """Return X and y; with ``uneven``, one class has a single sample."""
    X, y = _plain()
    if uneven:
        y = np.repeat([0, 1, 2], [N_SAMPLES - 5, 4, 1])
    return TRANSFORMATIONS[name](X), y
