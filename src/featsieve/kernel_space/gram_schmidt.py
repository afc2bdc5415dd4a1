from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.kernel_space.cholesky import Factor, factorize
from featsieve.kernel_space.kernels import KERNEL, Columns, KernelSamples
from featsieve.kernel_space.kobl import COMPONENTS, coordinates, keep_basis, result_type
from featsieve.registry import method

# How many times its rounding error the squared distance of a sample from the span must be.
SIGNAL_TO_ROUNDING = 100


def gram_schmidt(columns: Columns, limit: int | None = None, name: str | None = "kernel basis") -> Factor:
    r"""Base vectors from the samples one after the other, as they come.

    .. math:: w_k \propto \phi(x_k) - \sum_{j < k} (w_j^\top \phi(x_k)) w_j

    A sample whose distance from the span of those before it may be due to rounding gives no vector. If
    sum_p a_p phi(x_p) is its projection on the span, rounding changes its squared distance by about
    eps (sqrt(k(x, x)) + sum_p |a_p| sqrt(k(x_p, x_p)))^2.

    Parameters
    ----------
    columns : Columns
        The kernel matrix of the N samples.
    limit : int or None
        The most vectors to learn.
    name : str or None
        What the progress is reported under.

    Returns
    -------
    Factor

    Notes
    -----
    O(N m (d + m)) time and O(N (d + m)) memory for m vectors in d features; m is usually N.
    """
    n = columns.n_samples
    samples = iter(range(n))

    def choose(factor: Factor) -> int | None:
        for sample in samples:
            if factor.left[sample] > np.sqrt(columns.eps) * factor.largest:  # far from rounding
                return sample
            size = factor.lengths[sample]
            if factor.pivots:
                triangle, row = factor.rows(factor.pivots), factor.rows([sample])[0]
                span = solve_triangular(triangle, row, lower=True, trans=1, check_finite=False)
                size += np.abs(span) @ factor.lengths[factor.pivots]
            if factor.left[sample] > SIGNAL_TO_ROUNDING * columns.eps * size**2:
                return sample
        return None

    return factorize(columns, choose, n if limit is None else min(limit, n), name)


@method(
    "kgs",
    family="kernel",
    role="transformer",
    supervised="no",
    inputs=("sparse",),
    reference="Cao, Shen, Sun, Yang & Chen, ICML 2007; Xu, Shen, Ping & Zhao, CIKM 2011",
)
class KernelGramSchmidt(
    KernelSamples,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Coordinates on the orthonormal basis that Gram and Schmidt make of the samples as they come (KGS).

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`featsieve.KernelOrthogonalBasis`; gamma is a number, "scale", "median" or None.
    n_components : int, default=None
        The most base vectors to learn; None for one for each sample that is not in the span of those
        before it.

    Attributes
    ----------
    n_components_ : int
        How many base vectors were learnt.
    pivots_ : ndarray of shape (n_components_,)
        The row of X that each stands on.
    basis_ : samples
        Those rows.
    residuals_ : ndarray of shape (n_components_,)
        How far each was from the span of those before it.
    reconstruction_cost_ : float
        Mean distance of the samples from the span.
    gamma_ : float or None
        The width used.

    Notes
    -----
    With all samples it takes O(N^3) time and O(N^2) memory; that is the method, and what
    :class:`featsieve.KernelOrthogonalBasis` is for. A sample whose distance from the span of those before it
    may be due to rounding is passed over; see :func:`featsieve.kernel_space.gram_schmidt.gram_schmidt`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KernelGramSchmidt
    >>> X = load_iris().data
    >>> KernelGramSchmidt("linear", n_components=3).fit(X).pivots_
    array([0, 1, 2])
    """

    _parameter_constraints: dict = {**KERNEL, "n_components": COMPONENTS}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1,
        n_components: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> KernelGramSchmidt:
        """Learn the basis.

        Parameters
        ----------
        X : samples
            Dense or sparse matrix, the kernel matrix if ``kernel="precomputed"``, or strings.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        with reporting(self):
            self._learn(X)
        return self

    @with_callbacks
    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn the basis and return the coordinates of X on it.

        Parameters
        ----------
        X : samples
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        with reporting(self):
            return self._learn(X).matrix(result_type(X))

    def _learn(self, X: Any) -> Factor:
        kernel = self._resolved(X)
        factor = gram_schmidt(Columns(kernel, X), self.n_components)
        keep_basis(self, X, kernel, factor)
        return factor

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the samples on the basis.

        Parameters
        ----------
        X : samples
            With ``kernel="precomputed"``, the kernel between these samples and all that were fitted.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        return coordinates(self, self._check_samples(X, reset=False))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
