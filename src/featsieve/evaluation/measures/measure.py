"""The record of a measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from featsieve.evaluation.folds import Fold
from featsieve.types import Direction


@dataclass(frozen=True)
class Measure:
    """A measure of the first m features of an order.

    Parameters
    ----------
    key : str
        Short name, which identifies the measure in results.
    name : str
        Name in tables and reports.
    curve : callable
        Function ``curve(fold, order, sizes)`` that returns an array with one value for each size. ``order``
        is an array of feature indices, best first; ``sizes`` is a list of ints, ascending.
    target : {"classes", "numeric", "clusters"}, default=None
        Labels that the measure needs: classes or numbers. "clusters" is for measures that compare clusters of
        the samples with their classes; only the protocol "clustering" computes them. None needs no labels.
    direction : {"larger", "smaller"}, default="larger"
        Which values are better.
    main : bool, default=True
        Whether the measure enters the mean by which methods are compared.
    percent : bool, default=False
        Whether values are shares, which tables show in percent.
    classes : {"even", "uneven"}, default=None
        Classes for which the measure is computed by default: those of similar sizes, or those of different
        sizes. None means both.
    trivial : {"majority", "even"} or float, default=None
        Value without any feature: "majority" is the share of the largest class, "even" is 1 divided by the
        number of classes.
    bounds : tuple of float or None, default=None
        Smallest and largest possible value, None where there is none. The default is 0 and 1 for percentages,
        and no bounds for others.
    explanation : str, default=""
        What the measure says, for readers who do not know machine learning, without a full stop.

    See Also
    --------
    Plan : Settings of a comparison, such as its measures.

    Examples
    --------
    A measure of your own can be passed to a comparison:

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.evaluation import Measure, Plan, RepeatedSplits, compare
    >>> def relative_variance_curve(fold, order, sizes):
    ...     variance = fold.X_test.var(axis=0)
    ...     return np.cumsum(variance[order])[np.array(sizes) - 1] / variance.sum()
    >>> measure = Measure("variance", "share of the variance", relative_variance_curve, percent=True)
    >>> plan = Plan(RepeatedSplits(2), measures=["nn", measure], draws=2)
    >>> list(compare(*load_iris(return_X_y=True), "fisher", plan).measures)
    ['nn', 'variance']
    """

    key: str
    name: str
    curve: Callable[[Fold, np.ndarray, list[int]], np.ndarray]
    target: Literal["classes", "numeric", "clusters"] | None = None
    direction: Direction = "larger"
    main: bool = True
    percent: bool = False
    classes: Literal["even", "uneven"] | None = None
    trivial: Literal["majority", "even"] | float | None = None
    bounds: tuple[float | None, float | None] | None = None
    explanation: str = ""

    def info(self) -> dict[str, Any]:
        """Return the description that is stored with the run."""
        names = ("key", "name", "direction", "main", "percent", "trivial", "bounds")
        return {name: getattr(self, name) for name in names}


def mean_bounds(measures: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the smallest and the largest possible mean of measures, as described by :meth:`Measure.info`."""
    bounds = [
        measure.get("bounds") or ((0.0, 1.0) if measure.get("percent") else (None, None))
        for measure in measures
    ]
    lowest = [-np.inf if low is None else low for low, _ in bounds]
    highest = [np.inf if high is None else high for _, high in bounds]
    return float(np.mean(lowest)), float(np.mean(highest))
