"""Scores without reconstruction weights, and accuracy curves over the number of features."""

from fractions import Fraction

import numpy as np
from sklearn.utils.multiclass import type_of_target


def columns(score):
    """Apply a function of one feature to every column of X."""

    def all_columns(X, *args, **kwargs):
        return np.array([score(X[:, r], *args, **kwargs) for r in range(X.shape[1])])

    all_columns.__doc__ = score.__doc__
    return all_columns


def ratio(top, bottom):
    """top/bottom, and +inf if bottom is zero, for scores where smaller is better."""
    return top / bottom if bottom > 0 else np.inf


@columns
def variance(f):
    """Var = (1/n) sum_i (f_i - mu)^2 (004 eq. 1)."""
    return np.sum((f - np.mean(f)) ** 2) / len(f)


def correlation(f, t):
    """Absolute correlation of two vectors, 0 where either is constant."""
    f, t = f - np.mean(f), t - np.mean(t)
    scale = np.sqrt(np.sum(f**2)) * np.sqrt(np.sum(t**2))
    return abs(np.sum(f * t)) / scale if scale > 0 else 0.0


@columns
def pearson(f, y):
    """|r| of f and y; with more than two classes the largest |r| with one class's indicator."""
    labels = np.unique(y)
    if type_of_target(y) == "continuous":
        return correlation(f, np.asarray(y, dtype=float))
    return max(correlation(f, (np.asarray(y) == label).astype(float)) for label in labels)


@columns
def fisher(f, y):
    """sum_P n_P (mu_P - mu)^2 / sum_P sum_i (f_i^P - mu_P)^2 (004 eq. 2, class sizes as in Table II)."""
    between = within = 0.0
    for label in np.unique(y):
        inside = f[y == label]
        between += len(inside) * (np.mean(inside) - np.mean(f)) ** 2
        within += np.sum((inside - np.mean(inside)) ** 2)
    if within == 0:
        return np.inf if between > 0 else 0.0
    return between / within


@columns
def chi_square(f, y):
    """sum_c (O_c - E_c)^2 / E_c, O_c = sum of f in class c, E_c = (n_c/n) sum of f."""
    total = 0.0
    for label in np.unique(y):
        inside = f[y == label]
        expected = len(inside) / len(f) * np.sum(f)
        if expected > 0:
            total += (np.sum(inside) - expected) ** 2 / expected
    return total


def entropy(labels):
    """H = -sum_c p_c log2 p_c."""
    p = np.array([np.mean(labels == label) for label in np.unique(labels)])
    return -np.sum(p * np.log2(p))


def exact_quantile(f, share):
    """The linearly interpolated quantile of f, in exact fractions."""
    ranked = [Fraction(float(v)) for v in np.sort(f)]
    place = share * (len(f) - 1)
    before = int(place)
    after = min(before + 1, len(f) - 1)
    return ranked[before] + (place - before) * (ranked[after] - ranked[before])


def quantile_bins(f, n_bins):
    """Bin number of each value: (edge_{b-1}, edge_b] over quantile edges, or one bin per value."""
    values = np.unique(f)
    if len(values) <= n_bins:
        return np.array([np.sum(values < v) for v in f])
    edges = {exact_quantile(f, Fraction(b, n_bins)) for b in range(1, n_bins)}
    return np.array([sum(edge < float(v) for edge in edges) for v in f])


@columns
def information_gain(f, y, n_bins=10):
    """IG = H(y) - sum_b p_b H(y | bin b), in bits."""
    bins = quantile_bins(f, n_bins)
    given = sum(np.mean(bins == b) * entropy(y[bins == b]) for b in np.unique(bins))
    return entropy(y) - given


def range_scaled(X):
    """|x_ir - x_jr| / range_r for all pairs and features, 0 for a constant feature."""
    n, d = X.shape
    out = np.zeros((n, n, d))
    for r in range(d):
        span = np.max(X[:, r]) - np.min(X[:, r])
        if span > 0:
            for i in range(n):
                out[i, :, r] = np.abs(X[i, r] - X[:, r]) / span
    return out


def relieff(X, y, k=10):
    """mean_i [sum_c P(c)/(1 - P(y_i)) mean diff to the k nearest of c - mean diff to the k hits]."""
    n, d = X.shape
    difference = range_scaled(X)
    score = np.zeros(d)
    for i in range(n):
        for label in np.unique(y):
            members = [j for j in range(n) if y[j] == label and j != i]
            members = sorted(members, key=lambda j: (np.sum(difference[i, j]), j))[:k]
            if not members:
                continue
            mean = np.mean([difference[i, j] for j in members], axis=0)
            if label == y[i]:
                score -= mean / n
            else:
                score += np.mean(y == label) / (1 - np.mean(y == y[i])) * mean / n
    return score


def edge_energy(f, W):
    """f'(D - W)f = 1/2 sum_ij w_ij (f_i - f_j)^2 for symmetric W."""
    n = len(f)
    return 0.5 * sum(W[i, j] * (f[i] - f[j]) ** 2 for i in range(n) for j in range(n))


def weighted_spread(f, degree):
    """sum_i D_ii (f_i - mu)^2 about the weighted mean mu (000 eq. 14 and 15)."""
    mean = np.sum(degree * f) / np.sum(degree)
    return np.sum(degree * (f - mean) ** 2)


@columns
def laplacian(f, W):
    """f'(D - W)f / sum_i D_ii (f_i - mu)^2 with the weighted mean (004 eq. 3, 000 eq. 15)."""
    return ratio(edge_energy(f, W), weighted_spread(f, np.sum(W, axis=1)))


@columns
def constraint(f, must, cannot, kind="ratio", weight=0.1):
    """CS1 = sum over must / sum over cannot; CS2 = must - weight * cannot (004 eq. 5 and 6)."""
    near = sum((f[i] - f[j]) ** 2 for i, j in must)
    far = sum((f[i] - f[j]) ** 2 for i, j in cannot)
    return ratio(near, far) if kind == "ratio" else near - weight * far


def normalized_spectrum(W):
    """Eigenpairs of D^-1/2 (D - W) D^-1/2, ascending, the first one D^1/2 1 normalized (002 eq. 1)."""
    n = len(W)
    degree = np.sum(W, axis=1)
    root = np.sqrt(degree)
    inverse = np.array([1 / r if r > 0 else 0.0 for r in root])
    L = np.diag(inverse) @ (np.diag(degree) - W) @ np.diag(inverse)
    first = root / np.sqrt(np.sum(root**2))
    # a disconnected graph has several eigenvalues 0: fix the first eigenvector, then the others
    basis = np.linalg.qr(np.column_stack([first, np.eye(n)]))[0][:, 1:]
    values, vectors = np.linalg.eigh(basis.T @ L @ basis)
    return np.concatenate([[0.0], values]), np.column_stack([first, basis @ vectors])


def spec(X, W, kind, n_components=None):
    """phi_1, phi_2, phi_3 of SPEC from alpha_j = fhat . xi_j, fhat = D^1/2 f / ||D^1/2 f||."""
    values, vectors = normalized_spectrum(W)
    root = np.sqrt(np.sum(W, axis=1))
    last = len(values) if n_components is None else n_components
    scores = []
    for f in X.T:
        constant = np.all(f == f[0])
        if constant:
            scores.append(0.0 if kind == 3 else np.inf)
            continue
        fhat = root * f / np.sqrt(np.sum((root * f) ** 2))
        alpha = np.array([np.sum(fhat * vectors[:, j]) for j in range(len(values))])
        if kind == 1:
            scores.append(np.sum(alpha**2 * values))
        elif kind == 2:
            scores.append(ratio(np.sum(alpha[1:] ** 2 * values[1:]), np.sum(alpha[1:] ** 2)))
        else:
            scores.append(np.sum((2 - values[1:last]) * alpha[1:last] ** 2))
    return np.array(scores)


@columns
def graph_preserving(f, A, B, kind="ratio", weight=1.0):
    """f'Af / f'Bf or f'Af - weight f'Bf (004 eq. 9 and 10)."""
    n = len(f)
    top = sum(f[i] * A[i, j] * f[j] for i in range(n) for j in range(n))
    bottom = sum(f[i] * B[i, j] * f[j] for i in range(n) for j in range(n))
    return ratio(top, bottom) if kind == "ratio" else top - weight * bottom


def nearest_curve(centers, labels, Xtest, ytest, order):
    """Accuracy of the nearest center for each prefix of the order, ties to the smallest index."""
    distances = np.zeros((len(Xtest), len(centers)))
    curve = []
    for r in order:
        for i in range(len(Xtest)):
            for c in range(len(centers)):
                distances[i, c] += (Xtest[i, r] - centers[c, r]) ** 2
        found = [labels[int(np.argmin(distances[i]))] for i in range(len(Xtest))]
        curve.append(np.mean([a == b for a, b in zip(found, ytest, strict=True)]))
    return np.array(curve)


def nn_curve(Xtrain, ytrain, Xtest, ytest, order):
    """Accuracy of 1-NN for the first 1..d features of a ranking."""
    return nearest_curve(Xtrain, ytrain, Xtest, ytest, order)


def ncm_curve(Xtrain, ytrain, Xtest, ytest, order):
    """Accuracy of the nearest class mean for the first 1..d features of a ranking."""
    labels = np.unique(ytrain)
    means = np.array([np.mean(Xtrain[ytrain == label], axis=0) for label in labels])
    return nearest_curve(means, labels, Xtest, ytest, order)
