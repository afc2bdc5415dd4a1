"""Kernel matrices and their centering."""

from fractions import Fraction

import numpy as np

from .precision import fraction_array, mp, mp_array, number_array, to_fraction, to_mp


def kernel_matrix(X, Z=None, kernel="rbf", gamma=1.0, degree=3, coef0=1, exact=False):
    """K_ij = k(x_i, z_j), eq. 3.

    rbf: exp(-gamma ||x - z||^2); linear: x.z; poly: (gamma x.z + coef0)^degree with integer degree.
    Returns mpf, or with exact=True (linear and poly only) fractions, on which all decisions are exact.
    """
    X = fraction_array(X)
    Z = X if Z is None else fraction_array(Z)
    gamma, coef0 = to_fraction(gamma), to_fraction(coef0)
    if kernel not in ("rbf", "linear", "poly"):
        raise ValueError(f"kernel must be one of 'rbf', 'linear', 'poly'; got {kernel!r}.")
    if kernel == "rbf" and exact:
        raise ValueError("The RBF kernel has no exact values.")
    K = np.empty((len(X), len(Z)), dtype=object)
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            inner = sum((a * b for a, b in zip(x, z, strict=False)), Fraction(0))
            if kernel == "linear":
                K[i, j] = inner
            elif kernel == "poly":
                K[i, j] = (gamma * inner + coef0) ** int(degree)
            else:
                distance2 = sum(((a - b) ** 2 for a, b in zip(x, z, strict=False)), Fraction(0))
                K[i, j] = mp.exp(-to_mp(gamma * distance2))
    return K if exact else mp_array(K)


def kernel_diagonal(X, kernel="rbf", gamma=1.0, degree=3, coef0=1, exact=False):
    """k(x_i, x_i) for every sample."""
    values = [kernel_matrix([x], None, kernel, gamma, degree, coef0, exact)[0, 0] for x in np.asarray(X)]
    return np.array(values, dtype=object)


def center_kernel(K):
    """<phi_i - m, phi_j - m> with m = (1/N) sum phi: K - 1K - K1 + 1K1."""
    K = number_array(K)
    N = len(K)
    row = [sum(K[i]) / N for i in range(N)]
    total = sum(row) / N
    return np.array([[K[i, j] - row[i] - row[j] + total for j in range(N)] for i in range(N)], dtype=object)


def center_cross(C, K):
    """<phi(x) - m, phi_j - m> for new samples x; C_ij = k(x_i, x_j), m the mean of the training samples."""
    C, K = number_array(C), number_array(K)
    N = len(K)
    training = [sum(K[j]) / N for j in range(N)]
    total = sum(training) / N
    rows = []
    for c in C:
        mean = sum(c) / N
        rows.append([c[j] - mean - training[j] + total for j in range(N)])
    return np.array(rows, dtype=object).reshape(C.shape)


def center_diagonal(C, diagonal, K):
    """||phi(x) - m||^2 = k(x, x) - (2/N) sum_j k(x, x_j) + (1/N^2) sum_jl K_jl for new samples x."""
    C, K, diagonal = number_array(C), number_array(K), number_array(diagonal)
    N = len(K)
    total = sum(sum(row) for row in K) / (N * N)
    return np.array([k - 2 * sum(c) / N + total for k, c in zip(diagonal, C, strict=False)], dtype=object)
