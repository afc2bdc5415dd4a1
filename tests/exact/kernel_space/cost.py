"""Reconstruction cost, eq. 19."""

import numpy as np

from .kernels import center_cross, center_diagonal, center_kernel
from .precision import is_zero, mp, mp_array, sqrt


def _orthonormal_rows(G):
    """G-orthonormal rows that span all directions of nonzero length (Gram-Schmidt)."""
    rows = []
    for i in range(len(G)):
        t = np.array([mp.mpf(int(i == j)) for j in range(len(G))], dtype=object)
        for s in rows:
            t = t - s * s.dot(G).dot(t)
        length2 = t.dot(G).dot(t)
        if not is_zero(length2, G[i, i]):
            rows.append(t / mp.sqrt(length2))
    return rows


def reconstruction_errors(K, A, C=None, diagonal=None, about_mean=False, form="span"):
    """Norms ||phi(x) - span{w_1..w_d}|| of eq. 19, one per sample, for w_i = sum_j A_ji phi(x_j).

    form="span" (first line): squared, k(x,x) - b' G^+ b with b_i = w_i' phi(x) and G = A' K A; any basis.
    form="printed" (second line): ||phi(x) - sum (w_i' phi(x)) w_i||^2 = k(x,x) - 2 b'b + b' G b.
    C_ij = k(x_i, x_j) and diagonal k(x_i, x_i) describe new samples. about_mean=True replaces every
    phi by phi minus the mean of the training samples, in the basis and in the samples.
    """
    if (C is None) != (diagonal is None):
        raise ValueError("C and diagonal must be passed together.")
    K, A = mp_array(K), mp_array(A)
    if C is None:
        C, diagonal = K, [K[i, i] for i in range(len(K))]
    C, diagonal = mp_array(C), mp_array(diagonal)
    scales = list(diagonal)
    if about_mean:
        C, diagonal, K = center_cross(C, K), center_diagonal(C, diagonal, K), center_kernel(K)
    G = A.T.dot(K).dot(A)
    rows = _orthonormal_rows(G)
    errors = []
    for c, k, scale in zip(C, diagonal, scales, strict=False):
        b = A.T.dot(c)
        if form == "span":
            squared = k - sum((t.dot(b) ** 2 for t in rows), mp.mpf(0))
        elif form == "printed":
            squared = k - 2 * b.dot(b) + b.dot(G).dot(b) if len(b) else k
        else:
            raise ValueError(f"form must be one of 'span', 'printed'; got {form!r}.")
        errors.append(mp.mpf(0) if is_zero(squared, scale) else sqrt(squared))
    return np.array(errors, dtype=object)


def reconstruction_cost(K, A, C=None, diagonal=None, about_mean=False, form="span"):
    """E(M) = (1/N) sum_j ||phi(x_j) - span{M}||, eq. 19: a mean of norms, not of squared norms."""
    errors = reconstruction_errors(K, A, C, diagonal, about_mean, form)
    return sum(errors) / len(errors)
