"""Trace ratio by exhaustive search, SPFS by forward selection, and leave-one-feature-out with 1-NN."""

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .exact import columns_of, is_constant, mp, rows_of, to_floats, to_mp
from .spectral import quadratic_form


class TraceRatioResult(NamedTuple):
    """Best subset (increasing indices), its ratio, and the relative gap to the second-best ratio."""

    subset: list
    ratio: float
    gap: float


def trace_ratio(X, A, B, s):
    """Subset of size s that maximizes the trace ratio (002 eq. 2), by exhaustive search.

    J(S) = sum_{f in S} f'Bf / sum_{f in S} f'Af with A = L_w (within) and B = L_b (between).
    """
    A, B = rows_of(A), rows_of(B)
    columns = columns_of(X)
    within = [Fraction(0) if is_constant(f) else quadratic_form(f, A) for f in columns]
    between = [Fraction(0) if is_constant(f) else quadratic_form(f, B) for f in columns]
    ratios = []
    for subset in combinations(range(len(columns)), s):
        top, bottom = sum(between[r] for r in subset), sum(within[r] for r in subset)
        if bottom != 0:
            # A leading 0 marks a finite ratio, so that tuples compare exactly.
            ratios.append(((0, top / bottom), subset))
        else:
            ratios.append(((1, Fraction(0)) if top > 0 else (0, Fraction(0)), subset))
    ratios.sort(key=lambda item: (-item[0][0], -item[0][1], item[1]))
    (infinite, best), subset = ratios[0]
    gap = float("inf")
    if len(ratios) > 1 and not infinite:
        second = ratios[1][0][1]
        gap = float((best - second) / max(abs(best), abs(second))) if best != second else 0.0
    elif len(ratios) > 1 and ratios[1][0][0]:
        gap = 0.0
    return TraceRatioResult(list(subset), float("inf") if infinite else float(best), gap)


def _spfs_rounds(X, similarity, s):
    """Yield for every step the chosen feature and the sorted (objective, feature) of the candidates."""
    W = rows_of(similarity)
    columns = columns_of(X)
    n = len(W)
    residual = [[-W[i][j] for j in range(n)] for i in range(n)]
    remaining = list(range(len(columns)))
    for _ in range(s):
        objectives = []
        for r in remaining:
            f = columns[r]
            cells = ((residual[i][j] + f[i] * f[j]) ** 2 for i in range(n) for j in range(n))
            objectives.append((sum(cells, Fraction(0)), r))
        objectives.sort()
        chosen = objectives[0][1]
        f = columns[chosen]
        residual = [[residual[i][j] + f[i] * f[j] for j in range(n)] for i in range(n)]
        remaining.remove(chosen)
        yield chosen, objectives


def spfs_forward(X, similarity, s):
    """SPFS by forward selection: the order in which features are chosen (002 eq. 3).

    Every step adds the feature that minimizes || sum_{f chosen} f f' - W ||_F^2.
    """
    return [chosen for chosen, _ in _spfs_rounds(X, similarity, s)]


def spfs_gap(X, similarity, s):
    """Return the smallest relative gap between the best and the second-best objective over the steps."""
    gaps = [mp.inf]
    for _, objectives in _spfs_rounds(X, similarity, s):
        if len(objectives) > 1:
            best, second = objectives[0][0], objectives[1][0]
            gaps.append(to_mp((second - best) / second) if second else mp.mpf(0))
    return float(min(gaps))


def nearest_label(row, rows, labels, train):
    """Return the label of the training sample nearest to `row`; equal distances: smallest index."""
    distances = [sum((a - b) ** 2 for a, b in zip(row, rows[j], strict=True)) for j in train]
    return labels[train[distances.index(min(distances))]]


def loo_accuracies(X, y, train, test):
    """Return the exact 1-NN accuracy (002 eq. 6) with all features and the list of those without each."""
    train, test = [int(i) for i in train], [int(i) for i in test]
    if train != sorted(set(train)):
        raise ValueError("train must be strictly increasing")
    rows = rows_of(X)
    labels = np.asarray(y).tolist()
    d = len(rows[0])

    def accuracy(features):
        part = [[row[r] for r in features] for row in rows]
        hits = sum(nearest_label(part[i], part, labels, train) == labels[i] for i in test)
        return Fraction(hits, len(test))

    return accuracy(range(d)), [accuracy([q for q in range(d) if q != r]) for r in range(d)]


def leave_one_out(X, y, train, test):
    """Leave-one-feature-out score with 1-NN accuracy (002 Algorithm 1 and eq. 6). Larger is better.

    w(r) = J(all features) - J(all features but r), J = accuracy on `test` of 1-NN fitted on `train`
    """
    full, without = loo_accuracies(X, y, train, test)
    return to_floats([full - value for value in without])
