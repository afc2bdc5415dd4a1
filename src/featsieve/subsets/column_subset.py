from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix
from featsieve.registry import method
from featsieve.selectors import Ranker
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._deflation import Deflation
from featsieve.subsets._greedy import ROUNDING_RTOL, rank_greedily
from featsieve.types import Mask, MatrixLike

# The values are recomputed when the best one, or the squared error, falls below this share of its last
# recomputed value, because the updates lose digits.
REFRESH_RTOL = 1e-4


class _ExplainedEnergy:
    """Criterion of :func:`column_subset_ranking`."""

    def __init__(self, columns: UnitColumns, weights: ArrayLike | None) -> None:
        self.columns = columns
        self.unit = columns.norms.max() or 1.0
        self.all_weights = (columns.norms / self.unit) ** 2
        if weights is not None:
            self.all_weights = self.all_weights * np.asarray(weights, dtype=np.float64)
        self.deflation = Deflation(columns)
        self.refresh()

    def refresh(self) -> None:
        """Compute the energies from the residuals."""
        self.energies = self.deflation.recompute(self.weights)
        self.energies_at_refresh, self.squares_at_refresh = self.energies, self.deflation.squares
        self.squared_error_at_refresh = self.squared_error

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of unit columns; 0 in the span of the chosen columns, where only rounding errors remain."""
        return np.where(self.deflation.independent, self.all_weights, 0.0)

    @property
    def squared_error(self) -> float:
        """Sum of the squared residuals of all columns, in units of the longest column."""
        return float(self.weights @ self.deflation.squares)

    @property
    def errors(self) -> float:
        """Bound of the rounding errors of the last values, which are at most the squared error."""
        return ROUNDING_RTOL * self.squared_error * self.unit**2

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        values = self.divide()
        if candidates.any() and not (candidates & self.deflation.independent).any():
            self.deflation.reset()
            self.refresh()
            return self.divide()
        best = int(np.where(candidates, values, -1).argmax())
        if (
            self.energies[best] < REFRESH_RTOL * self.energies_at_refresh[best]
            or self.deflation.squares[best] < REFRESH_RTOL * self.squares_at_refresh[best]
            or self.squared_error < REFRESH_RTOL * self.squared_error_at_refresh
        ):
            self.refresh()
            return self.divide()
        return values

    def divide(self) -> NDArray[np.float64]:
        """Divide energies by squared lengths; return 0 for columns in the span of the chosen ones."""
        independent = self.deflation.independent
        squares = np.where(independent, self.deflation.squares, 1.0)
        return np.where(independent, np.maximum(self.energies, 0.0) / squares, 0.0) * self.unit**2

    def add(self, j: int) -> NDArray[np.float64]:
        weights = self.weights
        correlations, overlaps, direction = self.deflation.add(j)
        image = self.columns.combination(weights * overlaps)  # A A'q, without the n x n matrix
        products = self.columns.products(self.deflation.project(image)[:, None])[0]
        self.energies = self.energies - overlaps * (2 * products + overlaps * (direction @ image))
        return correlations


def column_subset_ranking(
    X: MatrixLike, n_features: int, weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    r"""Rank features by the variation of all features that they explain, choosing one at a time.

    .. math:: \arg\max_j \frac{f_j' F W F' f_j}{f_j' f_j}

    F is the matrix of the centered features minus their projections onto the chosen features, f_j are its
    columns, and W is the diagonal matrix of the weights. The value is the decrease in the weighted squared
    error of a linear regression of all features on the chosen ones.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples. Standardize features in different units first.
    n_features : int
        Number of features to choose.
    weights : array-like of shape (n_features,), default=None
        Weight of the squared error of each feature, non-negative; None gives all features weight 1.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Decrease in the squared error at the choice of each feature; features that are not chosen get their
        value after the last choice.
    order : ndarray of shape (n_features,)
        Feature indices, best first. Copies of chosen features come after all distinct features, and
        constant features come last.

    Notes
    -----
    When the chosen features explain all others, the choice of the remaining features starts again without
    projections. The first values take O(n d min(n, d)), and each choice takes three products of X and a
    vector, O(n d).

    References
    ----------
    Farahat, Ghodsi & Kamel, ICDM 2011.
    """
    return rank_greedily(_ExplainedEnergy(UnitColumns(as_matrix(X)), weights), n_features)


@method(
    "column-subset",
    family="subset",
    supervised="no",
    direction="larger",
    inputs=("sparse", "array_api"),
    reference="Farahat, Ghodsi & Kamel, ICDM 2011",
)
class ColumnSubset(Ranker, BaseEstimator):
    """Column subset selection: choose the features that best explain all others in a linear regression.

    See Also
    --------
    featsieve.subsets.column_subset_ranking : The equation.
    featsieve.FacilityLocation : Represent each feature by one chosen feature instead of all chosen ones.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ColumnSubset
    >>> ColumnSubset().fit(load_iris().data).order_
    array([2, 0, 1, 3])
    """

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        return column_subset_ranking(X, self._resolve_n_features(X.shape[1]))
