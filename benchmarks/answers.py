"""Check the recommendations of comparisons on data whose informative features are known.

    python benchmarks/answers.py [--draws 100] [--methods A,B or all] [--only noise]

Prints for each kind of data, averaged over the draws: the share of recommended features that are informative
or copies of informative ones, the share of distinct informative features that are represented among twice as
many top features of the recommended method, how often nothing is recommended, and how far the recommendation
is below the highest peak of any method. Recommendations must not change if methods that do not beat random
selection are removed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ratios import finish, report
from sklearn.datasets import make_classification

from featsieve.evaluation import Comparison, Execution, Plan, RepeatedSplits, compare

QUICK = (
    "fisher,pearson,relieff,mrmr,l1-path,supervised-column-subset,laplacian,spfs,column-subset,diverse,"
    "facility-location,information-gain,constraint,trace-ratio+labels"
)
N_INFORMATIVE, N_COPIES = 5, 2
SHAPES = ((60, 20), (100, 200), (200, 1000), (400, 60), (2000, 100), (100, 5000))


@dataclass(frozen=True, eq=False)
class Sample:
    """Data with the number of the informative feature that each column is, or is a copy of; -1 for noise."""

    X: np.ndarray
    y: np.ndarray | None
    sources: np.ndarray


def make_columns(signals: np.ndarray, d: int, noise: float, random: np.random.Generator) -> tuple[Any, Any]:
    """Return the signals, two noisy copies of each, and noise, in random order, with the source of each."""
    n, k = signals.shape
    copies = np.repeat(signals, N_COPIES, axis=1)
    copies = copies + 0.2 * signals.std() * random.standard_normal(copies.shape)
    sources = np.concatenate([np.arange(k), np.repeat(np.arange(k), N_COPIES)])[:d]
    columns = np.hstack([signals, copies])[:, :d]
    rest = noise * random.standard_normal((n, d - columns.shape[1]))
    order = random.permutation(d)
    return np.hstack([columns, rest])[:, order], np.concatenate([sources, np.full(rest.shape[1], -1)])[order]


def make_classes(n: int, d: int, random: np.random.Generator, share: float = 0.5) -> Sample:
    """Return two classes that every informative feature separates in part."""
    y = (np.arange(n) >= round(share * n)).astype(int)
    signals = random.standard_normal((n, N_INFORMATIVE)) + 2 * y[:, None]
    X, sources = make_columns(signals, d, 1, random)
    return Sample(X, y, sources)


def make_uneven_classes(n: int, d: int, random: np.random.Generator) -> Sample:
    """Return classes with 97% and 3% of the samples."""
    return make_classes(n, d, random, 0.97)


def make_numbers(n: int, d: int, random: np.random.Generator) -> Sample:
    """Return a target that is the sum of the informative features and noise."""
    signals = random.standard_normal((n, N_INFORMATIVE))
    X, sources = make_columns(signals, d, 1, random)
    return Sample(X, signals.sum(axis=1) + random.standard_normal(n), sources)


def make_unlabeled(n: int, d: int, random: np.random.Generator) -> Sample:
    """Return factors that most of the variance is due to, and small noise."""
    X, sources = make_columns(random.standard_normal((n, N_INFORMATIVE)), d, 0.25, random)
    return Sample(X, None, sources)


def make_noise(n: int, d: int, random: np.random.Generator) -> Sample:
    """Return noise with classes of equal or different sizes, numbers, or no labels."""
    kind = random.integers(5)
    y: Any = (np.arange(n) >= round([0.5, 0.8, 0.97, 0, 0][kind] * n)).astype(int)
    y = random.standard_normal(n) if kind == 3 else None if kind == 4 else y
    return Sample(random.standard_normal((n, d)), y, np.full(d, -1))


def make_madelon(n: int, d: int, random: np.random.Generator) -> Sample:
    """Return classes in the corners of a hypercube, 5 informative features and 15 combinations of them."""
    X, y = make_classification(
        n, d, n_informative=5, n_redundant=15, n_clusters_per_class=16, shuffle=False, class_sep=2.0,
        random_state=int(random.integers(2**31)),
    )  # fmt: skip
    return Sample(X, y, np.where(np.arange(d) < 20, 0, -1))


KINDS: dict[str, Callable[..., Sample]] = {
    "classes": make_classes,
    "classes 97:3": make_uneven_classes,
    "numbers": make_numbers,
    "no labels": make_unlabeled,
    "noise": make_noise,
    "madelon": make_madelon,
}


def judge(sample: Sample, comparison: Comparison) -> dict[str, float]:
    """Return the figures of one draw; NaN for those that need a recommendation if there is none."""
    advice = comparison.recommend()
    figures = {"none": float(advice.method is None), "changed": float(changes(comparison))}
    if advice.method is None:
        return figures
    features = [int(feature.name[1:]) for feature in advice.features]
    distinct = np.unique(sample.sources[sample.sources >= 0])
    top = comparison.orders()[advice.method][: 2 * distinct.size]
    sizes = comparison.best_sizes().set_index("method")
    figures["informative"] = float(np.mean(sample.sources[features] >= 0))
    figures["represented"] = float(np.isin(distinct, sample.sources[top]).mean())
    figures["below peak"] = float(sizes["peak"].max() - sizes.loc[advice.method, "score"])
    return figures


def changes(comparison: Comparison) -> bool:
    """Return whether removing methods that do not beat random selection changes the recommendation."""
    summary = comparison.summary()
    losers = set(summary.loc[~summary["outcome"].isin(["better", "reference"]), "method"])
    methods = {label: info for label, info in comparison.info["methods"].items() if label not in losers}
    if len(methods) < 3:
        return False
    cells = [cell for cell in comparison.cells if cell.method not in losers]
    rest = replace(comparison, info=comparison.info | {"methods": methods}, cells=cells).recommend()
    advice = comparison.recommend()
    return (rest.method, rest.features, rest.held_out) != (advice.method, advice.features, advice.held_out)


def measure(kind: str, draws: int, methods: list[str], jobs: int) -> list[dict[str, float]]:
    """Return the figures of each draw."""
    rows = []
    shapes = ((2000, 500),) if kind == "madelon" else SHAPES[:4] if kind == "noise" else SHAPES
    for draw in range(draws):
        random = np.random.default_rng([draw, *kind.encode()])
        n, d = shapes[draw % len(shapes)]
        sample = KINDS[kind](n, d, random)
        labels: Any = [label for label in methods if sample.y is not None or label in UNLABELED]
        if sample.y is not None and sample.y.dtype.kind == "f":
            labels = [label for label in methods if label in NUMERIC]
        if methods == ["all"]:
            labels = None
        n_splits = int(random.integers(5, 11)) if kind == "noise" else 10
        plan = Plan(RepeatedSplits(n_splits), draws=10, seed=draw)
        comparison = compare(sample.X, sample.y, labels, plan, Execution(n_jobs=jobs))
        rows.append(judge(sample, comparison))
        print(kind, n, d, comparison.recommend().method, rows[-1], flush=True)
    return rows


UNLABELED = {"laplacian", "spfs", "column-subset", "diverse", "facility-location"}
NUMERIC = {
    "pearson", "mrmr", "l1-path", "supervised-column-subset", "relieff", "information-gain", "laplacian",
    "column-subset",
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=12, help="100 take hours")
    parser.add_argument("--methods", default=QUICK)
    parser.add_argument("--only", choices=KINDS, default=None)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--data", help="not used")
    options = parser.parse_args()
    for kind in [options.only] if options.only else KINDS:
        draws = max(1, options.draws // 20) if kind == "madelon" else options.draws
        rows = measure(kind, draws, options.methods.split(","), options.jobs)

        def mean(name: str, rows: list[dict[str, float]] = rows) -> float:
            return float(np.mean([row[name] for row in rows if name in row] or [np.nan]))

        report(f"{kind}: changed by removing methods that are not better", mean("changed"), "at most", 0.0)
        if kind == "noise":
            report("noise: share of draws without a recommendation", mean("none"), "at least", 0.95)
            continue
        report(f"{kind}: draws without a recommendation", mean("none"))
        if kind == "madelon":
            report("madelon: points below the highest peak", 100 * mean("below peak"), "at most", 2.0)
        report(f"{kind}: recommended features that are informative", mean("informative"), "at least", 0.9)
        if kind != "madelon":
            report(f"{kind}: informative features represented", mean("represented"), "at least", 0.99)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
