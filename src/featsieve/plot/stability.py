"""Curves of the stability of the chosen features over the number of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from featsieve.plot._axes import check_labels, draw_line, get_axes, label_sizes
from featsieve.report.curves import BASELINES, stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from featsieve.evaluation import Comparison


class StabilityDisplay:
    """Agreement of the features chosen on different training sets, against their number.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of features.
    lines : dict
        Line of each method: a dict with the index at each size as ``mean``, and ``low`` and ``high``, the
        bounds of its interval.

    Attributes
    ----------
    lines_ : dict of str to Line2D
        The line of each method.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.

    See Also
    --------
    CurveDisplay : Performance against the number of features.
    featsieve.evaluation.stability : Compute the index.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Plan, RepeatedSplits, compare
    >>> from featsieve.plot import StabilityDisplay
    >>> comparison = compare(*load_iris(return_X_y=True), "fisher", Plan(RepeatedSplits(3), draws=2))
    >>> StabilityDisplay.from_comparison(comparison).sizes
    [1, 2, 3]
    """

    def __init__(self, sizes: Sequence[int], lines: Mapping[str, dict[str, Any]]) -> None:
        self.sizes = sizes
        self.lines = lines

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw a line with its interval for each method.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        self : StabilityDisplay
            The display.
        """
        self.ax_ = get_axes(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = {
            label: draw_line(self.ax_, self.sizes, line, label, {"marker": ".", "color": f"C{index}"})
            for index, (label, line) in enumerate(self.lines.items())
        }
        self.ax_.axhline(0, color="0.5", linestyle="--", label="features chosen at random")
        label_sizes(self.ax_, "Stability (1 = the same features)")
        return self

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, *, methods: Sequence[str] | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the stability of the methods of a comparison over its training sets.

        Parameters
        ----------
        comparison : Comparison
            Results of :func:`featsieve.evaluation.compare` with at least two splits.
        methods : sequence of str, default=None
            Labels of the methods to draw. None draws all.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : StabilityDisplay
            The display.
        """
        labels = check_labels(methods, [label for label in comparison.labels if label not in BASELINES])
        curves = stability(comparison, labels)
        if curves is None:
            raise ValueError(
                "`comparison` must have at least two different training sets; got one. Use a plan such as "
                "Plan(RepeatedSplits(10))."
            )
        lines = {
            label: line for label, line in zip(labels, curves["methods"], strict=True) if line is not None
        }
        return cls(curves["sizes"], lines).plot(ax=ax)
