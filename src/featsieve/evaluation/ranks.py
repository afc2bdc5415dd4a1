"""Mean ranks of methods over datasets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from featsieve.evaluation.results import Comparison
from featsieve.evaluation.statistics import Friedman, friedman


def rank_over_datasets(
    comparisons: Sequence[Comparison], measures: Sequence[str] | None = None
) -> tuple[list[str], Friedman]:
    """Compute mean ranks over datasets of the methods that all comparisons have in common.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One comparison per dataset.
    measures : sequence of str, default=None
        Keys of the measures to average. None uses the main measures of each comparison.

    Returns
    -------
    labels : list of str
        Methods, best mean rank first.
    ranks : Friedman
        Mean ranks and test, in the order of ``labels``.
    """
    tables = [comparison.areas(measures) for comparison in comparisons]
    labels = [label for label in (tables[0] if tables else {}) if all(table.get(label) for table in tables)]
    if len(labels) < 3 or len(tables) < 2:
        raise ValueError(
            "`comparisons` must be at least 2 comparisons with 3 methods in common; "
            f"got {len(tables)} with {len(labels)}."
        )
    keys = comparisons[0].main if measures is None else measures
    direction = comparisons[0].measures[keys[0]]["direction"]
    areas = np.array([[np.mean(list(table[label].values())) for label in labels] for table in tables])
    order = np.argsort(friedman(areas, direction).mean_ranks, kind="stable")
    return [labels[index] for index in order], friedman(areas[:, order], direction)
