"""Checks of the claims of Xu et al. 2011."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from featsieve.papers.takes.tables import DATASETS
from featsieve.reproduction.cases import (
    Measurement,
    Outcomes,
    Scope,
    build_cases,
    check_better,
    compare_with_best,
)
from featsieve.reproduction.checks import EVERY, MOST, NEARLY_ALL, Case, Cases, combine, judge_better
from featsieve.reproduction.outcome import Repeats, RunResult
from featsieve.reproduction.schema import Verdict

COST = Scope(("table-2",), statistic="cost")
# At the number of features that TAKES selects.
FIGURE_2 = Scope(("figure-2",), statistic="accuracy")
FIGURE_3 = Scope(("figure-3",), statistic="accuracy")
# Costs that differ by less than this fraction of the larger one count as equal.
COST_RTOL = 0.05
# Exponents that differ by less count as equal.
EXPONENT_ATOL = 0.25
# Unit vectors with a smaller inner product count as orthogonal.
MAX_INNER_PRODUCT = 0.01
ALL_SAMPLES = " The span of all samples, which KGS represents, has no cost."


def _cost_cases(outcomes: Outcomes, own: str, *others: str) -> Cases:
    """Compute by how much the cost of a basis is below the smallest cost of others."""

    def compare(measurement: Measurement) -> Case:
        cost, rival = measurement.levels[own], min(measurement.levels[name] for name in others)
        return measurement.case(rival - cost, margin=COST_RTOL * max(cost, rival))

    cases = build_cases(COST, outcomes, (own, *others), compare, "cost")
    return replace(cases, unit="", digits=3)


def _cost_ranges(outcomes: Outcomes, *names: str) -> str:
    """Describe the range over datasets of the costs of some bases."""
    outcome, ranges = outcomes["table-2"], []
    for name in names:
        values = [outcome.value(name, column, "", "cost") for column in outcome.results]
        costs = [value for value in values if value is not None]
        if costs:
            ranges.append(f"{name} {min(costs):.3f} to {max(costs):.3f}")
    return f" Costs: {', '.join(ranges)}.{ALL_SAMPLES}" if ranges else ALL_SAMPLES


def has_smallest_cost(outcomes: Outcomes) -> Verdict:
    """Judge the costs; also compare with the same number of random samples."""
    verdict = judge_better(_cost_cases(outcomes, "KOBL", "KGS", "KPCA", "KDA"), MOST)
    random = judge_better(_cost_cases(outcomes, "KOBL", "Random samples"), MOST)
    text = _cost_ranges(outcomes, "KOBL", "KGS", "KPCA", "KDA", "Random samples")
    text += f" Compared with the same number of random samples: {random.measured}"
    if random.judgment == "does not hold":
        text += " Not better than random samples."
    return verdict.with_details(text)


def costs_less_than_components(outcomes: Outcomes) -> Verdict:
    """Judge the costs, and whether the components are orthogonal."""
    cost = judge_better(_cost_cases(outcomes, "KOBL", "KPCA"), EVERY)
    if cost.judgment == "cannot be tested":
        return cost
    results = outcomes["table-2"].results.values()
    products = [result.statistic("KPCA", "", "largest product") for result in results]
    largest = max((product for product in products if product is not None), default=np.nan)
    orthogonal = largest <= MAX_INNER_PRODUCT
    reason = Verdict(
        "does not hold" if orthogonal else "holds",
        f"the largest inner product of two of its unit components is {largest:.1e}"
        f"{', so they are orthogonal' * orthogonal}.",
    )
    ranges = _cost_ranges(outcomes, "KOBL", "KPCA", "KPCA about the mean", "Random samples")
    return combine({"Cost": cost, "Reason": reason}).with_details(ranges)


def costs_less_than_discriminants(outcomes: Outcomes) -> Verdict:
    """Judge the costs, and whether KDA has several directions that could fail to be orthogonal."""
    cost = judge_better(_cost_cases(outcomes, "KOBL", "KDA"), EVERY)
    outcome = outcomes["table-2"]
    values = [outcome.value("KDA", run.key, "", "dimension") for run in outcome.experiment.runs]
    dimensions = [value for value in values if value is not None]
    if cost.judgment == "cannot be tested" or not dimensions:
        return cost
    n_single = dimensions.count(1)
    reason = Verdict(
        "does not hold" if n_single > len(dimensions) / 2 else "holds",
        f"on {n_single} of {len(dimensions)} datasets it has a single direction, so there is no other that "
        "it could fail to be orthogonal to; too few directions cannot represent the samples.",
    )
    ranges = _cost_ranges(outcomes, "KOBL", "KDA", "Random samples")
    return combine({"Cost": cost, "Reason": reason}).with_details(ranges)


def cost_is_bounded(outcomes: Outcomes) -> Verdict:
    """Judge Theorem 1: with f(t) = t and k(x, x) = 1 the cost is below dimension / n_samples."""

    def compare(measurement: Measurement) -> Case:
        dimension = outcomes["table-2"].value("KOBL", measurement.name, "", "dimension")
        bound = dimension / DATASETS[measurement.name].n_train
        return measurement.case(bound - measurement.levels["KOBL"], margin=0.0)

    cases = build_cases(COST, outcomes, ("KOBL",), compare, "difference from the bound")
    return judge_better(replace(cases, unit="", digits=3), EVERY).with_details(
        _cost_ranges(outcomes, "KOBL", "Random samples")
    )


better_than_knnc = check_better(FIGURE_3, "TAKES", "KNNC", EVERY)
better_than_fskgs = check_better(FIGURE_3, "TAKES", "FSKGS", NEARLY_ALL)
better_than_fskpca = check_better(FIGURE_3, "TAKES", "FSKPCA", NEARLY_ALL)
better_than_kda = check_better(FIGURE_3, "TAKES", "KDA", EVERY)
best_accuracy = check_better(FIGURE_3, "TAKES", ("FSKGS", "FSKPCA", "KDA", "KNNC"), NEARLY_ALL)


def better_than_forward_selection(outcomes: Outcomes) -> Verdict:
    """Also compare with the maximum of the curve of KGS+KFFS."""
    verdict = check_better(FIGURE_2, "TAKES", "KGS+KFFS", MOST)(outcomes)
    maximum = replace(FIGURE_2, statistic="best")
    cases = compare_with_best(maximum, outcomes, "TAKES", ("KGS+KFFS",)).measured
    higher = sum(case.difference > 0 for case in cases)
    text = f" Higher than the maximum of the curve of KGS+KFFS in {higher} of {len(cases)}."
    return verdict.with_details(text if cases else "")


def forward_selection_is_better(outcomes: Outcomes) -> Verdict:
    """Compare KFFS with Relief on the same basis, at the number of features that TAKES selects."""
    cases = compare_with_best(FIGURE_2, outcomes, "KGS+KFFS", ("FSKGS",))
    better = [case.name for case in cases.measured if case.difference > case.tie_margin]
    named = [name for name in better if name != "Australian"]
    return judge_better(cases, MOST).with_details(
        f" Better on these of the five datasets that the paper names: {', '.join(named) or 'none'}."
    )


def time_grows_more_slowly(outcomes: Outcomes) -> Verdict:
    """Compare the exponents of the run times."""
    outcome = outcomes["table-1"]
    column = outcome.experiment.runs[0].key
    values = {row.name: outcome.value(row.name, column, "", "exponent") for row in outcome.experiment.rows}
    exponents = {name: value for name, value in values.items() if value is not None}
    compared = [name for name in exponents if name != "TAKES" and "TAKES" in exponents]
    result = outcome.results.get(column)
    repeats = Repeats(0 if result is None else result.repeats.number, "timing")
    cases = Cases(
        measured=tuple(
            Case(
                name=name,
                difference=exponents[name] - exponents["TAKES"],
                repeats=repeats,
                margin=EXPONENT_ATOL,
            )
            for name in compared
        ),
        omitted={name: "failed" for name in values if name not in ("TAKES", *compared)},
        description="difference from the exponent of TAKES",
        unit="",
        digits=2,
    )
    measured = ", ".join(f"{name} {exponent:.2f}" for name, exponent in exponents.items())
    return judge_better(cases, EVERY).with_details(
        f" Measured: {measured}{_relative_times(result)}. Our KOBL takes O(N dim²) time, the paper's "
        "O(N²d), so this shows what TAKES can achieve, not how fast the program of the paper was. (A "
        "faster algorithm can confirm a claim of speed, but it cannot test a claim of slowness.) Random "
        "selection and all features take no time."
    )


def _relative_times(result: RunResult | None) -> str:
    """Describe the times of the largest fits relative to TAKES."""
    values = {} if result is None else result.values
    if "sizes" not in values.get("TAKES", {}):
        return ""
    size, seconds = values["TAKES"]["sizes"][-1], values["TAKES"]["mean"][-1]
    times = ", ".join(
        f"{name} {times['mean'][-1] / seconds:.2g}" for name, times in values.items() if name != "TAKES"
    )
    return f"; times at N={size} relative to TAKES (less than 1 is faster): {times}"
