"""Methods that choose features one by one, from "Redundancy-aware selection" in docs/readings.md.

A value is a function of the chosen features: it returns one number per feature. All numbers are fractions or
have 100 digits, and every value is computed from X again for every choice.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .barycenter import affine_weights
from .classical import class_members, discretize
from .exact import centered, columns_of, dot, is_constant, mean, mp, rows_of, to_floats, to_fraction, to_mp
from .graphs import neighbors
from .mcfs import lasso_path

ONE, DECIMALS = mp.mpf(1), mp.mpf(10) ** 60
COPY, SPAN, SHARE = mp.mpf(10) ** -10, Fraction(1, 10**12), Fraction(1, 10**12)
MIN_REDUNDANCY, MIN_QUALITY = mp.mpf(1) / 1000, mp.mpf(10) ** -6


class Ranking(NamedTuple):
    """Scores, order, and the smallest relative difference of two values that the order depends on."""

    scores: Any
    order: list
    gap: float


def correlations(X):
    """Return |r(f, g)| for all pairs of features; 0 for a constant feature."""
    columns = [centered(f) for f in columns_of(X)]
    squares = [dot(f, f) for f in columns]
    table = [[mp.mpf(0)] * len(columns) for _ in columns]
    for i, f in enumerate(columns):
        for j, g in enumerate(columns):
            if squares[i] and squares[j]:
                table[i][j] = mp.sqrt(to_mp(dot(f, g) ** 2 / (squares[i] * squares[j])))
    return table


def _descending(values, features):
    """Sort features by value, the smallest index first if values are equal; return the gaps as well."""
    order = sorted(features, key=lambda r: (-values[r], r))
    gaps = []
    for a, b in pairwise(values[r] for r in order):
        if a != b and not mp.isinf(a):
            gaps.append(abs(a - b) / max(abs(a), abs(b)))
    return order, gaps


def _round(values):
    """Round to 60 decimals, so that equal sums of logarithms and roots are equal."""
    values = [to_mp(v) for v in values]
    return [v if mp.isinf(v) else mp.nint(v * DECIMALS) / DECIMALS for v in values]


def rank(X, n, value, score_others=True):
    """Choose n features by `value`; the others follow by their last value, then copies, then constants.

    Without score_others, features that are not chosen have score 0 and follow by their first value.
    """
    columns, r = columns_of(X), correlations(X)
    constant = [j for j, f in enumerate(columns) if is_constant(f)]
    candidates = [j for j in range(len(columns)) if j not in constant]
    first = values = _round(value([]))
    scores, chosen, gaps = [mp.mpf(0)] * len(columns), [], []
    while candidates and len(chosen) < n:
        order, new = _descending(values, candidates)
        gaps += new[:1] if values[order[0]] != values[order[-1]] else []
        chosen.append(order[0])
        scores[order[0]] = values[order[0]]
        candidates = [j for j in candidates if j != order[0] and r[j][order[0]] < 1 - COPY]
        values = _round(value(chosen))
    copies = [j for j in range(len(columns)) if j not in chosen + candidates + constant]
    others, new = _descending(values if score_others else first, candidates)
    behind, last = _descending(first, copies)
    for j in candidates + copies:
        scores[j] = values[j] if score_others else mp.mpf(0)
    return Ranking(
        to_floats(scores), chosen + others + behind + constant, float(min(gaps + new + last, default=mp.inf))
    )


def _residual(f, chosen):
    """Return f minus its projection onto the chosen columns, which are projected one after the other."""
    basis = []
    for g in chosen:
        for b in basis:
            g = _minus_projection(g, b)
        if any(g):
            basis.append(g)
    for b in basis:
        f = _minus_projection(f, b)
    return f


def _minus_projection(f, b):
    share = dot(f, b) / dot(b, b)
    return [v - share * w for v, w in zip(f, b, strict=True)]


def quality(scores, direction, constant):
    """(v - min v) / (max v - min v) times the rank of v over their number; 0 for constant features."""
    signed = [to_mp(to_fraction(v)) * (1 if direction == "larger" else -1) for v in scores]
    v = [s for s, c in zip(signed, constant, strict=True) if not c]
    result = []
    for s, c in zip(signed, constant, strict=True):
        below, equal = sum(w < s for w in v), sum(w == s for w in v)
        position = to_mp(Fraction(2 * below + equal + 1, 2 * len(v))) if v else mp.mpf(0)
        spread = max(v) - min(v) if v else 0
        result.append(mp.mpf(0) if c else (s - min(v)) / spread * position if spread else ONE)
    return result


def diverse(X, q, n, penalty="correlation"):
    """Value: q times the smallest 1 - |r| with a chosen feature, or 1 - r^2."""
    r, power = correlations(X), {"correlation": 1, "squared": 2}[penalty]

    def value(chosen):
        return [v * min([1 - r[j][s] ** power for s in chosen], default=ONE) for j, v in enumerate(q)]

    return rank(X, n, value)


def column_subset(X, n, weights=None):
    """Value: f'FWF'f / f'f. X must not have chosen columns that explain all others."""
    A = [centered(f) for f in columns_of(X)]
    w = [Fraction(1)] * len(A) if weights is None else weights

    def value(chosen):
        F = [_residual(f, [A[s] for s in chosen]) for f in A]
        F = [f if dot(f, f) > SPAN * dot(a, a) else [Fraction(0)] * len(a) for f, a in zip(F, A, strict=True)]
        if len(chosen) < len(A) and not any(any(f) for f in F) and any(any(f) for f in A):
            raise ValueError("the projections must be reset")
        return [
            sum(v * dot(f, g) ** 2 for v, g in zip(w, F, strict=True)) / dot(f, f) if any(f) else 0 for f in F
        ]

    return rank(X, n, value)


def variances(X):
    """Return f'f / n, as fractions."""
    return [mean([v * v for v in centered(f)]) for f in columns_of(X)]


def deviations(X):
    """Return |f| / sqrt(n)."""
    return [mp.sqrt(to_mp(v)) for v in variances(X)]


def standardized(X):
    """Return f / deviation, rounded to floats; 0 for a constant feature."""
    columns = zip(columns_of(X), deviations(X), strict=True)
    return to_floats([[to_mp(v) / (s or 1) for v in centered(f)] for f, s in columns]).T


def reconstructed_shares(X, n_neighbors=5):
    """max(0, 1 - |f - Mf|^2 / |f|^2), ridge 1e-3 of the trace of the Gram matrix; 0 for a constant f."""
    rows, (indices, _) = rows_of(X), neighbors(X, n_neighbors)
    weights = []
    for row, inside in zip(rows, indices, strict=True):
        Z = [[a - b for a, b in zip(row, rows[j], strict=True)] for j in inside]
        weights.append(affine_weights(Z, sum(dot(z, z) for z in Z) / 1000))
    result = []
    for f in columns_of(X):
        square = dot(centered(f), centered(f))
        error = sum(
            (f[i] - sum(m * f[j] for m, j in zip(weights[i], inside, strict=True))) ** 2
            for i, inside in enumerate(indices)
        )
        result.append(max(Fraction(0), 1 - error / square) if square else Fraction(0))
    return result


def facility_location(X, n, n_neighbors=5):
    """Value: the increase of F(S) = sum_i w_i max_{s in S} r(i, s)^2; w is the variance times the share."""
    shares = reconstructed_shares(X, n_neighbors)
    w, r = [to_mp(v * s) for v, s in zip(variances(X), shares, strict=True)], correlations(X)

    def objective(S):
        return sum(v * max([r[i][s] ** 2 for s in S], default=mp.mpf(0)) for i, v in enumerate(w))

    return rank(
        X, n, lambda S: [objective([*S, j]) - objective(S) for j in range(len(w))], score_others=False
    )


def target_columns(y, classes):
    """Return the centered indicators of the classes, one for two classes, or the centered numbers."""
    if not classes:
        return [centered([to_fraction(v) for v in y])]
    _, members = class_members(y)
    members = members[1:] if len(members) == 2 else members
    return [centered([Fraction(i in inside) for i in range(len(y))]) for inside in members]


def _explained(f, targets):
    """Return the squared length of the projection of f onto the span of the targets."""
    residual = _residual(f, targets)
    return dot(f, f) - dot(residual, residual)


def target_quality(X, y, classes, relief):
    """sqrt(eta max(rho, 0)) with eta = |U'z|^2 and the ReliefF scores rho for classes; eta for numbers."""
    A, T = [centered(f) for f in columns_of(X)], target_columns(y, classes)
    eta = [to_mp(_explained(a, T) / dot(a, a)) if any(a) else mp.mpf(0) for a in A]
    if not classes:
        return eta
    return [mp.sqrt(e * max(to_mp(to_fraction(rho)), 0)) for e, rho in zip(eta, relief, strict=True)]


def supervised_column_subset(X, y, n, classes, relief):
    """Value: q |U'z|^2 / (z'z + 0.1); `relief` are the ReliefF scores. X has at most 5 columns: no reset."""
    A, T = [centered(f) for f in columns_of(X)], target_columns(y, classes)
    assert len(A) <= 5
    squares = [dot(a, a) for a in A]
    q = target_quality(X, y, classes, relief)

    def value(chosen):
        values = []
        for a, s, v in zip(A, squares, q, strict=True):
            z = _residual(a, [A[c] for c in chosen])
            inside = s and dot(z, z) > SPAN * s
            share = _explained(z, T) / s / (dot(z, z) / s + Fraction(1, 10)) if inside else Fraction(0)
            values.append(max(v, MIN_QUALITY) * to_mp(share))
        return values

    return rank(X, n, value)


def f_statistics(X, y, classes):
    """F of the analysis of variance, or of the linear regression; infinite up to 1e-12 unexplained."""
    T, n = target_columns(y, classes), len(y)
    terms = len(class_members(y)[0]) - 1 if classes else 1
    result = []
    for f in columns_of(X):
        f = centered(f)
        total, explained = dot(f, f), _explained(f, T)
        if total and (total - explained <= SHARE * total or n == terms + 1):
            result.append(mp.inf)
        else:
            ratio = explained / (total - explained) if total else Fraction(0)
            result.append(to_mp(ratio * Fraction(n - terms - 1, terms)))
    return result


def mutual_information(a, b):
    """sum p(a, b) log2 [p(a, b) / (p(a) p(b))]."""
    n, total = len(a), mp.mpf(0)
    for u in set(a):
        for v in set(b):
            both = sum(s == u and t == v for s, t in zip(a, b, strict=True))
            if both:
                ratio = Fraction(both * n, sum(s == u for s in a) * sum(t == v for t in b))
                total += to_mp(Fraction(both, n)) * mp.log(to_mp(ratio), 2)
    return total


def mrmr(X, y, n, classes, relevance="f", scheme="quotient", n_bins=10):
    """Value: relevance over, or minus, the mean redundancy with the chosen features, each at least 0.001."""
    columns = columns_of(X)
    if relevance == "f":
        v, shared = f_statistics(X, y, classes), correlations(X)
    else:
        labels = np.asarray(y).tolist() if classes else discretize([to_fraction(t) for t in y], n_bins)
        bins = [discretize(f, n_bins) for f in columns]
        v = [mutual_information(b, labels) for b in bins]
        shared = [[mutual_information(a, b) for b in bins] for a in bins]

    def value(chosen):
        if not chosen:
            return v
        values = []
        for j, f in enumerate(columns):
            mean_ = sum(max(MIN_REDUNDANCY, shared[j][s]) for s in chosen) / len(chosen)
            combined = v[j] / mean_ if scheme == "quotient" else v[j] - mean_
            values.append(mp.mpf(0) if is_constant(f) else combined)
        return values

    return rank(X, n, value)


def l1_path(X, y, classes):
    """Scores: the largest penalty at which a feature enters the path of a target, over the largest one."""

    def unit(f):
        length = mp.sqrt(to_mp(dot(f, f)))
        return [to_mp(v) / length for v in f]

    columns = [centered(f) for f in columns_of(X)]
    used = [j for j, f in enumerate(columns) if any(f)]
    Z = [unit(columns[j]) for j in used]
    scores = [mp.mpf(0)] * len(columns)
    for t in target_columns(y, classes):
        knots = list(lasso_path(Z, unit(t)))
        for (before, _, _), (_, coefficients, _) in pairwise(knots):
            for j, a in zip(used, coefficients, strict=True):
                if a:
                    scores[j] = max(scores[j], before / knots[0][0])
    return to_floats(scores)
