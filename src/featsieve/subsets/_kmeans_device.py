"""K-means without each feature in turn, for tensors: many features at once, on their device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve.engines.arrays import namespace, take_columns, take_rows, to_device_of, to_host
from featsieve.engines.blocks import slices
from featsieve.subsets._kmeans import DOMINANCE_RATIO, MAX_ITER, Clustering, first_solutions
from featsieve.types import Array, Indices


def best_clusterings(X: Any, n_clusters: int, seeds: Iterable[int]) -> Iterator[Clustering]:
    """Yield the clusterings of :func:`featsieve.subsets._kmeans.best_clusterings` for a tensor of float64.

    scikit-learn computes the solutions on all features on the host, so that a seed has the same meaning. The
    iterations without a feature run on the device, for many features together.
    """
    host = to_host(X)
    host = host - host.mean(axis=0)
    X, squares = to_device_of(host, X), np.einsum("ij,ij->j", host, host)
    starts, n_iters = zip(*first_solutions(host, n_clusters, seeds), strict=True)
    everything = [_Partitions.from_labels(X, to_device_of(labels[None], X), n_clusters) for labels in starts]
    inertias = [squares.sum() - float(start.between_scatter()[0]) for start in everything]
    best = int(np.argmin(inertias))
    yield Clustering(starts[best], max(0.0, inertias[best]), sum(n_iters))
    for block in slices(squares.size, 64 * n_clusters * sum(X.shape), X):
        features = np.arange(squares.size)[block]
        solutions = _best_without(X, everything, features, squares.sum() - squares[features])
        for r, solution in zip(features, solutions, strict=True):
            total = np.delete(squares, r).sum()
            if squares[r] > DOMINANCE_RATIO * total:  # subtracting it would leave only rounding error
                reduced = X * to_device_of(np.arange(squares.size) != r, X)
                parts = [_Partitions.from_labels(reduced, start.labels, n_clusters) for start in everything]
                [solution] = _best_without(reduced, parts, np.array([r]), np.array([total]))
            yield solution


def _best_without(
    X: Array, starts: list[_Partitions], features: Indices, totals: np.ndarray
) -> list[Clustering]:
    """Return the best solution without each of the features, whose total scatter is given."""
    columns = take_columns(X, features).T
    labels, scatter, n_iters = zip(*(_iterate_without(X, s, features, columns) for s in starts), strict=True)
    inertias = totals - np.stack(scatter)
    return [
        Clustering(labels[best][i], max(0.0, float(inertias[best, i])), int(sum(n[i] for n in n_iters)))
        for i, best in enumerate(inertias.argmin(axis=0))
    ]


def _iterate_without(
    X: Array, start: _Partitions, features: Indices, columns: Array
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Run Lloyd's iterations without each feature until no sample moves.

    Returns the labels, the scatter between the clusters and the number of iterations on the host.
    """
    xp, n_clusters = namespace(X), start.counts.shape[1]
    left_out = to_device_of(features, X)
    active = xp.arange(features.size, device=left_out.device)
    labels = xp.tile(start.labels, (features.size, 1))
    scatter = xp.zeros(features.size, dtype=X.dtype, device=left_out.device)
    n_iter = xp.full(features.size, MAX_ITER, device=left_out.device)
    partitions = start
    for iteration in range(MAX_ITER):
        sums = partitions.sums_of(left_out[active])
        scatter[active] = partitions.between_scatter(sums)
        nearest = partitions.assign(sums, columns[active])
        moved = xp.any(nearest != labels[active], axis=1)
        n_iter[active[~moved]] = iteration + 1
        active = active[moved]
        if not active.shape[0]:
            break
        labels[active] = nearest[moved]
        partitions = _Partitions.from_labels(X, labels[active], n_clusters)
    else:
        scatter[active] = partitions.between_scatter(partitions.sums_of(left_out[active]))
    return to_host(labels), to_host(scatter), to_host(n_iter)


@dataclass
class _Partitions:
    """Assignments of samples to clusters, as :class:`featsieve.subsets._kmeans._Partition`, side by side."""

    labels: Array  # (n_partitions, n_samples)
    counts: Array  # (n_partitions, n_clusters)
    sums: Array  # (n_partitions, n_clusters, n_features)
    products: Array  # (n_partitions, n_clusters, n_samples)
    squared_norms: Array  # (n_partitions, n_clusters), of the sums
    sample_norms: Array  # (n_samples,)

    @classmethod
    def from_labels(cls, X: Array, labels: Array, n_clusters: int) -> _Partitions:
        xp = namespace(X)
        clusters = xp.arange(n_clusters, device=labels.device)
        members = xp.astype(labels[:, None, :] == clusters[None, :, None], X.dtype)
        sums = members @ X
        squared_norms, sample_norms = xp.sum(sums * sums, axis=2), xp.sqrt(xp.sum(X * X, axis=1))
        return cls(labels, xp.sum(members, axis=2), sums, sums @ X.T, squared_norms, sample_norms)

    def sums_of(self, features: Array) -> Array:
        """Return the sums of one feature in each partition; a single partition is shared by all features."""
        if self.sums.shape[0] == 1:
            return take_rows(self.sums[0, :, :].T, features)
        return self.sums[namespace(features).arange(features.shape[0], device=features.device), :, features]

    def between_scatter(self, sums: Array = 0.0) -> Array:
        """Compute the between-cluster sum of squares, without a feature that has these sums."""
        xp = namespace(self.counts)
        return xp.sum((self.squared_norms - sums**2) / xp.clip(self.counts, 1.0, None), axis=1)

    def assign(self, sums: Array, columns: Array) -> Array:
        """Assign each sample to the cluster with the nearest mean, without the feature in ``columns``."""
        xp = namespace(sums)
        size = xp.clip(self.counts, 1.0, None)
        means = sums / size
        offset = xp.where(self.counts > 0, self.squared_norms / size**2 - means**2, xp.inf)
        distances = 2 * means[:, :, None] * columns[:, None, :]
        distances -= self.products * (2 / size)[:, :, None]
        distances += offset[:, :, None]
        # means that differ only in the feature coincide now: among equally near clusters the first wins
        farthest = xp.sqrt(xp.max(self.squared_norms / size**2, axis=1))[:, None]
        rounding = 64 * xp.finfo(distances.dtype).eps * farthest * (2 * self.sample_norms + farthest)
        is_nearest = distances <= (xp.min(distances, axis=1) + rounding)[:, None, :]
        return xp.argmax(xp.astype(is_nearest, xp.int8), axis=1)
