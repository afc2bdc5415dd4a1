"""Claims of Cheung & Zeng 2009."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from featsieve.papers.lkr.experiments import NEIGHBORS_NAME, RIDGE, RIDGE_NAME, WIDTH, WIDTH_NAME
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
    judge_insensitive,
    tie_margin,
)
from featsieve.reproduction.schema import Claim, Verdict

# Smallest and largest value that count as moderate.
MODERATE = {RIDGE_NAME: (1e-2, 1.0), WIDTH_NAME: (10.0, 1e4)}
RULE_OF_THUMB = {RIDGE_NAME: RIDGE, WIDTH_NAME: WIDTH}
FIGURE_1 = Scope(experiments=("figure-1",))
FEWER_THAN_40 = Scope(experiments=("figure-2",), columns=("PIEC27",), size_limit=40, by_size=True)
UMIST = Scope(experiments=("figure-2",), columns=("UMist",), by_size=True)
RIVALS = {"Fisher score": "the Fisher score", "ReliefF": "ReliefF"}


def _sweep_cases(
    outcomes: Outcomes,
    figures: tuple[str, ...],
    parameters: tuple[str, ...],
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    recommended: Mapping[str, float] | None = None,
) -> Cases:
    """Compute the range of the accuracy over the values of parameters.

    ``limits`` restricts the values. With ``recommended`` values, the difference is from the best value to
    the recommended one instead.
    """
    limits = limits or {}
    cases, omitted = [], {}
    for outcome in (outcomes[figure] for figure in figures):
        measure = outcome.experiment.measures[0]
        for sweep in outcome.experiment.sweeps:
            low, high = limits.get(sweep.name, (-np.inf, np.inf))
            labels = {value: label for value, label in sweep.labels.items() if low <= value <= high}
            for run in outcome.experiment.runs if sweep.name in parameters else ():
                name, result = f"{run.key}, {sweep.name}", outcome.results.get(run.key)
                if result is None:
                    omitted[name] = "no data"
                    continue
                statistic = f"size {sweep.sizes[run.key]}"
                accuracies = {
                    value: result.statistic(label, measure, statistic) for value, label in labels.items()
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
                    if (accuracy := result.statistic(label, measure, statistic)) is not None
                }
                difference = float(measured.max()) - low_end
                cases.append(
                    Case(name=name, difference=difference, repeats=result.repeats, baselines=baselines)
                )
    description = "range over the values" if recommended is None else "difference from the best value"
    return Cases(measured=tuple(cases), omitted=omitted, description=description)


def _hardly_depends_on_neighbors(outcomes: Outcomes) -> Verdict:
    return judge_insensitive(_sweep_cases(outcomes, ("figure-3",), (NEIGHBORS_NAME,)), EVERY)


def _insensitive_to_moderate_values(outcomes: Outcomes) -> Verdict:
    cases = _sweep_cases(outcomes, ("figure-3", "figure-4"), tuple(MODERATE), limits=MODERATE)
    return judge_insensitive(cases, MOST)


def _rule_of_thumb_is_good(outcomes: Outcomes) -> Verdict:
    cases = _sweep_cases(outcomes, ("figure-3", "figure-4"), tuple(RULE_OF_THUMB), recommended=RULE_OF_THUMB)
    return judge_insensitive(cases, OFTEN, n_uncertain=1)


def _needs_fewer_features(outcomes: Outcomes) -> Verdict:
    """Compare the sizes at which methods reach the maximum of the Laplacian score, up to a tie."""
    methods = ("LKR score", "Laplacian score", "Random selection")

    def compare(measurement: Measurement) -> Case:
        n_features, repeats = measurement.result.n_features, measurement.result.repeats
        curves = {name: np.asarray(measurement.values[name]) for name in methods}
        target = curves["Laplacian score"].max() - tie_margin(repeats.number)
        own, other, random = (
            next(
                (
                    size
                    for size, value in zip(measurement.sizes, curves[name], strict=True)
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


CLAIMS = (
    Claim(
        text="With few features the LKR score clusters better than the Laplacian score.",
        section="Section 5.1, Figure 1",
        experiments=("figure-1",),
        check=check_better(replace(FIGURE_1, max_fraction=0.5), "LKR score", "Laplacian score", NEARLY_ALL),
    ),
    Claim(
        text="The LKR score reaches the same clustering accuracy with fewer features than the Laplacian "
        "score.",
        section="Section 5.1, Figure 1",
        experiments=("figure-1",),
        check=_needs_fewer_features,
    ),
    Claim(
        text="With nearly all features the LKR score and the Laplacian score perform almost the same.",
        section="Section 5.1, Figure 1",
        experiments=("figure-1",),
        check=check_almost_same(
            replace(FIGURE_1, min_fraction=0.8), "LKR score", "Laplacian score", NEARLY_ALL
        ),
    ),
    Claim(
        text="The best clustering is often reached with fewer than all features.",
        section="Section 5.1, Figure 1",
        experiments=("figure-1",),
        check=check_best_with_fewer(FIGURE_1, ("LKR score", "Laplacian score"), OFTEN),
    ),
    *(
        Claim(
            text=f"On PIEC27 the supervised LKR score is much better than {name} with fewer than 40 "
            "features.",
            section="Section 5.2, Figure 2",
            experiments=("figure-2",),
            check=check_better(FEWER_THAN_40, "LKR score, supervised", rival, NEARLY_ALL, much=True),
        )
        for rival, name in RIVALS.items()
    ),
    *(
        Claim(
            text=f"On UMist the supervised LKR score is better than {name} in mean accuracy over the splits.",
            section="Section 5.2, Figure 2",
            experiments=("figure-2",),
            check=check_better(UMIST, "LKR score, supervised", rival, NEARLY_ALL),
        )
        for rival, name in RIVALS.items()
    ),
    Claim(
        text="On all datasets the unsupervised score hardly depends on the number of neighbors from 5 to 15.",
        section="Section 5.3, Figure 3a",
        experiments=("figure-3",),
        check=_hardly_depends_on_neighbors,
    ),
    Claim(
        text="On most datasets the score is not very sensitive to moderate ridges and widths, with and "
        "without labels.",
        section="Section 5.3, Figures 3b, 3c and 4",
        experiments=("figure-3", "figure-4"),
        check=_insensitive_to_moderate_values,
    ),
    Claim(
        text="A ridge of about 0.1 and a width of about 100 are often a good choice.",
        section="Section 5.3, Figures 3 and 4",
        experiments=("figure-3", "figure-4"),
        check=_rule_of_thumb_is_good,
    ),
)
