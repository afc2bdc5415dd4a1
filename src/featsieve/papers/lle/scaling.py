"""Statements of Yao et al. 2017 about rescaled and constant features, tested on faces."""

from __future__ import annotations

from featsieve.papers.lle.computations import rescaled_scores
from featsieve.reproduction.cases import Outcomes
from featsieve.reproduction.checks import combine
from featsieve.reproduction.schema import Claim, Computation, Experiment, Row, Verdict

N_PIXELS = 1024
STATISTICS = ("rank correlation", "score of a constant", "better than a constant")
EXPERIMENT = Experiment(
    key="table-scaling",
    title="Yale faces, pixels divided by 100 and a constant pixel added",
    kind="table",
    runs=(
        Computation(
            key="p=5", dataset="yale", function=rescaled_scores, parameters={"n_train": 5, "factor": 0.01}
        ),
    ),
    rows=(
        Row("LLE score", "lle", reading="K=5, gamma=1e-5", statistics=STATISTICS),
        Row(
            "Algorithm 1, as eq. 12",
            "algorithm 1",
            reading="not divided by the variance",
            statistics=STATISTICS,
        ),
    ),
    measures=("",),
    digits=4,
    notes=(
        "Not a table of the paper: it tests statements of Section III on the first five images of each "
        "person. Rank correlations are between the scores before and after all pixels are divided by 100.",
    ),
)


def _check(outcomes: Outcomes) -> Verdict:
    outcome = outcomes[EXPERIMENT.key]
    lle, algorithm_1 = (
        {statistic: outcome.value(row.name, "p=5", "", statistic) for statistic in STATISTICS}
        for row in EXPERIMENT.rows
    )
    if None in lle.values() or None in algorithm_1.values():
        return Verdict("cannot be tested", "A score failed.")
    correlation = lle["rank correlation"]
    n_before, n_before_1 = (scores["better than a constant"] for scores in (lle, algorithm_1))
    statements = {
        "Scale": (
            correlation == 1,
            f"the rank correlation of the scores is {correlation:.4f}; gamma is absolute.",
        ),
        "Constant pixel, LLE score": (
            n_before >= N_PIXELS / 2,
            f"its score is {lle['score of a constant']:.4g}, and {n_before} of {N_PIXELS} pixels have a "
            "smaller one; our selector ranks constants last regardless of their score.",
        ),
        "Constant pixel, Algorithm 1 (eq. 12)": (
            n_before_1 == 0,
            f"its score is {algorithm_1['score of a constant']:.4g}, and {n_before_1} of {N_PIXELS} pixels "
            "have a smaller one. Random selection and all features have no scores.",
        ),
    }
    return combine(
        {
            name: Verdict("holds" if is_true else "does not hold", text)
            for name, (is_true, text) in statements.items()
        }
    )


CLAIM = Claim(
    text="The LLE score does not depend on the scale of the features and does not rank a constant feature "
    "first, as Algorithm 1 does.",
    section="Section III.B",
    experiments=(EXPERIMENT.key,),
    check=_check,
)
