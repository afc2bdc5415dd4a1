"""Samples in two dimensions with the edges of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA, TruncatedSVD

from featsieve.graphs.graph import Graph, GraphLike, Product, as_graph
from featsieve.plot._axes import get_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from featsieve.types import MatrixLike

# More edges take long to draw and cover each other; the strongest are drawn.
MAX_EDGES = 20_000


class GraphDisplay:
    """Samples in two dimensions, with the edges of a graph.

    Parameters
    ----------
    positions : ndarray of shape (n_samples, 2)
        Positions of the samples.
    edges : ndarray of shape (n_edges, 2)
        Indices of the samples that each edge connects.
    values : array-like of shape (n_samples,), default=None
        Values that color the samples, such as a feature.
    label : str, default=""
        Label of the color bar.

    Attributes
    ----------
    edges_ : LineCollection
        The edges.
    points_ : PathCollection
        The samples.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.

    See Also
    --------
    featsieve.KNNGraph : Build the graph of nearest neighbors.
    ScoreDisplay : Scores of features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import KNNGraph
    >>> from featsieve.plot import GraphDisplay
    >>> X, _ = load_iris(return_X_y=True)
    >>> display = GraphDisplay.from_graph(KNNGraph(3), X, feature=2)
    >>> display.positions.shape
    (150, 2)
    """

    def __init__(
        self,
        positions: NDArray[np.float64],
        edges: NDArray[np.intp],
        *,
        values: ArrayLike | None = None,
        label: str = "",
    ) -> None:
        self.positions = positions
        self.edges = edges
        self.values = values
        self.label = label

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the edges and the samples.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        self : GraphDisplay
            The display.
        """
        self.ax_ = get_axes(ax)
        self.figure_ = self.ax_.figure
        from matplotlib.collections import LineCollection

        lines = LineCollection(list(self.positions[self.edges]), colors="0.7", linewidths=0.6, zorder=1)
        self.ax_.add_collection(lines)
        self.edges_ = lines
        x, y = self.positions.T
        values = None if self.values is None else np.asarray(self.values)
        self.points_ = self.ax_.scatter(x, y, c="C0" if values is None else values, s=14, zorder=2)
        if values is not None:
            self.ax_.figure.colorbar(self.points_, ax=self.ax_, label=self.label)
        return self

    @classmethod
    def from_graph(
        cls,
        graph: GraphLike,
        X: MatrixLike,
        *,
        feature: int | str | None = None,
        positions: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a graph over the samples of X.

        Parameters
        ----------
        graph : Graph, builder or matrix of weights
            The graph. A builder that needs labels must be built first: ``ClassGraph().build(X, y)``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        feature : int or str, default=None
            Index of the feature that colors the samples, or its name if X is a data frame.
        positions : array-like of shape (n_samples, 2), default=None
            Positions of the samples. None uses the two columns of X, or else its first two principal
            components.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : GraphDisplay
            The display. It has at most 20,000 edges, those with the largest absolute weights.
        """
        matrix: Any = X if sp.issparse(X) else np.asarray(X)
        edges = _strongest_edges(as_graph(graph, matrix, signed=True))
        place = _project(matrix) if positions is None else np.asarray(positions, dtype=np.float64)
        if place.shape != (matrix.shape[0], 2):
            raise ValueError(
                f"`positions` must have shape ({matrix.shape[0]}, 2), two numbers per sample; "
                f"got {place.shape}."
            )
        values = None if feature is None else _column(X, matrix, feature)
        label = feature if isinstance(feature, str) else f"Feature {feature}"
        return cls(place, edges, values=values, label=label).plot(ax=ax)


def _strongest_edges(graph: Graph) -> NDArray[np.intp]:
    """Return the pairs of samples with the largest absolute weights, each pair once."""
    weights = graph.weights
    if isinstance(weights, Product):
        weights = weights @ np.eye(graph.n_samples)
    entries = sp.coo_array(weights)
    pairs = np.sort(np.column_stack([entries.row, entries.col]), axis=1)
    pairs, first = np.unique(pairs, axis=0, return_index=True)
    strength = np.abs(entries.data[first]) * (pairs[:, 0] != pairs[:, 1])
    strongest = np.argsort(-strength, kind="stable")[:MAX_EDGES]
    return pairs[strongest[strength[strongest] > 0]]


def _project(X: Any) -> NDArray[np.float64]:
    """Return X if it has two columns, else two principal components."""
    if X.shape[1] == 2:
        return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    projection = TruncatedSVD(2, random_state=0) if sp.issparse(X) else PCA(2, random_state=0)
    return projection.fit_transform(X)


def _column(X: Any, matrix: Any, feature: int | str) -> NDArray[Any]:
    """Return the values of a feature given by its index or by its name."""
    if isinstance(feature, str):
        names = [str(name) for name in getattr(X, "columns", [])]
        if feature not in names:
            raise ValueError(f"`feature` must be the name of a column of X; got {feature!r}.")
        feature = names.index(feature)
    column = matrix[:, [feature]]
    return np.asarray(column.toarray() if sp.issparse(column) else column).ravel()
