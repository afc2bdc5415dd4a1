"""Estimators that adapt a method to the setup of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from featsieve.types import MatrixLike


class FixedOrder(BaseEstimator):
    """A given order of the features.

    Parameters
    ----------
    order : sequence of int
        Feature indices, best first.
    """

    def __init__(self, order: Sequence[int]) -> None:
        self.order = order

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Return the order, which does not depend on the data."""
        self.order_ = np.array(self.order)
        return self


class WithoutLabels(BaseEstimator):
    """A ranker fitted without labels, even if labels are available.

    Parameters
    ----------
    ranker : estimator
        The ranker, which may use labels.
    """

    def __init__(self, ranker: BaseEstimator) -> None:
        self.ranker = ranker

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Rank the features of X and ignore y."""
        fitted = clone(self.ranker).fit(X)
        self.scores_, self.order_ = fitted.scores_, fitted.order_
        return self
