"""K-means with all features and without each of them, continued from the same solutions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

_MAX_ITER = 300
# So many times the squares of all other features together, and a feature is not subtracted.
_DOMINANT = 1e4


@dataclass(frozen=True)
class Clustering:
    """The best of several solutions of k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
    inertia : float
        Sum of squared distances to the cluster means.
    n_iter : int
        Lloyd iterations of all the solutions together.
    """

    labels: np.ndarray
    inertia: float
    n_iter: int


def best_clusterings(X: np.ndarray, n_clusters: int, seeds: Any) -> Iterator[Clustering]:
    r"""Yield the best of several k-means: of all features, then without feature 0, 1, and so on.

    .. math:: \|x_i - c_k\|^2_{(r)} = \|x_i\|^2_{(r)} + \sum_s c_{ks}^2 - 2 \sum_s x_{is} c_{ks}
              - (c_{kr}^2 - 2 x_{ir} c_{kr})

    All problems share X, and one product of X and the means serves them all: what the left-out feature r
    added has rank one. Every seed starts one k-means on all features; without r, Lloyd's iterations go
    on from each of those solutions until no sample changes its cluster. A sample that does change
    corrects the product by its own inner products, which are kept for the next time.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    n_clusters : int
    seeds : iterable of int
        One for each start.

    Yields
    ------
    Clustering
        1 + n_features of them. A cluster that loses its last sample stays empty.
    """
    X = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->j", X, X)
    rows = max(1, int(get_config()["working_memory"] * 2**18 // (8 * X.shape[0])))
    products = lru_cache(maxsize=rows)(partial(_products, X))  # a quarter of the working memory
    starts, found = [], []
    for seed in seeds:
        with warnings.catch_warnings():  # fewer different samples than clusters: some stay empty
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(n_clusters, n_init=1, tol=0, max_iter=_MAX_ITER, random_state=seed).fit(X)
        start = _Partition.of(X, model.labels_, n_clusters)
        starts.append(start)
        found.append(Clustering(start.labels, squares.sum() - start.between(), model.n_iter_))
    yield _best(found)
    for r in range(X.shape[1]):
        others, rest, begin = X, squares.sum() - squares[r], starts
        inner: Any = products
        if squares[r] > _DOMINANT * rest:
            # subtracting the feature would leave rounding alone
            others = X.copy()
            others[:, r] = 0.0
            rest = np.delete(squares, r).sum()
            begin = [_Partition.of(others, start.labels, n_clusters) for start in starts]
            inner = partial(_products, others)
        found = []
        for start in begin:
            end, n_iter = start.without(others, r, inner)
            found.append(Clustering(end.labels, rest - end.between(r), n_iter))
        yield _best(found)


def _products(X: np.ndarray, i: int) -> np.ndarray:
    return X @ X[i]


def _best(found: list[Clustering]) -> Clustering:
    best = min(found, key=lambda each: each.inertia)
    return Clustering(best.labels, max(0.0, float(best.inertia)), sum(each.n_iter for each in found))


@dataclass
class _Partition:
    """Samples in clusters, with the inner products of every sample and every cluster sum."""

    labels: np.ndarray
    counts: np.ndarray  # (n_clusters,)
    sums: np.ndarray  # (n_clusters, n_features)
    products: np.ndarray  # (n_clusters, n_samples)
    lengths: np.ndarray  # (n_clusters,), squared norms of the sums
    norms: np.ndarray  # (n_samples,), norms of the samples

    @classmethod
    def of(cls, X: np.ndarray, labels: np.ndarray, n_clusters: int) -> _Partition:
        sums = np.zeros((n_clusters, X.shape[1]))
        np.add.at(sums, labels, X)
        counts = np.bincount(labels, minlength=n_clusters)
        norms = np.sqrt(np.einsum("ij,ij->i", X, X))
        return cls(labels, counts, sums, sums @ X.T, np.einsum("kj,kj->k", sums, sums), norms)

    def between(self, r: int | None = None) -> float:
        """Sum of squares that the clusters explain, without feature r."""
        lengths = self.lengths if r is None else self.lengths - self.sums[:, r] ** 2
        return float(np.sum(lengths / np.maximum(self.counts, 1)))

    def without(self, X: np.ndarray, r: int, products: Any) -> tuple[_Partition, int]:
        """Lloyd's iterations without feature r, from here until no sample moves; and their number."""
        here, x = self, X[:, r].copy()
        for n_iter in range(_MAX_ITER):
            labels = here._assign(x, r)
            moved = np.flatnonzero(labels != here.labels)
            if moved.size == 0:
                return here, n_iter + 1
            here = here._move(X, moved, labels, products)
        return here, _MAX_ITER

    def _assign(self, x: np.ndarray, r: int) -> np.ndarray:
        size = np.maximum(self.counts, 1)
        means = self.sums[:, r] / size
        offset = np.where(self.counts > 0, self.lengths / size**2 - means**2, np.inf)
        gaps = self.products * (-2 / size)[:, None]
        gaps += np.outer(2 * means, x)
        gaps += offset[:, None]
        # means that differ in feature r alone have become one: of clusters as near the first counts
        farthest = np.sqrt(np.max(self.lengths / size**2))
        rounding = 64 * np.finfo(np.float64).eps * farthest * (2 * self.norms + farthest)
        return (gaps <= gaps.min(axis=0) + rounding).argmax(axis=0)

    def _move(self, X: np.ndarray, moved: np.ndarray, labels: np.ndarray, products: Any) -> _Partition:
        old, new = self.labels[moved], labels[moved]
        counts = np.bincount(labels, minlength=self.counts.size)
        sums = self.sums.copy()
        np.subtract.at(sums, old, X[moved])
        np.add.at(sums, new, X[moved])
        sums[counts == 0] = 0
        if moved.size > counts.size:
            product = sums @ X.T
        else:
            product = self.products.copy()
            for i, a, b in zip(moved, old, new, strict=True):
                column = products(int(i))
                product[a] -= column
                product[b] += column
        return _Partition(labels, counts, sums, product, np.einsum("kj,kj->k", sums, sums), self.norms)
