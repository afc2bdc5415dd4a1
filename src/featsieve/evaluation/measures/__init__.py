"""Measures of the first m features of an order: one file per target, one record per measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from featsieve.evaluation.measures import balanced, classification, clustering, regression, structure
from featsieve.evaluation.measures.measure import Measure

__all__ = ["MEASURES", "Measure", "choose_measures"]

MEASURES = {
    measure.key: measure
    for module in (classification, balanced, regression, clustering, structure)
    for measure in vars(module).values()
    if isinstance(measure, Measure)
}


# Classes are uneven if the largest has more than this many times the samples of the smallest.
UNEVEN_RATIO = 1.5


def are_uneven(counts: Mapping[str, int] | None) -> bool:
    """Return whether classes have so different sizes that their accuracy depends on the share of guesses."""
    return bool(counts) and max(counts.values()) > UNEVEN_RATIO * min(counts.values())  # type: ignore[union-attr]


def choose_measures(
    requested: Sequence[str | Measure] | None,
    target: str | None,
    clustering: bool,
    min_test_size: int = 2,
    uneven: bool = False,
) -> list[Measure]:
    """Return the requested measures, or all that suit the data. The first becomes main if none is.

    Only accuracies can be computed on a test set of a single sample. ``uneven`` is whether the classes have
    different sizes, see :func:`are_uneven`.
    """
    required = "clusters" if clustering else target

    def suits(measure: Measure) -> bool:
        is_computable = min_test_size > 1 or (measure.target == "classes" and measure.key != "roc_auc")
        return measure.target in (None, required) and is_computable

    suited = {key: measure for key, measure in MEASURES.items() if suits(measure)}
    kinds = (None, "uneven" if uneven else "even")
    if not suited:
        raise ValueError(
            "every test set must have at least 2 samples for these labels, but one has a single sample: "
            "use fewer folds, or more samples."
        )
    chosen: dict[str, Measure] = {}
    default = [measure for measure in suited.values() if measure.classes in kinds]
    for item in default if requested is None else requested:
        measure = item if isinstance(item, Measure) else suited.get(item)
        if measure is None or not suits(measure):
            raise ValueError(
                f"`measures` must be among {', '.join(suited)} for these labels and protocol; "
                f"got {item if measure is None else measure.key!r}."
            )
        if chosen.setdefault(measure.key, measure) is not measure:
            raise ValueError(f"`measures` must have different keys, but two have the key {measure.key!r}.")
    if not chosen:
        raise ValueError("`measures` must have at least one measure.")
    measures = list(chosen.values())
    if not any(measure.main for measure in measures):
        measures[0] = replace(measures[0], main=True)
    return measures
