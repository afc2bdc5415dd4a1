"""Nearest-neighbor classification in kernel space."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.blocks import slices
from featsieve.kernel_space.kernels import EXPONENTIAL_KERNELS, Kernel, KernelFunction, kernel_rows
from featsieve.kernel_space.mixins import FitMixin, KernelMixin
from featsieve.kernel_space.records import kernel_method
from featsieve.kernel_space.samples import check_symmetric
from featsieve.types import MatrixLike


@kernel_method(
    "knnc", supervised="yes", reference="Xu, Shen, Ping & Zhao, CIKM 2011, section 4.2", role="classifier"
)
class KernelNearestNeighbor(KernelMixin, FitMixin, ClassifierMixin, BaseEstimator):
    r"""Kernel nearest-neighbor classifier (KNNC): vote of the nearest samples in kernel space.

    .. math:: \|\phi(x) - \phi(z)\|^2 = k(x, x) - 2 k(x, z) + k(z, z)

    Parameters
    ----------
    n_neighbors : int, default=1
        Number of neighbors that vote.
    {kernel_parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    X_fit_ : {ndarray, sparse array} of shape (n_samples, n_features)
        Training samples; not set if the kernel is "precomputed".
    {gamma_attribute}

    See Also
    --------
    featsieve.TAKESTransformer : Features for which ``kernel="linear"`` is appropriate.
    sklearn.neighbors.KNeighborsClassifier : Nearest neighbors in the original space.

    Notes
    -----
    Among distances that are equal up to rounding, the sample fitted first is nearer. Among classes with
    equal votes, that of the nearest sample is predicted. k(x, x) is the same for all neighbors of x and is
    not computed. For the kernels "rbf", "laplacian" and "chi2", exponents are compared, which have the same
    order. With ``kernel="linear"`` this is the ordinary nearest-neighbor classifier. O(n d) time per
    prediction.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from featsieve import KernelNearestNeighbor, TAKESTransformer
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), TAKESTransformer(), KernelNearestNeighbor(kernel="linear"))
    >>> bool(cross_val_score(model, X, y).mean() > 0.9)
    True
    """

    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        **KernelMixin._parameter_constraints,
    }

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        kernel: KernelFunction = "rbf",
        gamma: float | str | None = "scale",
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _fit(self, X: Any, y: Any) -> None:
        if self.n_neighbors > X.shape[0]:
            raise ValueError(
                f"`n_neighbors` must be at most the number of samples ({X.shape[0]}); got {self.n_neighbors}."
            )
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self._kernel = self._resolve_kernel(X)
        self.gamma_ = self._kernel.gamma
        if self.kernel == "precomputed":
            check_symmetric(X)
            self._squared_norms = np.array(X.diagonal(), dtype=np.float64)
        else:
            self.X_fit_ = X
            self._squared_norms = self._kernel.diagonal(X)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predict the labels of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; if the kernel is "precomputed", the kernel between these and the training samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        codes = self._neighbor_codes(X)
        votes = _count_votes(codes, self.classes_.size)
        # among the classes with most votes, that of the nearest sample
        has_most_votes = np.take_along_axis(votes, codes, axis=1) == votes.max(axis=1)[:, None]
        return self.classes_[codes[np.arange(len(codes)), has_most_votes.argmax(axis=1)]]

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Compute the fraction of the nearest samples that belongs to each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Fractions, in the order of ``classes_``.
        """
        return _count_votes(self._neighbor_codes(X), self.classes_.size) / self.n_neighbors

    def _neighbor_codes(self, X: Any) -> np.ndarray:
        """Return the class indices of the nearest samples, nearest first."""
        check_is_fitted(self)
        X = self._check_samples(X, reset=False)
        norms = self._squared_norms
        nearest = np.empty((X.shape[0], self.n_neighbors), dtype=np.intp)
        for block in slices(X.shape[0], 32 * norms.size, X):
            if self.kernel in EXPONENTIAL_KERNELS or self.kernel == "linear":
                # kernel values may round to 0 or 1, and inner products far from the origin lose digits
                kernel = Kernel("rbf", 1.0) if self.kernel == "linear" else self._kernel
                distances, magnitudes = kernel.exponent(X[block], self.X_fit_)
            else:
                K = kernel_rows(self._kernel, X[block], getattr(self, "X_fit_", None))
                distances, magnitudes = norms - 2 * K, np.abs(norms) + 2 * np.abs(K)
            nearest[block] = _smallest_indices(distances, magnitudes, self.n_neighbors)
        return self._codes[nearest]


def _smallest_indices(distances: np.ndarray, magnitudes: np.ndarray, k: int) -> np.ndarray:
    """Return the indices of the k smallest distances of each row, ties up to rounding by index."""
    last = min(k, distances.shape[1] - 1)
    nearest = np.argpartition(distances, last, axis=1)[:, :k]
    # only the magnitudes of the nearest count: a distant sample must not make them equal
    rounding = 64 * np.finfo(np.float64).eps * np.take_along_axis(magnitudes, nearest, axis=1).max(axis=1)
    with np.errstate(over="ignore"):  # the nearest may be the sample itself
        levels = np.rint(distances / np.maximum(rounding, np.finfo(np.float64).tiny)[:, None])
    return levels.argmin(axis=1)[:, None] if k == 1 else levels.argsort(axis=1, kind="stable")[:, :k]


def _count_votes(codes: np.ndarray, n_classes: int) -> np.ndarray:
    return (codes[:, :, None] == np.arange(n_classes)).sum(axis=1)
