"""Cheung & Zeng 2009: the local kernel regression (LKR) score."""

from featsieve.papers.lkr.claims import CLAIMS
from featsieve.papers.lkr.experiments import EXPERIMENTS
from featsieve.reproduction.schema import Paper

PAPER = Paper(
    key="lkr",
    title="Local kernel regression score for selecting features of high-dimensional data",
    authors="Cheung & Zeng",
    venue="IEEE Transactions on Knowledge and Data Engineering",
    year=2009,
    experiments=EXPERIMENTS,
    claims=CLAIMS,
)
