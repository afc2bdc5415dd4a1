"""Variance, Pearson, Fisher, chi-square and information gain."""

from fractions import Fraction

import numpy as np

from .exact import centered, columns_of, dot, is_constant, mean, mp, to_floats, to_fraction, to_mp


def class_members(y):
    """Return the classes in sorted order and, for each, the indices of its samples."""
    labels = np.asarray(y).tolist()
    classes = sorted(set(labels))
    return classes, [[i for i, label in enumerate(labels) if label == c] for c in classes]


def variance(X):
    """Population variance: Var = (1/n) sum_i (f_i - mean f)^2 (004 eq. 1). Larger is better."""
    return to_floats([mean([v * v for v in centered(f)]) for f in columns_of(X)])


def pearson(X, y):
    """Absolute correlation |cov(f, y)| / sqrt(var f var y) (named in 001 and 004). Larger is better.

    Classes: the largest absolute correlation of f with the indicator of a class.
    """
    values = np.asarray(y)
    if values.dtype.kind == "f" and any(float(v) != int(v) for v in values):
        targets = [[to_fraction(v) for v in values]]
    else:
        _, members = class_members(y)
        targets = [[Fraction(i in inside) for i in range(len(values))] for inside in members]
    return to_floats([max(_absolute_correlation(f, t) for t in targets) for f in columns_of(X)])


def _absolute_correlation(f, target):
    if is_constant(f) or is_constant(target):
        return mp.mpf(0)
    f, target = centered(f), centered(target)
    return mp.sqrt(to_mp(dot(f, target) ** 2 / (dot(f, f) * dot(target, target))))


def fisher(X, y):
    """Fisher score with class sizes (004 eq. 2 as corrected by Table II). Larger is better.

    FS = sum_P n_P (mean_P f - mean f)^2 / sum_P sum_{i in P} (f_i - mean_P f)^2
    """
    _, members = class_members(y)
    scores = []
    for f in columns_of(X):
        groups = [[f[i] for i in inside] for inside in members]
        between = sum(len(group) * (mean(group) - mean(f)) ** 2 for group in groups)
        within = sum(dot(centered(group), centered(group)) for group in groups)
        if is_constant(f):
            scores.append(Fraction(0))
        else:
            scores.append(between / within if within != 0 else mp.inf)
    return to_floats(scores)


def chi_square(X, y):
    """Chi-square statistic of the class sums of a feature f >= 0 (named in 000 and 003). Larger is better.

    chi2 = sum_c (o_c - e_c)^2 / e_c,  o_c = sum_{i in c} f_i,  e_c = (n_c / n) sum_i f_i
    """
    _, members = class_members(y)
    scores = []
    for f in columns_of(X):
        if any(v < 0 for v in f):
            raise ValueError("chi_square requires non-negative values")
        total = sum(f)
        statistic = Fraction(0)
        if total != 0:
            for inside in members:
                expected = Fraction(len(inside), len(f)) * total
                statistic += (sum(f[i] for i in inside) - expected) ** 2 / expected
        scores.append(statistic)
    return to_floats(scores)


def entropy(counts):
    """Entropy in bits of positive counts: H = sum_c (n_c / n) log2(n / n_c)."""
    n = sum(counts)
    terms = (to_mp(Fraction(c, n)) * mp.log(to_mp(Fraction(n, c)), 2) for c in counts if c)
    return sum(terms, mp.mpf(0))


def discretize(f, n_bins):
    """Return the bin of every value: the value itself if f has at most n_bins distinct values.

    Otherwise the cuts are the linearly interpolated quantiles b / n_bins, b = 1 .. n_bins - 1, and a bin is
    (lower, upper].
    """
    if len(set(f)) <= n_bins:
        return list(f)
    ordered = sorted(f)
    cuts = []
    for b in range(1, n_bins):
        position = Fraction(b * (len(f) - 1), n_bins)
        low = position.numerator // position.denominator
        cuts.append(ordered[low] + (position - low) * (ordered[low + 1] - ordered[low]))
    return [sum(cut < v for cut in cuts) for v in f]


def information_gain(X, y, n_bins=10):
    """Information gain IG(f) = H(y) - sum_b p(b) H(y | b) in bits (named in 002 and 003). Larger is better.

    Computed as sum over bins and classes of p(b, c) log2(p(b, c) / (p(b) p(c))).
    """
    _, members = class_members(y)
    scores = []
    for f in columns_of(X):
        bins = discretize(f, n_bins)
        n = len(f)
        gain = mp.mpf(0)
        for b in set(bins):
            in_bin = sum(v == b for v in bins)
            for inside in members:
                both = sum(bins[i] == b for i in inside)
                if both:
                    ratio = Fraction(both * n, in_bin * len(inside))
                    gain += to_mp(Fraction(both, n)) * mp.log(to_mp(ratio), 2)
        scores.append(mp.mpf(0) if is_constant(f) else gain)
    return to_floats(scores)


def mutual_information(X, y, n_bins=10):
    """Mutual information of discretized features and the discretized numeric target, in bits."""
    return information_gain(X, discretize([to_fraction(value) for value in y], n_bins), n_bins)
