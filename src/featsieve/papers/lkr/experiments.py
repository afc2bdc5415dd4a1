"""Figures of Cheung & Zeng 2009."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from featsieve.evaluation import Clustering, RepeatedSplits
from featsieve.graphs import ClassGraph, KNNGraph
from featsieve.reproduction.schema import BASELINES, Experiment, Row, Run, Sweep
from featsieve.scores.fisher import FisherScore
from featsieve.scores.laplacian import LaplacianScore
from featsieve.scores.lkr import LKRScore
from featsieve.scores.relieff import ReliefF

WIDTH, RIDGE, N_NEIGHBORS = 100.0, 0.1, 10

# Name in the catalog, whether columns are standardized, sizes, and the size in the study of parameters.
CLUSTERED = {
    "pendigit": ("pendigits", False, tuple(range(1, 17)), 6),
    "sonar": ("sonar", False, (1, 3, 5, 8, 11, 14, 17, 20, 25, 30, 35, 40, 45, 50, 55, 60), 17),
    "wdbc": ("breast_cancer", True, (1, 2, 3, 5, 7, 9, 11, 13, 15, 18, 21, 24, 27, 30), 15),
    "USPS49": ("usps49", False, (5, 10, 20, 40, 60, 80, 100, 130, 160, 190, 220, 256), 100),
}
CLASSIFIED = {
    "PIEC27": ("pie21", (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100), 15),
    "UMist": ("umist_small", (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100), 25),
}
CLUSTERED_SIZES = {key: size for key, (_, _, _, size) in CLUSTERED.items()}
CLASSIFIED_SIZES = {key: size for key, (_, _, size) in CLASSIFIED.items()}

NEIGHBORS = tuple(range(5, 16))
RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0)
WIDTHS = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
NEIGHBORS_NAME, RIDGE_NAME, WIDTH_NAME = "number of neighbors k", "ridge lambda", "kernel width h"


def _unsupervised(n_neighbors: int = N_NEIGHBORS, ridge: float = RIDGE, width: float = WIDTH) -> LKRScore:
    return LKRScore(KNNGraph(n_neighbors, bandwidth=width), bandwidth=width, ridge=ridge)


def _supervised(ridge: float = RIDGE, width: float = WIDTH) -> LKRScore:
    return LKRScore(ClassGraph(), bandwidth=width, ridge=ridge)


def _scale_gray_levels(X: Any, y: Any) -> tuple[Any, Any]:
    """Scale gray levels to the range from 0 to 1."""
    return np.asarray(X, dtype=np.float32) / 255, y


def _clustering(methods: Mapping[str, Any], n_starts: int, single_size: bool = False) -> tuple[Run, ...]:
    """Return the runs of a figure on clustering; ``n_starts`` is that of the quick form."""
    return tuple(
        Run(
            key=key,
            dataset=name,
            methods=methods,
            protocol=Clustering(20, 10),
            measures=("acc",),
            sizes=(size,) if single_size else sizes,
            scale=scale,
            draws=20,
            quick={"protocol": Clustering(5, n_starts), "draws": 5},
        )
        for key, (name, scale, sizes, size) in CLUSTERED.items()
    )


def _classification(methods: Mapping[str, Any], single_size: bool = False) -> tuple[Run, ...]:
    return tuple(
        Run(
            key=key,
            dataset=name,
            methods=methods,
            protocol=RepeatedSplits(20, 1 / 3),
            measures=("nn",),
            sizes=(size,) if single_size else sizes,
            prepare=_scale_gray_levels,
            draws=5,
            quick={"protocol": RepeatedSplits(5, 1 / 3)},
        )
        for key, (name, sizes, size) in CLASSIFIED.items()
    )


def _ridge_and_width(sizes: Mapping[str, int]) -> tuple[Sweep, ...]:
    return (
        Sweep(
            name=RIDGE_NAME, labels={ridge: f"lambda={ridge:g}" for ridge in RIDGES}, sizes=sizes, log=True
        ),
        Sweep(name=WIDTH_NAME, labels={width: f"h={width:g}" for width in WIDTHS}, sizes=sizes, log=True),
    )


EXPERIMENTS = (
    Experiment(
        key="figure-1",
        title="Clustering accuracy, LKR score and Laplacian score",
        kind="figure",
        runs=_clustering(
            {"lkr": _unsupervised(), "laplacian": LaplacianScore(KNNGraph(N_NEIGHBORS, bandwidth=WIDTH))},
            n_starts=5,
        ),
        rows=(
            Row("LKR score", "lkr"),
            Row("Laplacian score", "laplacian"),
            Row("Variance", "variance", reading="not in this figure of the paper"),
            *BASELINES,
        ),
        measures=("acc",),
        notes=(
            "10 neighbors, h=100 and lambda=0.1, as in the paper. The quick form uses 5 repeats of the "
            "best of 5 starts instead of 20 repeats of the best of 10.",
        ),
    ),
    Experiment(
        key="figure-2",
        title="Nearest neighbor accuracy, supervised LKR score, Fisher score and ReliefF",
        kind="figure",
        runs=_classification(
            {"lkr": _supervised(), "fisher": FisherScore(), "relieff": ReliefF(n_neighbors=10)}
        ),
        rows=(
            Row("LKR score, supervised", "lkr"),
            Row("Fisher score", "fisher"),
            Row("ReliefF", "relieff", reading="10 neighbors; the paper does not give the number"),
            Row("Variance", "variance", reading="not in the paper"),
            *BASELINES,
        ),
        measures=("nn",),
        notes=(
            "UMist has 28x23 pixels, because not all of the paper's 575 images of 112x92 pixels are "
            "available. PIE C27 is the half with the room lights off, inferred from its shape. The quick "
            "form uses 5 splits instead of 20.",
        ),
    ),
    Experiment(
        key="figure-3",
        title="Parameters of the unsupervised LKR score",
        kind="figure",
        runs=_clustering(
            {
                **{f"k={k}": _unsupervised(n_neighbors=k) for k in NEIGHBORS},
                **{f"lambda={ridge:g}": _unsupervised(ridge=ridge) for ridge in RIDGES},
                **{f"h={width:g}": _unsupervised(width=width) for width in WIDTHS},
            },
            n_starts=3,
            single_size=True,
        ),
        rows=(Row("LKR score", f"k={N_NEIGHBORS}"), *BASELINES),
        measures=("acc",),
        sweeps=(
            Sweep(name=NEIGHBORS_NAME, labels={k: f"k={k}" for k in NEIGHBORS}, sizes=CLUSTERED_SIZES),
            *_ridge_and_width(CLUSTERED_SIZES),
        ),
        notes=(
            "The quick form uses 5 repeats of the best of 3 starts instead of 20 repeats of the best of 10.",
        ),
    ),
    Experiment(
        key="figure-4",
        title="Parameters of the supervised LKR score",
        kind="figure",
        runs=_classification(
            {
                **{f"lambda={ridge:g}": _supervised(ridge=ridge) for ridge in RIDGES},
                **{f"h={width:g}": _supervised(width=width) for width in WIDTHS},
            },
            single_size=True,
        ),
        rows=(Row("LKR score, supervised", f"h={WIDTH:g}"), *BASELINES),
        measures=("nn",),
        sweeps=_ridge_and_width(CLASSIFIED_SIZES),
        notes=("The quick form uses 5 splits instead of 20.",),
    ),
)
