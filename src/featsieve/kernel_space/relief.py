"""Relief in kernel space: weights of the coordinates on a basis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods

from featsieve.engines.blocks import parallel_map, slices
from featsieve.graphs.labels import check_labels
from featsieve.graphs.search import NeighborSearch
from featsieve.kernel_space.gram_schmidt import KernelGramSchmidt
from featsieve.kernel_space.mixins import CoordinatesMixin, FitMixin
from featsieve.kernel_space.records import kernel_method
from featsieve.kernel_space.samples import check_samples
from featsieve.selectors import N_FEATURES, count_selected


def relief_weights(F: np.ndarray, y: ArrayLike) -> np.ndarray:
    r"""Compute the Relief weight of each coordinate of a kernel-space basis.

    .. math:: \frac{1}{n} \sum_i \left[ \sum_{c \ne y_i} \frac{P(c)}{1 - P(y_i)} (f_i - f_{m_c(i)})^2 -
              (f_i - f_{h(i)})^2 \right]

    h(i) is the nearest sample of the class of sample i (nearest hit), and m_c(i) is the nearest sample of
    class c (nearest miss), by the Euclidean distance over all coordinates, which on an orthonormal basis is
    the distance in kernel space.

    Parameters
    ----------
    F : ndarray of shape (n_samples, n_features)
        Coordinates on an orthonormal basis.
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_features,)
        Weights; larger is better. A weight that can be explained by rounding is 0.

    See Also
    --------
    featsieve.KernelRelief : The estimator.
    featsieve.scores.relieff_score : ReliefF of features with different units.

    Notes
    -----
    The weights sum to the mean difference between the squared distances to misses and to hits. Coordinates
    are not divided by their ranges, because they share one unit and directions with almost no variance
    should have almost no weight. All samples are used. A sample that is alone in its class has no hit.
    O(n^2 d) time.

    References
    ----------
    Kira & Rendell, ICML 1992; Cao, Shen, Sun, Yang & Chen, ICML 2007.

    Examples
    --------
    >>> from featsieve.kernel_space import relief_weights
    >>> relief_weights([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0]], [0, 0, 1])
    array([5., 1.])
    """
    F = np.asarray(F)
    codes, counts = check_labels(y, F)
    n = len(F)
    priors = counts / n
    search = NeighborSearch(F)
    totals = np.zeros((2, F.shape[1]))  # the weights, and the magnitudes that their rounding is relative to
    for c in range(counts.size):
        indices, distances = search.nearest(np.arange(n), np.flatnonzero(codes == c), 1)
        factors = np.where(codes == c, -1.0, priors[c] / (1 - priors[codes]))
        factors = factors * np.isfinite(distances[:, 0]) / n
        nearest = indices[:, 0]

        def contributions(
            block: slice, nearest: np.ndarray = nearest, factors: np.ndarray = factors
        ) -> np.ndarray:
            difference = F[block].astype(np.float64) - F[nearest[block]]
            return np.stack([factors[block], np.abs(factors[block])]) @ (difference * difference)

        for contribution in parallel_map(contributions, slices(n, 24 * F.shape[1], F), F, "relief"):
            totals += contribution
    weights, magnitudes = totals
    return np.where(np.abs(weights) > 10 * n * np.finfo(np.float64).eps * magnitudes, weights, 0.0)


@kernel_method("kernel-relief", supervised="yes", reference="Cao, Shen, Sun, Yang & Chen, ICML 2007")
class KernelRelief(FitMixin, CoordinatesMixin, BaseEstimator):
    """Relief in kernel space (FSKGS, FSKPCA): select the features of a basis by their Relief weights.

    Parameters
    ----------
    basis : transformer, default=None
        Transformer that computes the kernel-space features. None is :class:`featsieve.KernelGramSchmidt`
        (FSKGS); ``sklearn.decomposition.KernelPCA(kernel="rbf")`` is FSKPCA.
    n_features_to_select : int or float, default=None
        Number of basis features to select, or a fraction of them. None selects those with a positive weight.

    Attributes
    ----------
    basis_ : transformer
        Fitted basis.
    weights_ : ndarray of shape (n_basis_features,)
        Relief weight of each feature of the basis.
    order_ : ndarray of shape (n_basis_features,)
        Indices of the features of the basis by decreasing weight.
    n_features_ : int
        Number of selected features, at least one. Their order is that of the basis.
    {feature_attributes}

    See Also
    --------
    featsieve.TAKESTransformer : Selection by boosting, on a basis with an adaptive dimension.
    featsieve.kernel_space.relief_weights : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import KernelPCA
    >>> from featsieve import KernelRelief
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRelief(KernelPCA(10, kernel="rbf"), n_features_to_select=3).fit(X, y)
    >>> model.order_[:3]
    array([0, 1, 2])
    """

    _parameter_constraints: dict[str, Any] = {
        "basis": [HasMethods(["fit", "transform"]), None],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self, basis: BaseEstimator | None = None, *, n_features_to_select: int | float | None = None
    ) -> None:
        self.basis = basis
        self.n_features_to_select = n_features_to_select

    def _check_samples(self, X: Any, *, reset: bool) -> Any:
        return check_samples(self, getattr(self.basis, "kernel", None), X, reset=reset)

    def _fit(self, X: Any, y: Any) -> Callable[[type], np.ndarray]:
        self.basis_ = KernelGramSchmidt() if self.basis is None else clone(self.basis)
        self.weights_ = relief_weights(np.asarray(self.basis_.fit(X, y).transform(X)), y)
        self.order_ = np.argsort(-self.weights_, kind="stable")
        self.n_features_ = count_selected(
            self.n_features_to_select, self.weights_.size, int((self.weights_ > 0).sum())
        )
        return lambda dtype: self._transform(X)

    def _transform(self, X: Any) -> np.ndarray:
        return np.asarray(self.basis_.transform(X))[:, np.sort(self.order_[: self.n_features_])]

    @property
    def _n_features_out(self) -> int:
        return self.n_features_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        basis = get_tags(KernelGramSchmidt() if self.basis is None else self.basis)
        tags.input_tags.sparse = basis.input_tags.sparse
        tags.input_tags.pairwise = basis.input_tags.pairwise
        if basis.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = basis.transformer_tags.preserves_dtype
        return tags
