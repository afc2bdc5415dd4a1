"""Cheung & Zeng 2009: the local kernel regression (LKR) score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from featsieve.evaluation import Clustering, RepeatedSplits
from featsieve.graphs import ClassGraph, KNNGraph
from featsieve.reproduction.cases import Outcomes, Part, Scope, is_almost_same, is_best_with_fewer, is_better
from featsieve.reproduction.checks import (
    EVERY,
    MOST,
    NEARLY_ALL,
    OFTEN,
    Case,
    Cases,
    better,
    hardly_depends,
    tie,
)
from featsieve.reproduction.schema import BASELINES, Claim, Experiment, Paper, Row, Run, Sweep, Verdict
from featsieve.scores.fisher import FisherScore
from featsieve.scores.laplacian import LaplacianScore
from featsieve.scores.lkr import LKRScore
from featsieve.scores.relieff import ReliefF

H, RIDGE, K = 100.0, 0.1, 10


def _unsupervised(k: int = K, ridge: float = RIDGE, h: float = H) -> LKRScore:
    return LKRScore(KNNGraph(k, bandwidth=h), bandwidth=h, ridge=ridge)


def _supervised(ridge: float = RIDGE, h: float = H) -> LKRScore:
    return LKRScore(ClassGraph(), bandwidth=h, ridge=ridge)


def _unit_pixels(X: Any, y: Any) -> tuple[Any, Any]:
    """Gray levels from 0 to 1."""
    return np.asarray(X, dtype=np.float32) / 255, y


# Name in the catalog, whether columns are standardized, sizes, and the size of the study of parameters.
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
NEIGHBORS = tuple(range(5, 16))
RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0)
WIDTHS = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)


def _clustering(methods: Mapping[str, Any], single: bool, quick: tuple[int, int]) -> tuple[Run, ...]:
    return tuple(
        Run(
            key,
            name,
            methods,
            Clustering(20, 10),
            ("acc",),
            sizes=(size,) if single else sizes,
            scale=scale,
            draws=20,
            quick={"protocol": Clustering(*quick), "draws": 5},
        )
        for key, (name, scale, sizes, size) in CLUSTERED.items()
    )


def _classification(methods: Mapping[str, Any], single: bool, quick: int) -> tuple[Run, ...]:
    return tuple(
        Run(
            key,
            name,
            methods,
            RepeatedSplits(20, 1 / 3),
            ("nn",),
            sizes=(size,) if single else sizes,
            prepare=_unit_pixels,
            draws=5,
            quick={"protocol": RepeatedSplits(quick, 1 / 3)},
        )
        for key, (name, sizes, size) in CLASSIFIED.items()
    )


def _sweeps(
    kinds: Mapping[str, tuple[str, tuple[float, ...], bool]], sizes: Mapping[str, int]
) -> tuple[Sweep, ...]:
    return tuple(
        Sweep(name, {value: f"{letter}={value:g}" for value in values}, sizes, log)
        for name, (letter, values, log) in kinds.items()
    )


UNSUPERVISED = {
    **{f"k={value:g}": _unsupervised(k=value) for value in NEIGHBORS},
    **{f"lambda={value:g}": _unsupervised(ridge=value) for value in RIDGES},
    **{f"h={value:g}": _unsupervised(h=value) for value in WIDTHS},
}
SUPERVISED = {
    **{f"lambda={value:g}": _supervised(ridge=value) for value in RIDGES},
    **{f"h={value:g}": _supervised(h=value) for value in WIDTHS},
}
NEIGHBORS_NAME, RIDGE_NAME = "number of neighbors k", "ridge lambda"
RIDGE_AND_WIDTH = {
    RIDGE_NAME: ("lambda", RIDGES, True),
    "width h of the kernel": ("h", WIDTHS, True),
}

EXPERIMENTS = (
    Experiment(
        "figure-1",
        "Clustering accuracy, LKR score and Laplacian score",
        "figure",
        _clustering(
            {"lkr": _unsupervised(), "laplacian": LaplacianScore(KNNGraph(K, bandwidth=H))}, False, (5, 5)
        ),
        (
            Row("LKR score", "lkr"),
            Row("Laplacian score", "laplacian"),
            Row("Variance", "variance", "not in this figure of the paper"),
            *BASELINES,
        ),
        ("acc",),
        notes=(
            "10 neighbors, h=100 and lambda=0.1, as in the paper. The quick form has 5 repeats of the best "
            "of 5 starts instead of 20 of the best of 10.",
        ),
    ),
    Experiment(
        "figure-2",
        "Accuracy of the nearest neighbor, supervised LKR score, Fisher score and ReliefF",
        "figure",
        _classification(
            {"lkr": _supervised(), "fisher": FisherScore(), "relieff": ReliefF(n_neighbors=10)}, False, 5
        ),
        (
            Row("LKR score, supervised", "lkr"),
            Row("Fisher score", "fisher"),
            Row("ReliefF", "relieff", "10 neighbors: the paper does not say how many"),
            Row("Variance", "variance", "not in the paper"),
            *BASELINES,
        ),
        ("nn",),
        notes=(
            "UMist at 28x23 pixels: the paper's 575 images of 112x92 were not all found. PIE C27 is the half "
            "with the lights off, inferred from its shape. The quick form has 5 splits instead of 20.",
        ),
    ),
    Experiment(
        "figure-3",
        "Parameters of the unsupervised LKR score",
        "figure",
        _clustering(UNSUPERVISED, True, (5, 3)),
        (Row("LKR score", f"k={K}"), *BASELINES),
        ("acc",),
        sweeps=(
            Sweep(
                NEIGHBORS_NAME,
                {value: f"k={value:g}" for value in NEIGHBORS},
                {key: each[3] for key, each in CLUSTERED.items()},
            ),
            *_sweeps(RIDGE_AND_WIDTH, {key: each[3] for key, each in CLUSTERED.items()}),
        ),
        notes=("The quick form has 5 repeats of the best of 3 starts instead of 20 of the best of 10.",),
    ),
    Experiment(
        "figure-4",
        "Parameters of the supervised LKR score",
        "figure",
        _classification(SUPERVISED, True, 5),
        (Row("LKR score, supervised", f"h={H:g}"), *BASELINES),
        ("nn",),
        sweeps=_sweeps(RIDGE_AND_WIDTH, {key: each[2] for key, each in CLASSIFIED.items()}),
        notes=("The quick form has 5 splits instead of 20.",),
    ),
)


def _swept(outcomes: Outcomes, figure: str, names: tuple[str, ...], moderate: bool, thumb: bool) -> Cases:
    """How far accuracy ranges over a parameter's values, or how far the rule of thumb is below the best."""
    outcome, found, left_out = outcomes[figure], [], {}
    measure = outcome.experiment.measures[0]
    for sweep in outcome.experiment.sweeps:
        for run in outcome.experiment.runs if sweep.name in names else ():
            name, finding = f"{run.key}, {sweep.name}", outcome.findings.get(run.key)
            at = f"size {sweep.sizes[run.key]}"
            labels = {v: text for v, text in sweep.labels.items() if not moderate or _moderate(sweep.name, v)}
            if finding is None:
                left_out[name] = "no data"
                continue
            values = {v: finding.statistic(text, measure, at) for v, text in labels.items()}
            failed = [f"{v:g}" for v, value in values.items() if value is None]
            if failed:
                left_out[name] = f"{', '.join(failed)} failed"
                continue
            known = np.array(list(values.values()), dtype=np.float64)
            usual = values.get(RIDGE if sweep.name == RIDGE_NAME else H)
            level = float(usual) if thumb and usual is not None else float(known.mean())
            beside = {
                text: level - number
                for label, text in (("random", "random selection"), ("all", "all features"))
                if (number := finding.statistic(label, measure, at)) is not None
            }
            gap = float(known.max()) - (level if thumb else float(known.min()))
            found.append(Case(name, gap, *finding.repeats, beside=beside))
    return Cases(tuple(found), left_out, "below the best value" if thumb else "range over the values")


def _with_labels_too(outcomes: Outcomes, moderate: bool, thumb: bool) -> Cases:
    """Ridges and widths of the unsupervised score and of the supervised one."""
    both = [
        _swept(outcomes, each, tuple(RIDGE_AND_WIDTH), moderate, thumb) for each in ("figure-3", "figure-4")
    ]
    return Cases(
        tuple(case for each in both for case in each.found),
        {name: why for each in both for name, why in each.left_out.items()},
        both[0].what,
    )


def _stable(outcomes: Outcomes) -> Verdict:
    """Whether accuracy hardly depends on the number of neighbors."""
    return hardly_depends(_swept(outcomes, "figure-3", (NEIGHBORS_NAME,), False, False), EVERY)


def _insensitive(outcomes: Outcomes) -> Verdict:
    """Whether accuracy hardly depends on ridge and width in the middle of their values."""
    return hardly_depends(_with_labels_too(outcomes, True, False), MOST)


def _thumb(outcomes: Outcomes) -> Verdict:
    """Whether lambda = 0.1 and h = 100 come near the best value of each sweep."""
    return hardly_depends(_with_labels_too(outcomes, False, True), OFTEN, ends=1)


def _sooner(outcomes: Outcomes) -> Verdict:
    """With how many features the LKR score reaches the best that the Laplacian score has below all."""
    names, found, left_out = ("LKR score", "Laplacian score", "Random selection"), [], {}
    for part in FIGURE_1.parts(outcomes, names):
        if not isinstance(part, Part):
            left_out[part[0]] = part[1]
            continue
        every = part.finding.n_features
        known = {name: values for name, values in part.values.items() if values is not None}
        if len(known) < len(names):
            left_out[part.name] = "a method failed"
            continue
        level = known["Laplacian score"].max() - tie(part.finding.repeats[0])
        # all features where fewer do not reach it
        own, other, random = (
            next((size for size, value in zip(part.sizes, known[name], strict=True) if value >= level), every)
            for name in names
        )
        beside = {"random selection": 100 * (random - own) / every, "all features": 100 * (1 - own / every)}
        gap = 100 * (other - own) / every
        found.append(Case(part.name, gap, *part.finding.repeats, tie=0.0, beside=beside))
    what = "share of the features that is spared until the best of the Laplacian score is reached"
    return better(Cases(tuple(found), left_out, what, points="%"), NEARLY_ALL)


def _moderate(name: str, value: float) -> bool:
    return 1e-2 <= value <= 1 if name == RIDGE_NAME else 10 <= value <= 1e4


FIGURE_1 = Scope(("figure-1",))
FEWER_THAN_40 = Scope(("figure-2",), columns=("PIEC27",), below=40, by_size=True)
UMIST = Scope(("figure-2",), columns=("UMist",), by_size=True)
OTHERS = (("Fisher score", "the Fisher score"), ("ReliefF", "ReliefF"))
CLAIMS = (
    Claim(
        "With few features the LKR score clusters better than the Laplacian score.",
        "Section 5.1, Figure 1",
        ("figure-1",),
        is_better(replace(FIGURE_1, share=0.5), "LKR score", "Laplacian score", NEARLY_ALL),
    ),
    Claim(
        "The LKR score reaches the same accuracy of clusters with fewer features than the Laplacian score.",
        "Section 5.1, Figure 1",
        ("figure-1",),
        _sooner,
    ),
    Claim(
        "With nearly all features the LKR score and the Laplacian score give almost the same.",
        "Section 5.1, Figure 1",
        ("figure-1",),
        is_almost_same(replace(FIGURE_1, beyond=0.8), "LKR score", "Laplacian score", NEARLY_ALL),
    ),
    Claim(
        "The best clustering is often reached with fewer than all features.",
        "Section 5.1, Figure 1",
        ("figure-1",),
        is_best_with_fewer(FIGURE_1, ("LKR score", "Laplacian score"), OFTEN),
    ),
    *(
        Claim(
            f"On PIEC27 the supervised LKR score is much better than {text} with fewer than 40 features.",
            "Section 5.2, Figure 2",
            ("figure-2",),
            is_better(FEWER_THAN_40, "LKR score, supervised", other, NEARLY_ALL, much=True),
        )
        for other, text in OTHERS
    ),
    *(
        Claim(
            f"On UMist the supervised LKR score is better than {text} in mean accuracy over the splits.",
            "Section 5.2, Figure 2",
            ("figure-2",),
            is_better(UMIST, "LKR score, supervised", other, NEARLY_ALL),
        )
        for other, text in OTHERS
    ),
    Claim(
        "On all data sets the unsupervised score hardly depends on the number of neighbors from 5 to 15.",
        "Section 5.3, Figure 3a",
        ("figure-3",),
        _stable,
    ),
    Claim(
        "On most data sets the score is not very sensitive to moderate ridges and widths, with and without "
        "labels.",
        "Section 5.3, Figures 3b, 3c and 4",
        ("figure-3", "figure-4"),
        _insensitive,
    ),
    Claim(
        "A ridge of about 0.1 and a width of about 100 are often a good choice.",
        "Section 5.3, Figures 3 and 4",
        ("figure-3", "figure-4"),
        _thumb,
    ),
)

PAPER = Paper(
    "lkr",
    "Local kernel regression score for selecting features of high-dimensional data",
    "Cheung & Zeng",
    "IEEE Transactions on Knowledge and Data Engineering",
    2009,
    EXPERIMENTS,
    CLAIMS,
)
