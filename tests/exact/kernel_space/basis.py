"""KOBL and KGS: orthonormal bases of the span of the mapped samples, and features (eqs. 5-13, 20-22)."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from .decisions import Decisions
from .precision import is_exact, is_zero, mp, mp_array, number_array, sqrt, to_fraction, to_mp


@dataclass
class Basis:
    """w_i = sum_j coefficients[j, i] phi(x_j), from sample pivots[i] with residual norm residuals[i]."""

    pivots: list
    residuals: np.ndarray
    coefficients: np.ndarray
    squared_residuals: list
    rejected: object = None
    skipped: list = field(default_factory=list)
    decisions: Decisions = field(default_factory=Decisions)

    @property
    def margin(self):
        """Smallest relative margin of the decisions."""
        return self.decisions.margin


def _unit_vectors(N, one):
    return [np.array([one if i == j else 0 * one for i in range(N)], dtype=object) for j in range(N)]


def _inner(alpha, column):
    return sum(a * k for a, k in zip(alpha, column, strict=False))


def _finish(N, directions, squared, pivots, **rest):
    """Normalize by eq. 12: ahat = alpha / sqrt(alpha' K alpha)."""
    residuals = mp_array([sqrt(r2) for r2 in squared])
    A = np.empty((N, len(pivots)), dtype=object)
    for i, alpha in enumerate(directions):
        A[:, i] = mp_array(alpha) / residuals[i]
    return Basis(pivots, residuals, A, list(squared), **rest)


def kobl(K, f=lambda t: t, n_components=None, tie_index="column"):
    """Kernel Orthogonal Basis Learner, Algorithm 1.

    (5)  j = argmax over columns k < i <= N of ||phi_i^(k)||; interchange columns j and k + 1
    (10) ||phi_i^(k)||^2 = K_ii - sum_{j<=k} (ahat_j' K e_i)^2
    (12) ahat_{k+1} = alpha_{k+1} / sqrt(alpha_{k+1}' K alpha_{k+1})
    (13) alpha_j <- alpha_j - ahat_{k+1} (ahat_{k+1}' K e_j)            (normalized coefficient)
    (20) accept if r_{k+1,k+1} / r_11 >= f(Dim(M) / N), Dim(M) = k; stop at the first rejection

    The unnormalized alpha and the squared norms are stored, ahat ahat' = alpha alpha' / r^2, so that every
    decision is exact for a K of fractions. tie_index: order of equal columns in (5), "column" after the
    interchanges as printed, or "sample". Decisions compare squared norms. `rejected` is the residual
    of the rejected candidate.
    """
    K = number_array(K)
    N, one = len(K), Fraction(1) if is_exact(K) else mp.mpf(1)
    limit = N if n_components is None else min(N, n_components)
    alpha = _unit_vectors(N, one)
    columns = list(range(N))
    projections, squared, directions, pivots = [], [], [], []
    decisions, rejected = Decisions(), None
    scale = max(abs(K[i, i]) for i in range(N))
    for k in range(limit):
        candidates = sorted(columns[k:]) if tie_index == "sample" else columns[k:]
        norms2 = [
            K[i, i] - sum((p[i] ** 2 / r2 for p, r2 in zip(projections, squared, strict=False)), 0 * one)
            for i in candidates
        ]
        best = decisions.best(
            f"pivot {k}", norms2, True, scale, candidates, same=lambda i, j, n2=norms2: n2[i] == n2[j] == 1
        )
        pivot, r2 = candidates[best], norms2[best]
        position = columns.index(pivot)
        columns[k], columns[position] = columns[position], columns[k]
        if is_zero(r2, K[pivot, pivot]):
            rejected = mp.mpf(0)
            break
        first = squared[0] if squared else r2
        threshold = f(Fraction(k, N) if is_exact(K) else mp.mpf(k) / N)
        rational = is_exact(K) and isinstance(threshold, (int, float, Fraction))
        convert = to_fraction if rational else to_mp
        ratio2, bound = convert(r2) / convert(first), convert(threshold) ** 2
        if decisions.compare(f"threshold {k}", ratio2, bound, 1) < 0:
            rejected = sqrt(r2)
            break
        u = alpha[pivot]
        p = [_inner(u, K[:, j]) for j in range(N)]
        for j in columns[k + 1 :]:
            alpha[j] = alpha[j] - u * (p[j] / r2)
        directions.append(u)
        squared.append(r2)
        pivots.append(pivot)
        projections.append(p)
    return _finish(N, directions, squared, pivots, rejected=rejected, decisions=decisions)


def kgs(K, n_components=None):
    """Kernel Gram-Schmidt: eqs. 7 to 9 on the samples in their given order, without pivoting or threshold.

    w_i = (phi_i - sum_j (w_j' phi_i) w_j) / r_ii. A sample in the span of the earlier ones
    (r = 0) is skipped. The decision margin of a sample is r^2 / K_ii (scale_margin).
    """
    K = number_array(K)
    N, one = len(K), Fraction(1) if is_exact(K) else mp.mpf(1)
    limit = N if n_components is None else n_components
    unit = _unit_vectors(N, one)
    projections, squared, directions, pivots, skipped = [], [], [], [], []
    decisions = Decisions()
    for i in range(N):
        if len(pivots) == limit:
            break
        r2 = K[i, i] - sum((p[i] ** 2 / s for p, s in zip(projections, squared, strict=False)), 0 * one)
        if decisions.compare(f"dependence of sample {i}", r2, 0 * one, K[i, i]) <= 0:
            skipped.append(i)
            continue
        u = unit[i]
        for direction, p, s in zip(directions, projections, squared, strict=False):
            u = u - direction * (p[i] / s)
        directions.append(u)
        squared.append(r2)
        pivots.append(i)
        projections.append([_inner(u, K[:, j]) for j in range(N)])
    return _finish(N, directions, squared, pivots, skipped=skipped, decisions=decisions)


def features(C, A):
    """phi_i(x) = <w_i, phi(x)> = sum_m A_mi k(x_m, x), eqs. 2 and 22, with C_jm = k(x_j, x_m)."""
    C, A = mp_array(C), mp_array(A)
    return np.array([[_inner(A[:, i], c) for i in range(A.shape[1])] for c in C], dtype=object).reshape(
        len(C), A.shape[1]
    )
