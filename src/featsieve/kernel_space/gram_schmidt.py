"""Kernel Gram-Schmidt: a basis of the kernel space from the samples in their given order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator

from featsieve.kernel_space.basis import Factor, basis_coordinates, factorize, set_basis_attributes
from featsieve.kernel_space.kernels import KernelColumns, KernelFunction
from featsieve.kernel_space.mixins import N_COMPONENTS, CoordinatesMixin, FitMixin, KernelMixin
from featsieve.kernel_space.records import kernel_method

# Minimum ratio of the squared distance of a sample from the span to its rounding error.
SIGNAL_TO_ROUNDING = 100


def gram_schmidt(
    columns: KernelColumns, max_components: int | None = None, name: str | None = "kernel basis"
) -> Factor:
    r"""Orthonormalize the samples in kernel space in their given order.

    .. math:: w_k \propto \phi(x_k) - \sum_{j < k} (w_j^\top \phi(x_k)) w_j

    ``columns`` is the kernel matrix of the N samples, and ``name`` the name of the task in progress reports.

    Notes
    -----
    A sample is skipped if rounding can explain its distance from the span of the previous ones. If
    sum_p a_p phi(x_p) is its projection on the span, rounding changes the squared distance by about
    :math:`\epsilon \, (\sqrt{k(x, x)} + \sum_p |a_p| \sqrt{k(x_p, x_p)})^2`.

    O(N m (d + m)) time and O(N (d + m)) memory for m base vectors and d features; usually m = N.
    """
    samples = iter(range(columns.n_samples))

    def choose_pivot(factor: Factor) -> int | None:
        for sample in samples:
            if factor.squared_distances[sample] > np.sqrt(columns.eps) * factor.largest:  # far from rounding
                return sample
            magnitude = factor.norms[sample]
            if factor.pivots:
                triangle, row = factor.rows(factor.pivots), factor.rows([sample])[0]
                projection = solve_triangular(triangle, row, lower=True, trans=1, check_finite=False)
                magnitude += np.abs(projection) @ factor.norms[factor.pivots]
            if factor.squared_distances[sample] > SIGNAL_TO_ROUNDING * columns.eps * magnitude**2:
                return sample
        return None

    return factorize(columns, choose_pivot, max_components, name)


@kernel_method(
    "kgs",
    supervised="no",
    reference="Cao, Shen, Sun, Yang & Chen, ICML 2007; Xu, Shen, Ping & Zhao, CIKM 2011",
)
class KernelGramSchmidt(KernelMixin, FitMixin, CoordinatesMixin, BaseEstimator):
    """Kernel Gram-Schmidt (KGS): orthonormalize the samples in kernel space in their given order.

    Parameters
    ----------
    {kernel_parameters}
    n_components : int, default=None
        Maximum number of base vectors; None uses every sample outside the span of the previous ones.

    Attributes
    ----------
    {basis_attributes}

    See Also
    --------
    featsieve.KernelOrthogonalBasis : A smaller basis from the samples farthest from each other.
    featsieve.KernelRelief : Select basis features by Relief weights.

    Notes
    -----
    With all samples, O(N^3) time and O(N^2) memory. A sample is skipped if rounding can explain its distance
    from the span of the previous ones.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KernelGramSchmidt
    >>> X = load_iris().data
    >>> KernelGramSchmidt("linear", n_components=3).fit(X).pivots_
    array([0, 1, 2])
    """

    _parameter_constraints: dict[str, Any] = {
        **KernelMixin._parameter_constraints,
        "n_components": N_COMPONENTS,
    }

    def __init__(
        self,
        kernel: KernelFunction = "rbf",
        *,
        gamma: float | str | None = "scale",
        degree: float = 3,
        coef0: float = 1,
        n_components: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components

    def _fit(self, X: Any, y: Any) -> Callable[[type], np.ndarray]:
        kernel = self._resolve_kernel(X)
        factor = gram_schmidt(KernelColumns(kernel, X), self.n_components)
        set_basis_attributes(self, X, kernel, factor)
        return factor.matrix

    def _transform(self, X: Any) -> np.ndarray:
        return basis_coordinates(self, X)
