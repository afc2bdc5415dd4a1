"""The lasso path from its optimality conditions, also if several events coincide."""

from itertools import combinations, pairwise

import numpy as np

SPAN_RTOL = 1e-12
TIE_RTOL = 1e-10


def path_direction(A, signs, nonzero, zero):
    """Rate d at which the lasso coefficients change as the penalty falls, from its optimality conditions.

    s_j a_j'A d = 1 where d_j may change, s_j a_j'A d >= 1 and s_j d_j >= 0 for the coefficients `zero`.
    The subsets of `zero` that enter are enumerated: the smallest first, then the smallest indices.
    """
    for size in range(len(zero) + 1):
        for enter in combinations(zero, size):
            active = [*nonzero, *enter]
            B = A[:, active]
            if len(active) and np.linalg.svd(B, compute_uv=False)[-1] ** 2 <= SPAN_RTOL:
                continue
            d = np.zeros(A.shape[1])
            d[active] = np.linalg.solve(B.T @ B, signs[active])
            slopes = signs * (A.T @ (A @ d))
            if all(signs[j] * d[j] > TIE_RTOL for j in enter) and all(slopes[j] >= 1 - 1e-8 for j in zero):
                return d
    raise ArithmeticError("no direction satisfies the optimality conditions")


def lasso_path(A, t):
    """Knots (penalty, b) of the minimizers of |t - A b|^2 / 2 + penalty |b|_1, largest penalty first.

    The coefficients are linear between two knots: a knot is where a correlation |a_j'(t - A b)| reaches the
    penalty or a coefficient reaches 0. Several events may coincide.
    """
    b = np.zeros(A.shape[1])
    largest = penalty = np.max(np.abs(A.T @ t))
    knots = [(penalty, b)]
    while penalty > TIE_RTOL * largest:
        c = A.T @ (t - A @ b)
        signs = np.sign(c)
        on = [j for j in range(len(b)) if abs(c[j]) >= penalty - TIE_RTOL * largest]
        d = path_direction(A, signs, [j for j in on if b[j] != 0], [j for j in on if b[j] == 0])
        a = A.T @ (A @ d)
        steps = [penalty]
        for j in range(len(b)):
            if d[j] != 0:
                steps += [-b[j] / d[j]] if b[j] * d[j] < 0 else []
                continue
            # c - step a = +-(penalty - step); a feature on one boundary can only reach the other
            for sign in (1, -1):
                if sign * a[j] < 1 and not (j in on and sign == signs[j]):
                    steps.append((penalty - sign * c[j]) / (1 - sign * a[j]))
        step = min(steps)
        latest = step + TIE_RTOL * largest
        leaves = [j for j in range(len(b)) if b[j] * d[j] < 0 and -b[j] / d[j] <= latest]
        b = b + step * d
        b[leaves] = 0.0
        penalty -= step
        knots.append((penalty, b))
    return knots


def entry_penalties(A, t):
    """Penalty below which a coefficient is first nonzero, divided by the largest penalty; 0 if never."""
    knots = lasso_path(A, t)
    entry = np.zeros(A.shape[1])
    for (before, _), (_, b) in pairwise(knots):
        entry = np.where((entry == 0) & (b != 0), before / knots[0][0], entry)
    return entry
