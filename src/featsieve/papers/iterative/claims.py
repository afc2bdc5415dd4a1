"""Checks of the claims of Zhu, Miao & Zhang 2012."""

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
from featsieve.reproduction.checks import DIFFERENCE_ATOL, NEARLY_ALL, Case, judge_small
from featsieve.reproduction.schema import Verdict

# The paper does not specify whether columns were standardized.
UCI = {
    "Standardized columns": Scope(("figure-1",), columns=tuple(UCI_DATASETS)),
    "Raw columns": Scope(("figure-1",), columns=tuple(key + RAW for key in UCI_DATASETS)),
}
CLUSTERING = Scope(("figure-2",))


def _check_almost_always_better(other: str) -> Check:
    """Also count the points of the curves at which the score is better."""

    def judge_scope(scope: Scope, outcomes: Outcomes) -> Verdict:
        verdict = check_better(scope, "IterativeLS-1", other, NEARLY_ALL)(outcomes)
        points = compare_with_best(replace(scope, by_size=True), outcomes, "IterativeLS-1", (other,))
        won = sum(case.difference > DIFFERENCE_ATOL for case in points.measured)
        total = len(points.measured)
        return verdict.with_details(f" Higher at {won} of {total} points of the curves." if total else "")

    return check_readings(UCI, judge_scope)


def _is_much_better(scope: Scope, outcomes: Outcomes) -> Verdict:
    scope = replace(scope, min_size=5, size_limit=11, max_fraction=0.5)
    return check_better(scope, "IterativeLS-1", "Laplacian score", NEARLY_ALL, much=True)(outcomes)


def _versions_are_almost_the_same(scope: Scope, outcomes: Outcomes) -> Verdict:
    return check_almost_same(scope, "IterativeLS-1", "IterativeLS-2", NEARLY_ALL)(outcomes)


better_than_laplacian = _check_almost_always_better("Laplacian score")
better_than_variance = _check_almost_always_better("Variance")
much_better_with_few_features = check_readings(UCI, _is_much_better)
versions_are_almost_the_same = check_readings(UCI, _versions_are_almost_the_same)
clusters_better = check_better(CLUSTERING, "IterativeLS", "Laplacian score", NEARLY_ALL)
clusters_much_better = check_better(
    replace(CLUSTERING, size_limit=400), "IterativeLS", "Laplacian score", NEARLY_ALL, much=True
)


def hardly_depends_on_step(outcomes: Outcomes) -> Verdict:
    """Judge the range over the steps of the mean over sizes."""

    def compare(measurement: Measurement) -> Case:
        means = [measurement.levels[name] for name in STEP_ROWS]
        return measurement.case(max(means) - min(means), level=float(np.mean(means)))

    description = f"range of the mean over subset sizes, for {STEPS[0]} to {STEPS[-1]} features per round"
    cases = build_cases(Scope(("figure-3",)), outcomes, tuple(STEP_ROWS), compare, description)
    return judge_small(cases, NEARLY_ALL, n_uncertain=2)
