"""Sparsity score with an exactly solved lasso graph."""

from fractions import Fraction

from .exact import (
    centered,
    columns_of,
    dot,
    is_constant,
    mean,
    mp,
    solve_rational,
    to_floats,
    to_fraction,
    to_mp,
)
from .graphs import neighbors


def lasso(vectors, target, penalty):
    """Minimize (1/2) ||target - sum_j s_j v_j||^2 + penalty ||s||_1 exactly; returns the list of Fractions s.

    Active-set method over the rationals. A coefficient that violates the optimality conditions most enters
    with the sign that decreases the objective; on the active set the stationary point is computed; if a
    coefficient would change its sign, the step ends where it vanishes and it leaves. The objective decreases
    in every round, so the method is finite. `check_lasso` verifies the result.
    """
    gram = [[dot(a, b) for b in vectors] for a in vectors]
    right = [dot(v, target) for v in vectors]
    s = [Fraction(0)] * len(vectors)
    signs = {}
    while True:
        gradient = [right[j] - dot(gram[j], s) for j in range(len(vectors))]
        outside = [j for j in range(len(vectors)) if j not in signs]
        entering = max(outside, key=lambda j: abs(gradient[j]), default=None)
        if entering is None or abs(gradient[entering]) <= penalty:
            check_lasso(gram, right, s, penalty)
            return s
        signs[entering] = 1 if gradient[entering] > 0 else -1
        while not _step(gram, right, s, signs, penalty):
            pass


def _step(gram, right, s, signs, penalty):
    """Move to the stationary point of the active set; return whether it is reached with all signs kept."""
    active = sorted(signs)
    matrix = [[gram[p][q] for q in active] for p in active]
    slope = [right[p] - penalty * signs[p] for p in active]
    null_space = solve_rational(matrix, [Fraction(0)] * len(active))[1]
    if null_space:
        direction = null_space[0]
        if dot(direction, slope) < 0:
            direction = [-v for v in direction]
        length = None
    else:
        goal, _ = solve_rational(matrix, slope)
        direction = [g - s[p] for g, p in zip(goal, active, strict=True)]
        length = Fraction(1)
    for p, v in zip(active, direction, strict=True):
        if v * signs[p] < 0:
            reach = -s[p] / v
            length = reach if length is None or reach < length else length
    for p, v in zip(active, direction, strict=True):
        s[p] += length * v
    vanished = [p for p in active if s[p] == 0]
    for p in vanished:
        del signs[p]
    return length == 1 and not null_space and not vanished


def check_lasso(gram, right, s, penalty):
    """Verify v_j'r = penalty sign(s_j) if s_j != 0 and |v_j'r| <= penalty otherwise, exactly."""
    for j, value in enumerate(s):
        gradient = right[j] - dot(gram[j], s)
        expected = penalty if value > 0 else -penalty
        if (value != 0 and gradient != expected) or abs(gradient) > penalty:
            raise AssertionError(f"the lasso solution violates the optimality condition of coefficient {j}")


def sparsity(X, n_neighbors=None, alpha=0.05, normalize=True):
    """Sparsity score (004 eq. 8) with the l1-penalized form of eq. 7. Smaller is better.

    s_i = argmin 1/(2d) ||x_i - sum_{j != i} s_j x_j||^2 + a_i ||s||_1,  a_i = alpha max_j |x_j'x_i| / d, x
    centered SS = sum_i (f_i - sum_j s_ij f_j)^2  [ / ((1/n) sum_i (f_i - mean f)^2) ], f centered
    """
    columns = [centered(f) for f in columns_of(X)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    n = len(rows)
    if n_neighbors is None:
        candidates = [[j for j in range(n) if j != i] for i in range(n)]
    else:
        candidates, _ = neighbors(X, n_neighbors)
    errors = [mp.mpf(0)] * len(columns)
    for i, inside in enumerate(candidates):
        vectors = [rows[j] for j in inside]
        # The objective is multiplied by d, so the penalty is d a_i.
        penalty = to_fraction(alpha) * max(abs(dot(v, rows[i])) for v in vectors)
        s = lasso(vectors, rows[i], penalty)
        for r in range(len(columns)):
            errors[r] += to_mp(rows[i][r] - sum(c * v[r] for c, v in zip(s, vectors, strict=True))) ** 2
    if not normalize:
        return to_floats(errors)
    spreads = [None if is_constant(f) else to_mp(mean([v * v for v in f])) for f in columns]
    return to_floats([e / v if v is not None else mp.inf for e, v in zip(errors, spreads, strict=True)])
