"""Measures that need no labels: redundancy of the chosen features, preservation of neighborhoods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_consistent_length

from featsieve.engines.blocks import slices
from featsieve.evaluation._nested import NestedDistances, feature_rows
from featsieve.evaluation.folds import Fold, check_order, describe_parameters
from featsieve.evaluation.measures.measure import Measure
from featsieve.types import MatrixLike

# Neighborhoods of more test samples than this are measured on an evenly spaced subset.
MAX_NEIGHBORHOOD_SAMPLES = 1000


def redundancy_rate(X: ArrayLike) -> float:
    r"""Compute the mean absolute correlation between columns.

    .. math:: \frac{1}{m (m - 1)} \sum_{i \ne j} |r_{ij}|

    Parameters
    ----------
    X : array-like of shape (n_samples, m)
        Chosen features.

    Returns
    -------
    float
        Between 0 and 1, smaller is better. Correlations with a constant column are 0, and so is the rate
        of a single column.

    Notes
    -----
    Cost O(n m^2), in blocks of columns.

    References
    ----------
    Zhao, Wang and Liu, Efficient spectral feature selection with minimum redundancy, AAAI 2010.
    """
    chosen = check_array(X, dtype=np.float64)
    n_features = chosen.shape[1]
    return float(redundancy_curve(chosen, np.arange(n_features), [n_features])[0])


@describe_parameters
def redundancy_curve(X: MatrixLike, order: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
    """Compute the redundancy rate of the first m features of an order.

    Parameters
    ----------
    X : {array, sparse matrix} of shape (n_samples, n_features)
        Samples.
    order, sizes

    Returns
    -------
    ndarray of shape (n_sizes,)
        :func:`redundancy_rate` at each size.
    """
    order, sizes = check_order(order, sizes)
    Z = feature_rows(X, order[: sizes[-1]])
    constant = (Z[:, :1] == Z).all(axis=1)
    Z -= Z.mean(axis=1, keepdims=True)
    largest = np.abs(Z).max(axis=1)
    Z /= np.where(constant | (largest == 0), 1, largest)[:, None]
    Z[constant] = 0
    norms = np.sqrt(np.einsum("ij,ij->i", Z, Z))
    Z /= np.where(norms == 0, 1, norms)[:, None]
    sums, total, done = [], 0.0, 0
    for size in sizes:
        for block in slices(size - done, 8 * size, Z):
            start, stop = done + block.start, done + block.stop
            correlations = np.abs(Z[:stop] @ Z[start:stop].T)
            within = correlations[start:]
            total += float(correlations[:start].sum()) + float(within.sum() - np.trace(within)) / 2
        done = size
        sums.append(total)
    n_pairs = np.array(sizes, dtype=np.float64) * (np.array(sizes) - 1) / 2
    return np.minimum(1.0, np.array(sums) / np.maximum(n_pairs, 1))


@describe_parameters
def neighborhood_preservation(X: ArrayLike, Z: ArrayLike, n_neighbors: int = 5) -> float:
    r"""Compute the mean overlap of the nearest neighbors of each sample in two representations.

    .. math:: \frac{1}{n} \sum_i \frac{|N_X(i) \cap N_Z(i)|}{|N_X(i) \cup N_Z(i)|}

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        All features.
    Z : array-like of shape (n_samples, m)
        Chosen features.
    n_neighbors

    Returns
    -------
    float
        Between 0 and 1, larger is better. Of samples at equal distance, those with the smallest indices are
        the neighbors.

    Notes
    -----
    Cost O(n^2 (d + m)), in blocks of samples.
    """
    before, after = check_array(X, dtype=np.float64), check_array(Z, dtype=np.float64)
    check_consistent_length(before, after)
    return _mean_jaccard(_all_neighbors(before, n_neighbors), _all_neighbors(after, n_neighbors))


@describe_parameters
def preservation_curve(
    X: MatrixLike,
    order: ArrayLike,
    sizes: ArrayLike | None = None,
    n_neighbors: int = 5,
    neighbors: np.ndarray | None = None,
) -> np.ndarray:
    """Compute how well the first m features of an order preserve the neighborhoods of all features.

    Parameters
    ----------
    X : {array, sparse matrix} of shape (n_samples, n_features)
        Samples.
    order, sizes
    n_neighbors
    neighbors : ndarray of shape (n_samples, n_neighbors), default=None
        Nearest neighbors with all features, if they are known.

    Returns
    -------
    ndarray of shape (n_sizes,)
        :func:`neighborhood_preservation` at each size.
    """
    order, sizes = check_order(order, sizes)
    if neighbors is None:
        neighbors = _all_neighbors(X, n_neighbors)
    chosen = _nearest_neighbors(X, order, sizes, n_neighbors)
    return np.array([_mean_jaccard(neighbors, nearest) for nearest in chosen])


def _nearest_neighbors(X: Any, order: np.ndarray, sizes: list[int], n_neighbors: int) -> np.ndarray:
    """Return the nearest neighbors of each sample at each size: (n_sizes, n_samples, n_neighbors)."""
    samples = feature_rows(X, order)
    if n_neighbors < 1:
        raise ValueError(f"`n_neighbors` must be at least 1; got {n_neighbors}.")
    if samples.shape[1] < 2:
        raise ValueError(f"X must have at least 2 samples; got {samples.shape[1]}.")
    k = min(n_neighbors, samples.shape[1] - 1)
    return NestedDistances(samples, samples, same=True).map_neighbors(lambda nearest: nearest, sizes, k)


def _all_neighbors(X: Any, n_neighbors: int = 5) -> np.ndarray:
    """Return the nearest neighbors of each sample with all features."""
    n_features = X.shape[1]
    return _nearest_neighbors(X, np.arange(n_features), [n_features], n_neighbors)[0]


def _mean_jaccard(first: np.ndarray, second: np.ndarray) -> float:
    """Return the mean Jaccard index of corresponding rows, each with k distinct numbers."""
    k = first.shape[1]
    total = 0.0
    for block in slices(first.shape[0], k * k, first):
        n_shared = (first[block, :, None] == second[block, None, :]).sum(axis=(1, 2))
        total += float((n_shared / (2 * k - n_shared)).sum())
    return total / first.shape[0]


def _fold_redundancy_curve(fold: Fold, order: np.ndarray, sizes: list[int]) -> np.ndarray:
    return redundancy_curve(fold.X_test, order, sizes)


def _fold_preservation_curve(fold: Fold, order: np.ndarray, sizes: list[int]) -> np.ndarray:
    X, neighbors = fold.share("neighborhoods", None, lambda: _neighborhoods(fold.X_test))
    return preservation_curve(X, order, sizes, neighbors=neighbors)


def _neighborhoods(X: Any) -> tuple[Any, np.ndarray]:
    """Return the samples whose neighborhoods are measured, and their neighbors with all features."""
    if X.shape[0] > MAX_NEIGHBORHOOD_SAMPLES:
        X = X[np.linspace(0, X.shape[0] - 1, MAX_NEIGHBORHOOD_SAMPLES).astype(np.intp)]
    return X, _all_neighbors(X)


PRESERVATION = Measure(
    "preservation",
    "neighborhood preservation",
    _fold_preservation_curve,
    main=False,
    percent=True,
    explanation="of the samples that are among the 5 most similar to a sample by the selected features or by "
    "all features, the share that is by both",
)
REDUNDANCY = Measure(
    "redundancy",
    "redundancy rate",
    _fold_redundancy_curve,
    direction="smaller",
    main=False,
    percent=True,
    explanation="how strongly the selected features are correlated with each other, on average",
)
