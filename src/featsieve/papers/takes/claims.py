"""Claims of Xu et al. 2011."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from featsieve.papers.takes.tables import DATASETS
from featsieve.reproduction.cases import (
    Check,
    Measurement,
    Outcomes,
    Scope,
    build_cases,
    check_better,
    compare_with_best,
)
from featsieve.reproduction.checks import EVERY, MOST, NEARLY_ALL, Case, Cases, combine, judge_better
from featsieve.reproduction.outcome import Repeats, RunResult
from featsieve.reproduction.schema import Claim, Verdict

COST = Scope(experiments=("table-2",), statistic="cost")
# Costs that differ by less than this fraction of the larger one count as equal.
COST_RTOL = 0.05
# Exponents that differ by less count as equal.
EXPONENT_ATOL = 0.25
# Unit vectors with a smaller inner product count as orthogonal.
MAX_INNER_PRODUCT = 0.01
ALL_SAMPLES = " The span of all samples, which KGS represents, has no cost."
RIVALS = ("FSKGS", "FSKPCA", "KDA", "KNNC")


def _cost_cases(outcomes: Outcomes, own: str, *others: str) -> Cases:
    """Compute by how much the cost of a basis is below the smallest cost of others."""

    def compare(measurement: Measurement) -> Case:
        cost, rival = measurement.levels[own], min(measurement.levels[name] for name in others)
        return Case(
            name=measurement.name,
            difference=rival - cost,
            repeats=measurement.result.repeats,
            margin=COST_RTOL * max(cost, rival),
        )

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


def _has_smallest_cost(outcomes: Outcomes) -> Verdict:
    verdict = judge_better(_cost_cases(outcomes, "KOBL", "KGS", "KPCA", "KDA"), MOST)
    random = judge_better(_cost_cases(outcomes, "KOBL", "Random samples"), MOST)
    text = _cost_ranges(outcomes, "KOBL", "KGS", "KPCA", "KDA", "Random samples")
    text += f" Compared with the same number of random samples: {random.measured}"
    if random.judgment == "does not hold":
        text += " Not better than random samples."
    return verdict.with_details(text)


def _costs_less_than_components(outcomes: Outcomes) -> Verdict:
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


def _costs_less_than_discriminants(outcomes: Outcomes) -> Verdict:
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


def _cost_is_bounded(outcomes: Outcomes) -> Verdict:
    """Judge Theorem 1: with f(t) = t and k(x, x) = 1 the cost is below dimension / n_samples."""

    def compare(measurement: Measurement) -> Case:
        dimension = outcomes["table-2"].value("KOBL", measurement.name, "", "dimension")
        bound = dimension / DATASETS[measurement.name].n_train
        return Case(
            name=measurement.name,
            difference=bound - measurement.levels["KOBL"],
            repeats=measurement.result.repeats,
            margin=0.0,
        )

    cases = build_cases(COST, outcomes, ("KOBL",), compare, "difference from the bound")
    return judge_better(replace(cases, unit="", digits=3), EVERY).with_details(
        _cost_ranges(outcomes, "KOBL", "Random samples")
    )


def _check_takes_better(figure: str, other: str, required: float) -> Check:
    """Compare at the number of features that TAKES selects; also with the best point of KGS+KFFS."""

    def check(outcomes: Outcomes) -> Verdict:
        accuracy = Scope(experiments=(figure,), statistic="accuracy")
        verdict = check_better(accuracy, "TAKES", other, required)(outcomes)
        maximum = Scope(experiments=(figure,), statistic="best")
        cases = compare_with_best(maximum, outcomes, "TAKES", (other,)).measured
        if other != "KGS+KFFS" or not cases:
            return verdict
        higher = sum(case.difference > 0 for case in cases)
        return verdict.with_details(
            f" Higher than the maximum of the curve of {other} in {higher} of {len(cases)}."
        )

    return check


def _forward_selection_is_better(outcomes: Outcomes) -> Verdict:
    """Compare KFFS with Relief on the same basis, at the number of features that TAKES selects."""
    scope = Scope(experiments=("figure-2",), statistic="accuracy")
    cases = compare_with_best(scope, outcomes, "KGS+KFFS", ("FSKGS",))
    better = [case.name for case in cases.measured if case.difference > case.tie_margin]
    named = [name for name in better if name != "Australian"]
    return judge_better(cases, MOST).with_details(
        f" Better on these of the five datasets that the paper names: {', '.join(named) or 'none'}."
    )


def _time_grows_more_slowly(outcomes: Outcomes) -> Verdict:
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


CLAIMS = (
    Claim(
        text="The time of TAKES grows more slowly with the number of samples than that of other methods.",
        section="Section 3.3, Table 1",
        experiments=("table-1",),
        check=_time_grows_more_slowly,
    ),
    Claim(
        text="The cost of KOBL is bounded: with f(t) = t it is less than the dimension divided by the "
        "number of samples.",
        section="Section 3.1, Theorem 1",
        experiments=("table-2",),
        check=_cost_is_bounded,
    ),
    Claim(
        text="KOBL has the smallest reconstruction cost on most datasets.",
        section="Section 4.1, Table 2",
        experiments=("table-2",),
        check=_has_smallest_cost,
    ),
    Claim(
        text="KPCA costs more than KOBL on every dataset, because too large a dimension destroys "
        "orthogonality.",
        section="Section 4.1",
        experiments=("table-2",),
        check=_costs_less_than_components,
    ),
    Claim(
        text="KDA costs more than KOBL, because its basis need not be orthogonal.",
        section="Section 4.1",
        experiments=("table-2",),
        check=_costs_less_than_discriminants,
    ),
    Claim(
        text="Too large a dimension destroys the orthogonality of the basis of KGS.",
        section="Section 4.1",
        reason="Our KGS skips samples in the span of previous samples, so its base vectors are orthogonal; "
        "the paper does not say how its program treats such samples.",
    ),
    *(
        Claim(
            text=f"TAKES is better than {text}.",
            section=section,
            experiments=(figure,),
            check=_check_takes_better(figure, rival, required),
        )
        for text, section, figure, rival, required in (
            ("KGS+KFFS on most datasets", "Section 4.2.1, Figure 2", "figure-2", "KGS+KFFS", MOST),
            (
                "the nearest neighbor classifier with all features on every dataset",
                "Section 4.2.2",
                "figure-3",
                "KNNC",
                EVERY,
            ),
            ("FSKGS on almost every dataset", "Section 4.2.2", "figure-3", "FSKGS", NEARLY_ALL),
            ("FSKPCA on almost every dataset", "Section 4.2.2", "figure-3", "FSKPCA", NEARLY_ALL),
            ("KDA on every dataset", "Section 4.2.2", "figure-3", "KDA", EVERY),
        )
    ),
    Claim(
        text="TAKES has the best classification accuracy.",
        section="Section 5",
        experiments=("figure-3",),
        check=check_better(
            Scope(experiments=("figure-3",), statistic="accuracy"), "TAKES", RIVALS, NEARLY_ALL
        ),
    ),
    Claim(
        text="On the basis of all samples KFFS selects slightly better than Relief (FSKGS) on most datasets.",
        section="Section 4.2.2",
        experiments=("figure-2", "figure-3"),
        check=_forward_selection_is_better,
    ),
)
