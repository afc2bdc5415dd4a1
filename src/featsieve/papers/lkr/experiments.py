"""Figures of Cheung & Zeng 2009."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

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
# Name in the catalog, and the size in the study of parameters.
CLASSIFIED = {"PIEC27": ("pie21", 15), "UMist": ("umist_small", 25)}
SIZES = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)


class Parameter(NamedTuple):
    """A parameter of the score and its values in the study."""

    name: str
    keyword: str  # of the functions below
    labels: Mapping[float, str]  # of the methods, by value


NEIGHBORS = Parameter("number of neighbors k", "n_neighbors", {k: f"k={k}" for k in range(5, 16)})
RIDGES = Parameter("ridge lambda", "ridge", {v: f"lambda={v:g}" for v in (1e-3, 1e-2, 1e-1, 1.0, 10.0)})
WIDTHS = Parameter("kernel width h", "width", {v: f"h={v:g}" for v in (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)})


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
            sizes=(size,) if single_size else SIZES,
            prepare=_scale_gray_levels,
            draws=5,
            quick={"protocol": RepeatedSplits(5, 1 / 3)},
        )
        for key, (name, size) in CLASSIFIED.items()
    )


def _grid(score: Callable[..., LKRScore], *parameters: Parameter) -> dict[str, LKRScore]:
    """Return a score for each value of each parameter, by its label."""
    return {
        label: score(**{parameter.keyword: value})
        for parameter in parameters
        for value, label in parameter.labels.items()
    }


def _sweeps(sizes: Mapping[str, int], *parameters: Parameter) -> tuple[Sweep, ...]:
    return tuple(
        Sweep(name=parameter.name, labels=parameter.labels, sizes=sizes, log=parameter is not NEIGHBORS)
        for parameter in parameters
    )


EXPERIMENTS = (
    Experiment(
        key="figure-1",
        runs=_clustering(
            {"lkr": _unsupervised(), "laplacian": LaplacianScore(KNNGraph(N_NEIGHBORS, bandwidth=WIDTH))},
            n_starts=5,
        ),
        rows=(
            Row("LKR score", "lkr"),
            Row("Laplacian score", "laplacian"),
            Row("Variance", "variance", "not in this figure of the paper"),
            *BASELINES,
        ),
    ),
    Experiment(
        key="figure-2",
        runs=_classification(
            {"lkr": _supervised(), "fisher": FisherScore(), "relieff": ReliefF(n_neighbors=10)}
        ),
        rows=(
            Row("LKR score, supervised", "lkr"),
            Row("Fisher score", "fisher"),
            Row("ReliefF", "relieff", "10 neighbors; the paper does not give the number"),
            Row("Variance", "variance", "not in the paper"),
            *BASELINES,
        ),
    ),
    Experiment(
        key="figure-3",
        runs=_clustering(_grid(_unsupervised, NEIGHBORS, RIDGES, WIDTHS), n_starts=3, single_size=True),
        rows=(Row("LKR score", f"k={N_NEIGHBORS}"), *BASELINES),
        sweeps=_sweeps({key: size for key, (*_, size) in CLUSTERED.items()}, NEIGHBORS, RIDGES, WIDTHS),
    ),
    Experiment(
        key="figure-4",
        runs=_classification(_grid(_supervised, RIDGES, WIDTHS), single_size=True),
        rows=(Row("LKR score, supervised", f"h={WIDTH:g}"), *BASELINES),
        sweeps=_sweeps({key: size for key, (_, size) in CLASSIFIED.items()}, RIDGES, WIDTHS),
    ),
)
