"""Literal leave-one-out scores (002, eq. 6 to 8 and Algorithm 1), and data with and without ties."""

import itertools
import math

import numpy as np


def literal_accuracy(X, y, train, test):
    """Compute eq. 6 with the nearest neighbor, one pair and one feature at a time."""
    n_right = 0
    for i in test:
        best, label = np.inf, None
        for j in np.sort(train):
            distance = math.fsum((a - b) ** 2 for a, b in zip(X[i].tolist(), X[j].tolist(), strict=True))
            if distance < best:
                best, label = distance, y[j]
        n_right += label == y[i]
    return n_right / len(test)


def literal_scores(X, J):
    """Compute the scores of Algorithm 1."""
    full = J(X)
    return np.array([full - J(np.delete(X, r, axis=1)) for r in range(X.shape[1])])


def literal_clustering_accuracy(y, labels):
    """Compute eq. 7 by trying all matchings of clusters to classes."""
    n_clusters = int(labels.max()) + 1
    names = [*np.unique(y), *[None] * n_clusters][: max(n_clusters, len(np.unique(y)))]
    return max(
        np.mean([order[c] == label for c, label in zip(labels, y, strict=True)])
        for order in set(itertools.permutations(names, n_clusters))
    )


def literal_nmi(y, labels):
    """Compute eq. 8."""

    def entropy(values):
        shares = [np.mean(values == v) for v in np.unique(values)]
        return -sum(p * np.log2(p) for p in shares)

    information = 0.0
    for a in np.unique(y):
        for b in np.unique(labels):
            both = np.mean((y == a) & (labels == b))
            if both:
                information += both * np.log2(both / np.mean(y == a) / np.mean(labels == b))
    return information / max(entropy(y), entropy(labels))


def mixed(n=60, d=8, seed=0):
    """Return overlapping classes without ties, with features of several scales."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.standard_normal((n, d)) * rng.uniform(0.3, 3, d) + np.outer(y, rng.uniform(0, 1.5, d)), y


def tied(n=60, d=6, levels=3, seed=0):
    """Return small integers; a third of the rows occur twice, and their labels may differ."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (2 * n // 3, d)).astype(float)
    return np.vstack([X, X[: n - len(X)]]), rng.integers(0, 2, n)
