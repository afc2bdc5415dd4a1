from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import l1_weights, nearest_neighbors
from featsieve.registry import method
from featsieve.scores.energy import center, ratio, residual_energy_and_spread
from featsieve.selectors import N_FEATURES, Ranker


def sparsity_score(
    X: Any, n_neighbors: int | None = None, alpha: float = 0.05, normalize: bool = True
) -> Any:
    r"""Error of rebuilding a feature by the few other samples that best rebuild each sample.

    .. math:: \frac{\sum_i (f_i - \sum_j s_{ij} f_j)^2}{\frac{1}{n} \sum_i f_i^2}, \quad f centerd

    s are the lasso weights of :func:`featsieve.graphs.l1_weights`. The published constraint
    x_i = sum_j s_ij x_j is often feasible, and the score then zero for every feature; the lasso form has
    no such collapse. Samples are centerd, which does what the published sum_j s_ij = 1 is for: adding a
    constant to a feature changes nothing.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int or None
        Rebuild from so many nearest samples only; None from all others.
    alpha : float
        Penalty, as a share of the one that makes all weights zero.
    normalize : bool
        Whether to divide by the variance.

    Returns
    -------
    ndarray of shape (n_features,)
        Smaller is better, from 0; a constant feature gets infinity, or 0 without ``normalize``.

    Notes
    -----
    n lasso paths: O(n^2 (d + m^2)) without ``n_neighbors``, where samples have about m weights. They are
    followed in float64, on a copy of X.

    References
    ----------
    Liu & Zhang, 2014, sparsity score SS-2; Yao et al., IEEE TIP 2017, eq. 7 and 8.
    """
    X = as_matrix(X)
    centerd = X.copy()
    center(centerd)
    indices = None if n_neighbors is None else nearest_neighbors(X, n_neighbors).indices
    residual = sp.csr_array(sp.eye_array(X.shape[0]) - l1_weights(centerd, alpha, indices))
    energy, spread = residual_energy_and_spread(centerd, residual, shift_invariant=False)
    return ratio(energy, spread / X.shape[0], float("inf")) if normalize else energy


@method(
    "sparsity",
    family="reconstruction",
    supervised="no",
    direction="smaller",
    reference="Liu & Zhang, 2014; Yao et al., IEEE TIP 2017, eq. 7 and 8",
)
class SparsityScore(Ranker, BaseEstimator):
    """Error of rebuilding a feature by the few other samples that best rebuild each sample.

    Parameters
    ----------
    n_neighbors : int, default=None
        Rebuild from so many nearest samples only; None from all others.
    alpha : float, default=0.05
        Penalty, as a share of the one that makes all weights zero.
    normalize : bool, default=True
        Whether to divide by the feature's variance.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.sparsity_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import SparsityScore
    >>> SparsityScore(n_neighbors=5).fit(load_iris().data).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "normalize": ["boolean"],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        n_neighbors: int | None = None,
        *,
        alpha: float = 0.05,
        normalize: bool = True,
        n_features_to_select: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.normalize = normalize
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return sparsity_score(X, self.n_neighbors, self.alpha, self.normalize)
