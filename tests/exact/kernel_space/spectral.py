"""KPCA (Schölkopf et al.), KDA (Mika et al.), GDA (Baudat & Anouar)."""

from dataclasses import dataclass, field

import numpy as np

from .decisions import Decisions
from .kernels import center_cross, center_kernel
from .precision import ZERO_RTOL, fix_sign, mp, mp_array, symmetric_eigen, to_mp


@dataclass
class Directions:
    """Directions sum_j coefficients[j, i] phi(x_j), with their eigenvalues or ratios, largest first.

    decisions contains the gaps between successive values, including the first omitted one. Directions with
    equal values are not unique, only their span is.
    """

    values: np.ndarray
    coefficients: np.ndarray
    decisions: Decisions = field(default_factory=Decisions)

    @property
    def margin(self):
        """Smallest relative gap between neighboring values."""
        return self.decisions.margin


def _gaps(values, count, scale):
    decisions = Decisions()
    for i in range(min(count, len(values) - 1)):
        decisions.compare(f"value {i} against {i + 1}", values[i], values[i + 1], scale)
    return decisions


def _class_indices(y):
    y = np.asarray(y)
    return [np.flatnonzero(y == label) for label in np.unique(y)]


def _columns(vectors, N):
    A = np.empty((N, len(vectors)), dtype=object)
    for i, vector in enumerate(vectors):
        A[:, i] = fix_sign(vector)
    return A


def kpca(K, n_components=None, center=True, zero_rtol=ZERO_RTOL):
    """Kc a = lambda a with lambda a'a = 1, so that w = sum_j a_j (phi_j - m) has norm 1.

    Eigenvalues up to zero_rtol times the largest count as zero; their components are omitted. Pass the K of
    kernel_matrix: rounding errors of a float64 K would be eigenvalues.
    """
    K = center_kernel(mp_array(K)) if center else mp_array(K)
    values, vectors = symmetric_eigen(K)
    rank = sum(1 for v in values if v > to_mp(zero_rtol) * values[0])
    count = rank if n_components is None else min(rank, n_components)
    scaled = [vectors[:, i] / mp.sqrt(values[i]) for i in range(count)]
    return Directions(values[:count], _columns(scaled, len(K)), _gaps(values, count, values[0]))


def kpca_features(C, K, A, center=True):
    """<w_i, phi(x) - m> = sum_j A_ji <phi_j - m, phi(x) - m>; C_ij = k(x_i, x_j)."""
    C = center_cross(mp_array(C), mp_array(K)) if center else mp_array(C)
    return C.dot(mp_array(A))


def kda_matrices(K, y, between=None):
    """M and N of kernel Fisher discriminants (Mika et al.), kernel not centered.

    (m_c)_j = (1/n_c) sum_{i in c} k(x_j, x_i);  N = sum_c K_c (I - 1_{n_c}) K_c', K_c the columns of class c
    between="mika", two classes: M = (m_1 - m_2)(m_1 - m_2)'
    between="weighted": M = sum_c n_c (m_c - m)(m_c - m)', m = (1/n) sum_c n_c m_c
    """
    K, classes = mp_array(K), _class_indices(y)
    n = len(K)
    between = between or ("mika" if len(classes) == 2 else "weighted")
    means = [sum(K[:, i] for i in members) / len(members) for members in classes]
    within = np.array([[mp.mpf(0)] * n for _ in range(n)], dtype=object)
    for members, mean in zip(classes, means, strict=False):
        for i in members:
            within = within + np.outer(K[:, i] - mean, K[:, i] - mean)
    if between == "mika":
        if len(classes) != 2:
            raise ValueError(f"between='mika' needs two classes; got {len(classes)}.")
        difference = means[0] - means[1]
        return np.outer(difference, difference), within
    overall = sum(len(members) * mean for members, mean in zip(classes, means, strict=False)) / n
    return sum(
        len(members) * np.outer(mean - overall, mean - overall)
        for members, mean in zip(classes, means, strict=False)
    ), within


def _inverse_cholesky(S):
    """L^-1 for S = L L'. Raises ZeroDivisionError or ValueError if S is not positive definite."""
    L = mp.cholesky(mp.matrix(S.tolist()))
    n = len(S)
    inverse = np.array([[mp.mpf(0)] * n for _ in range(n)], dtype=object)
    for column in range(n):
        for row in range(column, n):
            known = sum(L[row, k] * inverse[k, column] for k in range(column, row))
            inverse[row, column] = (int(row == column) - known) / L[row, row]
    return inverse


def kda(K, y, mu, between=None):
    """Maximize a'Ma / a'(N + mu I)a, normalized a'(N + mu I)a = 1; at most C - 1 directions, largest first.

    mu is absolute. The ratios are the eigenvalues of (N + mu I)^-1 M; those that are zero are omitted.
    """
    M, within = kda_matrices(K, y, between)
    n, S = len(M), within.copy()
    for i in range(n):
        S[i, i] = S[i, i] + to_mp(mu)
    inverse = _inverse_cholesky(S)
    values, vectors = symmetric_eigen(inverse.dot(M).dot(inverse.T))
    count = sum(1 for v in values[: len(np.unique(y)) - 1] if v > ZERO_RTOL * values[0])
    directions = [inverse.T.dot(vectors[:, i]) for i in range(count)]
    return Directions(values[:count], _columns(directions, n), _gaps(values, count, values[0]))


def gda(K, y, rho, zero_rtol=ZERO_RTOL):
    """Maximize a' Kc W Kc a / a'(Kc Kc + rho Kc) a, a in the range of Kc, normalized a' Kc a = 1.

    W_ij = 1/n_c if i and j are both of class c, else 0. With Kc = U L U' (nonzero eigenvalues only) and
    a = U L^-1/2 (L + rho)^-1/2 c the ratio is that of c' T U'WU T c and c'c, T = (L / (L + rho))^1/2.
    """
    Kc, classes, rho = center_kernel(mp_array(K)), _class_indices(y), to_mp(rho)
    n = len(Kc)
    W = np.array([[mp.mpf(0)] * n for _ in range(n)], dtype=object)
    for members in classes:
        for i in members:
            for j in members:
                W[i, j] = mp.mpf(1) / len(members)
    eigenvalues, U = symmetric_eigen(Kc)
    rank = sum(1 for v in eigenvalues if v > to_mp(zero_rtol) * eigenvalues[0])
    eigenvalues, U = eigenvalues[:rank], U[:, :rank]
    T = np.array([mp.sqrt(v / (v + rho)) for v in eigenvalues], dtype=object)
    values, vectors = symmetric_eigen(np.outer(T, T) * U.T.dot(W).dot(U))
    count = sum(1 for v in values[: len(classes) - 1] if v > ZERO_RTOL * values[0])
    directions = []
    for i in range(count):
        a = U.dot(vectors[:, i] / np.array([mp.sqrt(v * (v + rho)) for v in eigenvalues], dtype=object))
        directions.append(a / mp.sqrt(a.dot(Kc).dot(a)))
    return Directions(values[:count], _columns(directions, n), _gaps(values, count, values[0]))


def gda_features(C, K, A):
    """sum_j A_ji <phi_j - m, phi(x) - m>, m the mean of the training samples; C_ij = k(x_i, x_j)."""
    return center_cross(mp_array(C), mp_array(K)).dot(mp_array(A))
