from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix, to_host
from featsieve.registry import method
from featsieve.scores.relieff import relieff_score
from featsieve.selectors import Ranker
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets._deflation import Deflation
from featsieve.subsets._greedy import ROUNDING_RTOL, rank_greedily
from featsieve.targets import TARGET, Targets, TargetType, encode_targets
from featsieve.types import Mask, MatrixLike, NFeatures

# Lower bound of the quality, so that a feature that is irrelevant alone can still be chosen.
MIN_QUALITY = 1e-6
# Added to the squared length of a residual, so that short residuals, whose direction is noise, score low.
LENGTH_RIDGE = 0.1
# The projections are reset after as many choices as there are principal components with this share of the
# variance, and after at least MIN_CHOICES.
VARIANCE_SHARE, MIN_CHOICES = 0.9, 5
# Largest number of rows of a Gram matrix; larger ones are not computed.
MAX_GRAM = 2_000
# Singular values below this share of the largest one are rounding errors of dependent targets.
RANK_RTOL = 1e-10


class _TargetEnergy:
    """Criterion of :func:`supervised_column_subset_ranking`."""

    def __init__(
        self,
        columns: UnitColumns,
        quality: NDArray[np.float64],
        basis: NDArray[np.float64],
        n_before_reset: int,
    ) -> None:
        self.columns, self.quality, self.basis = columns, quality, basis
        self.n_before_reset = n_before_reset
        self.deflation = Deflation(columns)
        self._reset()

    def _reset(self) -> None:
        """Start again without projections."""
        self.n_chosen = 0
        self.deflation.reset()
        self.components = self.columns.products(self.basis)

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        if self.n_chosen == self.n_before_reset:
            self._reset()
        energies = np.where(self.deflation.independent, np.sum(self.components**2, axis=0), 0.0)
        factors = self.quality / (self.deflation.squares + LENGTH_RIDGE)
        # of squares of components, which have an error of ROUNDING_RTOL
        self.errors = factors * ROUNDING_RTOL * (2 * np.sqrt(energies) + ROUNDING_RTOL)
        return factors * energies

    def add(self, j: int) -> NDArray[np.float64]:
        correlations, overlaps, direction = self.deflation.add(j)
        self.components = self.components - np.outer(self.basis.T @ direction, overlaps)
        self.n_chosen += 1
        return correlations


def target_basis(targets: Targets) -> NDArray[np.float64]:
    """Return an orthonormal basis of the centered targets."""
    centered = targets.centered
    centered = centered / np.abs(centered).max(axis=0)
    basis, singular_values, _ = np.linalg.svd(
        centered / np.linalg.norm(centered, axis=0), full_matrices=False
    )
    return basis[:, singular_values > RANK_RTOL * singular_values[0]]


def explained_share(columns: UnitColumns, targets: Targets) -> NDArray[np.float64]:
    r"""Compute the share eta of each column's variance that the targets explain.

    For classes, it is the sum of squares between classes divided by the total sum of squares.
    """
    return np.minimum(np.sum(columns.products(target_basis(targets)) ** 2, axis=0), 1.0)


def target_quality(X: MatrixLike, targets: Targets, columns: UnitColumns) -> NDArray[np.float64]:
    r"""Compute :math:`\sqrt{\eta \max(\rho, 0)}`, where rho is the ReliefF score; or eta without classes."""
    eta = explained_share(columns, targets)
    if targets.codes is None:
        return eta
    return np.sqrt(eta * np.maximum(to_host(relieff_score(X, targets.codes)), 0.0))


def count_components(columns: UnitColumns, share: float, limit: int) -> int:
    """Count the first principal components that have a share of the variance; at most ``limit + 1``."""
    n_columns = int(np.count_nonzero(columns.norms))
    if min(columns.n_samples, columns.n_features) <= MAX_GRAM:
        eigenvalues = np.linalg.eigvalsh(columns.gram())[::-1]
    else:

        def multiply(v: NDArray[np.float64]) -> NDArray[np.float64]:
            return columns.combination(columns.products(v.reshape(-1, 1))[0])

        shape = (columns.n_samples, columns.n_samples)
        start = columns.combination(np.ones(columns.n_features))  # the default of eigsh is random
        operator = LinearOperator(shape, matvec=multiply, dtype=np.float64)
        eigenvalues = eigsh(operator, k=limit, v0=start, return_eigenvectors=False)[::-1]
    reached = np.cumsum(eigenvalues) >= share * n_columns * (1 - RANK_RTOL)
    return int(reached.argmax()) + 1 if reached.any() else limit + 1


def supervised_column_subset_ranking(
    X: MatrixLike,
    y: ArrayLike,
    n_features: int,
    target: TargetType = "auto",
    quality: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    r"""Rank features by what they add to the explanation of the targets, choosing one at a time.

    .. math:: \arg\max_j q_j \frac{|U' z_j|^2}{z_j' z_j + 0.1}

    z are the centered features of unit length minus their projections onto the chosen features. U is an
    orthonormal basis of the centered targets: numbers, or indicators of the classes. The quality is
    :math:`q = \sqrt{\eta \rho}`, where eta is the share of the feature's variance that the targets explain
    and rho is its ReliefF score. For numeric or several targets, :math:`q = \eta`.

    Parameters
    ----------
    X : {array-like, tensor} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.
    n_features : int
        Number of features to choose.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.
    quality : array-like of shape (n_features,), default=None
        Quality q of each feature; None computes it by the equation above.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Value of each feature at its choice, between 0 and 1; features that are not chosen get their value
        after the last choice.
    order : ndarray of shape (n_features,)
        Feature indices, best first. Copies of chosen features come after all distinct features, and
        constant features come last.

    Notes
    -----
    The choice starts again without projections after as many choices as there are principal components with
    90% of the variance, and after at least 5. Each choice takes a product of X and two vectors, O(n d).
    """
    X = as_matrix(X)
    targets = encode_targets(y, X, target)
    columns = UnitColumns(X)
    quality = target_quality(X, targets, columns) if quality is None else np.asarray(quality)
    quality = np.maximum(quality, MIN_QUALITY)
    n_before_reset = max(MIN_CHOICES, count_components(columns, VARIANCE_SHARE, n_features))
    return rank_greedily(_TargetEnergy(columns, quality, target_basis(targets), n_before_reset), n_features)


@method(
    "supervised-column-subset",
    family="subset",
    supervised="yes",
    direction="larger",
    inputs=("array_api", "multioutput"),
    scale_invariant=True,
    reference="featsieve; deflation of Farahat, Ghodsi & Kamel, ICDM 2011",
)
class SupervisedColumnSubset(Ranker, BaseEstimator):
    """Supervised column subset: choose features that add to the explanation of the targets.

    Parameters
    ----------
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.

    See Also
    --------
    featsieve.subsets.supervised_column_subset_ranking : The equation.
    featsieve.ColumnSubset : Explain the features instead of targets.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from featsieve import SupervisedColumnSubset
    >>> SupervisedColumnSubset(n_features_to_select=3).fit(*load_wine(return_X_y=True)).order_[:3]
    array([ 6, 12,  9])
    """

    _parameter_constraints: dict[str, Any] = {"target": TARGET}

    def __init__(self, *, target: TargetType = "auto", n_features_to_select: NFeatures = None) -> None:
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        return supervised_column_subset_ranking(X, y, self._resolve_n_features(X.shape[1]), self.target)
