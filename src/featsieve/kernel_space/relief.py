from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.graphs.labels import check_labels
from featsieve.graphs.search import NeighborSearch
from featsieve.kernel_space.gram_schmidt import KernelGramSchmidt
from featsieve.kernel_space.kernels import check_samples, validate_labels
from featsieve.kernel_space.kffs import count_kept
from featsieve.registry import method
from featsieve.selectors import N_FEATURES


def relief_weights(F: np.ndarray, y: Any) -> np.ndarray:
    r"""How much farther apart a coordinate puts a sample from its nearest miss than from its nearest hit.

    .. math:: \frac{1}{n} \sum_i \left[ \sum_{c \ne y_i} \frac{P(c)}{1 - P(y_i)} (f_i - f_{m_c(i)})^2 -
              (f_i - f_{h(i)})^2 \right]

    h(i) is the nearest other sample of the class of i and m_c(i) the nearest of class c, by the Euclidean
    distance of all coordinates, which on a basis of the kernel space is the distance there.

    Parameters
    ----------
    F : ndarray of shape (n_samples, n_features)
        Coordinates on an orthonormal basis.
    y : array of shape (n_samples,)
        Labels.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better. They add up to the mean difference of the squared distances to miss and hit. A
        weight that rounding alone can explain is 0.

    Notes
    -----
    Coordinates are not divided by their ranges, unlike features in :func:`featsieve.scores.relieff_score`:
    they share a unit, and directions that hold next to nothing should weigh next to nothing. All samples are
    used. A sample that is alone in its class has no hit. O(n^2 d).

    References
    ----------
    Kira & Rendell, ICML 1992; Cao, Shen, Sun, Yang & Chen, ICML 2007.
    """
    codes, counts = check_labels(y, F)
    n = len(F)
    share = counts / n
    search = NeighborSearch(F)
    sums = np.zeros((2, F.shape[1]))  # the weights, and the sizes that their rounding is a share of
    for c in range(counts.size):
        indices, distances = search.nearest(np.arange(n), np.flatnonzero(codes == c), 1)
        factor = np.where(codes == c, -1.0, share[c] / (1 - share[codes])) * np.isfinite(distances[:, 0]) / n
        near = indices[:, 0]

        def contrast(part: slice, near: np.ndarray = near, factor: np.ndarray = factor) -> np.ndarray:
            gap = F[part].astype(np.float64) - F[near[part]]
            return np.stack([factor[part], np.abs(factor[part])]) @ (gap * gap)

        for each in parallel_map(contrast, slices(n, 24 * F.shape[1], F), F, "relief"):
            sums += each
    weights, sizes = sums
    return np.where(np.abs(weights) > 10 * n * np.finfo(np.float64).eps * sizes, weights, 0.0)


@method(
    "kernel-relief",
    family="kernel",
    role="transformer",
    supervised="yes",
    inputs=("sparse",),
    reference="Cao, Shen, Sun, Yang & Chen, ICML 2007",
)
class KernelRelief(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features of a kernel-space basis that part each sample from its nearest miss (FSKGS, FSKPCA).

    Parameters
    ----------
    basis : transformer, default=None
        What gives the kernel-space features: None or ``KernelGramSchmidt()`` makes it FSKGS,
        ``sklearn.decomposition.KernelPCA(kernel="rbf")`` FSKPCA.
    n_features_to_select : int or float, default=None
        How many of them to keep: a number, a share, or None for those with a weight above 0.

    Attributes
    ----------
    basis_ : transformer
        The fitted basis.
    weights_ : ndarray
        Relief weight of each feature of the basis.
    order_ : ndarray
        Features of the basis, largest weight first.
    n_features_ : int
        How many are kept, at least one; they come in the order of the basis.

    See Also
    --------
    featsieve.kernel_space.relief.relief_weights : The equation.

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

    _parameter_constraints: dict = {
        "basis": [HasMethods(["fit", "transform"]), None],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(self, basis: Any = None, *, n_features_to_select: Any = None) -> None:
        self.basis = basis
        self.n_features_to_select = n_features_to_select

    @with_callbacks
    def fit(self, X: Any, y: Any) -> KernelRelief:
        """Fit the basis and weigh its features.

        Parameters
        ----------
        X : samples
            What the basis takes.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._check(X, reset=True)
        y = validate_labels(self, X, y)
        self.basis_ = KernelGramSchmidt() if self.basis is None else clone(self.basis)
        with reporting(self):
            F = np.asarray(self.basis_.fit(X, y).transform(X))
            self.weights_ = relief_weights(F, y)
        self.order_ = np.argsort(-self.weights_, kind="stable")
        self.n_features_ = count_kept(self.n_features_to_select, self.weights_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The kept features of the samples.

        Parameters
        ----------
        X : samples

        Returns
        -------
        ndarray of shape (n_samples, n_features_)
        """
        check_is_fitted(self)
        F = np.asarray(self.basis_.transform(self._check(X, reset=False)))
        return F[:, np.sort(self.order_[: self.n_features_])]

    def _check(self, X: Any, *, reset: bool) -> Any:
        return check_samples(self, getattr(self.basis, "kernel", None), X, reset=reset)

    @property
    def _n_features_out(self) -> int:
        return self.n_features_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        basis = get_tags(KernelGramSchmidt() if self.basis is None else self.basis)
        tags.input_tags.sparse = basis.input_tags.sparse
        tags.input_tags.pairwise = basis.input_tags.pairwise
        tags.target_tags.required = True
        if basis.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = basis.transformer_tags.preserves_dtype
        return tags
