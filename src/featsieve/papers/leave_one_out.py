"""Feng, Chen & Xu 2013: leave-one-out feature selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.evaluation import Clustering, RepeatedSplits
from featsieve.papers.checks import MOST, above
from featsieve.papers.readings import Unlabelled
from featsieve.papers.schema import BASELINES, Claim, Experiment, Paper, Row, Run
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
    n_classes: int, n_repeats: int, path: Any = None, objectives: Any = OBJECTIVES
) -> dict[str, Any]:
    return {
        "mcfs": Unlabelled(MCFS(n_clusters=n_classes, n_features_to_select=path)),
        "mcfs+labels": MCFS(n_features_to_select=path),
        "infogain": InformationGain(),
        "relief": ReliefF(),
        **{f"leave one out, {key}": LeaveOneFeatureOut(key, n_repeats=n_repeats) for key in objectives},
    }


# Name in the catalogue, features, classes, samples of the paper, samples of the quick form.
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


def _runs() -> tuple[Run, ...]:
    found = []
    for key, (name, d, n_classes, count, few) in SETS.items():
        sizes = sorted({max(1, round(share * d)) for share in FRACTIONS})
        # leaving features out of k-means costs minutes where there are many: not in the quick form
        small = key == "dermatology"
        quick = _methods(n_classes, 5, None if small else SHORT, OBJECTIVES if small else ("accuracy",))
        shared = {"prepare": Some(few), "methods": quick, "draws": 3}
        common: dict[str, Any] = {
            "sizes": sizes,
            "prepare": Some(count),
            "scale": key in SCALED,
            "impute": True,
        }
        held_out, clustered = RepeatedSplits(10, 0.4), Clustering(10, 10)
        found.append(
            Run(
                key,
                name,
                _methods(n_classes, 20),
                held_out,
                ("nn", "redundancy"),
                draws=10,
                quick=shared | {"protocol": RepeatedSplits(2, 0.4)},
                **common,
            )
        )
        found.append(
            Run(
                f"{key}, clustered",
                name,
                _methods(n_classes, 20),
                clustered,
                ("acc", "nmi"),
                draws=10,
                quick=shared | {"protocol": Clustering(1, 3)},
                **common,
            )
        )
    return tuple(found)


ROWS = (
    Row("MCFS", "mcfs"),
    Row("MCFS, supervised", "mcfs+labels"),
    Row("Information gain", "infogain"),
    Row("Relief", "relief", "ReliefF with 10 neighbours"),
    *(Row(f"Leave one out, {text}", f"leave one out, {key}") for key, text in OBJECTIVES.items()),
    Row("Variance", "variance", "not in the paper"),
    *BASELINES,
)
FIGURE = Experiment(
    "figure-1",
    "Accuracy, clustering accuracy, mutual information and redundancy at twelve shares of the features",
    "figure",
    _runs(),
    ROWS,
    ("nn", "acc", "nmi", "redundancy"),
    notes=(
        "Accuracy and redundancy: features are chosen on 60% of the samples and measured on the other 40%, "
        "where the paper chooses with the labels it measures by. Clustering: all samples, as in the paper, "
        "so methods that use labels have seen those they are measured by.",
        "Columns of dermatology and mfeat are standardised. MNIST: 4000 samples at random, since the paper's "
        "are not known. Scores are means over 20 splits, where the paper has one.",
        "The quick form has at most 600 samples, 2 splits and one clustering, follows the paths of MCFS to "
        "50 features for each class, and leaves features out of k-means for dermatology alone.",
    ),
)
OWN = "Leave one out, accuracy"
CLAIMS = tuple(
    Claim(
        f"Leave-one-out selection is better than {text} in most situations.",
        "Section 4, Figure 1",
        ("figure-1",),
        above("figure-1", OWN, other, measures=("nn", "acc", "nmi"), enough=MOST),
    )
    for other, text in (
        ("MCFS", "MCFS"),
        ("MCFS, supervised", "supervised MCFS"),
        ("Information gain", "information gain"),
        ("Relief", "Relief"),
    )
)

PAPER = Paper(
    "leave-one-out",
    "Efficient leave-one-out strategy for supervised feature selection",
    "Feng, Chen & Xu",
    "Tsinghua Science and Technology",
    2013,
    (FIGURE,),
    CLAIMS,
    ("The redundancy rate is printed with 1/m before the sum over pairs; a mean needs 1/(m(m-1)).",),
)
