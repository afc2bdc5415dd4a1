"""MCFS: spectral embedding and lasso paths."""

import itertools

from .exact import centered, columns_of, is_constant, mp, mp_matrix, solve_mp, to_floats, to_mp
from .graphs import degrees
from .spectral import deflated_eigenpairs

EIGENVALUE_GAP = mp.mpf(10) ** -30
TIE = mp.mpf(10) ** -40


def embedding(W, n_clusters):
    """Return y^(1..n_clusters): L y = lambda D y for the smallest non-trivial lambda, y'Dy = 1.

    The graph must be connected and the eigenvalues distinct, so that every y is unique up to its sign.
    """
    W = mp_matrix(W)
    degree = degrees(W)
    pairs = deflated_eigenpairs(W, degree)
    values = [mp.mpf(0)] + [value for value, _ in pairs[: n_clusters + 1]]
    if any(b - a < EIGENVALUE_GAP for a, b in itertools.pairwise(values)):
        raise ValueError("the graph must be connected and its smallest eigenvalues distinct")
    return [[v / mp.sqrt(w) for v, w in zip(xi, degree, strict=True)] for _, xi in pairs[:n_clusters]]


def lasso_path(columns, y):
    """Yield the knots of the lasso path (1/2)||y - X a||^2 + lambda ||a||_1, from large to small lambda.

    Every knot is (lambda, coefficients, n_active), where n_active counts the non-zero coefficients at this
    knot. LARS with the lasso modification: on a segment, a_A = G_AA^(-1)(X_A'y - lambda signs). The next knot
    is the largest lambda at which a correlation reaches lambda or a coefficient
    vanishes, or lambda = 0. Data in which two events coincide raise ValueError.
    """
    gram = [[_dot(a, b) for b in columns] for a in columns]
    right = [_dot(f, y) for f in columns]
    d = len(columns)
    lam, first = _latest([(abs(right[j]), j) for j in range(d)])
    signs = {first: mp.sign(right[first])}
    start = lam
    coefficients = [mp.mpf(0)] * d
    yield lam, list(coefficients), 0
    while lam > 0:
        active = sorted(signs)
        G = [[gram[p][q] for q in active] for p in active]
        base = solve_mp(G, [right[p] for p in active])
        slope = solve_mp(G, [signs[p] for p in active])
        events = [(mp.mpf(0), None)]
        for p, b, c in zip(active, base, slope, strict=True):
            # a_p(lambda) = b - lambda c vanishes at b / c. The root at the current knot is not an event.
            if c and b / c < lam * (1 - TIE):
                events.append((b / c, p))
        for j in (j for j in range(d) if j not in signs):
            # x_j'r(lambda) = u + lambda v meets +lambda or -lambda.
            u = right[j] - sum(gram[j][p] * b for p, b in zip(active, base, strict=True))
            v = sum(gram[j][p] * c for p, c in zip(active, slope, strict=True))
            for sign in (1, -1):
                if sign - v and u / (sign - v) < lam * (1 - TIE):
                    events.append((u / (sign - v), j))
        # With as many coefficients as the rank, the other correlations meet lambda at 0: not an event.
        events = [event for event in events if event[1] is None or event[0] > TIE * start]
        lam, j = _latest(events)
        coefficients = [mp.mpf(0)] * d
        for p, b, c in zip(active, base, slope, strict=True):
            coefficients[p] = b - lam * c if p != j else mp.mpf(0)
        yield lam, list(coefficients), sum(p != j for p in active)
        if j is None:
            return
        if j in signs:
            del signs[j]
        else:
            residual = right[j] - sum(gram[j][p] * coefficients[p] for p in active)
            signs[j] = mp.sign(residual)


def _latest(events):
    """Return the event with the largest lambda; two events at the same positive lambda raise ValueError."""
    ordered = sorted(events, key=lambda event: -event[0])
    if len(ordered) > 1 and ordered[0][0] > 0 and ordered[0][0] - ordered[1][0] <= TIE * ordered[0][0]:
        raise ValueError("two events of the lasso path coincide")
    return ordered[0]


def _dot(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), mp.mpf(0))


def sparse_coefficients(columns, y, n_nonzero):
    """Return the coefficients at the first knot with n_nonzero of them, or at lambda = 0."""
    coefficients = [mp.mpf(0)] * len(columns)
    for _, knot, n_active in lasso_path(columns, y) if columns else ():
        coefficients = knot
        if n_active == n_nonzero:
            break
    return coefficients


def mcfs(X, W, n_clusters, n_nonzero=None, center=False):
    """MCFS score (002 eqs. 4 and 5): MCFS(j) = max_k |a_kj|. Larger is better.

    a_k: point of the lasso path of y^(k) on X with n_nonzero non-zero coefficients (all if None), no
    intercept; y^(k): k-th non-trivial solution of L y = lambda D y, y'Dy = 1. center=True centers the
    features and y.
    """
    exact = columns_of(X)
    used = [r for r, f in enumerate(exact) if not is_constant(f)]
    columns = [[to_mp(v) for v in (centered(exact[r]) if center else exact[r])] for r in used]
    scores = [mp.mpf(0)] * len(exact)
    for y in embedding(W, n_clusters):
        if center:
            average = sum(y) / len(y)
            y = [v - average for v in y]
        coefficients = sparse_coefficients(columns, y, len(used) if n_nonzero is None else n_nonzero)
        for r, a in zip(used, coefficients, strict=True):
            scores[r] = max(scores[r], abs(a))
    return to_floats(scores)


def mcfs_targets(X, Y, n_nonzero=None):
    """MCFS score with numeric targets, one in each column of Y, in place of the eigenvectors.

    y^(k) is the k-th target, centered and scaled to unit length; the features are centered.
    """
    exact = columns_of(X)
    used = [r for r, f in enumerate(exact) if not is_constant(f)]
    columns = [[to_mp(v) for v in centered(exact[r])] for r in used]
    scores = [mp.mpf(0)] * len(exact)
    for target in columns_of(Y):
        y = [to_mp(v) for v in centered(target)]
        length = mp.sqrt(_dot(y, y))
        y = [v / length for v in y]
        coefficients = sparse_coefficients(columns, y, len(used) if n_nonzero is None else n_nonzero)
        for r, a in zip(used, coefficients, strict=True):
            scores[r] = max(scores[r], abs(a))
    return to_floats(scores)
