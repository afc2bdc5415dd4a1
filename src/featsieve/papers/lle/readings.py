"""Variants of scores that match the published tables of Yao et al. 2017."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from featsieve.graphs import l1_weights, nearest_neighbors
from featsieve.graphs.knn import rows_to_csr
from featsieve.scores.energy import center, ratio, residual_energy_and_spread
from featsieve.types import MatrixLike

MIN_DENOMINATOR = 1e-12
SMALL_DENOMINATOR_REPLACEMENT = 10000


class ReversedLaplacian(BaseEstimator):
    r"""Laplacian score as in the tables of Yao et al. 2017, with the worst feature first.

    .. math::
        \frac{f'Wf - (d'f)^2 / d'1}{f'Df - (d'f)^2 / d'1}, \quad
        w_{ij} = \exp\left(-\frac{|x_i - x_j|^2}{2 t^2}\right)

    d are the degrees and D = diag(d). The ratio is one minus the Laplacian score, so larger is better, but
    the features are sorted with the smallest ratio first. Denominators below 1e-12 are replaced by 10000;
    on images with small t this affects all of them. If every weight underflows to zero, the features remain
    in their original order.

    Parameters
    ----------
    t : float
        Width of the kernel.
    n_neighbors : int, default=5
        Number of nearest neighbors.
    """

    def __init__(self, t: float, n_neighbors: int = 5) -> None:
        self.t = t
        self.n_neighbors = n_neighbors

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Rank the features of X."""
        X = np.asarray(X, dtype=np.float64)
        neighbors = nearest_neighbors(X, self.n_neighbors)
        weights = rows_to_csr(neighbors.indices, np.exp(-neighbors.distances / (2 * self.t**2)))
        weights = sp.csr_array(weights.maximum(weights.T))
        degree = weights.sum(axis=1)
        if not degree.any():
            self.order_ = np.arange(X.shape[1])
            return self
        mean = (degree @ X) ** 2 / degree.sum()
        # As in the paper, large numbers are subtracted; their rounding decides between features.
        numerator = np.sum((weights @ X) * X, axis=0) - mean
        denominator = np.sum((degree[:, None] * X) * X, axis=0) - mean
        denominator[denominator < MIN_DENOMINATOR] = SMALL_DENOMINATOR_REPLACEMENT
        self.scores_ = numerator / denominator
        self.order_ = np.argsort(self.scores_, kind="stable")
        return self


class TransposedSparsity(BaseEstimator):
    r"""Sparsity score on the transposed graph, following the matrix S S' in Table II of Yao et al. 2017.

    .. math:: \frac{\sum_i (f_i - \sum_j s_{ji} f_j)^2}{\frac{1}{n} \sum_i f_i^2}

    f is a centered feature, and s are the lasso weights that reconstruct each sample from its neighbors.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Number of nearest samples used for the reconstruction. None uses all samples.
    alpha : float, default=0.05
        Penalty as a fraction of the smallest penalty for which all weights are zero.
    """

    def __init__(self, n_neighbors: int | None = 5, alpha: float = 0.05) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Rank the features of X."""
        centered = np.array(X, dtype=np.float64)
        center(centered)
        indices = None if self.n_neighbors is None else nearest_neighbors(X, self.n_neighbors).indices
        weights = l1_weights(centered, self.alpha, indices)
        residual = sp.csr_array(sp.eye_array(centered.shape[0]) - weights.T)
        energy, spread = residual_energy_and_spread(centered, residual, shift_invariant=False)
        self.scores_ = ratio(energy, spread / centered.shape[0], np.inf)
        self.order_ = np.argsort(self.scores_, kind="stable")
        return self
