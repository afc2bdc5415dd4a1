"""Sentences that explain a comparison to readers who know no machine learning: terminal and report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featsieve.evaluation.measures import MEASURES
from featsieve.evaluation.own_sizes import Curves, sizes_by_method
from featsieve.evaluation.statistics import corrected_interval
from featsieve.wording import counted

if TYPE_CHECKING:
    from featsieve.evaluation.recommendation import Recommendation
    from featsieve.evaluation.results import Comparison

HELD_OUT = "held-out samples, which take no part in choosing the features"
AS_GOOD = "up to chance (within one standard error)"
SUBSTITUTES = "rise and fall together (absolute correlation of at least 0.9)"


class ScoreFormat:
    """Format of the score, the mean of the main measures: in percent, or with two decimals."""

    def __init__(self, comparison: Comparison) -> None:
        self.percent = all(comparison.measures[key].get("percent") for key in comparison.main)

    def value(self, value: float | None) -> str:
        """Return a score without its unit; empty if it is missing."""
        if value is None or math.isnan(value):
            return ""
        return f"{value * 100:z.1f}" if self.percent else f"{value:z.2f}"  # z: no minus before 0

    def with_unit(self, value: float) -> str:
        """Return a score with its unit."""
        return self.value(value) + "%" * self.percent


def define_score(comparison: Comparison) -> str:
    """Return what the score is: a measure, or the mean of those that :func:`explain_measures` lists."""
    (first, *others) = comparison.main
    return "the mean of the following measures" if others else str(comparison.measures[first]["name"])


def explain_measures(comparison: Comparison) -> dict[str, str]:
    """Return the explanation of each main measure by its name; empty if it has none."""
    explanations = {}
    for key in comparison.main:
        known, name = MEASURES.get(key), comparison.measures[key]["name"]
        explanation = known.explanation if known is not None and known.name == name else ""
        smaller = comparison.measures[key]["direction"] == "smaller"
        explanations[name] = "; ".join(filter(None, (explanation, "smaller is better" * smaller)))
    return explanations


def explain_averaging(sizes: Sequence[int]) -> str:
    """Return the sizes over which the score is averaged, and their weights."""
    if len(sizes) == 1:
        return f"with {counted(sizes[0], 'feature', ',')}"
    return (
        f"averaged over {len(sizes)} numbers of features from {sizes[0]:,} to {sizes[-1]:,} (each doubling "
        "counts the same)"
    )


def define_size(comparison: Comparison) -> str:
    """Return the definition of the size of a method."""
    if comparison.info["dataset"]["target"] is None:  # all features preserve all neighbors
        best = "whose gain over as many random features is as large as the method's largest"
    else:
        best = "whose score is as good as the method's best"
    return f"the smallest number of features {best}, {AS_GOOD}"


def explain_size(comparison: Comparison, method: str, sizes: Mapping[Any, Any]) -> str:
    """Explain the size of a method in a sentence; ``sizes`` is its row of :meth:`Comparison.best_sizes`."""
    unlabeled = comparison.info["dataset"]["target"] is None
    subject = "gain over as many random features" if unlabeled else "score"
    at_peak = f"{'largest' if unlabeled else 'best'} with {counted(sizes['peak_n_features'], 'feature', ',')}"
    if sizes["n_features"] == sizes["peak_n_features"]:
        return f"The {subject} of {method} is {at_peak}."
    peak = ScoreFormat(comparison).with_unit(sizes["peak"])
    return (
        f"The {subject} of {method} is {at_peak} (score {peak}); "
        f"{sizes['n_features']:,} is the smallest number that is as good, {AS_GOOD}."
    )


def explain_estimate(comparison: Comparison, advice: Recommendation) -> str:
    """Say why the estimate differs from the average over all splits; empty if it does not."""
    show = ScoreFormat(comparison)
    sizes = sizes_by_method(comparison)[advice.method]
    average = show.with_unit(sizes["score"])
    if advice.held_out is None or average == show.with_unit(advice.held_out):
        return ""
    return (
        f"The average over all splits is {average}, but there the tested samples also decided which method "
        "and number of features to recommend."
    )


def warn_of_random(comparison: Comparison, advice: Recommendation) -> str:
    """Say if as many random features may be as good as the recommended ones; empty if they are worse."""
    curves, method = Curves.of(comparison), advice.method or ""
    size = sizes_by_method(comparison)[method]["n_features"]
    index = comparison.sizes.index(size)
    gains = curves.values[method][:, index] - curves.random[:, index]
    is_all = size == comparison.info["dataset"]["n_features"]
    if is_all or corrected_interval(gains, curves.ratio).low > 0:
        return ""
    return f"With {counted(size, 'feature', ',')}, {method} is not clearly better than as many random ones."


def interchangeable_names(advice: Recommendation) -> dict[str, list[str]]:
    """Return the names of interchangeable features; those that are recommended as well are marked."""
    kept = {feature.name for feature in advice.features}
    return {
        name: [f"{other} (also recommended)" if other in kept else other for other in others]
        for name, others in advice.interchangeable.items()
    }
