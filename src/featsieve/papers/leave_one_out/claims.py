"""Checks of the claims of Feng, Chen & Xu 2013."""

from __future__ import annotations

from featsieve.papers.leave_one_out.experiments import CLUSTERED, DATASETS, FIGURE, MATCHED, SEEN
from featsieve.reproduction.cases import Check, Outcomes, Scope, check_better, compare_with_best
from featsieve.reproduction.checks import MOST, count_cases
from featsieve.reproduction.schema import Verdict

CLUSTERED_COLUMNS = tuple(key + CLUSTERED for key in DATASETS)
HELD_OUT = Scope(("figure-1",), columns=(*DATASETS, *CLUSTERED_COLUMNS))
AS_IN_PAPER = Scope(("figure-1",), columns=(*(key + SEEN for key in DATASETS), *CLUSTERED_COLUMNS))


def _check_better(*rivals: str) -> Check:
    """Also report the verdict with labels seen, the number of samples, and how often scores are tied."""

    def check(outcomes: Outcomes) -> Verdict:
        verdict = check_better(HELD_OUT, MATCHED, rivals, MOST)(outcomes)
        row, results = FIGURE.row(MATCHED), outcomes["figure-1"].results
        tied = [
            result.tied.get(row.label_for(measure, key), 0.0)
            for key, result in results.items()
            if not key.endswith(SEEN)
            for measure in result.curves.get("all", {})
        ]
        seen = compare_with_best(AS_IN_PAPER, outcomes, MATCHED, rivals).measured
        won, _, lost = count_cases(seen)
        n_samples = max((result.n_samples for result in results.values()), default=0)
        return verdict.with_details(
            f" If accuracy is tested with labels seen, as in the paper: better in {won}, worse in {lost} "
            f"of {len(seen)}. Based on at most {n_samples} samples. Leaving out one feature often changes "
            f"nothing: in {sum(fraction > 0.5 for fraction in tied)} of {len(tied)} situations more than "
            "half of the features have the same score and are ranked by their column order."
        )

    return check


better_than_all_rivals = _check_better("MCFS", "MCFS, supervised", "Information gain", "Relief")
better_than_mcfs = _check_better("MCFS")
better_than_supervised_mcfs = _check_better("MCFS, supervised")
better_than_information_gain = _check_better("Information gain")
better_than_relief = _check_better("Relief")
better_than_random_selection = _check_better("Random selection")
