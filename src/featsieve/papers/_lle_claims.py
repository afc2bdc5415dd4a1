"""What Yao et al. 2017 claim, and how it is checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from featsieve.papers.checks import MOST, judged
from featsieve.papers.outcome import Outcome
from featsieve.papers.schema import Claim, Place, Verdict

MEASURES = ("ncm", "nn")
IMAGES = ("table-VI", "table-VII", "table-VIII", "table-IX")
RIVALS = ("Variance", "Laplacian score", "Laplacian score, best first", "Sparsity score", "Algorithm 1")


def _best_below_all(outcomes: Mapping[str, Outcome]) -> Verdict:
    """Whether maxima lie at fewer than all features, and by how much they exceed what all features reach."""
    below, gains = 0, []
    for key in IMAGES:
        outcome = outcomes[key]
        for row in outcome.experiment.rows[:-2]:
            for measure in outcome.experiment.measures:
                for column, finding in outcome.findings.items():
                    best = outcome.value(row.name, column, measure, "argmax")
                    if best is None:
                        continue
                    below += best < finding.sizes[-1]
                    every = finding.statistic("all", measure, "mean")
                    gains.append(outcome.value(row.name, column, measure, "max") - every)
    middle = float(np.median(gains))
    return judged(
        below,
        len(gains),
        f"{below} of {len(gains)} maxima lie below all features, but the median gain over all features is "
        f"{middle:.2f} points, taken as the best of up to 1024 sizes on the test samples themselves.",
    )


def _algorithm_1_against_sparsity(outcomes: Mapping[str, Outcome]) -> Verdict:
    said, won, total = [], 0, 0
    for key in IMAGES:
        gaps = [
            gap
            for other in ("Sparsity score", "Sparsity score, as eq. 8")
            for gap in outcomes[key].gaps("Algorithm 1", other, "mean")
        ]
        won, total = won + sum(gap > -0.5 for gap in gaps), total + len(gaps)
        said.append(f"{outcomes[key].experiment.title} {min(gaps):+.2f} to {max(gaps):+.2f}")
    text = f"At least within half a point in {won} of {total} means (mean over sizes, both readings of the "
    return judged(won, total, f"{text}sparsity score); differences: {'; '.join(said)}.")


def _lle_best(outcomes: Mapping[str, Outcome]) -> Verdict:
    won = total = by_chance = printed = cells = 0
    for key in IMAGES:
        outcome = outcomes[key]
        for measure in MEASURES:
            for column in outcome.findings:
                own = outcome.value("LLE score", column, measure, "mean")
                others = [outcome.value(name, column, measure, "mean") for name in RIVALS]
                random = outcome.value("Random selection", column, measure, "mean")
                won, total = won + all(own > each for each in others), total + 1
                by_chance += own > random
                number = outcome.experiment.published[Place("LLE score", column, measure, "mean")]
                if number.mark is None and outcome.experiment.repeatable:
                    printed, cells = printed + (float(number.value) > random), cells + 1
    measured = (
        f"Its mean is the best of the paper's methods in {won} of {total} cases. It is above random "
        f"selection, which the paper does not show, in {by_chance} of {total}; as printed, in {printed} of "
        f"{cells} (Yale, ORL)."
    )
    return judged(won, total, measured, MOST)


def _right_way(outcomes: Mapping[str, Outcome]) -> Verdict:
    """LLE against the Laplacian score when that is sorted the right way."""
    won, total, said = 0, 0, []
    for key in ("table-VI", "table-VII"):
        gaps = outcomes[key].gaps("LLE score", "Laplacian score, best first", "mean")
        won, total = won + sum(gap > 0 for gap in gaps), total + len(gaps)
        said.append(f"{outcomes[key].experiment.title} {min(gaps):+.2f} to {max(gaps):+.2f}")
    return judged(won, total, f"Above it in {won} of {total} means; differences: {'; '.join(said)}.")


def _iris_order(outcomes: Mapping[str, Outcome]) -> Verdict:
    outcome = outcomes["table-IV"]
    orders = {name: outcome.value(name, "K=5", "ncm", "order") for name in ("LLE score", "Sparsity score")}
    good = sum(set(order.split(", ")[:2]) == {"3", "4"} for order in orders.values())
    text = "; ".join(f"{name}: {order}" for name, order in orders.items())
    judgement = ("does not hold", "holds partly", "holds")[good]
    return Verdict(judgement, f"{text} (features 3 and 4 separate the classes best).")  # type: ignore[arg-type]


def _iris_robust(outcomes: Mapping[str, Outcome]) -> Verdict:
    outcome = outcomes["table-V"]
    orders = [outcome.value("LLE score", column, "ncm", "order") for column in outcome.findings]
    text = "; ".join(f"{column}: {order}" for column, order in zip(outcome.findings, orders, strict=True))
    alike = max(orders.count(order) for order in orders)
    return judged(alike, len(orders), f"Orders of the LLE score: {text}.")


CLAIMS = (
    Claim(
        "On iris the LLE score and the sparsity score put the two features first that separate the classes.",
        "Section IV.A, Table IV",
        ("table-IV",),
        _iris_order,
    ),
    Claim(
        "The order that the LLE score gives hardly depends on the number of neighbours.",
        "Section IV.A, Table V",
        ("table-V",),
        _iris_robust,
    ),
    Claim(
        "Nearly all best accuracies are reached with fewer than all features, so selection is worth while.",
        "Section IV.F, conclusion 1",
        IMAGES,
        _best_below_all,
    ),
    Claim(
        "Algorithm 1 is as good as the sparsity score or better.",
        "Section IV.F, conclusion 2",
        IMAGES,
        _algorithm_1_against_sparsity,
    ),
    Claim(
        "The LLE score is better than the other methods in most cases.",
        "Section IV.F, conclusion 3",
        IMAGES,
        _lle_best,
    ),
    Claim(
        "The LLE score is better than the Laplacian score on faces.",
        "Sections IV.B and IV.C",
        ("table-VI", "table-VII"),
        _right_way,
    ),
    Claim(
        "The LLE score costs more time than the other methods, O(n²d + ndK³).",
        "Section III.B",
        reason="Our algorithms are others: neighbours on a line are found by sorting, so our times say "
        "nothing about the paper's.",
    ),
)
