"""Curves of a measure over the number of features, with random selection and all features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from featsieve.evaluation.candidates import ALL, RANDOM
from featsieve.plot._axes import check_labels, draw_line, get_axes, label_sizes
from featsieve.report.curves import BASELINES, measure_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from featsieve.evaluation import Comparison, Plan
    from featsieve.types import MatrixLike


class CurveDisplay:
    """Performance on held-out samples against the number of features.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of features.
    lines : dict
        Line of each method: a dict with its ``mean`` at each size, and ``low`` and ``high``, the bounds of
        its band, which may be None.
    random : dict, default=None
        The same for random selection.
    all_features : dict, default=None
        The same for all features.
    label : str, default="Performance"
        Label of the axis of the measure.

    Attributes
    ----------
    lines_ : dict of str to Line2D
        The line of each method.
    random_ : Line2D or None
        The line of random selection.
    all_features_ : Line2D or None
        The line of all features.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.

    See Also
    --------
    StabilityDisplay : Stability against the number of features.
    featsieve.evaluation.compare : Compare methods.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Plan, RepeatedSplits, compare
    >>> from featsieve.plot import CurveDisplay
    >>> comparison = compare(*load_iris(return_X_y=True), "fisher", Plan(RepeatedSplits(2), draws=2))
    >>> display = CurveDisplay.from_comparison(comparison)
    >>> list(display.lines)
    ['variance', 'fisher']
    """

    def __init__(
        self,
        sizes: Sequence[int],
        lines: Mapping[str, dict[str, Any]],
        *,
        random: dict[str, Any] | None = None,
        all_features: dict[str, Any] | None = None,
        label: str = "Performance",
    ) -> None:
        self.sizes = sizes
        self.lines = lines
        self.random = random
        self.all_features = all_features
        self.label = label

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw a line with its band for each method and each baseline.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        self : CurveDisplay
            The display.
        """
        self.ax_ = get_axes(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = {
            label: draw_line(self.ax_, self.sizes, line, label, {"marker": ".", "color": f"C{index}"})
            for index, (label, line) in enumerate(self.lines.items())
        }
        self.random_ = self._draw_baseline(RANDOM, self.random, "0.5", "--")
        self.all_features_ = self._draw_baseline(ALL, self.all_features, "0.2", ":")
        label_sizes(self.ax_, self.label)
        return self

    def _draw_baseline(self, key: str, line: dict[str, Any] | None, color: str, linestyle: str) -> Any:
        if line is None:
            return None
        style = {"color": color, "linestyle": linestyle}
        return draw_line(self.ax_, self.sizes, line, BASELINES[key], style)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        *,
        measure: str | None = None,
        methods: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a measure of a comparison.

        Parameters
        ----------
        comparison : Comparison
            Results of :func:`featsieve.evaluation.compare`.
        measure : str, default=None
            Key of the measure, such as "nn". None draws the first main measure.
        methods : sequence of str, default=None
            Labels of the methods to draw. None draws all.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : CurveDisplay
            The display. Bands of methods and of all features are 95% intervals of the mean over the splits;
            the band of random selection contains 95% of its draws.
        """
        known = [label for label in comparison.labels if label not in BASELINES]
        key = comparison.main[0] if measure is None else measure
        if key not in comparison.measures:
            raise ValueError(f"`measure` must be among {', '.join(comparison.measures)}; got {key!r}.")
        lines = measure_lines(comparison, key, check_labels(methods, known))
        drawn = {label: line for label, line in lines["methods"].items() if line}
        display = cls(
            comparison.sizes, drawn, random=lines["random"], all_features=lines["all"], label=lines["name"]
        )
        return display.plot(ax=ax)

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: MatrixLike,
        y: Any = None,
        *,
        plan: Plan | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Compare methods on held-out samples and draw the first main measure.

        Parameters
        ----------
        estimators : str, sequence or dict
            Methods, as in :func:`featsieve.evaluation.compare`.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,), default=None
            Labels or numeric target.
        plan : Plan, default=None
            Protocol, sizes and measures. None uses the defaults of ``compare``.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : CurveDisplay
            The display.
        """
        from featsieve.evaluation import compare

        return cls.from_comparison(compare(X, y, estimators, plan), ax=ax)
