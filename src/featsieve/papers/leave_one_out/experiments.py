"""Feng, Chen & Xu 2013: leave-one-out feature selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from featsieve.evaluation import Clustering, RepeatedSplits, SeenSplits
from featsieve.reproduction.cases import Check, Outcomes, Scope, against, is_better
from featsieve.reproduction.checks import MOST, counted
from featsieve.reproduction.readings import Unlabeled
from featsieve.reproduction.schema import BASELINES, Claim, Experiment, Paper, Row, Run, Verdict
from featsieve.scores.information_gain import InformationGain
from featsieve.scores.relieff import ReliefF
from featsieve.subsets.leave_one_out import LeaveOneFeatureOut
from featsieve.subsets.mcfs import MCFS

FRACTIONS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
OBJECTIVES = {"accuracy": "accuracy", "clustering": "clustering accuracy", "nmi": "mutual information"}


class Some:
    """So many samples, drawn at random with the classes in their shares, or all where there are fewer."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __call__(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Those samples and their labels."""
        if len(y) <= self.count:
            return X, y
        codes = np.unique(y, return_inverse=True)[1]
        rows = RepeatedSplits(1, self.count / len(y)).splits(len(y), codes, 0)[0].test
        return X[rows], y[rows]


def _methods(
    n_classes: int, n_repeats: Mapping[str, int], path: Any = None, objectives: Any = OBJECTIVES
) -> dict[str, Any]:
    return {
        "mcfs": Unlabeled(MCFS(n_clusters=n_classes, n_features_to_select=path)),
        "mcfs+labels": MCFS(n_features_to_select=path),
        "infogain": InformationGain(),
        "relief": ReliefF(n_neighbors=10),
        **{
            f"leave one out, {key}": LeaveOneFeatureOut(key, n_repeats=n_repeats[key], random_state=0)
            for key in objectives
        },
    }


# How often features are left out, by the objective. A split in halves is noisy; k-means has its ten starts.
FULL = {"accuracy": 20, "clustering": 1, "nmi": 1}
QUICK = {"accuracy": 5, "clustering": 1, "nmi": 1}
# Name in the catalog, features, classes, samples of the paper, samples of the quick form.
SETS = {
    "dermatology": ("dermatology", 34, 6, 366, 366),
    "USPS": ("usps", 256, 10, 9298, 600),
    "MNIST": ("mnist", 784, 10, 4000, 500),
    "mfeat": ("mfeat", 649, 10, 2000, 500),
    "COIL20": ("coil20", 1024, 20, 1440, 400),
    "COIL100": ("coil100", 1024, 100, 7200, 500),
}
# In the quick form the lasso paths of MCFS end at so many features; there is one for each class.
SHORT = 50
SCALED = ("dermatology", "mfeat")
# Runs of this name choose with the labels that measure, as the paper does.
SEEN = ", labels seen"


def _runs() -> tuple[Run, ...]:
    found = []
    for key, (name, d, n_classes, count, few) in SETS.items():
        sizes = sorted({max(1, round(share * d)) for share in FRACTIONS})
        short = None if key == "dermatology" else SHORT
        common: dict[str, Any] = {
            "sizes": sizes,
            "prepare": Some(count),
            "scale": key in SCALED,
            "impute": True,
        }
        # the paper clusters once, the best of ten; three times tell how much of it is chance, but one
        # clustering of COIL100 at all sizes takes minutes
        clusterings = Clustering(1 if key == "COIL100" else 3, 10)
        for suffix, protocol, measures, objectives, quick in (
            # the quick form leaves features out of k-means only where clusters are measured
            ("", RepeatedSplits(10, 0.4), ("nn",), ("accuracy",), RepeatedSplits(5, 0.4)),
            (SEEN, SeenSplits(10, 0.4), ("nn",), ("accuracy",), SeenSplits(5, 0.4)),
            (", clustered", clusterings, ("acc", "nmi", "redundancy"), OBJECTIVES, Clustering(5, 3)),
        ):
            methods = _methods(n_classes, QUICK, short, objectives)
            quickly = {"methods": methods, "protocol": quick, "draws": 5, "prepare": Some(few)}
            # what leaves features out of k-means has seen all samples among the clustered already
            full = _methods(n_classes, FULL, None, ("accuracy",) if suffix == SEEN else OBJECTIVES)
            draws = 3 if protocol is clusterings and clusterings.n_repeats == 1 else 10
            run = Run(key + suffix, name, full, protocol, measures, **common, draws=draws)
            found.append(replace(run, quick=quickly))
    return tuple(found)


MATCHED = "Leave one out by what is measured"
ROWS = (
    Row("MCFS", "mcfs"),
    Row("MCFS, supervised", "mcfs+labels"),
    Row("Information gain", "infogain"),
    Row("Relief", "relief", "ReliefF with 10 neighbors"),
    *(Row(f"Leave one out, {text}", f"leave one out, {key}") for key, text in OBJECTIVES.items()),
    Row("Variance", "variance", "not in the paper"),
    *BASELINES,
    Row(
        MATCHED,
        {
            "nn": "leave one out, accuracy",
            "acc": "leave one out, clustering",
            "nmi": "leave one out, nmi",
            "redundancy": "leave one out, accuracy",
        },
        "for claims: the objective that is measured, and accuracy for redundancy, which has none of its own",
        (),
    ),
)
FIGURE = Experiment(
    "figure-1",
    "Accuracy, clustering accuracy, mutual information and redundancy at twelve shares of the features",
    "figure",
    _runs(),
    ROWS,
    ("nn", "acc", "nmi", "redundancy"),
    shares=True,
    notes=(
        "Accuracy: features are chosen on 60% of the samples and measured on the other 40%. The paper "
        "chooses with the labels it measures by: so do the panels with labels seen, which choose on all "
        "samples and are too good. Leaving out learns from one half and measures on the other. "
        "Clustering and redundancy: all samples, as in the paper, so methods that use labels have "
        "seen those they are measured by.",
        "A situation is a data set and one of the four measures; of redundancy less is better. Leaving one "
        "out is judged by the objective that is measured, and by accuracy for redundancy. Where there is no "
        "number, an objective was not tried on that measure.",
        "Columns of dermatology and mfeat are standardized. MNIST: 4000 samples at random, since the paper's "
        "are not known. Leaving out by accuracy is the mean over 20 splits, where the paper has one; by "
        "k-means it is the best of ten starts, as in the paper. Clusterings are repeated three times, that "
        "of COIL100 is made once, as in the paper.",
        "The quick form has at most 600 samples, 5 splits, 5 clusterings of the best of 3 starts, scores by "
        "accuracy from 5 splits, and follows the paths of MCFS to 50 features for each class.",
    ),
)
CLUSTERED = tuple(f"{key}, clustered" for key in SETS)
SITUATIONS = Scope(("figure-1",), columns=(*SETS, *CLUSTERED))
AS_THE_PAPER = Scope(("figure-1",), columns=(*(key + SEEN for key in SETS), *CLUSTERED))
OTHERS = {
    "MCFS": "MCFS",
    "MCFS, supervised": "supervised MCFS",
    "Information gain": "information gain",
    "Relief": "Relief",
}


def _better(*others: str) -> Check:
    """With what the verdict rests on: how many samples, and in how many situations scores hardly differ."""

    def check(outcomes: Outcomes) -> Verdict:
        verdict = is_better(SITUATIONS, MATCHED, others, MOST)(outcomes)
        row = next(row for row in ROWS if row.name == MATCHED)
        findings = outcomes["figure-1"].findings
        tied = [
            finding.tied.get(row.label_for(measure, key), 0.0)
            for key, finding in findings.items()
            if not key.endswith(SEEN)
            for measure in finding.curves.get("all", {})
        ]
        seen = against(AS_THE_PAPER, outcomes, MATCHED, others).found
        won, _, lost = counted([case.gap for case in seen], [case.slack for case in seen])
        samples = max((finding.n_samples for finding in findings.values()), default=0)
        text = (
            f" With labels seen where accuracy is measured, as in the paper: better in {won}, worse in "
            f"{lost} of {len(seen)}. On at most {samples} samples. Leaving one feature out often changes "
            f"nothing: in {sum(share > 0.5 for share in tied)} of {len(tied)} situations over half of the "
            "features have one and the same score, and stand in the order of the columns."
        )
        return verdict._replace(measured=verdict.measured + text)

    return check


def _claim(text: str, *others: str) -> Claim:
    return Claim(
        f"Leave-one-out selection is better than {text} in most situations.",
        "Section 4, Figure 1",
        ("figure-1",),
        _better(*others),
    )


CLAIMS = (
    _claim("the best of MCFS, supervised MCFS, information gain and Relief", *OTHERS),
    *(_claim(text, name) for name, text in OTHERS.items()),
    Claim(
        "Selection by leaving one out is worth while: better than random selection in most situations (our "
        "question).",
        "not in the paper",
        ("figure-1",),
        _better("Random selection"),
    ),
)

PAPER = Paper(
    "leave-one-out",
    "Efficient leave-one-out strategy for supervised feature selection",
    "Feng, Chen & Xu",
    "Tsinghua Science and Technology",
    2013,
    (FIGURE,),
    CLAIMS,
    (
        "The redundancy rate is printed with 1/F(S), a set, before the sum over pairs, and without absolute "
        "values; a mean over pairs of m features needs 1/(m(m-1)).",
        "The objective of MCFS (eq. 5) lacks the square of the norm and the weight of the penalty.",
    ),
)
