"""The figure of Feng, Chen & Xu 2013."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from featsieve.evaluation import Clustering, RepeatedSplits, SeenSplits
from featsieve.reproduction.readings import WithoutLabels
from featsieve.reproduction.schema import BASELINES, Experiment, Row, Run
from featsieve.scores.information_gain import InformationGain
from featsieve.scores.relieff import ReliefF
from featsieve.subsets.leave_one_out import LeaveOneFeatureOut
from featsieve.subsets.mcfs import MCFS

FRACTIONS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
OBJECTIVES = {"accuracy": "accuracy", "clustering": "clustering accuracy", "nmi": "mutual information"}
ACCURACY = ("accuracy",)
# In the quick form each lasso path of MCFS, one per class, ends at this number of features.
QUICK_PATH_LENGTH = 50
STANDARDIZED = ("dermatology", "mfeat")
# Suffixes of the runs that select with the labels they are tested on, as the paper does, and that cluster.
SEEN, CLUSTERED = ", labels seen", ", clustered"
MATCHED = "Leave-one-out, matching objective"


class Dataset(NamedTuple):
    """A dataset of the paper."""

    name: str  # in the catalog
    n_features: int
    n_classes: int
    n_samples: int  # in the paper
    n_samples_quick: int  # in the quick form


DATASETS = {
    "dermatology": Dataset("dermatology", 34, 6, 366, 366),
    "USPS": Dataset("usps", 256, 10, 9298, 600),
    "MNIST": Dataset("mnist", 784, 10, 4000, 500),
    "mfeat": Dataset("mfeat", 649, 10, 2000, 500),
    "COIL20": Dataset("coil20", 1024, 20, 1440, 400),
    "COIL100": Dataset("coil100", 1024, 100, 7200, 500),
}


def _random_samples(n_samples: int, X: Any, y: Any) -> tuple[Any, Any]:
    """Draw a stratified random sample; smaller datasets are unchanged."""
    if len(y) <= n_samples:
        return X, y
    codes = np.unique(y, return_inverse=True)[1]
    rows = RepeatedSplits(1, n_samples / len(y)).splits(len(y), codes, 0)[0].test
    return X[rows], y[rows]


def _methods(
    n_classes: int, objectives: Iterable[str], n_repeats: int, path_length: int | None = None
) -> dict[str, Any]:
    """Return the methods. Halves are noisy, so the accuracy is a mean over ``n_repeats`` splits."""
    return {
        "mcfs": WithoutLabels(MCFS(n_clusters=n_classes, n_features_to_select=path_length)),
        "mcfs+labels": MCFS(n_features_to_select=path_length),
        "infogain": InformationGain(),
        "relief": ReliefF(n_neighbors=10),
    } | {
        f"leave one out, {objective}": LeaveOneFeatureOut(
            objective, n_repeats=n_repeats if objective == "accuracy" else 1, random_state=0
        )
        for objective in objectives
    }


def _runs(key: str, dataset: Dataset) -> tuple[Run, ...]:
    """Return the runs on held-out samples, with labels seen, and with clusterings."""
    # The paper clusters once. Three repeats show the variation; one takes minutes on COIL100.
    n_clusterings = 1 if key == "COIL100" else 3
    path_length = None if key == "dermatology" else QUICK_PATH_LENGTH
    clustered = Clustering(n_clusterings, 10), Clustering(5, 3)
    return tuple(
        Run(
            key=key + suffix,
            dataset=dataset.name,
            methods=_methods(dataset.n_classes, objectives, n_repeats=20),
            protocol=protocol,
            measures=measures,
            sizes=sorted({max(1, round(fraction * dataset.n_features)) for fraction in FRACTIONS}),
            prepare=partial(_random_samples, dataset.n_samples),
            scale=key in STANDARDIZED,
            impute=True,
            draws=3 if suffix == CLUSTERED and n_clusterings == 1 else 10,
            quick={
                "methods": _methods(dataset.n_classes, quick_objectives, 5, path_length),
                "protocol": quick_protocol,
                "draws": 5,
                "prepare": partial(_random_samples, dataset.n_samples_quick),
            },
        )
        for suffix, (protocol, quick_protocol), measures, objectives, quick_objectives in (
            ("", (RepeatedSplits(10, 0.4), RepeatedSplits(5, 0.4)), ("nn",), OBJECTIVES, ACCURACY),
            # The objectives that cluster see all samples of the clustered runs already.
            (SEEN, (SeenSplits(10, 0.4), SeenSplits(5, 0.4)), ("nn",), ACCURACY, ACCURACY),
            (CLUSTERED, clustered, ("acc", "nmi", "redundancy"), OBJECTIVES, OBJECTIVES),
        )
    )


FIGURE = Experiment(
    key="figure-1",
    runs=tuple(run for key, dataset in DATASETS.items() for run in _runs(key, dataset)),
    rows=(
        Row("MCFS", "mcfs"),
        Row("MCFS, supervised", "mcfs+labels"),
        Row("Information gain", "infogain"),
        Row("Relief", "relief", "ReliefF with 10 neighbors"),
        *(Row(f"Leave-one-out, {name}", f"leave one out, {key}") for key, name in OBJECTIVES.items()),
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
            "used by the claims: the objective equals the measure; for redundancy, which has no "
            "objective, it is the accuracy",
            statistics=(),
        ),
    ),
    axis_is_fraction=True,
)
EXPERIMENTS = (FIGURE,)
