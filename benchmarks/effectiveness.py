"""Accuracy with the features that each method selects, over many datasets.

    python benchmarks/effectiveness.py [--data DIR] [--store FILE] [--write]

The datasets are those that scikit-learn contains and every file of DIR, each with at most 1000 samples and
2000 features, drawn at random. In each split, half of the samples select the features, and the others
measure them: the mean of the 1-NN and the linear accuracy (R² of 5-NN and ridge regression for numbers)
with 2, 5, 10, 20, 30 and 50% of the features, averaged over these sizes on a log scale. The gain of a
method is its difference from random selection, in points. A win (loss) is a gain above (below) 0 by the
corrected resampled t test at 5%. In the clustering view, unsupervised methods select on all samples and
k-means clusters them with 0.5, 1, 2, 5 and 10% of the features.

An interrupted run resumes with the same command and the same store. ``--write`` saves the results in
docs/effectiveness.json and runs docs/build_effectiveness.py, which writes the page docs/which-method.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.preprocessing import LabelBinarizer, StandardScaler

import featsieve
from featsieve.datasets import extensions, load
from featsieve.evaluation import Clustering, Execution, Plan, RepeatedSplits, compare
from featsieve.evaluation.store import replace_nonfinite
from featsieve.targets import infer_target

MAX_SAMPLES, MAX_FEATURES = 1000, 2000
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
CLUSTERING_SHARES = (0.005, 0.01, 0.02, 0.05, 0.1)
# k-means with more clusters than this takes longer than everything else.
MAX_CLUSTERS = 40
EMBEDDED = ("iris", "wine", "breast_cancer", "digits", "diabetes")
# Methods that take minutes on most of the datasets; they are compared in the ledger of the papers.
SLOW = ("leave-one-out", "takes", "sparsity", "iterative", "graph-preserving")
# Methods that compare() gives pairs of labels if they are not requested "+labels".
DRAW_PAIRS = ("constraint",)
# Families whose scores become more useful if redundancy is taken into account.
SCORE_FAMILIES = ("statistic", "graph", "reconstruction", "neighbor")
SIGNIFICANCE = 0.05
# Datasets on which the recipe of AutoSelector was designed; all others confirm it.
DESIGN = frozenset(
    [
        "iris",
        "wine",
        "breast_cancer",
        "digits",
        "ORL_32x32",
        "UMIST_28x23",
        "USPS49",
        "sonar",
        "dermatology",
        "parkinsons",
        "anneal",
        "zoo",
    ]
)
# Number of variants of the recipe that were measured on the design datasets, with the final one. Without
# labels: 10 rankings and rules of choice, then 7 more rankings and all 561 choices among up to 4 of 11
# rankings. With labels: 6 rules of choice.
TRIED = 584
# mrmr_selection takes minutes per split with more features than this.
MAX_MRMR_FEATURES = 300
MRMR_PEER = "mrmr_selection"
DOCS = Path(__file__).parents[1] / "docs"


class FastCan(BaseEstimator):
    """fastcan from PyPI: canonical correlation with the target, or with principal components."""

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def fit(self, X: np.ndarray, y: np.ndarray | None = None) -> FastCan:
        from fastcan import FastCan as Peer

        X = np.asarray(X, dtype=np.float64)
        varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
        if self.n_components is None:
            numeric = y is not None and infer_target(np.asarray(y)) == "numeric"
            target = np.asarray(y, dtype=float) if numeric else LabelBinarizer().fit_transform(y)
        else:
            n_components = min(self.n_components, varies.size, len(X) - 1)
            target = PCA(n_components, random_state=0).fit_transform(X)
        count = min(max(1, X.shape[1] // 2), varies.size, len(X) - 2)
        chosen: list[int] = []
        while count and not chosen:  # it raises if fewer features are linearly independent
            try:
                peer = Peer(count, verbose=0).fit(X[:, varies], target)
                chosen = varies[peer.indices_].tolist()
            except RuntimeError:
                count //= 2
        others = [j for j in np.argsort(-X.var(axis=0), kind="stable") if j not in set(chosen)]
        self.order_ = np.array([*chosen, *others])
        return self


class L1Model(BaseEstimator):
    """Absolute coefficients of an L1-regularized logistic regression, or of a cross-validated lasso."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> L1Model:
        Z = StandardScaler().fit_transform(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if infer_target(np.asarray(y)) == "numeric":
                coefficients = LassoCV(random_state=0).fit(Z, y).coef_
            else:
                model = LogisticRegression(C=1.0, l1_ratio=1, solver="saga", max_iter=200, random_state=0)
                coefficients = model.fit(Z, y).coef_
        size = np.abs(np.atleast_2d(coefficients)).max(axis=0)
        self.order_ = np.argsort(-size, kind="stable")
        return self


class MRMRSelection(BaseEstimator):
    """mrmr_selection from PyPI: F statistic and correlation, as a quotient; half of the features."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> MRMRSelection:
        from mrmr import mrmr_classif, mrmr_regression

        names = [str(j) for j in range(X.shape[1])]
        select = mrmr_regression if infer_target(np.asarray(y)) == "numeric" else mrmr_classif
        frame, labels = pd.DataFrame(np.asarray(X), columns=names), pd.Series(np.asarray(y))
        chosen = select(frame, labels, sizes(len(names))[-1], n_jobs=1, show_progress=False)
        self.order_ = np.array([int(name) for name in dict.fromkeys([*chosen, *names])])
        return self


@dataclass(frozen=True)
class Table:
    """A dataset within the limits of the benchmark."""

    name: str
    X: np.ndarray
    y: np.ndarray

    @property
    def is_numeric(self) -> bool:
        return infer_target(self.y) == "numeric"

    def describe(self) -> dict[str, Any]:
        n_samples, n_features = self.X.shape
        return {
            "dataset": self.name,
            "n_samples": n_samples,
            "n_features": n_features,
            "numeric": self.is_numeric,
            "design": self.name in DESIGN,
        }


def tables(folder: Path | None) -> Iterator[Table]:
    """Yield every dataset with labels, cut to the limits."""
    sources: list[Any] = [*EMBEDDED]
    if folder is not None:
        sources += sorted(p for p in folder.iterdir() if p.is_file() and p.name.endswith(extensions()))
    for source in sources:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset = load(source)
        if dataset.y is None:
            continue
        dataset = dataset.subsample(MAX_SAMPLES, 0)
        X, y = np.asarray(dataset.X, dtype=np.float64), np.asarray(dataset.y)
        X = X[:, np.ptp(X, axis=0) > 0]
        if X.shape[1] > MAX_FEATURES:
            X = X[:, np.sort(np.random.default_rng(0).permutation(X.shape[1])[:MAX_FEATURES])]
        yield Table(Path(str(source)).stem, X, y)


def unsupervised_methods() -> dict[str, Any]:
    """Return the methods that use no labels, by name."""
    plain = [m for m in featsieve.methods() if m.supervised != "yes" and m.name not in (*SLOW, *DRAW_PAIRS)]
    names = [m.name for m in plain if m.name != "variance"]
    names += [f"diverse:{m.name}" for m in plain if m.family in SCORE_FAMILIES and m.name != "laplacian"]
    return {name: name for name in names} | {"fastcan (10 components)": FastCan(10)}


def supervised_methods(numeric: bool, n_features: int) -> dict[str, Any]:
    """Return the methods that use labels, by name."""
    methods = [m for m in featsieve.methods() if m.supervised != "no" and m.name not in SLOW]
    labels = {m.name if m.supervised == "yes" else f"{m.name}+labels": m for m in methods}
    if numeric:
        labels = {
            label: m for label, m in labels.items() if "target" in m.make().get_params() or m.name == "mcfs"
        }
    diverse = {
        f"diverse:{label}": f"diverse:{label}" for label, m in labels.items() if m.family in SCORE_FAMILIES
    }
    named = {label: label for label in labels if not label.startswith("diverse+")}
    peers = {"fastcan": FastCan(), "L1 model": L1Model()}
    return named | diverse | peers | ({MRMR_PEER: MRMRSelection()} if n_features <= MAX_MRMR_FEATURES else {})


def sizes(n_features: int, shares: tuple[float, ...] = SHARES) -> list[int]:
    return sorted({max(1, round(share * n_features)) for share in shares})


def measure(table: Table, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare all methods on a dataset; return a row per method and view."""
    execution = Execution(options.store, options.jobs, options.timeout, options.retry, ranking=False)
    target = "numeric" if table.is_numeric else "classes"
    plan = Plan(
        RepeatedSplits(options.splits),
        sizes=sizes(table.X.shape[1]),
        measures=["r2", "knn_r2"] if table.is_numeric else ["nn", "linear"],
        target=target,
    )
    rows = []
    unsupervised = unsupervised_methods()
    supervised = supervised_methods(table.is_numeric, table.X.shape[1])
    comparison = compare(table.X, table.y, unsupervised | supervised, plan, execution)
    rows += describe(comparison, "prediction", table, {*unsupervised, "variance"})
    n_classes = np.unique(table.y).size
    if not table.is_numeric and n_classes <= MAX_CLUSTERS:
        clustering = Plan(
            Clustering(options.clusterings),
            sizes=sizes(table.X.shape[1], CLUSTERING_SHARES),
            measures=["acc"],
            target=target,
        )
        comparison = compare(table.X, table.y, unsupervised, clustering, execution)
        rows += describe(comparison, "clustering", table, {*unsupervised, "variance"})
    return rows


def describe(comparison: Any, view: str, table: Table, unsupervised: set[str]) -> list[dict[str, Any]]:
    """Return a row per method."""
    summary, seconds = comparison.summary(), comparison.seconds()
    return [
        {
            "view": view,
            **table.describe(),
            "method": row["method"],
            "labels": row["method"] not in unsupervised | {"random", "all"},
            "level": row["mean_over_sizes"],
            "gain": row["gain"],
            "p": row["p"],
            "seconds": seconds.get(row["method"]),
            "failed": int(row["failed"]),
            "equal_picks": equal_picks(comparison) if row["method"] == MRMR_PEER else None,
        }
        for row in summary.to_dict("records")
    ]


def equal_picks(comparison: Any) -> float:
    """Return the share of positions at which mrmr_selection chooses the same feature as our mRMR."""
    ours = {cell.split: result["order"] for cell, result in comparison.results("mrmr")}
    theirs = {cell.split: result["order"] for cell, result in comparison.results(MRMR_PEER)}
    n_picks = max(comparison.sizes)
    pairs = [(ours[split][:n_picks], theirs[split][:n_picks]) for split in {*ours} & {*theirs}]
    return float(np.mean([np.equal(*pair) for pair in pairs])) if pairs else np.nan


def summarize(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method: mean gain in points, mean rank, wins, ties, losses, relative time.

    A method that failed on a dataset has the last rank there; one that was not run there has no rank.
    """
    methods = rows[~rows["method"].isin(["random", "all"])]
    levels = methods.pivot(index="dataset", columns="method", values="level")
    was_run = methods.pivot(index="dataset", columns="method", values="failed").notna()
    failed = was_run & levels.isna()
    ranks = levels.rank(axis=1, ascending=False).mask(failed, was_run.sum(axis=1), axis=0)
    gains = methods.pivot(index="dataset", columns="method", values="gain")
    significant = methods.pivot(index="dataset", columns="method", values="p") < SIGNIFICANCE
    times = methods.pivot(index="dataset", columns="method", values="seconds").astype(float)
    relative = times.div(times["variance"] if "variance" in times else times.min(axis=1), axis=0)
    table = pd.DataFrame(
        {
            "gain": 100 * gains.mean(),
            "rank": ranks.mean(),
            "wins": (significant & (gains > 0)).sum(),
            "losses": (significant & (gains < 0)).sum(),
            "datasets": gains.notna().sum(),
            "seconds": times.median(),
            "relative": relative.median(),
        }
    )
    table["ties"] = table["datasets"] - table["wins"] - table["losses"]
    return table.sort_values("rank")


def groups(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Divide the rows by view, and by whether methods use labels."""
    prediction = rows[rows["view"] == "prediction"]
    labeled = prediction[prediction["labels"] | prediction["method"].isin(["random", "all"])]
    return {
        "Without labels": prediction[~prediction["labels"]],
        "With classes": labeled[~labeled["numeric"]],
        "With numbers": labeled[labeled["numeric"]],
        "Clustering, without labels": rows[rows["view"] == "clustering"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--store", default="effectiveness.sqlite", help="results of the finished cells")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--clusterings", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a method on a split")
    parser.add_argument("--retry", action="store_true", help="repeat what failed or took too long")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--only", nargs="*", help="names of datasets")
    parser.add_argument("--write", action="store_true", help="write the results to docs/")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for table in tables(Path(options.data) if options.data else None):
        if options.only and table.name not in options.only:
            continue
        start = time.perf_counter()
        rows += measure(table, options)
        print(f"{table.name}: {table.X.shape}, {time.perf_counter() - start:.0f} s", flush=True)
    frame = pd.DataFrame(rows)
    for title, group in groups(frame).items():
        if len(group):
            print(f"\n{title}\n{summarize(group).round(2).to_string()}", flush=True)
    if options.write:
        write(rows, options)
    return 0


def write(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Save the results, with a line for each row so that diffs are readable, and write the page."""
    run = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "version": featsieve.__version__,
        "tried": TRIED,
        **{name: getattr(options, name) for name in ("splits", "clusterings", "timeout", "only")},
    }
    rounded = [{k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()} for row in rows]
    lines = ",\n".join(json.dumps(replace_nonfinite(row), allow_nan=False) for row in rounded)
    text = f'{{"run": {json.dumps(run)},\n"rows": [\n{lines}\n]}}\n'
    (DOCS / "effectiveness.json").write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, str(DOCS / "build_effectiveness.py")], check=True)


if __name__ == "__main__":
    sys.exit(main())
