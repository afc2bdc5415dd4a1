"""LLE score (Algorithm 2 of 004) with ties in one dimension averaged over a random choice."""

from fractions import Fraction
from itertools import combinations
from math import comb

from .barycenter import affine_weights, barycenter_weights
from .exact import columns_of, mp, to_floats, to_mp
from .graphs import neighbors

LITERAL_CHOICES = 200


def lle(X, k=5, reg=1e-5, graph_reg=0.0, literal_choices=LITERAL_CHOICES):
    """LLE score (004 eqs. 13 and 14). Smaller is better.

    LLES = E ||M - Mhat||_F^2;  M: eq. 11 on the k nearest samples;  Mhat: eq. 13 on the k nearest values of
    the feature, argmin ||f_i - sum_j m_j f_j||^2 + reg sum_j m_j^2 subject to sum_j m_j = 1. The expectation
    is over a uniformly random choice among the values tied at the k-th distance. Up to `literal_choices`
    choices are enumerated one by one; more are grouped by how many are taken below and above f_i.
    """
    indices, _ = neighbors(X, k)
    weights = barycenter_weights(X, indices, graph_reg)
    n = len(indices)
    M = [dict(zip(inside, row, strict=True)) for inside, row in zip(indices, weights, strict=True)]
    scores = []
    for f in columns_of(X):
        solver = _WeightCache(reg)
        scores.append(
            sum((_expected_row(f, i, k, M[i], solver, literal_choices) for i in range(n)), mp.mpf(0))
        )
    return to_floats(scores)


class _WeightCache:
    """Weights of eq. 13 by the sorted differences f_i - f_j; equal differences have equal weights."""

    def __init__(self, reg):
        self.reg = reg
        self.known = {}

    def weights(self, differences):
        """Return {difference: weight} for the chosen neighbors."""
        key = tuple(sorted(differences))
        if key not in self.known:
            solution = affine_weights([[z] for z in key], self.reg)
            self.known[key] = dict(zip(key, solution, strict=True))
        return self.known[key]


def _expected_row(f, i, k, row, solver, literal_choices):
    """Return E sum_j (m_ij - mhat_ij)^2 for sample i."""
    others = [j for j in range(len(f)) if j != i]
    limit = sorted(abs(f[i] - f[j]) for j in others)[k - 1]
    certain = [j for j in others if abs(f[i] - f[j]) < limit]
    tied = [j for j in others if abs(f[i] - f[j]) == limit]
    n_drawn = k - len(certain)
    if comb(len(tied), n_drawn) <= literal_choices:
        choices = list(combinations(tied, n_drawn))
        total = sum((_squared_difference(f, i, certain + list(c), row, solver) for c in choices), mp.mpf(0))
        return total / len(choices)
    return _grouped_row(f, i, certain, tied, n_drawn, row, solver)


def _squared_difference(f, i, chosen, row, solver):
    """Return sum_j (m_ij - mhat_ij)^2 for one choice of neighbors."""
    by_difference = solver.weights([f[i] - f[j] for j in chosen])
    total = mp.mpf(0)
    for j in set(chosen) | set(row):
        own = by_difference[f[i] - f[j]] if j in chosen else Fraction(0)
        total += to_mp(row.get(j, Fraction(0)) - own) ** 2
    return total


def _grouped_row(f, i, certain, tied, n_drawn, row, solver):
    """Sum over the number a taken from the tied values below f_i, which is hypergeometric.

    Given a, each tied sample below is a neighbor with probability a / (number below), each above with
    probability (n_drawn - a) / (number above), and all members of a side have the same weight.
    """
    below = [j for j in tied if f[j] < f[i]]
    above = [j for j in tied if f[j] >= f[i]]
    total = mp.mpf(0)
    for a in range(max(0, n_drawn - len(above)), min(n_drawn, len(below)) + 1):
        probability = Fraction(comb(len(below), a) * comb(len(above), n_drawn - a), comb(len(tied), n_drawn))
        sides = [(certain, Fraction(1))]
        sides += [(below, Fraction(a, len(below)))] if below else []
        sides += [(above, Fraction(n_drawn - a, len(above)))] if above else []
        chosen = certain + below[:a] + above[: n_drawn - a]
        by_difference = solver.weights([f[i] - f[j] for j in chosen])
        inside = mp.mpf(0)
        for members, chance in sides:
            for j in members:
                target = row.get(j, Fraction(0))
                own = by_difference.get(f[i] - f[j], Fraction(0))
                inside += to_mp(chance) * to_mp(target - own) ** 2 + to_mp(1 - chance) * to_mp(target) ** 2
        candidates = set(certain) | set(tied)
        inside += sum((to_mp(m) ** 2 for j, m in row.items() if j not in candidates), mp.mpf(0))
        total += to_mp(probability) * inside
    return total
