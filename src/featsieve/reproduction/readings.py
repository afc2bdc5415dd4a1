"""Estimators that do what a paper did, where featsieve does something else for good reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from featsieve.graphs import l1_weights, nearest_neighbors
from featsieve.graphs.knn import rows_to_csr
from featsieve.scores.energy import center, ratio, residual_energy_and_spread


class FixedOrder(BaseEstimator):
    """An order of the features that is given.

    Parameters
    ----------
    order : sequence of int
        Feature indices, best first.
    """

    def __init__(self, order: Any) -> None:
        self.order = order

    def fit(self, X: Any, y: Any = None) -> FixedOrder:
        """Learn nothing."""
        self.order_ = np.array(self.order)
        return self


class Unlabeled(BaseEstimator):
    """A ranker that could use labels and is given none.

    Parameters
    ----------
    ranker : estimator
    """

    def __init__(self, ranker: Any) -> None:
        self.ranker = ranker

    def fit(self, X: Any, y: Any = None) -> Unlabeled:
        """Rank the features of X."""
        fitted = clone(self.ranker).fit(X)
        self.scores_, self.order_ = fitted.scores_, fitted.order_
        return self


class ReversedLaplacian(BaseEstimator):
    r"""The Laplacian score as the tables of Yao et al. 2017 have it: the worst feature first.

    .. math:: \frac{f'Wf - (d'f)^2 / d'1}{f'Df - (d'f)^2 / d'1}, \quad w_{ij} = exp(-|x_i - x_j|^2 / (2 t^2))

    d are the degrees, D = diag(d). The ratio is one minus the Laplacian score, so that larger is better, and
    the features are sorted by it with the smallest first. Denominators under 1e-12 are replaced by 10000,
    which on images with small t are all of them. Where every weight underflows to zero, nothing is sorted.

    Parameters
    ----------
    t : float
    n_neighbors : int, default=5
    """

    def __init__(self, t: float, n_neighbors: int = 5) -> None:
        self.t = t
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any = None) -> ReversedLaplacian:
        """Rank the features of X."""
        X = np.asarray(X, dtype=np.float64)
        near = nearest_neighbors(X, self.n_neighbors)
        weights = rows_to_csr(near.indices, np.exp(-near.distances / (2 * self.t**2)))
        weights = sp.csr_array(weights.maximum(weights.T))
        degree = weights.sum(axis=1)
        if not degree.any():
            self.order_ = np.arange(X.shape[1])
            return self
        mean = (degree @ X) ** 2 / degree.sum()
        # two large numbers are subtracted, as there: their rounding decides between features
        inside = np.sum((weights @ X) * X, axis=0) - mean
        spread = np.sum((degree[:, None] * X) * X, axis=0) - mean
        spread[spread < 1e-12] = 10000
        self.scores_ = inside / spread
        self.order_ = np.argsort(self.scores_, kind="stable")
        return self


class TransposedSparsity(BaseEstimator):
    r"""Sparsity score on the transposed graph, as the matrix S S' in Table II of Yao et al. 2017 means.

    .. math:: \frac{\sum_i (f_i - \sum_j s_{ji} f_j)^2}{\frac{1}{n} \sum_i f_i^2}, \quad f centerd

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Rebuild from so many nearest samples only.
    alpha : float, default=0.05
        Penalty, as a share of the one that makes all weights zero.
    """

    def __init__(self, n_neighbors: int | None = 5, alpha: float = 0.05) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def fit(self, X: Any, y: Any = None) -> TransposedSparsity:
        """Rank the features of X."""
        centerd = np.array(X, dtype=np.float64)
        center(centerd)
        indices = None if self.n_neighbors is None else nearest_neighbors(X, self.n_neighbors).indices
        weights = l1_weights(centerd, self.alpha, indices)
        residual = sp.csr_array(sp.eye_array(centerd.shape[0]) - weights.T)
        energy, spread = residual_energy_and_spread(centerd, residual, shift_invariant=False)
        self.scores_ = ratio(energy, spread / centerd.shape[0], np.inf)
        self.order_ = np.argsort(self.scores_, kind="stable")
        return self
