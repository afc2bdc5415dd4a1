"""Barycenter weights of LLE and the reconstruction score of Algorithm 1."""

from fractions import Fraction

from .exact import (
    centered,
    columns_of,
    dot,
    is_constant,
    mean,
    mp,
    rows_of,
    solve_rational,
    to_floats,
    to_fraction,
    to_mp,
)
from .graphs import neighbors


def affine_weights(differences, reg):
    """Return the minimum-norm minimizer of ||sum_j m_j z_j||^2 + reg sum_j m_j^2 with sum_j m_j = 1, exactly.

    `differences` contains the vectors z_j = x_i - x_j. The stationarity conditions (G + reg I) m + mu 1 = 0,
    1'm = 1 are solved over the rationals. The solutions form an affine space; the point nearest to the origin
    is returned.
    """
    k = len(differences)
    reg = to_fraction(reg)
    G = [[dot(a, b) for b in differences] for a in differences]
    system = [[G[p][q] + (reg if p == q else 0) for q in range(k)] + [Fraction(1)] for p in range(k)]
    system.append([Fraction(1)] * k + [Fraction(0)])
    solution, basis = solve_rational(system, [Fraction(0)] * k + [Fraction(1)])
    weights, directions = solution[:k], [vector[:k] for vector in basis]
    if directions:
        products = [[dot(a, b) for b in directions] for a in directions]
        steps, _ = solve_rational(products, [dot(direction, weights) for direction in directions])
        for step, direction in zip(steps, directions, strict=True):
            weights = [w - step * v for w, v in zip(weights, direction, strict=True)]
    return weights


def barycenter_weights(X, indices, reg=0.0):
    """Reconstruction weights (004 eq. 11; with reg > 0 as eq. 13), exact Fractions in the order of `indices`.

    m_i = argmin ||x_i - sum_j m_ij x_j||^2 + reg sum_j m_ij^2  subject to  sum_j m_ij = 1; minimum norm if
    not unique.
    """
    rows = rows_of(X)
    result = []
    for row, inside in zip(rows, indices, strict=True):
        differences = [[a - b for a, b in zip(row, rows[j], strict=True)] for j in inside]
        result.append(affine_weights(differences, reg))
    return result


def lle_reconstruction(X, k=5, reg=0.0, normalize=True):
    """Algorithm 1 (004 eq. 12), divided by the population variance if normalize. Smaller is better.

    Score = sum_i (f_i - sum_{j in N_i} m_ij f_j)^2  [ / ((1/n) sum_i (f_i - mean f)^2) ]
    """
    indices, _ = neighbors(X, k)
    weights = barycenter_weights(X, indices, reg)
    scores = []
    for f in columns_of(X):
        error = mp.mpf(0)
        for i, inside in enumerate(indices):
            error += to_mp(f[i] - sum(m * f[j] for m, j in zip(weights[i], inside, strict=True))) ** 2
        if normalize:
            error = mp.inf if is_constant(f) else error / to_mp(mean([v * v for v in centered(f)]))
        scores.append(error)
    return to_floats(scores)
