"""Xu et al. 2011: TAKES, feature selection in the kernel space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featsieve.papers._takes_runs import accuracies, costs, growth
from featsieve.papers.checks import EVERY, MOST, NEARLY_ALL, judged
from featsieve.papers.outcome import Outcome
from featsieve.papers.schema import Claim, Computation, Experiment, Number, Paper, Place, Row, Verdict

# Name in the catalogue, training samples (the dimension printed for KGS), dimension printed for KOBL.
SETS = {
    "Australian": ("australian", 345, 36),
    "Diabetes": ("diabetes_pima", 468, 58),
    "Heart": ("heart", 170, 44),
    "Ionosphere": ("ionosphere", 281, 69),
    "Sonar": ("sonar", 104, 12),
    "Thyroid": ("thyroid", 140, 20),
}
COSTS = {
    "KOBL": (0.044, 0.062, 0.145, 0.111, 0.047, 0.043),
    "KGS": (0.063, 0.082, 0.158, 0.098, 0.067, 0.083),
    "KPCA": (0.412, 0.392, 0.384, 0.383, 0.519, 0.407),
    "KDA": (0.523, 0.496, 0.503, 0.915, 0.949, 0.700),
}
DIMENSIONS = {
    name: tuple(own if name in ("KOBL", "KDA") else every for _, every, own in SETS.values())
    for name in COSTS
}
WIDTH = (
    "Width rule: the RBF kernel has, for each training set, the width at which KOBL with f(t) = t learns the "
    "printed dimension; all methods share it. Columns are standardised by the training set."
)


def _computations(function: Any, quick: int, full: int) -> tuple[Computation, ...]:
    return tuple(
        Computation(
            key,
            dataset,
            function,
            {"n_train": n_train, "dimension": dimension, "n_repeats": full},
            {"n_repeats": quick},
        )
        for key, (dataset, n_train, dimension) in SETS.items()
    )


def _published() -> dict[Place, Number]:
    found = {}
    for name in COSTS:
        for key, cost, dimension in zip(SETS, COSTS[name], DIMENSIONS[name], strict=True):
            found[Place(name, key, "", "cost")] = Number(cost)
            found[Place(name, key, "", "dimension")] = Number(float(dimension))
    return found


TABLE_1 = Experiment(
    "table-1",
    "Growth of time with the number of samples: exponents",
    "table",
    (
        Computation(
            "exponent of N",
            None,
            growth,
            {"sizes": [1000, 2000, 4000, 8000], "n_repeats": 3},
            {"sizes": [500, 1000, 2000], "n_repeats": 1},
        ),
    ),
    tuple(Row(name, name, "", ("exponent",)) for name in ("TAKES", "FSKPCA", "FSKGS", "KDA", "GDA")),
    ("",),
    {
        Place(name, "exponent of N", "", "exponent"): Number(2.0 if name == "TAKES" else 3.0)
        for name in ("TAKES", "FSKPCA", "FSKGS", "KDA", "GDA")
    },
    tolerance=0.5,
    notes=(
        "The paper quotes orders: O(N²d) for TAKES, O(N³) or O(N³ + N²d) for the others. Here times of fits "
        "are measured on 10 columns of noise, and the exponent of N fitted; small N keep it below the order.",
    ),
)
RANDOM_BASIS = Row(
    "Random samples",
    "random",
    "not in the paper: the span of as many samples as KOBL takes, drawn at random",
    ("cost", "dimension"),
)
TABLE_2 = Experiment(
    "table-2",
    "Reconstruction cost and dimension",
    "table",
    _computations(costs, 3, 20),
    (
        *(Row(name, name, "", ("cost", "dimension")) for name in COSTS),
        Row(
            "KPCA from the mean",
            "KPCA, moved",
            "not in the paper: the distance from the span of the components moved to the samples' mean",
            ("cost",),
        ),
        RANDOM_BASIS,
    ),
    ("",),
    _published(),
    tolerance=0.02,
    digits=3,
    notes=(
        WIDTH,
        "KGS passes over samples that lie in the span of those before; the paper keeps all of them.",
        "KPCA is measured from its span as printed, which does not hold the mean of the samples.",
        "KDA has at most one direction less than there are classes; the paper prints the dimension of KOBL.",
    ),
)

FIGURE_RUNS = _computations(accuracies, 3, 20)
BASE_ROWS = (
    Row("Random selection", "random", "not in the paper: features of KOBL's basis at random"),
    Row("All features", "all", "not in the paper: all features of KOBL's basis"),
)
FIGURE_2 = Experiment(
    "figure-2",
    "TAKES and KGS+KFFS: accuracy of the nearest neighbour",
    "figure",
    FIGURE_RUNS,
    (Row("TAKES", "TAKES"), Row("KGS+KFFS", "KGS+KFFS"), *BASE_ROWS),
    ("",),
    notes=(WIDTH,),
)
FIGURE_3 = Experiment(
    "figure-3",
    "TAKES, FSKGS, FSKPCA, KDA and KNNC: accuracy of the nearest neighbour",
    "figure",
    FIGURE_RUNS,
    (*(Row(name, name) for name in ("TAKES", "FSKGS", "FSKPCA", "KDA", "KNNC")), *BASE_ROWS),
    ("",),
    notes=(WIDTH, "KNNC and KDA are levels: they have no number of features to choose."),
)


def _smallest_cost(outcomes: Mapping[str, Outcome]) -> Verdict:
    outcome, said, won = outcomes["table-2"], [], 0
    for column in outcome.findings:
        values = {name: outcome.value(name, column, "", "cost") for name in ("KOBL", "KGS", "KPCA", "KDA")}
        random = outcome.value("Random samples", column, "", "cost")
        won += min(values, key=lambda name: values[name]) == "KOBL"
        said.append(f"{column}: KOBL {values['KOBL']:.3f}, KGS {values['KGS']:.3f}, random {random:.3f}")
    text = f"KOBL has the smallest cost in {won} of {len(said)} sets; {'; '.join(said)}."
    text += " A basis of all samples that are not in the span has cost 0."
    return judged(won, len(said), text, MOST)


def _below_components(outcomes: Mapping[str, Outcome]) -> Verdict:
    outcome = outcomes["table-2"]
    gaps, moved = (outcome.gaps(name, "KOBL", "cost") for name in ("KPCA", "KPCA from the mean"))
    more, less = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in moved)
    measured = (
        f"KPCA costs more in {more} of {len(gaps)} sets, by {min(gaps):+.3f} to {max(gaps):+.3f}. Measured "
        f"from the samples' mean, where its components start, it costs less than KOBL in {less}, by "
        f"{min(moved):+.3f} to {max(moved):+.3f}, so a want of orthogonality is not the reason."
    )
    if more < len(gaps):
        return judged(more, len(gaps), measured, EVERY)
    return Verdict("holds partly" if less else "holds", measured)


def _beats(figure: str, other: str, enough: float) -> Any:
    def check(outcomes: Mapping[str, Outcome]) -> Verdict:
        outcome = outcomes[figure]
        gaps = outcome.gaps("TAKES", other, "accuracy")
        chance = outcome.gaps("TAKES", "Random selection", "accuracy")
        every = outcome.gaps("TAKES", "All features", "accuracy")
        won = sum(gap > 0 for gap in gaps)
        text = f"TAKES is above {other} in {won} of {len(gaps)} sets, by {min(gaps):+.1f} to {max(gaps):+.1f}"
        beside = (
            f" points; above random selection of as many in {sum(gap > 0 for gap in chance)}, above all "
            f"features of its basis in {sum(gap > 0 for gap in every)}."
        )
        return judged(won, len(gaps), text + beside, enough)

    return check


def _growth(outcomes: Mapping[str, Outcome]) -> Verdict:
    outcome = outcomes["table-1"]
    found = {
        row.name: outcome.value(row.name, "exponent of N", "", "exponent") for row in outcome.experiment.rows
    }
    won = sum(found["TAKES"] < value for name, value in found.items() if name != "TAKES")
    text = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    return judged(won, 4, f"Exponents of N: {text}.", EVERY)


_TAKES_IS_BETTER = (
    ("than KGS+KFFS in most sets", "Section 4.2.1, Figure 2", "figure-2", "KGS+KFFS", MOST),
    ("than the nearest neighbour with all features in every set", "Section 4.2.2", "figure-3", "KNNC", EVERY),
    ("than FSKGS in almost every set", "Section 4.2.2", "figure-3", "FSKGS", NEARLY_ALL),
    ("than FSKPCA in almost every set", "Section 4.2.2", "figure-3", "FSKPCA", NEARLY_ALL),
    ("than KDA in every set", "Section 4.2.2", "figure-3", "KDA", EVERY),
)
CLAIMS = (
    Claim(
        "The time of TAKES grows more slowly with the number of samples than that of the others.",
        "Section 3.3, Table 1",
        ("table-1",),
        _growth,
    ),
    Claim(
        "KOBL has the smallest reconstruction cost in most sets.",
        "Section 4.1, Table 2",
        ("table-2",),
        _smallest_cost,
    ),
    Claim(
        "KPCA costs more than KOBL in every set, because too large a dimension spoils orthogonality.",
        "Section 4.1",
        ("table-2",),
        _below_components,
    ),
    *(
        Claim(f"TAKES is better {text}.", where, (figure,), _beats(figure, other, enough))
        for text, where, figure, other, enough in _TAKES_IS_BETTER
    ),
)

PAPER = Paper(
    "takes",
    "TAKES: a fast method to select features in the kernel space",
    "Xu, Shen, Ping & Zhao",
    "CIKM",
    2011,
    (TABLE_1, TABLE_2, FIGURE_2, FIGURE_3),
    CLAIMS,
    (
        "Eq. 13 updates with coefficients that are not normalised; the orthogonal update (eq. 8) needs the "
        "normalised ones.",
        "Theorem 1 speaks of OCA where KOBL is meant.",
        "The kernel width and the function f(t) of the experiments are not given.",
        "KDA cannot have the printed dimensions: two classes allow one direction, three allow two.",
    ),
)
