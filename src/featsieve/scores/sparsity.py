from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import l1_weights, nearest_neighbors
from featsieve.registry import method
from featsieve.scores.energy import center, ratio, residual_energy_and_spread
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike, NFeatures


def sparsity_score(
    X: MatrixLike, n_neighbors: int | None = None, alpha: float = 0.05, normalize: bool = True
) -> NDArray[np.float64]:
    r"""Compute the sparsity score of each feature.

    .. math:: \frac{\sum_i (f_i - \sum_j s_{ij} f_j)^2}{\frac{1}{n} \sum_i f_i^2}, \quad f \text{ centered}

    s are the lasso weights of :func:`featsieve.graphs.l1_weights`, which reconstruct each sample from few
    other samples. The published constraint x_i = sum_j s_ij x_j often has a solution, and then all scores are
    zero; the lasso avoids this. Centering makes the score independent of constants added to a feature, as the
    published constraint sum_j s_ij = 1 does.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_neighbors : int, default=None
        Number of nearest samples to reconstruct each sample from; None for all other samples.
    alpha : float, default=0.05
        Penalty, between 0 and 1, relative to the smallest penalty for which all weights are zero.
    normalize : bool, default=True
        Whether to divide by the variance.

    Returns
    -------
    ndarray of shape (n_features,)
        Scores from 0; smaller is better. A constant feature gets infinity, or 0 without ``normalize``.

    Notes
    -----
    The cost of the n lasso paths is O(n^2 (d + m^2)) without ``n_neighbors``, if samples have about m
    weights. They are computed in float64, on a copy of X.

    References
    ----------
    Liu & Zhang, 2014, sparsity score SS-2; Yao et al., IEEE TIP 2017, eq. 7 and 8.
    """
    X = as_matrix(X)
    centered = X.copy()
    center(centered)
    indices = None if n_neighbors is None else nearest_neighbors(X, n_neighbors).indices
    residual = sp.csr_array(sp.eye_array(X.shape[0]) - l1_weights(centered, alpha, indices))
    energy, spread = residual_energy_and_spread(centered, residual, shift_invariant=False)
    return ratio(energy, spread / X.shape[0], float("inf")) if normalize else energy


@method(
    "sparsity",
    family="reconstruction",
    supervised="no",
    direction="smaller",
    reference="Liu & Zhang, 2014; Yao et al., IEEE TIP 2017, eq. 7 and 8",
)
class SparsityScore(Ranker, BaseEstimator):
    """Sparsity score: rank features by how well sparse combinations of samples reconstruct them.

    Parameters
    ----------
    n_neighbors : int, default=None
        Number of nearest samples to reconstruct each sample from; None for all other samples.
    alpha : float, default=0.05
        Penalty, relative to the smallest penalty for which all weights are zero.
    normalize : bool, default=True
        Whether to divide by the variance of the feature.

    See Also
    --------
    featsieve.scores.sparsity_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import SparsityScore
    >>> SparsityScore(n_neighbors=5).fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "normalize": ["boolean"],
    }

    def __init__(
        self,
        n_neighbors: int | None = None,
        *,
        alpha: float = 0.05,
        normalize: bool = True,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.normalize = normalize
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> NDArray[np.float64]:
        return sparsity_score(X, self.n_neighbors, self.alpha, self.normalize)
