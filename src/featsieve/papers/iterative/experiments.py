"""Figures of Zhu, Miao & Zhang 2012."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from featsieve.evaluation import Clustering, RepeatedFolds, RepeatedSplits
from featsieve.graphs import KNNGraph
from featsieve.reproduction.protocols import CatalogSplits
from featsieve.reproduction.schema import BASELINES, Experiment, Row, Run
from featsieve.scores.laplacian import LaplacianScore
from featsieve.subsets.iterative import IterativeScore

LAPLACIAN = LaplacianScore(KNNGraph(5))
# Name in the paper to name in the catalog.
UCI_DATASETS = {
    "Wine": "wine",
    "Breast cancer": "wpbc",
    "Ionosphere": "ionosphere",
    "Dermatology": "dermatology",
    "Anneal": "anneal",
    "Horse": "horse_colic",
    "Parkinsons": "parkinsons",
    "Zoo": "zoo",
}
# Suffix of the runs without standardization.
RAW = ", raw"
SIZES = (5, 10, 20, 50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
QUICK_SIZES = (5, 20, 50, 100, 200, 400, 700, 1000)
STEPS = (1, 5, 10, 20, 50)
STEP_ROWS = {f"IterativeLS, {step} per round": f"step {step}" for step in STEPS}


def _first_classes(n_classes: int, X: Any, y: Any) -> tuple[Any, Any]:
    """Return the samples of the first classes."""
    selected = np.isin(y, np.unique(y)[:n_classes])
    return X[selected], y[selected]


def _drop_missing_age(X: Any, y: Any) -> tuple[Any, Any]:
    """Drop the 8 of 366 samples without an age, the last column; the paper uses 358."""
    known = ~np.isnan(np.asarray(X, dtype=np.float64)[:, -1])
    return X[known], y[known]


def _iterative(step: int, readmit: bool = False) -> IterativeScore:
    return IterativeScore(LAPLACIAN, step=step, readmit=readmit, n_features_to_select=1)


def _uci_runs(scale: bool) -> tuple[Run, ...]:
    return tuple(
        Run(
            key=key if scale else key + RAW,
            dataset=name,
            methods={
                "laplacian": LAPLACIAN,
                "iterative": _iterative(1),
                "iterative-2": _iterative(1, readmit=True),
            },
            protocol=RepeatedFolds(10, 10),
            measures=("nn",),
            prepare=_drop_missing_age if name == "dermatology" else None,
            scale=scale,
            impute=True,
            # A round on Anneal takes as long as many rounds on the other datasets.
            quick={"protocol": RepeatedFolds(10, 1 if name == "anneal" else 5)},
        )
        for key, name in UCI_DATASETS.items()
    )


EXPERIMENTS = (
    Experiment(
        key="figure-1",
        runs=(*_uci_runs(scale=True), *_uci_runs(scale=False)),
        rows=(
            Row("Variance", "variance", "computed before columns are standardized"),
            Row("Laplacian score", "laplacian", "5 neighbors, t is the median squared neighbor distance"),
            Row("IterativeLS-1", "iterative", "discards one feature per round"),
            Row(
                "IterativeLS-2",
                "iterative-2",
                "discards one feature per round, but scores all features in each round",
            ),
            *BASELINES,
        ),
    ),
    Experiment(
        key="figure-2",
        runs=tuple(
            Run(
                key=f"{n_people} people",
                dataset="orl",
                methods={"laplacian": LAPLACIAN, "iterative": _iterative(5)},
                protocol=Clustering(20, 10),
                measures=("acc", "nmi"),
                sizes=SIZES,
                prepare=partial(_first_classes, n_people),
                draws=20,
                quick={"protocol": Clustering(5, 3), "sizes": QUICK_SIZES, "draws": 5},
            )
            for n_people in (5, 10, 15, 40)
        ),
        rows=(
            Row("Laplacian score", "laplacian", "5 neighbors"),
            Row("IterativeLS", "iterative", "discards five features per round"),
            Row("Variance", "variance", "not in this figure of the paper"),
            *BASELINES,
        ),
    ),
    Experiment(
        key="figure-3",
        runs=tuple(
            Run(
                key=f"{n_train} images",
                dataset="orl",
                methods={"laplacian": LAPLACIAN} | {f"step {step}": _iterative(step) for step in STEPS},
                protocol=CatalogSplits(n_train),
                measures=("nn",),
                sizes=range(10, 1025, 10),
                quick={"protocol": RepeatedSplits(5, 1 - n_train / 10), "sizes": range(25, 1025, 25)},
            )
            for n_train in (2, 5, 8)
        ),
        rows=(
            Row("Laplacian score", "laplacian", "5 neighbors"),
            *(Row(name, label) for name, label in STEP_ROWS.items()),
            *BASELINES,
        ),
    ),
)
