from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.blocks import slices
from featsieve.kernel_space.kernels import (
    EXPONENTIALS,
    KERNEL,
    Kernel,
    KernelSamples,
    check_symmetric,
    validate_labels,
)
from featsieve.registry import method


@method(
    "knnc",
    family="kernel",
    role="classifier",
    supervised="yes",
    inputs=("sparse",),
    reference="Xu, Shen, Ping & Zhao, CIKM 2011, section 4.2",
)
class KernelNearestNeighbor(KernelSamples, ClassifierMixin, BaseEstimator):
    r"""The class of most of the nearest samples in kernel space (KNNC).

    .. math:: \|\phi(x) - \phi(z)\|^2 = k(x, x) - 2 k(x, z) + k(z, z)

    Parameters
    ----------
    n_neighbors : int, default=1
        How many of the nearest samples vote.
    kernel, gamma, degree, coef0
        As in :class:`featsieve.KernelOrthogonalBasis`; gamma is a number, "scale", "median" or None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    gamma_ : float or None
        The width used.

    Notes
    -----
    Distances that are equal up to rounding go to the sample that was fitted first, tied votes to the class
    of the nearest of those tied. k(x, x) is the same for all neighbors of x and is not needed. Of the
    kernels "rbf", "laplacian" and "chi2" the exponents are compared, in the same order. With
    ``kernel="linear"`` it is the ordinary nearest-neighbor classifier, to follow
    :class:`featsieve.TAKESTransformer` in a pipeline. O(n d) for each prediction.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from featsieve import TAKESTransformer, KernelNearestNeighbor
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), TAKESTransformer(), KernelNearestNeighbor(kernel="linear"))
    >>> bool(cross_val_score(model, X, y).mean() > 0.9)
    True
    """

    _parameter_constraints: dict = {"n_neighbors": [Interval(Integral, 1, None, closed="left")], **KERNEL}

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X: Any, y: Any) -> KernelNearestNeighbor:
        """Keep the samples and their labels.

        Parameters
        ----------
        X : samples
            Dense or sparse matrix, the kernel matrix if ``kernel="precomputed"``, or strings.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        y = validate_labels(self, X, y)
        check_classification_targets(y)
        if self.n_neighbors > X.shape[0]:
            raise ValueError(f"n_neighbors={self.n_neighbors} but X has {X.shape[0]} samples: lower it.")
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self._kernel = self._resolved(X)
        self.gamma_ = self._kernel.gamma
        if self.kernel == "precomputed":
            check_symmetric(X)
            self._lengths = np.array(X.diagonal(), dtype=np.float64)
        else:
            self.X_fit_ = X
            self._lengths = self._kernel.diagonal(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The labels of the samples.

        Parameters
        ----------
        X : samples
            With ``kernel="precomputed"``, the kernel between these samples and all that were fitted.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        nearest = self._nearest(X)
        votes = _count(nearest, self.classes_.size)
        # of the classes with most votes, that of the nearest sample
        most = np.take_along_axis(votes, nearest, axis=1) == votes.max(axis=1)[:, None]
        return self.classes_[nearest[np.arange(len(nearest)), most.argmax(axis=1)]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of the nearest samples that each class has.

        Parameters
        ----------
        X : samples

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return _count(self._nearest(X), self.classes_.size) / self.n_neighbors

    def _nearest(self, X: Any) -> np.ndarray:
        """Class numbers of the nearest samples, nearest first."""
        check_is_fitted(self)
        X = self._check_samples(X, reset=False)
        lengths = self._lengths
        out = np.empty((X.shape[0], self.n_neighbors), dtype=np.intp)
        for part in slices(X.shape[0], 32 * lengths.size, X):
            if self.kernel in EXPONENTIALS or self.kernel == "linear":
                # the kernel itself may be 0, or 1, to rounding, and far from 0 its products lose digits
                kernel = Kernel("rbf", 1.0) if self.kernel == "linear" else self._kernel
                distances, sizes = kernel.exponent(X[part], self.X_fit_)
            else:
                if self.kernel == "precomputed":
                    K = X[part]
                    K = np.asarray(K.toarray() if hasattr(K, "toarray") else K, dtype=np.float64)
                else:
                    K = self._kernel.matrix(X[part], self.X_fit_)
                distances, sizes = lengths - 2 * K, np.abs(lengths) + 2 * np.abs(K)
            out[part] = _first(distances, sizes, self.n_neighbors)
        return self._codes[out]


def _first(distances: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    """Places of the k smallest in each row; of equals up to the rounding of such sizes, the first."""
    last = min(k, distances.shape[1] - 1)
    near = np.argpartition(distances, last, axis=1)[:, :k]
    # rounding matters among the nearest alone: a far sample's size must not make them equal
    grain = 64 * np.finfo(np.float64).eps * np.take_along_axis(sizes, near, axis=1).max(axis=1)
    with np.errstate(over="ignore"):  # where the nearest is the sample itself
        levels = np.rint(distances / np.maximum(grain, np.finfo(np.float64).tiny)[:, None])
    return levels.argmin(axis=1)[:, None] if k == 1 else levels.argsort(axis=1, kind="stable")[:, :k]


def _count(nearest: np.ndarray, n_classes: int) -> np.ndarray:
    return (nearest[:, :, None] == np.arange(n_classes)).sum(axis=1)
