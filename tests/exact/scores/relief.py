"""ReliefF and RReliefF."""

from fractions import Fraction

from .classical import class_members
from .exact import columns_of, to_floats


def _scaled_columns(X):
    """Divide every feature by its range; a feature with range zero becomes zero."""
    columns = []
    for f in columns_of(X):
        spread = max(f) - min(f)
        columns.append([v / spread if spread else Fraction(0) for v in f])
    return columns


def _candidates(distance, i, inside, k):
    """Return the k members nearest to sample i (ties: smaller index) and whether the k-th of them is tied."""
    ordered = sorted((j for j in inside if j != i), key=lambda j: (distance[j], j))
    tied = 0 < k < len(ordered) and distance[ordered[k - 1]] == distance[ordered[k]]
    return ordered[:k], tied


def relieff(X, y, k=10):
    """ReliefF (Kononenko; compared with in 000 and 002). Larger is better.

    W(f) = (1/n) sum_i [ sum_{c != class(i)} P(c) / (1 - P(class(i))) mean_{j in misses_c(i)} diff(f, i, j)
                         - mean_{j in hits(i)} diff(f, i, j) ]
    diff(f, i, j) = |f_i - f_j| / (max f - min f); neighbors by the sum of diff over all features.
    """
    return _relieff(X, y, k)[0]


def relieff_has_ties(X, y, k=10):
    """Return whether the k-th hit or miss of any sample is tied, so that the tie rule matters."""
    return _relieff(X, y, k)[1]


def _relieff(X, y, k):
    columns = _scaled_columns(X)
    n = len(columns[0])
    _, members = class_members(y)
    weights = [Fraction(0)] * len(columns)
    any_tie = False
    for i in range(n):
        distance = [sum((abs(f[i] - f[j]) for f in columns), Fraction(0)) for j in range(n)]
        own = next(inside for inside in members if i in inside)
        for inside in members:
            neighbors, tied = _candidates(distance, i, inside, k)
            any_tie = any_tie or tied
            if not neighbors:
                continue
            factor = Fraction(-1) if inside is own else Fraction(len(inside), n - len(own))
            for r, f in enumerate(columns):
                total = sum((abs(f[i] - f[j]) for j in neighbors), Fraction(0))
                weights[r] += factor * total / (len(neighbors) * n)
    return to_floats(weights), any_tie


def rrelieff(X, y, k=10):
    """RReliefF (Robnik-Sikonja & Kononenko 2003, Figure 3), for a numeric target y. Larger is better.

    W(f) = N_yf / N_y - (N_f - N_yf) / (n - N_y), where sums are over the samples i and their k neighbors j:
    N_y = sum diff(y, i, j) / k,  N_f = sum diff(f, i, j) / k,  N_yf = sum diff(y, i, j) diff(f, i, j) / k
    """
    columns = _scaled_columns(X)
    (target,) = _scaled_columns([[value] for value in y])
    n = len(target)
    different_y, different_f, both = Fraction(0), [Fraction(0)] * len(columns), [Fraction(0)] * len(columns)
    for i in range(n):
        distance = [sum((abs(f[i] - f[j]) for f in columns), Fraction(0)) for j in range(n)]
        neighbors, _ = _candidates(distance, i, range(n), k)
        for j in neighbors:
            weight = Fraction(1, len(neighbors))
            different_y += abs(target[i] - target[j]) * weight
            for r, f in enumerate(columns):
                different_f[r] += abs(f[i] - f[j]) * weight
                both[r] += abs(target[i] - target[j]) * abs(f[i] - f[j]) * weight
    return to_floats(
        [
            _quotient(both[r], different_y) - _quotient(different_f[r] - both[r], n - different_y)
            for r in range(len(columns))
        ]
    )


def _quotient(numerator, denominator):
    return numerator / denominator if denominator else Fraction(0)
