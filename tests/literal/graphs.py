"""Dense graphs by double loops."""

import numpy as np


def squared_distances(X):
    """All ||x_i - x_j||^2, by direct differences."""
    n = len(X)
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = np.sum((X[i] - X[j]) ** 2)
    return out


def knn(X, k):
    """Indices and squared distances of N_i, the k samples nearest to x_i without x_i (000, sec. 2.2)."""
    n = len(X)
    distances = squared_distances(X)
    indices = np.zeros((n, k), dtype=int)
    nearest = np.zeros((n, k))
    for i in range(n):
        others = sorted((distances[i, j], j) for j in range(n) if j != i)
        for rank in range(k):
            nearest[i, rank], indices[i, rank] = others[rank]
    return indices, nearest


def neighbor_bandwidth(X, k, bandwidth="median"):
    """h in exp(-d^2/h): a number, or the median of the n*k directed squared neighbor distances."""
    return float(np.median(knn(X, k)[1])) if isinstance(bandwidth, str) else float(bandwidth)


def class_bandwidth(X, y, bandwidth="median"):
    """h in exp(-d^2/h): a number, or the median over ordered pairs i != j of one class."""
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    n = len(X)
    distances = squared_distances(X)
    inside = [distances[i, j] for i in range(n) for j in range(n) if i != j and y[i] == y[j]]
    return float(np.median(inside))


def knn_graph(X, k, weights="heat", bandwidth="median", symmetric=True):
    """Neighbor affinities, 000 eq. 5 and 004 eq. 4 (with t instead of t^2)."""
    n = len(X)
    indices, nearest = knn(X, k)
    h = neighbor_bandwidth(X, k, bandwidth) if weights == "heat" else None
    W = np.zeros((n, n))
    for i in range(n):
        for rank in range(k):
            weight = np.exp(-nearest[i, rank] / h) if weights == "heat" else 1.0
            W[i, indices[i, rank]] = weight
            if symmetric:
                W[indices[i, rank], i] = weight
    return W


def class_graph(y):
    """Class affinities, 000 eq. 6: 1/N_l inside class l, the diagonal included."""
    n = len(y)
    W = np.zeros((n, n))
    for i in range(n):
        size = sum(1 for label in y if label == y[i])
        for j in range(n):
            if y[i] == y[j]:
                W[i, j] = 1.0 / size
    return W


def rbf_graph(X, bandwidth):
    """All affinities exp(-||x_i - x_j||^2 / bandwidth) (002, below eq. 1, bandwidth = 2 sigma^2)."""
    return np.exp(-squared_distances(X) / bandwidth)


def pairs_from_labels(y):
    """Must-link and cannot-link pairs, each once, of the samples whose label is not -1 (004 eq. 5)."""
    n = len(y)
    must, cannot = [], []
    for i in range(n):
        for j in range(i + 1, n):
            if y[i] == -1 or y[j] == -1:
                continue
            (must if y[i] == y[j] else cannot).append((i, j))
    return must, cannot


def pair_graph(n, pairs):
    """W^M or W^C of 004: 1 where (i, j) or (j, i) is among the pairs."""
    W = np.zeros((n, n))
    for i, j in pairs:
        W[i, j] = 1.0
        W[j, i] = 1.0
    return W
