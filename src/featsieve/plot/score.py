"""Bars of the scores or ranks of the best features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions, validate_params

from featsieve.plot._axes import best_features, get_axes, get_names
from featsieve.report.text import brief

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ScoreDisplay:
    """Bar chart of the scores or ranks of features.

    Parameters
    ----------
    names : sequence of str
        Names of the features, best first.
    values : array-like of shape (n_features,)
        Score or rank of each feature. Infinite scores, which constant features may have, get no bar.
    selected : array-like of shape (n_features,), default=None
        Whether each feature is selected; the others are drawn in gray. None means all.
    label : str, default="Score"
        Label of the axis of values.

    Attributes
    ----------
    bars_ : BarContainer
        The bars, best feature first.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.

    See Also
    --------
    CurveDisplay : Performance against the number of features.
    RedundancyDisplay : Correlations among the selected features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import FisherScore
    >>> from featsieve.plot import ScoreDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = ScoreDisplay.from_estimator(FisherScore().fit(X, y))
    >>> display.names[0]
    'petal length (cm)'
    """

    def __init__(
        self,
        names: Sequence[str],
        values: ArrayLike,
        *,
        selected: ArrayLike | None = None,
        label: str = "Score",
    ) -> None:
        self.names = names
        self.values = values
        self.selected = selected
        self.label = label

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the bars, best feature at the top.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        self : ScoreDisplay
            The display.
        """
        self.ax_ = get_axes(ax)
        self.figure_ = self.ax_.figure
        values = np.asarray(self.values, dtype=np.float64)
        widths = np.where(np.isfinite(values), values, 0.0)
        selected = np.ones(len(widths), dtype=bool) if self.selected is None else np.asarray(self.selected)
        colors = ["C0" if chosen else "0.75" for chosen in selected]
        positions = np.arange(len(widths))
        self.bars_ = self.ax_.barh(positions, widths, color=colors)
        # a dollar sign in a name would start a formula
        labels = [brief(name).replace("$", r"\$") for name in self.names]
        self.ax_.set_yticks(positions, labels=labels)
        self.ax_.invert_yaxis()
        self.ax_.set_xlabel(self.label)
        return self

    @classmethod
    @validate_params({"kind": [StrOptions({"scores", "ranks"})]}, prefer_skip_nested_validation=True)
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        kind: Literal["scores", "ranks"] = "scores",
        n_features: int = 20,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the best features of a fitted ranker.

        Parameters
        ----------
        estimator : estimator
            Fitted ranker.
        feature_names : sequence of str, default=None
            Names of the features. None uses those seen during ``fit``, or x0, x1, ...
        kind : {"scores", "ranks"}, default="scores"
            What the bars show.
        n_features : int, default=20
            Number of features to draw, best first; at most all.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : ScoreDisplay
            The display.
        """
        names = get_names(estimator, feature_names)
        order = best_features(estimator, min(n_features, len(names)))
        values = (estimator.scores_ if kind == "scores" else estimator.ranking_)[order]
        label = "Rank" if kind == "ranks" else "Score"
        method = getattr(estimator, "method", None)
        if kind == "scores" and method is not None and method.direction:
            label += f" ({method.direction} is better)"
        display = cls(
            [names[index] for index in order], values, selected=estimator.get_support()[order], label=label
        )
        return display.plot(ax=ax)
