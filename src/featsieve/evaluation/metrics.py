"""Numbers that say how good a set of features is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.stats import norm
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_array, check_consistent_length

from featsieve.engines.blocks import slices


def clustering_accuracy(y: ArrayLike, clusters: ArrayLike) -> float:
    r"""Share of samples whose cluster stands for their class, under the best matching.

    .. math:: \max_\pi \frac{1}{n} \sum_i [y_i = \pi(c_i)]

    over one-to-one matchings of clusters and classes (Hungarian method).

    Parameters
    ----------
    y, clusters : array of shape (n_samples,)

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
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def nmi(y: ArrayLike, clusters: ArrayLike) -> float:
    r"""Normalized mutual information, I(y; c) / max(H(y), H(c)).

    Parameters
    ----------
    y, clusters : array of shape (n_samples,)

    Returns
    -------
    float
        Between 0 and 1; 1 where both are a single group.
    """
    return float(normalized_mutual_info_score(y, clusters, average_method="max"))


def ari(y: ArrayLike, clusters: ArrayLike) -> float:
    """Rand index adjusted for chance: 1 for the same partition, about 0 for a random one.

    Parameters
    ----------
    y, clusters : array of shape (n_samples,)

    Returns
    -------
    float
    """
    return float(adjusted_rand_score(y, clusters))


def redundancy_rate(X: ArrayLike) -> float:
    r"""Mean absolute correlation of the pairs of columns.

    .. math:: \frac{1}{m (m - 1)} \sum_{i \ne j} |r_{ij}|

    Parameters
    ----------
    X : array of shape (n_samples, m)
        The chosen features.

    Returns
    -------
    float
        Between 0 and 1, smaller is better. A constant column correlates with nothing; a single column is 0.

    Notes
    -----
    Cost O(n m^2); the correlations are made in blocks of columns.

    References
    ----------
    Zhao, Wang and Liu, Efficient spectral feature selection with minimum redundancy, AAAI 2010.
    """
    from featsieve.evaluation.curves import redundancy_curve

    values = check_array(X, dtype=np.float64)
    width = values.shape[1]
    return float(redundancy_curve(values, np.arange(width), [width])[0])


def neighborhood_preservation(X: ArrayLike, Z: ArrayLike, n_neighbors: int = 5) -> float:
    r"""Mean overlap of the nearest neighbors of each sample in two representations.

    .. math:: \frac{1}{n} \sum_i \frac{|N_X(i) \cap N_Z(i)|}{|N_X(i) \cup N_Z(i)|}

    Parameters
    ----------
    X, Z : array of shape (n_samples, n_features) and (n_samples, m)
        All features, and the chosen ones.
    n_neighbors : int, default=5
        At most n_samples - 1 are used.

    Returns
    -------
    float
        Between 0 and 1, larger is better. Of samples at equal distance, those with the smallest index
        are the neighbors.

    Notes
    -----
    Cost O(n^2 (d + m)), in blocks of samples.
    """
    from featsieve.evaluation.curves import nearest_sets

    both = [check_array(each, dtype=np.float64) for each in (X, Z)]
    check_consistent_length(*both)
    before, after = (
        next(nearest_sets(each, np.arange(each.shape[1]), [each.shape[1]], n_neighbors)) for each in both
    )
    return mean_jaccard(before, after)


def mean_jaccard(first: np.ndarray, second: np.ndarray) -> float:
    """Mean Jaccard index of the rows of two arrays of k different numbers each."""
    k = first.shape[1]
    total = 0.0
    for part in slices(first.shape[0], k * k, first):
        shared = (first[part, :, None] == second[part, None, :]).sum(axis=(1, 2))
        total += float((shared / (2 * k - shared)).sum())
    return total / first.shape[0]


@dataclass(frozen=True)
class Stability:
    """The stability of a selection, with its confidence interval."""

    value: float
    low: float
    high: float


def stability(selections: ArrayLike, confidence: float = 0.95) -> Stability:
    r"""How much selections of features agree, corrected for chance.

    .. math:: \Phi = 1 - \frac{\frac{1}{d} \sum_f s_f^2}{\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    with :math:`s_f^2` the unbiased variance of the choice of feature f, and :math:`\bar k` the mean number
    of features chosen.

    Parameters
    ----------
    selections : array of bool of shape (n_selections, n_features)
        Whether each selection has each feature; at least two.
    confidence : float, default=0.95

    Returns
    -------
    Stability
        1 for the same choice every time, about 0 for random ones. All or no features every time is 1.

    References
    ----------
    Nogueira, Sechidis and Brown, On the stability of feature selection algorithms, JMLR 18, 2018.

    Examples
    --------
    >>> from featsieve.evaluation import stability
    >>> round(stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value, 3)
    0.333
    """
    chosen = np.asarray(selections, dtype=np.float64)
    if chosen.ndim != 2 or chosen.shape[0] < 2:
        raise ValueError("selections must hold at least two rows, one for each selection.")
    if not np.isin(chosen, (0, 1)).all():
        raise ValueError("selections must hold True or False for each feature.")
    count, d = chosen.shape
    share, sizes = chosen.mean(axis=0), chosen.sum(axis=1)
    mean = sizes.mean() / d
    chance = mean * (1 - mean)
    if chance == 0:
        return Stability(1.0, 1.0, 1.0)
    value = 1 - count / (count - 1) * np.mean(share * (1 - share)) / chance
    each = chosen @ share / d - sizes * mean / d + value / 2 * (2 * mean * sizes / d - sizes / d - mean + 1)
    each /= chance
    error = math.sqrt(4 / count**2 * np.sum((each - each.mean()) ** 2))
    reach = float(norm.ppf((1 + confidence) / 2)) * error
    return Stability(float(value), max(-1.0, float(value - reach)), min(1.0, float(value + reach)))
