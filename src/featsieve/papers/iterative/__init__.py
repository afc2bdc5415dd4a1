"""Zhu, Miao & Zhang 2012: the iterative Laplacian score."""

from featsieve.papers.iterative.claims import CLAIMS
from featsieve.papers.iterative.experiments import EXPERIMENTS
from featsieve.reproduction.schema import Paper

PAPER = Paper(
    key="iterative",
    title="Iterative Laplacian score for feature selection",
    authors="Zhu, Miao & Zhang",
    venue="Chinese Conference on Pattern Recognition",
    year=2012,
    experiments=EXPERIMENTS,
    claims=CLAIMS,
    misprints=(
        "IterativeLS-2 as printed does not terminate: it scores all features again and discards the last d, "
        "so the same number of features remains after every round.",
        "Table 1 gives the Parkinsons dataset 57 samples and 16 features; the UCI dataset has 195 and 22.",
    ),
)
