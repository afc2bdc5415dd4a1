"""Checks of the claims of Cheung & Zeng 2009."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from featsieve.papers.lkr.experiments import NEIGHBORS, RIDGE, RIDGES, WIDTH, WIDTHS
from featsieve.reproduction.cases import (
    Measurement,
    Outcomes,
    Scope,
    build_cases,
    check_almost_same,
    check_best_with_fewer,
    check_better,
)
from featsieve.reproduction.checks import (
    EVERY,
    MOST,
    NEARLY_ALL,
    OFTEN,
    Case,
    Cases,
    judge_better,
    judge_small,
    tie_margin,
)
from featsieve.reproduction.schema import Verdict

# Smallest and largest value of a parameter; those that count as moderate.
ANY_VALUE = (-np.inf, np.inf)
MODERATE = {RIDGES.name: (1e-2, 1.0), WIDTHS.name: (10.0, 1e4)}
RULE_OF_THUMB = {RIDGES.name: RIDGE, WIDTHS.name: WIDTH}
FIGURE_1 = Scope(("figure-1",))
FEWER_THAN_40 = Scope(("figure-2",), columns=("PIEC27",), size_limit=40, by_size=True)
UMIST = Scope(("figure-2",), columns=("UMist",), by_size=True)
SUPERVISED = "LKR score, supervised"

better_with_few_features = check_better(
    replace(FIGURE_1, max_fraction=0.5), "LKR score", "Laplacian score", NEARLY_ALL
)
same_with_nearly_all_features = check_almost_same(
    replace(FIGURE_1, min_fraction=0.8), "LKR score", "Laplacian score", NEARLY_ALL
)
best_with_fewer_features = check_best_with_fewer(FIGURE_1, ("LKR score", "Laplacian score"), OFTEN)
better_than_fisher_on_piec27, better_than_relieff_on_piec27 = (
    check_better(FEWER_THAN_40, SUPERVISED, rival, NEARLY_ALL, much=True)
    for rival in ("Fisher score", "ReliefF")
)
better_than_fisher_on_umist, better_than_relieff_on_umist = (
    check_better(UMIST, SUPERVISED, rival, NEARLY_ALL) for rival in ("Fisher score", "ReliefF")
)


def needs_fewer_features(outcomes: Outcomes) -> Verdict:
    """Compare the sizes at which methods reach the maximum of the Laplacian score, up to a tie."""
    methods = ("LKR score", "Laplacian score", "Random selection")

    def compare(measurement: Measurement) -> Case:
        n_features, repeats = measurement.result.n_features, measurement.result.repeats
        target = measurement.values["Laplacian score"].max() - tie_margin(repeats.number)
        own, other, random = (
            next(
                (
                    size
                    for size, value in zip(measurement.sizes, measurement.values[name], strict=True)
                    if value >= target
                ),
                n_features,  # no smaller subset reaches the target
            )
            for name in methods
        )
        return Case(
            name=measurement.name,
            difference=100 * (other - own) / n_features,
            repeats=repeats,
            margin=0.0,
            baselines={
                "random selection": 100 * (random - own) / n_features,
                "all features": 100 * (1 - own / n_features),
            },
        )

    description = "fraction of features saved when reaching the maximum of the Laplacian score"
    cases = build_cases(FIGURE_1, outcomes, methods, compare, description)
    return judge_better(replace(cases, unit="%"), NEARLY_ALL)


def _sweep_cases(
    outcomes: Outcomes,
    parameters: Mapping[str, tuple[float, float]],
    recommended: Mapping[str, float] | None = None,
) -> Cases:
    """Compute the range of the accuracy over the values of each parameter between two limits.

    With ``recommended`` values, the difference is from the best value to the recommended one instead.
    """
    cases, omitted = [], {}
    for outcome in (outcomes[figure] for figure in ("figure-3", "figure-4") if figure in outcomes):
        measure = outcome.experiment.measures[0]
        for sweep in outcome.experiment.sweeps:
            if sweep.name not in parameters:
                continue
            low, high = parameters[sweep.name]
            for run in outcome.experiment.runs:
                name, result = f"{run.key}, {sweep.name}", outcome.results.get(run.key)
                if result is None:
                    omitted[name] = "no data"
                    continue
                level_of = partial(result.statistic, measure=measure, name=f"size {sweep.sizes[run.key]}")
                accuracies = {
                    value: level_of(label) for value, label in sweep.labels.items() if low <= value <= high
                }
                failed = [f"{value:g}" for value, accuracy in accuracies.items() if accuracy is None]
                if failed:
                    omitted[name] = f"{', '.join(failed)} failed"
                    continue
                measured = np.array(list(accuracies.values()), dtype=np.float64)
                low_end, level = float(measured.min()), float(measured.mean())
                if recommended is not None:
                    low_end = level = float(accuracies[recommended[sweep.name]])
                baselines = {
                    baseline: level - accuracy
                    for label, baseline in (("random", "random selection"), ("all", "all features"))
                    if (accuracy := level_of(label)) is not None
                }
                difference = float(measured.max()) - low_end
                cases.append(
                    Case(name=name, difference=difference, repeats=result.repeats, baselines=baselines)
                )
    description = "range over the values" if recommended is None else "difference from the best value"
    return Cases(measured=tuple(cases), omitted=omitted, description=description)


def hardly_depends_on_neighbors(outcomes: Outcomes) -> Verdict:
    """Judge the range over all numbers of neighbors."""
    return judge_small(_sweep_cases(outcomes, {NEIGHBORS.name: ANY_VALUE}), EVERY, n_uncertain=2)


def insensitive_to_moderate_values(outcomes: Outcomes) -> Verdict:
    """Judge the range over moderate ridges and widths."""
    return judge_small(_sweep_cases(outcomes, MODERATE), MOST, n_uncertain=2)


def rule_of_thumb_is_good(outcomes: Outcomes) -> Verdict:
    """Judge the difference between the best and the recommended ridge and width."""
    cases = _sweep_cases(outcomes, dict.fromkeys(RULE_OF_THUMB, ANY_VALUE), RULE_OF_THUMB)
    return judge_small(cases, OFTEN, n_uncertain=1)
