"""Feng, Chen & Xu 2013: leave-one-out feature selection."""

from featsieve.papers.leave_one_out.claims import CLAIMS
from featsieve.papers.leave_one_out.experiments import FIGURE
from featsieve.reproduction.schema import Paper

PAPER = Paper(
    key="leave-one-out",
    title="Efficient leave-one-out strategy for supervised feature selection",
    authors="Feng, Chen & Xu",
    venue="Tsinghua Science and Technology",
    year=2013,
    experiments=(FIGURE,),
    claims=CLAIMS,
    misprints=(
        "The redundancy rate is printed with 1/F(S), where F(S) is a set, before the sum over pairs, and "
        "without absolute values; the mean over pairs of m features requires 1/(m(m-1)).",
        "The objective of MCFS (eq. 5) lacks the square of the norm and the weight of the penalty.",
    ),
)
