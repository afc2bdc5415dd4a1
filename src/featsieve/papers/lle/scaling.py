"""What Yao et al. 2017 say of features that are rescaled or constant, tried on faces."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import spearmanr

from featsieve.reproduction.cases import Outcomes
from featsieve.reproduction.checks import agreed
from featsieve.reproduction.protocols import Leading
from featsieve.reproduction.schema import Claim, Computation, Experiment, Judgment, Row, Verdict
from featsieve.scores.lle import LLEScore
from featsieve.scores.reconstruction import LLEReconstructionScore

PIXELS = 1024


def scaling(X: Any, y: Any, n_train: int, factor: float) -> dict[str, dict[str, Any]]:
    """Scores of the first images of each person: as they are, rescaled, and with a constant pixel added."""
    X = np.asarray(X[Leading(n_train, per_class=True).splits(len(y), y, 0)[0].train], dtype=np.float64)
    constant = np.column_stack([X, np.ones(len(X))])
    methods = {
        "lle": LLEScore(n_neighbors=5, reg=1e-5),
        "algorithm 1": LLEReconstructionScore(n_neighbors=5, normalize=False),
    }
    found = {}
    for label, method in methods.items():
        scores, rescaled, added = (method.fit(each).scores_ for each in (X, factor * X, constant))
        found[label] = {
            "rank correlation": float(spearmanr(scores, rescaled).statistic),
            "score of a constant": float(added[-1]),
            "better than a constant": int(np.sum(added[:-1] < added[-1])),
        }
    return found


EXPERIMENT = Experiment(
    "table-scaling",
    "Yale faces, pixels divided by 100 and a constant pixel added",
    "table",
    (Computation("p=5", "yale", scaling, {"n_train": 5, "factor": 0.01}),),
    tuple(
        Row(name, label, reading, ("rank correlation", "score of a constant", "better than a constant"))
        for name, label, reading in (
            ("LLE score", "lle", "K=5, gamma=1e-5"),
            ("Algorithm 1, as eq. 12", "algorithm 1", "not divided by the variance"),
        )
    ),
    ("",),
    digits=4,
    notes=(
        "No table of the paper: it tries what Section III says. The first five images of each person; rank "
        "correlations are between the scores before and after all pixels are divided by 100.",
    ),
)


def _check(outcomes: Outcomes) -> Verdict:
    values = {
        (row, statistic): outcomes[EXPERIMENT.key].value(row.name, "p=5", "", statistic)
        for row in EXPERIMENT.rows
        for statistic in row.statistics
    }
    if None in values.values():
        return Verdict("cannot be tested", "A score failed.")
    same, score, ahead, _, zero, before = values.values()
    parts = {
        "Scale": (same == 1, f"the rank correlation of the scores is {same:.4f}; gamma is absolute."),
        "A constant in the LLE score": (
            ahead >= PIXELS / 2,
            f"its score is {score:.4g}, and {ahead} of {PIXELS} pixels have a smaller one; our selector puts "
            "constants last, whatever their score.",
        ),
        "A constant in Algorithm 1, eq. 12": (
            before == 0,
            f"its score is {zero:.4g}, and {before} of {PIXELS} pixels have a smaller one. Random selection "
            "and all features give no scores.",
        ),
    }
    judgments: dict[bool, Judgment] = {True: "holds", False: "does not hold"}
    return agreed({name: Verdict(judgments[bool(held)], text) for name, (held, text) in parts.items()})


CLAIM = Claim(
    "The LLE score does not depend on the scale of the features and does not put a constant one first, as "
    "Algorithm 1 does.",
    "Section III.B",
    (EXPERIMENT.key,),
    _check,
)
