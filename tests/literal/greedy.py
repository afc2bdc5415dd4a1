"""Methods that choose features one by one ("Redundancy-aware selection" in docs/readings.md), by brute force.

Each function returns (scores, order) for all features. Every value is recomputed from X before each choice.

The text states one tolerance: a squared length at most 1e-12 of its value before a projection counts as 0. It
is used for every statement that floating point cannot decide exactly: a column in a span, a correlation of 1,
a feature that determines a target. Values that differ by rounding are equal; see `first_of_the_best`.

Where the text does not decide, all functions read it as follows.
- Constant features have score 0, as in the rest of docs/readings.md.
- A copy is ordered by its value before the first choice, but its score is its value after the last choice.
- Two equal features that were both not chosen are not copies, because no chosen feature equals them.
- If fewer than n features can be chosen, all of these are chosen.
"""

import numpy as np

from .graphs import knn
from .lasso_path import entry_penalties
from .lle import constrained_weights
from .scores import correlation, information_gain, quantile_bins, relieff

SPAN_RTOL = 1e-12
TIE_RTOL = 1e-10
TIE_FLOOR = 1e-13  # times the unit of the values, which may depend on the chosen features
ENTROPY_NOISE = 1e-12
EQUAL_RTOL = 1e-12  # of scores


def centered(X):
    """Columns minus their means; exactly 0 for a constant column."""
    X = np.asarray(X, dtype=float)
    return np.where(constant_features(X), 0.0, X - np.mean(X, axis=0))


def constant_features(X):
    """Mask of the columns whose values are all equal, exactly."""
    X = np.asarray(X)
    return np.array([bool(np.all(f == f[0])) for f in X.T])


def unit_columns(A):
    """f / |f|, and 0 for a zero column."""
    return np.column_stack([f / np.linalg.norm(f) if np.any(f) else f for f in A.T])


def residuals(A, chosen):
    """Columns of A minus their least squares fit by the chosen columns; exactly 0 in their span."""
    if len(chosen) == 0:
        return A.copy()
    basis = unit_columns(A[:, chosen])
    F = A - basis @ np.linalg.lstsq(basis, A, rcond=1e-12)[0]
    for r in range(A.shape[1]):
        if np.sum(F[:, r] ** 2) <= SPAN_RTOL * np.sum(A[:, r] ** 2):
            F[:, r] = 0.0
    return F


def is_copy(f, g):
    """|r(f, g)| = 1, that is, the residual of f on g is 0. f and g are centered and not constant."""
    residual = f - g * np.sum(f * g) / np.sum(g * g)
    return np.sum(residual**2) <= SPAN_RTOL * np.sum(f * f)


def first_of_the_best(values, candidates, unit=1.0):
    """Smallest candidate whose value equals the largest, up to 1e-10 of it and 1e-13 of the unit."""
    best = max(values[r] for r in candidates)
    allowed = 0.0 if np.isinf(best) else TIE_RTOL * abs(best) + TIE_FLOOR * unit
    return min(r for r in candidates if values[r] == best or values[r] >= best - allowed)


def descending(values, candidates, unit=1.0):
    """Candidates by value, largest first; the smallest index goes first among equal values."""
    remaining, order = list(candidates), []
    while remaining:
        order.append(first_of_the_best(values, remaining, unit))
        remaining.remove(order[-1])
    return order


def choosable(X, chosen):
    """Features that are not constant, not chosen and not copies of a chosen feature."""
    A, constant = centered(X), constant_features(X)
    return [
        r
        for r in range(A.shape[1])
        if not constant[r] and r not in chosen and not any(is_copy(A[:, r], A[:, s]) for s in chosen)
    ]


def greedy(X, n, value, unit=lambda chosen: 1.0):
    """Choose n features by `value(chosen, candidates)`, an array with the value of every feature.

    Returns the chosen features, the other distinct ones, the copies, the constant ones, and the scores.
    """
    d = np.shape(X)[1]
    scores, chosen = np.zeros(d), []
    while len(chosen) < n and choosable(X, chosen):
        candidates = choosable(X, chosen)
        values = value(chosen, candidates)
        best = first_of_the_best(values, candidates, unit(chosen))
        scores[best] = values[best]
        chosen.append(best)
    distinct = choosable(X, chosen)
    constant = [r for r in range(d) if constant_features(X)[r]]
    copies = [r for r in range(d) if r not in chosen + distinct + constant]
    last = value(chosen, distinct)
    for r in distinct + copies:
        scores[r] = last[r]
    return chosen, distinct, copies, constant, scores


def greedy_ranking(X, n, value, unit=lambda chosen: 1.0):
    """Scores and order: chosen; distinct by the last value; copies by the first value; constant."""
    chosen, distinct, copies, constant, scores = greedy(X, n, value, unit)
    first = value([], choosable(X, []))
    order = (
        chosen + descending(scores, distinct, unit(chosen)) + descending(first, copies, unit([])) + constant
    )
    return scores, np.array(order)


def quality(scores, direction, constant):
    """(v - min v) / (max v - min v) times rank(v) / number of v; v are the non-constant scores, signed.

    `direction` is "larger" or "smaller" (is better).
    If the finite v are all equal but others are infinite, the first factor of the finite v is 1.
    If all v are infinitely bad, they are all equal, and the quality is 1.
    """
    out = np.zeros(len(scores))
    kept = [r for r in range(len(scores)) if not constant[r]]
    v = np.array([scores[r] if direction == "larger" else -scores[r] for r in kept], dtype=float)
    equal = [[bool(u == w) or abs(u - w) <= EQUAL_RTOL * abs(u) for w in v] for u in v]
    below = [
        [u > w and not same for w, same in zip(v, row, strict=True)] for u, row in zip(v, equal, strict=True)
    ]
    rank = np.sum(below, axis=1) + (np.sum(equal, axis=1) + 1) / 2
    finite = v[np.isfinite(v)]
    for place, r in enumerate(kept):
        if np.all(equal) or v[place] == np.inf:
            out[r] = 1.0
        elif v[place] == -np.inf:
            out[r] = 0.0
        else:
            span = np.max(finite) - np.min(finite)
            out[r] = (v[place] - np.min(finite)) / span if span > EQUAL_RTOL * abs(finite[0]) else 1.0
            out[r] *= rank[place] / len(v)
    return out


def diverse(X, quality, n, penalty):
    """Value: quality times the smallest 1 - |r(f, s)| ("correlation") or 1 - r(f, s)^2 ("squared")."""
    quality = np.asarray(quality, dtype=float)
    power = {"correlation": 1, "squared": 2}[penalty]

    def value(chosen, candidates):
        distance = [
            min((1 - correlation(f, X[:, s]) ** power for s in chosen), default=1.0) for f in np.asarray(X).T
        ]
        return quality * np.array(distance)

    return greedy_ranking(X, n, value)


def column_subset_values(A, projected):
    """f'FF'f / f'f for every column f of F, the residuals of A; 0 in the span."""
    F = residuals(A, projected)
    return np.array([f @ F @ F.T @ f / (f @ f) if np.any(f) else 0.0 for f in F.T])


def column_subset(X, n):
    """Value: f'FF'f / f'f, the decrease of |F|^2 (Frobenius) by projection onto f.

    After a reset, only the columns chosen later are projected out.
    """
    A = centered(X)
    start = 0

    def value(chosen, candidates):
        nonlocal start
        if not chosen:
            start = 0
        F = residuals(A, chosen[start:])
        if candidates and not np.any(F[:, candidates]):
            start = len(chosen)
        return column_subset_values(A, chosen[start:])

    return greedy_ranking(X, n, value, unit=lambda chosen: np.sum(residuals(A, chosen[start:]) ** 2))


def facility_weights(X, n_neighbors=5):
    """w_i = var(f_i) R2_i, R2_i = max(0, 1 - |f - Mf|^2 / |f|^2), M with a ridge of 1e-3 trace(G).

    With n_neighbors samples or fewer, all other samples are neighbors. If all neighbors equal the sample,
    their weights are equal.
    """
    X = np.asarray(X, dtype=float)
    n, d = X.shape
    neighbors = knn(X, min(n_neighbors, n - 1))[0]
    M = np.zeros((n, n))
    for i in range(n):
        Z = X[i] - X[neighbors[i]]
        M[i, neighbors[i]] = constrained_weights(Z, 1e-3 * np.trace(Z @ Z.T))
    A = centered(X)
    w = np.zeros(d)
    for r in range(d):
        f = A[:, r]
        if np.any(f):
            w[r] = np.mean(f**2) * max(0.0, 1 - np.sum((f - M @ f) ** 2) / np.sum(f**2))
    return w


def facility_objective(X, S, n_neighbors=5):
    """F(S) = sum_i w_i max over s in S of r(i, s)^2, and 0 for the empty set."""
    w = facility_weights(X, n_neighbors)
    return sum(
        w[i] * max((correlation(X[:, i], X[:, s]) ** 2 for s in S), default=0.0) for i in range(X.shape[1])
    )


def facility_location(X, n, n_neighbors=5):
    """Value: F(S + f) - F(S). Features that were not chosen have score 0 and follow in the order of F({f}).

    The differences are taken term by term, so that they are exactly 0 or larger. The order of F({f}) applies
    to the distinct features and then to the copies; the table does not specify that copies move forward.
    """
    X = np.asarray(X, dtype=float)
    d = X.shape[1]
    w = facility_weights(X, n_neighbors)
    squared = np.array([[correlation(X[:, i], X[:, s]) ** 2 for s in range(d)] for i in range(d)])

    def value(chosen, candidates):
        covered = np.array([max((squared[i, s] for s in chosen), default=0.0) for i in range(d)])
        return np.array([np.sum(w * (np.maximum(covered, squared[:, r]) - covered)) for r in range(d)])

    alone = value([], None)
    unit = max(np.max(alone), np.finfo(float).tiny)
    chosen, distinct, copies, constant, scores = greedy(X, n, value, lambda chosen: unit)
    scores[distinct + copies] = 0.0
    order = chosen + descending(alone, distinct, unit) + descending(alone, copies, unit) + constant
    return scores, np.array(order)


def target_columns(Y, classes):
    """Centered class indicators (one for two classes), or centered numeric targets, without zero columns."""
    Y = np.asarray(Y)
    if classes:
        labels = np.unique(Y)
        labels = labels[1:] if len(labels) == 2 else labels
        columns = np.column_stack([(label == Y).astype(float) for label in labels])
    else:
        columns = np.asarray(Y, dtype=float).reshape(len(Y), -1)
    T = centered(columns)
    return T[:, np.any(T != 0, axis=0)]


def target_basis(Y, classes):
    """U: an orthonormal basis of the span of the centered target columns of unit length."""
    U, s, _ = np.linalg.svd(unit_columns(target_columns(Y, classes)), full_matrices=False)
    return U[:, s**2 > SPAN_RTOL * s[0] ** 2]


def choices_per_round(X):
    """m: the larger of 5 and the smallest number of principal components with 90% of the variance."""
    squares = np.linalg.svd(unit_columns(centered(X)), compute_uv=False) ** 2
    share = np.cumsum(squares) / np.sum(squares)
    return max(5, 1 + int(np.sum(share < 0.9 - SPAN_RTOL)))


def supervised_column_subset(X, Y, n, classes):
    """Value: q |U'z|^2 / (z'z + 0.1), with q from eta = |U'z|^2 before the first choice and from ReliefF.

    q = max(1e-6, sqrt(eta max(rho, 0))) for classes, max(1e-6, eta) for numbers.
    The projections are reset after every m choices, also if the last choice is one of these. The unit columns
    in the definition of m include copies. A column in the span has z = 0. There is no reset before m choices,
    even if all columns are in the span.
    """
    X = np.asarray(X, dtype=float)
    A = unit_columns(centered(X))
    U = target_basis(Y, classes)
    m = choices_per_round(X)
    eta = np.array([np.sum((U.T @ z) ** 2) for z in A.T])
    if classes:
        rho = relieff(X, np.asarray(Y), 10)
        q = np.maximum(1e-6, np.sqrt(eta * np.maximum(rho, 0)))
    else:
        q = np.maximum(1e-6, eta)

    def value(chosen, candidates):
        start = len(chosen) // m * m
        Z = residuals(A, chosen[start:])
        return np.array([q[r] * np.sum((U.T @ z) ** 2) / (z @ z + 0.1) for r, z in enumerate(Z.T)])

    return greedy_ranking(X, n, value, unit=lambda chosen: 1e-6)


def f_statistic(f, y, classes):
    """F of the analysis of variance or of the linear regression of y on f; 0 if f or y is constant.

    Classes: (between / (C - 1)) / (within / (n - C)). Numbers: (explained / 1) / (unexplained / (n - 2)).
    It is infinite if the denominator is 0. For classes this means that f is constant inside each class, even
    if two classes share the constant.
    """
    f = np.asarray(f, dtype=float)
    n = len(f)
    if np.all(f == f[0]) or np.all(y == y[0]):
        return 0.0
    f = f - np.mean(f)
    if classes:
        groups = [f[y == label] for label in np.unique(y)]
        explained = sum(len(g) * np.mean(g) ** 2 for g in groups)
        unexplained = sum(np.sum((g - np.mean(g)) ** 2) for g in groups)
        top, bottom = len(groups) - 1, n - len(groups)
    else:
        t = np.asarray(y, dtype=float) - np.mean(y)
        fit = f * np.sum(f * t) / np.sum(f * f)
        explained, unexplained = np.sum(fit**2), np.sum((t - fit) ** 2)
        top, bottom = 1, n - 2
    if unexplained <= SPAN_RTOL * (explained + unexplained):
        return np.inf
    return (explained / top) / (unexplained / bottom)


def mutual_information(a, b):
    """sum over pairs of p(a, b) log2 [p(a, b) / (p(a) p(b))], in bits; rounding errors count as 0."""
    total = 0.0
    for u in np.unique(a):
        for v in np.unique(b):
            p = np.mean((a == u) & (b == v))
            if p > 0:
                total += p * np.log2(p / (np.mean(a == u) * np.mean(b == v)))
    return total if total > ENTROPY_NOISE else 0.0


def mrmr(X, y, n, classes, relevance, scheme, n_bins=10):
    """Value: relevance / redundancy ("quotient") or relevance - redundancy ("difference").

    `relevance="f"`: the F statistic, and the mean of max(0.001, |r|) over the chosen features.
    `relevance="mutual_information"`: the information gain, and the mean of max(0.001, I(f, s)).
    A copy is a feature with correlation 1, also for the mutual information.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    d = X.shape[1]
    if relevance == "f":
        relevant = np.array([f_statistic(f, y, classes) for f in X.T])
    else:
        labels = y if classes else quantile_bins(y.astype(float), n_bins)
        relevant = information_gain(X, labels, n_bins)
        relevant[relevant < ENTROPY_NOISE] = 0.0
        bins = [quantile_bins(f, n_bins) for f in X.T]

    def dependence(r, s):
        return correlation(X[:, r], X[:, s]) if relevance == "f" else mutual_information(bins[r], bins[s])

    def value(chosen, candidates):
        if not chosen:
            return relevant.copy()
        redundancy = np.array([np.mean([max(0.001, dependence(r, s)) for s in chosen]) for r in range(d)])
        return relevant / redundancy if scheme == "quotient" else relevant - redundancy

    return greedy_ranking(X, n, value)


def l1_path(X, Y, n, classes):
    """Value: the largest, over targets, of the entry penalty divided by the largest penalty of the target.

    Columns and targets are centered and have unit length. The path is complete and does not depend on n.
    `sklearn.linear_model.lars_path` gives the same entries, but stops early if several columns enter at once.
    The path of equal columns is not unique: here the first one enters, and the others never enter, have score
    0 and follow by their correlation. If fewer than n features enter, the choice continues by correlation.
    """
    X = np.asarray(X, dtype=float)
    d = X.shape[1]
    A = unit_columns(centered(X))
    T = unit_columns(target_columns(Y, classes))
    first = []
    for r in choosable(X, []):
        if not any(is_copy(A[:, r], A[:, s]) for s in first):
            first.append(r)
    scores, strength = np.zeros(d), np.zeros(d)
    for t in T.T:
        strength = np.maximum(strength, np.abs(A.T @ t))
        if first and np.max(np.abs(A[:, first].T @ t)) > TIE_FLOOR:
            scores[first] = np.maximum(scores[first], entry_penalties(A[:, first], t))
    # features that never enter go behind all others, by correlation, which is at most 1
    key = np.where(scores > 0, scores + 2, strength)
    chosen, distinct, copies, constant, _ = greedy(X, n, lambda chosen, candidates: key)
    return scores, np.array(chosen + descending(key, distinct) + descending(key, copies) + constant)
