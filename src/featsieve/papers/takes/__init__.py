"""Xu, Shen, Ping & Zhao 2011: TAKES, feature selection in kernel space."""

from featsieve.papers.takes.claims import CLAIMS
from featsieve.papers.takes.experiments import EXPERIMENTS
from featsieve.reproduction.schema import Paper

PAPER = Paper(
    key="takes",
    title="TAKES: a fast method to select features in the kernel space",
    authors="Xu, Shen, Ping & Zhao",
    venue="CIKM",
    year=2011,
    experiments=EXPERIMENTS,
    claims=CLAIMS,
    misprints=(
        "Eq. 13 updates with coefficients that are not normalized; the orthogonal update (eq. 8) requires "
        "normalized ones.",
        "Theorem 1 refers to OCA instead of KOBL.",
        "The kernel width and the function f(t) of the experiments are not given.",
        "KDA cannot have the printed dimensions: two classes allow one direction, three allow two.",
        "In the order of TAKES, d is the number of base vectors in one section and the dimension of the data "
        "in another.",
        "The text and the conclusion call the cost of KOBL the smallest; on Ionosphere, Table 2 has 0.098 "
        "for KGS and 0.111 for KOBL.",
    ),
)
