"""Weak classifiers, KFFS (Algorithm 2) and TAKES (Algorithm 3)."""

from dataclasses import dataclass, field

import numpy as np

from .basis import Basis, features, kobl
from .decisions import Decisions
from .precision import equal, is_zero, mp, mp_array

NO_VOTE = -1


@dataclass
class Selection:
    """KFFS: features in the order of selection, their unclipped errors in that order, gamma per feature."""

    order: list
    gamma: np.ndarray
    errors: list
    votes: np.ndarray
    decisions: Decisions = field(default_factory=Decisions)
    round_decisions: list = field(default_factory=list)

    @property
    def kept(self):
        """Features with gamma > 0, by index."""
        return [i for i, value in enumerate(self.gamma) if value > 0]

    @property
    def margin(self):
        """Smallest relative margin of the decisions."""
        return self.decisions.margin


def least_squares_line(feature, target):
    """Slope and bias that minimize sum_j (slope f_j + bias - t_j)^2; slope 0 for a constant feature."""
    feature, target = mp_array(feature), mp_array(target)
    N = len(feature)
    f_mean, t_mean = sum(feature) / N, sum(target) / N
    spread = sum((f - f_mean) ** 2 for f in feature)
    if is_zero(spread, sum(f**2 for f in feature)):
        return mp.mpf(0), t_mean
    slope = sum((f - f_mean) * (t - t_mean) for f, t in zip(feature, target, strict=False)) / spread
    return slope, t_mean - slope * f_mean


def weak_classifiers(F, y, decisions=None):
    """Table V (steps 2 to 5): class index that feature i votes for on sample j, shape (d, N).

    Two classes: sign of the least-squares line on codes -1, +1. More: largest of the lines on class
    indicators. NO_VOTE for a tie.
    """
    F, y = mp_array(F), np.asarray(y)
    decisions = Decisions() if decisions is None else decisions
    labels = np.unique(y)
    two = len(labels) == 2
    V = np.empty((F.shape[1], len(F)), dtype=int)
    for i in range(F.shape[1]):
        targets = (
            [[1 if v == labels[1] else -1 for v in y]]
            if two
            else [[int(v == label) for v in y] for label in labels]
        )
        lines = [least_squares_line(F[:, i], t) for t in targets]
        for j, f in enumerate(F[:, i]):
            outputs = [slope * f + bias for slope, bias in lines]
            scale = max(abs(slope * f) + abs(bias) for slope, bias in lines)
            where = f"weak classifier {i} on sample {j}"
            if two:
                sign = decisions.compare(where, outputs[0], mp.mpf(0), scale)
                V[i, j] = NO_VOTE if sign == 0 else int(sign > 0)
            else:
                best = decisions.best(where, outputs, True, scale)
                tied = [o for o in outputs if equal(o, outputs[best], scale)]
                V[i, j] = best if len(tied) == 1 else NO_VOTE
    return V


def share_wrong(counts, label, tie="wrong"):
    """1 if the class with the most votes is not `label`, else 0. Tied votes: see READINGS.md.

    For two classes the counts differ by v = sum of the votes in {-1, +1}, and the class is the sign of v.
    """
    tied = [c for c, count in enumerate(counts) if count == max(counts)]
    if len(tied) == 1:
        return mp.mpf(int(tied[0] != label))
    if tie == "wrong":
        return mp.mpf(1)
    if tie == "share":
        return 1 - mp.mpf(1) / len(tied) if label in tied else mp.mpf(1)
    if tie in ("first", "last"):
        return mp.mpf(int(tied[0 if tie == "first" else -1] != label))
    raise ValueError(f"tie must be one of 'wrong', 'share', 'first', 'last'; got {tie!r}.")


def kffs(F, y, tie="wrong", odds="printed", V=None):
    """Kernel Forward Feature Selection, Algorithm 2.

    each round t: c <- c / sum c;  e_i = sum of c over the samples that the ensemble v + V(i, :) gets wrong
    k = argmin e_i over features not selected yet;  v <- v + V(k, :)
    c_i <- c_i (e_k / (1 - e_k))^(1 - b_i), b_i = 0 if the ensemble is right on sample i, else 1
    (23) gamma_k = log((1 - e_k) / e_k), e_k clipped to [1/(2N), 1 - 1/(2N)] here and in the update
    odds="samme" multiplies (1 - e)/e by C - 1 in both. V replaces the weak classifiers of F.
    """
    y = np.asarray(y)
    labels, N = np.unique(y), len(y)
    target = np.searchsorted(labels, y)
    decisions = Decisions()
    V = weak_classifiers(F, y, decisions) if V is None else np.asarray(V)
    d, factor = len(V), {"printed": 1, "samme": len(labels) - 1}[odds]
    c = [mp.mpf(1) / N] * N
    counts = np.zeros((N, len(labels)), dtype=int)
    gamma, order, errors, rounds = [mp.mpf(0)] * d, [], [], [decisions]
    for t in range(d):
        step = Decisions()
        total = sum(c)
        c = [weight / total for weight in c]
        remaining = [i for i in range(d) if i not in order]
        wrong, error = {}, {}
        for i in remaining:
            trial = counts.copy()
            for j in range(N):
                if V[i, j] != NO_VOTE:
                    trial[j, V[i, j]] += 1
            wrong[i] = [share_wrong(trial[j], target[j], tie) for j in range(N)]
            error[i] = sum(weight * w for weight, w in zip(c, wrong[i], strict=False))
        k = remaining[
            step.best(
                f"round {t}",
                [error[i] for i in remaining],
                False,
                1,
                remaining,
                same=lambda a, b, w=wrong, r=remaining: w[r[a]] == w[r[b]],
            )
        ]
        for j in range(N):
            if V[k, j] != NO_VOTE:
                counts[j, V[k, j]] += 1
        e = min(max(error[k], mp.mpf(1) / (2 * N)), 1 - mp.mpf(1) / (2 * N))
        guessing = mp.mpf(factor) / (factor + 1)
        if step.compare(f"sign of gamma, round {t}", e, guessing, 1) == 0:
            ratio = mp.mpf(1)
        else:
            ratio = factor * (1 - e) / e
        gamma[k] = mp.log(ratio)
        c = [weight * (1 / ratio) ** (1 - b) for weight, b in zip(c, wrong[k], strict=False)]
        order.append(k)
        errors.append(error[k])
        rounds.append(step)
    result = Selection(order, np.array(gamma, dtype=object), errors, V, Decisions(), rounds)
    for step in rounds:
        result.decisions.include(step)
    return result


@dataclass
class Takes:
    """KOBL basis, KFFS selection, indices of selected features; selected(C) computes them for samples."""

    basis: Basis
    selection: Selection
    kept: list
    decisions: Decisions

    @property
    def margin(self):
        """Smallest relative margin of the decisions."""
        return self.decisions.margin

    def selected(self, C):
        """Selected features of samples with C_ij = k(x_i, x_j)."""
        return features(C, self.basis.coefficients[:, self.kept])


def takes(K, y, f=lambda t: t, tie="wrong", odds="printed"):
    """Algorithm 3: KOBL, then KFFS on the features of eq. 22; select those with gamma > 0, unweighted."""
    basis = kobl(K, f)
    selection = kffs(features(K, basis.coefficients), y, tie, odds)
    decisions = Decisions()
    decisions.include(basis.decisions)
    decisions.include(selection.decisions)
    return Takes(basis, selection, selection.kept, decisions)
