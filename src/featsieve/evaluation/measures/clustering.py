"""Agreement of k-means clusters, found with the first m features of an order, with the classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from featsieve.evaluation._nested import feature_rows
from featsieve.evaluation.folds import Fold, check_order, describe_parameters
from featsieve.evaluation.measures.measure import Measure
from featsieve.types import MatrixLike


@describe_parameters
def clustering_accuracy(y: ArrayLike, clusters: ArrayLike) -> float:
    r"""Compute the share of samples whose cluster is matched with their class.

    .. math:: \max_\pi \frac{1}{n} \sum_i [y_i = \pi(c_i)]

    over one-to-one matchings of clusters and classes, by the Hungarian method.

    Parameters
    ----------
    y, clusters

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from featsieve.evaluation import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    counts = contingency_matrix(y, clusters)
    rows, matched = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, matched].sum() / counts.sum())


@describe_parameters
def nmi(y: ArrayLike, clusters: ArrayLike) -> float:
    r"""Compute the normalized mutual information of classes and clusters.

    .. math:: \frac{I(y; c)}{\max(H(y), H(c))}

    Parameters
    ----------
    y, clusters

    Returns
    -------
    float
        Between 0 and 1; 1 if both have a single group.
    """
    return float(normalized_mutual_info_score(y, clusters, average_method="max"))


@describe_parameters
def ari(y: ArrayLike, clusters: ArrayLike) -> float:
    """Compute the adjusted Rand index of classes and clusters.

    Parameters
    ----------
    y, clusters

    Returns
    -------
    float
        1 for identical partitions, about 0 for random ones.
    """
    return float(adjusted_rand_score(y, clusters))


@describe_parameters
def kmeans_curve(
    X: MatrixLike,
    y: ArrayLike,
    order: ArrayLike,
    sizes: ArrayLike | None = None,
    kmeans: BaseEstimator | None = None,
) -> dict[str, np.ndarray]:
    """Compare k-means clusters, found with the first m features of an order, with the classes.

    Parameters
    ----------
    X : {array, sparse matrix} of shape (n_samples, n_features)
        Samples to cluster.
    y : array-like of shape (n_samples,)
        Classes. Only the measures use them, and the default number of clusters.
    order, sizes
    kmeans : estimator, default=None
        Clusterer. None is the best of 10 starts of scikit-learn's ``KMeans`` with seed 0.

    Returns
    -------
    dict of str to ndarray of shape (n_sizes,)
        Clustering accuracy ``acc``, normalized mutual information ``nmi`` and adjusted Rand index ``ari``.
    """
    fold = Fold(X, X, y, y, kmeans)
    order, sizes = check_order(order, sizes)
    return {measure.key: measure.curve(fold, order, sizes) for measure in (ACCURACY, NMI, ARI)}


def _agreement_measure(
    key: str,
    name: str,
    agreement: Callable[[ArrayLike, ArrayLike], float],
    explanation: str,
    bounds: tuple[float | None, float | None] | None = None,
) -> Measure:
    def curve(fold: Fold, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        partitions = fold.share(
            "partitions", (order.tobytes(), tuple(sizes)), lambda: _cluster(fold, order, sizes)
        )
        return np.array([agreement(fold.y_test, clusters) for clusters in partitions])

    return Measure(key, name, curve, "clusters", percent=True, bounds=bounds, explanation=explanation)


def _cluster(fold: Fold, order: np.ndarray, sizes: list[int]) -> list[np.ndarray]:
    """Cluster the test samples with the first features of the order, for each size."""
    kmeans = fold.kmeans
    if kmeans is None:
        kmeans = KMeans(np.unique(fold.y_test).size, n_init=10, random_state=0)
    with warnings.catch_warnings():  # with fewer distinct samples than clusters, some clusters are empty
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [clone(kmeans).fit_predict(feature_rows(fold.X_test, order[:size]).T) for size in sizes]


ACCURACY = _agreement_measure(
    "acc",
    "clustering accuracy",
    clustering_accuracy,
    "share of samples in the cluster that belongs to their class",
)
NMI = _agreement_measure(
    "nmi",
    "normalized mutual information",
    nmi,
    "how much the cluster of a sample says about its class; 0% is nothing and 100% everything",
)
ARI = _agreement_measure(
    "ari",
    "adjusted Rand index",
    ari,
    "agreement on which pairs of samples belong together; 0% is agreement by chance",
    bounds=(None, 1.0),
)
