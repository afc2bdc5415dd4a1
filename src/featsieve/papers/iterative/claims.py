"""Claims of Zhu, Miao & Zhang 2012."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from featsieve.papers.iterative.experiments import RAW, STEP_ROWS, STEPS, UCI_DATASETS
from featsieve.reproduction.cases import (
    Check,
    Measurement,
    Outcomes,
    Scope,
    build_cases,
    check_almost_same,
    check_better,
    check_readings,
    compare_with_best,
)
from featsieve.reproduction.checks import DIFFERENCE_ATOL, NEARLY_ALL, Case, judge_insensitive
from featsieve.reproduction.schema import Claim, Verdict

# The paper does not say whether columns were standardized.
UCI = {
    "Standardized columns": Scope(experiments=("figure-1",), columns=tuple(UCI_DATASETS)),
    "Raw columns": Scope(experiments=("figure-1",), columns=tuple(key + RAW for key in UCI_DATASETS)),
}
CLUSTERING = Scope(experiments=("figure-2",))


def _check_almost_always_better(other: str) -> Check:
    """Also count the points of the curves at which the score is better."""

    def check_scope(scope: Scope) -> Check:
        def check(outcomes: Outcomes) -> Verdict:
            verdict = check_better(scope, "IterativeLS-1", other, NEARLY_ALL)(outcomes)
            points = compare_with_best(replace(scope, by_size=True), outcomes, "IterativeLS-1", (other,))
            won = sum(case.difference > DIFFERENCE_ATOL for case in points.measured)
            total = len(points.measured)
            return verdict.with_details(f" Higher at {won} of {total} points of the curves." if total else "")

        return check

    return check_readings(UCI, check_scope)


def _hardly_depends_on_step(outcomes: Outcomes) -> Verdict:
    """Judge the range over the steps of the mean over sizes."""

    def compare(measurement: Measurement) -> Case:
        means = [measurement.levels[name] for name in STEP_ROWS]
        return Case(
            name=measurement.name,
            difference=max(means) - min(means),
            repeats=measurement.result.repeats,
            baselines=measurement.above_baselines(float(np.mean(means))),
        )

    description = f"range of the mean over subset sizes, for {STEPS[0]} to {STEPS[-1]} features per round"
    scope = Scope(experiments=("figure-3",))
    cases = build_cases(scope, outcomes, tuple(STEP_ROWS), compare, description)
    return judge_insensitive(cases, NEARLY_ALL)


CLAIMS = (
    Claim(
        text="On UCI datasets the iterative score is almost always better than the Laplacian score.",
        section="Section 4.1, Figure 1",
        experiments=("figure-1",),
        check=_check_almost_always_better("Laplacian score"),
    ),
    Claim(
        text="On UCI datasets the iterative score is almost always better than variance.",
        section="Section 4.1, Figure 1",
        experiments=("figure-1",),
        check=_check_almost_always_better("Variance"),
    ),
    Claim(
        text="With few features, such as 5 to 10, the iterative score is much better than the Laplacian "
        "score.",
        section="Section 4.1",
        experiments=("figure-1",),
        check=check_readings(
            UCI,
            lambda scope: check_better(
                replace(scope, min_size=5, size_limit=11, max_fraction=0.5),
                "IterativeLS-1",
                "Laplacian score",
                NEARLY_ALL,
                much=True,
            ),
        ),
    ),
    Claim(
        text="Both versions perform almost the same.",
        section="Section 3",
        experiments=("figure-1",),
        check=check_readings(
            UCI, lambda scope: check_almost_same(scope, "IterativeLS-1", "IterativeLS-2", NEARLY_ALL)
        ),
    ),
    Claim(
        text="On faces the iterative score clusters better than the Laplacian score.",
        section="Section 4.2, Figure 2",
        experiments=("figure-2",),
        check=check_better(CLUSTERING, "IterativeLS", "Laplacian score", NEARLY_ALL),
    ),
    Claim(
        text="On faces with fewer than 400 features the iterative score clusters much better than the "
        "Laplacian score.",
        section="Section 4.2, Figure 2",
        experiments=("figure-2",),
        check=check_better(
            replace(CLUSTERING, size_limit=400), "IterativeLS", "Laplacian score", NEARLY_ALL, much=True
        ),
    ),
    Claim(
        text="On large data the number of features discarded per round matters little.",
        section="Section 4.3, Figure 3",
        experiments=("figure-3",),
        check=_hardly_depends_on_step,
    ),
)
