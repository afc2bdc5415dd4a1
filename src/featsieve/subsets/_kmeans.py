"""K-means on all features and without each feature in turn, continued from the same solutions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

MAX_ITER = 300
# Without a feature whose sum of squares exceeds this multiple of all others together, products are
# recomputed: subtracting the feature would leave only rounding error.
DOMINANCE_RATIO = 1e4


class Clustering(NamedTuple):
    """The best of several k-means solutions."""

    labels: np.ndarray
    inertia: float  # sum of squared distances to the cluster means
    n_iter: int  # total number of Lloyd iterations of all solutions


def best_clusterings(X: np.ndarray, n_clusters: int, seeds: Iterable[int]) -> Iterator[Clustering]:
    r"""Yield the best of several k-means: on all features, then without feature 0, 1, and so on.

    .. math:: \|x_i - c_k\|^2_{(r)} = \|x_i\|^2_{(r)} + \sum_s c_{ks}^2 - 2 \sum_s x_{is} c_{ks}
              - (c_{kr}^2 - 2 x_{ir} c_{kr})

    Each seed starts one k-means on all features. Without feature r, Lloyd's iterations continue from each
    of those solutions until no sample changes its cluster. One product of X and the means serves all
    problems, because feature r contributes a term of rank one. A sample that changes its cluster updates the
    product by its own inner products, which are cached.

    A cluster that loses its last sample stays empty.
    """
    X = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->j", X, X)
    # the cache takes a quarter of the working memory
    max_cached = max(1, int(get_config()["working_memory"] * 2**18 // (8 * X.shape[0])))
    cached_products = lru_cache(maxsize=max_cached)(partial(_inner_products, X))
    starts, solutions = [], []
    for labels, n_iter in first_solutions(X, n_clusters, seeds):
        start = _Partition.from_labels(X, labels, n_clusters)
        starts.append(start)
        solutions.append(Clustering(start.labels, squares.sum() - start.between_scatter(), n_iter))
    yield _best(solutions)
    for r in range(X.shape[1]):
        reduced, total, partitions = X, squares.sum() - squares[r], starts
        inner_products: Callable[[int], np.ndarray] = cached_products
        if squares[r] > DOMINANCE_RATIO * total:
            reduced = X.copy()
            reduced[:, r] = 0.0
            total = np.delete(squares, r).sum()
            partitions = [_Partition.from_labels(reduced, start.labels, n_clusters) for start in starts]
            inner_products = partial(_inner_products, reduced)
        solutions = []
        for partition in partitions:
            solution, n_iter = partition.iterate_without(reduced, r, inner_products)
            solutions.append(Clustering(solution.labels, total - solution.between_scatter(r), n_iter))
        yield _best(solutions)


def first_solutions(X: np.ndarray, n_clusters: int, seeds: Iterable[int]) -> Iterator[tuple[np.ndarray, int]]:
    """Yield the labels and the number of iterations of one k-means on all features for each seed."""
    for seed in seeds:
        with warnings.catch_warnings():  # fewer distinct samples than clusters leave some clusters empty
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(n_clusters, n_init=1, tol=0, max_iter=MAX_ITER, random_state=seed).fit(X)
        yield model.labels_.astype(np.intp), model.n_iter_


def _inner_products(X: np.ndarray, i: int) -> np.ndarray:
    return X @ X[i]


def _best(solutions: list[Clustering]) -> Clustering:
    best = min(solutions, key=lambda solution: solution.inertia)
    n_iter = sum(solution.n_iter for solution in solutions)
    return Clustering(best.labels, max(0.0, float(best.inertia)), n_iter)


@dataclass
class _Partition:
    """Assignment of samples to clusters, with the inner products of all samples and cluster sums."""

    labels: np.ndarray
    counts: np.ndarray  # (n_clusters,)
    sums: np.ndarray  # (n_clusters, n_features)
    products: np.ndarray  # (n_clusters, n_samples)
    squared_norms: np.ndarray  # (n_clusters,), of the sums
    sample_norms: np.ndarray  # (n_samples,)

    @classmethod
    def from_labels(cls, X: np.ndarray, labels: np.ndarray, n_clusters: int) -> _Partition:
        sums = np.zeros((n_clusters, X.shape[1]))
        np.add.at(sums, labels, X)
        counts = np.bincount(labels, minlength=n_clusters)
        sample_norms = np.sqrt(np.einsum("ij,ij->i", X, X))
        return cls(labels, counts, sums, sums @ X.T, np.einsum("kj,kj->k", sums, sums), sample_norms)

    def between_scatter(self, r: int | None = None) -> float:
        """Compute the between-cluster sum of squares, without feature r."""
        squared = self.squared_norms if r is None else self.squared_norms - self.sums[:, r] ** 2
        return float(np.sum(squared / np.maximum(self.counts, 1)))

    def iterate_without(
        self, X: np.ndarray, r: int, inner_products: Callable[[int], np.ndarray]
    ) -> tuple[_Partition, int]:
        """Run Lloyd's iterations without feature r until no sample moves; return also their number."""
        partition, column = self, X[:, r].copy()
        for n_iter in range(MAX_ITER):
            labels = partition._assign(column, r)
            moved = np.flatnonzero(labels != partition.labels)
            if moved.size == 0:
                return partition, n_iter + 1
            partition = partition._move(X, moved, labels, inner_products)
        return partition, MAX_ITER

    def _assign(self, column: np.ndarray, r: int) -> np.ndarray:
        """Assign each sample to the cluster with the nearest mean, without feature r."""
        size = np.maximum(self.counts, 1)
        means = self.sums[:, r] / size
        offset = np.where(self.counts > 0, self.squared_norms / size**2 - means**2, np.inf)
        distances = self.products * (-2 / size)[:, None]
        distances += np.outer(2 * means, column)
        distances += offset[:, None]
        # means that differ only in feature r coincide now: among equally near clusters the first wins
        farthest = np.sqrt(np.max(self.squared_norms / size**2))
        rounding = 64 * np.finfo(np.float64).eps * farthest * (2 * self.sample_norms + farthest)
        return (distances <= distances.min(axis=0) + rounding).argmax(axis=0)

    def _move(
        self,
        X: np.ndarray,
        moved: np.ndarray,
        labels: np.ndarray,
        inner_products: Callable[[int], np.ndarray],
    ) -> _Partition:
        """Return the partition after the ``moved`` samples change to their new labels."""
        old, new = self.labels[moved], labels[moved]
        counts = np.bincount(labels, minlength=self.counts.size)
        sums = self.sums.copy()
        np.subtract.at(sums, old, X[moved])
        np.add.at(sums, new, X[moved])
        sums[counts == 0] = 0
        if moved.size > counts.size:
            products = sums @ X.T
        else:
            products = self.products.copy()
            for i, source, target in zip(moved, old, new, strict=True):
                column = inner_products(int(i))
                products[source] -= column
                products[target] += column
        squared_norms = np.einsum("kj,kj->k", sums, sums)
        return _Partition(labels, counts, sums, products, squared_norms, self.sample_norms)
