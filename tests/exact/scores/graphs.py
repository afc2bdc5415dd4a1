"""Graph builders. A graph is a dense symmetric matrix: a list of rows of `mp` numbers."""

from fractions import Fraction

import numpy as np

from .classical import class_members
from .exact import exponential, median, mp, mp_matrix, squared_distances, to_fraction, to_mp


def neighbors(X, k):
    """Return the k nearest samples of every sample, nearest first, and whether any k-th neighbor is tied.

    Squared Euclidean distances are exact; equal distances are ordered by sample index; a sample is not its
    own neighbor (000 section 2.2, 001 step 1).
    """
    return _nearest(squared_distances(X), k)


def _nearest(distances, k):
    n = len(distances)
    if not 0 < k < n:
        raise ValueError(f"k must be between 1 and {n - 1}; got {k}")
    indices, any_tie = [], False
    for i, row in enumerate(distances):
        ordered = sorted((j for j in range(n) if j != i), key=lambda j: (row[j], j))
        any_tie = any_tie or (k < n - 1 and row[ordered[k - 1]] == row[ordered[k]])
        indices.append(ordered[:k])
    return indices, any_tie


def neighbor_gap(X, k):
    """Return the smallest relative gap between the k-th and the next squared distance of a sample."""
    gaps = [float("inf")]
    for i, row in enumerate(squared_distances(X)):
        ordered = sorted(row[:i] + row[i + 1 :])
        if k < len(ordered):
            gaps.append(float((ordered[k] - ordered[k - 1]) / ordered[k]) if ordered[k] else 0.0)
    return min(gaps)


def positive_bandwidth(bandwidth, distances):
    """Return the bandwidth as a Fraction; "median" is the median of the given squared distances."""
    value = median(distances) if isinstance(bandwidth, str) else to_fraction(bandwidth)
    if isinstance(bandwidth, str) and bandwidth != "median":
        raise ValueError(f'bandwidth must be "median" or a number; got {bandwidth!r}')
    if value <= 0:
        raise ValueError(f"the bandwidth must be positive; got {float(value)}")
    return value


def knn_graph(X, k, weights="heat", bandwidth="median"):
    """Either-neighbor graph (000 eq. 5; 001 steps 1 and 2; 004 eq. 4 with t for t^2), zero diagonal.

    w_ij = exp(-||x_i - x_j||^2 / t), or 1 for weights="binary", if j is among the k nearest of i or i among
    those of j; otherwise 0. "median" is the median of the n k directed squared neighbor distances.
    """
    if weights not in ("heat", "binary"):
        raise ValueError(f'weights must be "heat" or "binary"; got {weights!r}')
    distances = squared_distances(X)
    indices, _ = _nearest(distances, k)
    n = len(distances)
    W = [[mp.mpf(0)] * n for _ in range(n)]
    if weights == "heat":
        bandwidth = positive_bandwidth(bandwidth, [distances[i][j] for i in range(n) for j in indices[i]])
    for i in range(n):
        for j in indices[i]:
            weight = mp.mpf(1) if weights == "binary" else exponential(distances[i][j], bandwidth)
            W[i][j] = W[j][i] = weight
    return W


def class_graph(y):
    """Class graph with its diagonal (000 eq. 6): w_ij = 1 / n_c if y_i = y_j = c, otherwise 0."""
    _, members = class_members(y)
    n = len(np.asarray(y))
    W = [[mp.mpf(0)] * n for _ in range(n)]
    for inside in members:
        for i in inside:
            for j in inside:
                W[i][j] = to_mp(Fraction(1, len(inside)))
    return W


def rbf_graph(X, bandwidth):
    """Dense graph of 002 (text under eq. 1): w_ij = exp(-||x_i - x_j||^2 / t), t = 2 sigma^2, diagonal 1."""
    t = to_fraction(bandwidth)
    return [[exponential(distance, t) for distance in row] for row in squared_distances(X)]


def pairs_from_labels(y):
    """Return must-link and cannot-link pairs i < j (004, sets M and C); the label -1 means no label."""
    labels = np.asarray(y).tolist()
    pairs = [(i, j) for j in range(len(labels)) for i in range(j) if labels[i] != -1 and labels[j] != -1]
    must = [(i, j) for i, j in pairs if labels[i] == labels[j]]
    cannot = [(i, j) for i, j in pairs if labels[i] != labels[j]]
    return must, cannot


def degrees(W):
    """Return D_ii = sum_j w_ij."""
    return [sum(row, mp.mpf(0)) for row in mp_matrix(W)]


def laplacian_matrix(W):
    """Return L = D - W; the diagonal is minus the sum of the rest of its row, so that no digits are lost."""
    W = mp_matrix(W)
    n = len(W)
    L = [[-W[i][j] for j in range(n)] for i in range(n)]
    for i in range(n):
        L[i][i] = sum((W[i][j] for j in range(n) if j != i), mp.mpf(0))
    return L
