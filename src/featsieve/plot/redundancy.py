"""Heat map of the correlations among the chosen features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.plot._axes import best_features, get_axes, get_names
from featsieve.report.text import brief

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from featsieve.types import MatrixLike

# With more features than this, their names would overlap.
MAX_LABELS = 40


class RedundancyDisplay:
    """Heat map of correlations; features that are correlated with each other are next to each other.

    Parameters
    ----------
    correlations : ndarray of shape (n_features, n_features)
        Correlations of the features, in the order in which they are drawn.
    names : sequence of str
        Names of the features, in the same order.

    Attributes
    ----------
    image_ : AxesImage
        The heat map.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.

    See Also
    --------
    ScoreDisplay : Scores of features.
    featsieve.Diverse : Take redundancy into account in any ranker.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import FisherScore
    >>> from featsieve.plot import RedundancyDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = FisherScore(n_features_to_select=2).fit(X, y)
    >>> display = RedundancyDisplay.from_estimator(selector, X)
    >>> print(display.correlations.round(2))
    [[1.   0.96]
     [0.96 1.  ]]
    """

    def __init__(self, correlations: NDArray[np.float64], names: Sequence[str]) -> None:
        self.correlations = correlations
        self.names = names

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        self : RedundancyDisplay
            The display.
        """
        self.ax_ = get_axes(ax)
        self.figure_ = self.ax_.figure
        self.image_ = self.ax_.imshow(self.correlations, cmap="RdBu_r", vmin=-1, vmax=1)
        self.ax_.figure.colorbar(self.image_, ax=self.ax_, label="Correlation")
        if len(self.names) <= MAX_LABELS:
            labels = [brief(name, 24).replace("$", r"\$") for name in self.names]
            self.ax_.set_yticks(range(len(labels)), labels=labels)
        else:
            self.ax_.set_ylabel(f"{len(self.names)} features")
            self.ax_.set_yticks([])
        self.ax_.set_xticks([])
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        *,
        feature_names: Sequence[str] | None = None,
        n_features: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the correlations among the best features of a fitted ranker.

        Parameters
        ----------
        estimator : estimator
            Fitted ranker.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples with the features seen during ``fit``.
        feature_names : sequence of str, default=None
            Names of the features. None uses those seen during ``fit``, or x0, x1, ...
        n_features : int, default=None
            Number of features, best first. None draws the selected ones.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : RedundancyDisplay
            The display. A constant feature has correlation 0 with all others.
        """
        names, best = get_names(estimator, feature_names), best_features(estimator, n_features)
        correlations = _correlations(X, best)
        order = _cluster(correlations)
        ordered = correlations[np.ix_(order, order)]
        return cls(ordered, [names[index] for index in best[order]]).plot(ax=ax)


def _correlations(X: Any, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Compute the correlations of some columns of X."""
    matrix = X.tocsc()[:, columns].toarray() if sp.issparse(X) else np.asarray(X)[:, columns]
    centered = matrix.astype(np.float64) - matrix.mean(axis=0, dtype=np.float64)
    lengths = np.linalg.norm(centered, axis=0)
    unit = centered / np.where(lengths > 0, lengths, 1.0)
    correlations = np.clip(unit.T @ unit, -1.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def _cluster(correlations: NDArray[np.float64]) -> NDArray[np.intp]:
    """Order features so that those with a large absolute correlation are next to each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(correlations) < 3:
        return np.arange(len(correlations))
    upper = np.triu_indices(len(correlations), 1)
    distances = 1.0 - np.abs(correlations[upper])
    return leaves_list(linkage(distances, "average", optimal_ordering=True))
