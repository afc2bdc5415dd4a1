"""Compare nested curves with refitting scikit-learn's classifiers, and a comparison with its fits and curves.

python benchmarks/evaluation.py --data FOLDER, with the folder of the datasets.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
import warnings
from multiprocessing import forkserver
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import cpu_count
from ratios import finish, report, timed
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from featsieve.evaluation import (
    MEASURES,
    Comparison,
    Execution,
    Fold,
    Plan,
    PublishedSplits,
    RepeatedSplits,
    compare,
    linear_curve,
    nearest_mean_curve,
    nearest_neighbor_curve,
)
from featsieve.evaluation.candidates import ALL, choose_candidates, feature_order
from featsieve.graphs.graph import Neighbors
from featsieve.graphs.neighbors import shared_neighbors


def refitted_scores(model, fold: Fold, order: np.ndarray, sizes: range) -> np.ndarray:
    scores = []
    for size in sizes:
        chosen = order[:size]
        model.fit(fold.X_train[:, chosen], fold.y_train)
        scores.append(model.score(fold.X_test[:, chosen], fold.y_test))
    return np.array(scores)


def yale(folder: Path) -> Fold:
    from featsieve.datasets import load

    faces = load(folder / "Yale_32x32.mat")
    train, test = PublishedSplits(folder / "splits" / "Yale_5Train.mat").splits(165, None, 0)[0]
    X = np.asarray(faces.X, dtype=np.float64)
    return Fold(X[train], X[test], faces.y[train], faces.y[test])


def digits() -> Fold:
    X, y = load_digits(return_X_y=True)
    return Fold(X[::2], X[1::2], y[::2], y[1::2])


def variance_order(fold: Fold) -> np.ndarray:
    return np.argsort(-fold.X_train.var(axis=0), kind="stable")


def curves(name: str, fold: Fold, repeats: int) -> None:
    order = variance_order(fold)
    sizes = range(1, order.size + 1)
    ridge = len(fold.y_train) / 10
    for curve, model in (
        (nearest_neighbor_curve, KNeighborsClassifier(1, algorithm="brute")),
        (nearest_mean_curve, NearestCentroid()),
        (linear_curve, make_pipeline(StandardScaler(), RidgeClassifier(ridge))),
    ):
        with threadpool_limits(1):  # faster for both, because the problems are small
            slow, expected = timed(lambda model=model: refitted_scores(model, fold, order, sizes))
            fast, accuracies = timed(lambda curve=curve: curve(fold, order), repeats)
        label = f"{name}, {curve.__name__}, {order.size} sizes"
        report(f"{label}: refitting / nested", slow / fast, "at least", 5)
        difference = np.abs(expected - accuracies).max()
        report(f"{label}: largest difference of accuracies", difference, "at most", 0)


def many_samples(folder: Path, n_test: int = 500) -> None:
    """Time all sizes on MNIST, relative to the product of all features and to refitting at some sizes."""
    from featsieve.datasets import load

    mnist = load(folder / "mnist.npz")
    X, y = np.asarray(mnist.X, dtype=np.float64), mnist.y
    fold = Fold(X[n_test:60_000], X[:n_test], y[n_test:60_000], y[:n_test])
    order = variance_order(fold)
    fast, accuracies = timed(lambda: nearest_neighbor_curve(fold, order), 2)
    product = timed(lambda: fold.X_test @ fold.X_train.T, 2)[0]
    slow, difference, sample = 0.0, 0.0, range(1, order.size, 98)
    for size in sample:
        chosen = order[:size]
        train, test = fold.X_train[:, chosen], fold.X_test[:, chosen]
        model = KNeighborsClassifier(1, algorithm="brute").fit(train, fold.y_train)
        seconds, accuracy = timed(lambda m=model, t=test: m.score(t, fold.y_test))
        slow, difference = slow + seconds, max(difference, abs(accuracy - accuracies[size - 1]))
    slow *= order.size / len(sample)
    label = f"MNIST, {len(fold.y_train)} training samples, 1-NN at all sizes"
    report(f"{label}: refitting (from {len(sample)} sizes) / nested", slow / fast, "at least", 5)
    report(f"{label}: largest difference of accuracies at those sizes", difference, "at most", 0)
    report(f"{label}: nested / product of all features", fast / product)


def floor(X: np.ndarray, y: np.ndarray, plan: Plan, comparison: Comparison) -> Seconds:
    """Time each fit and each curve once, one after the other; the methods of a split share neighbor lists."""
    labels = [label for label in comparison.labels if label != ALL]
    candidates = [candidate for candidate in choose_candidates(labels, True) if candidate.estimator]
    measures, n_features = [MEASURES[key] for key in comparison.measures], X.shape[1]
    everything = np.arange(len(X))
    start = Seconds.now()
    splits = plan.protocol.splits(len(X), y, plan.seed)
    for train, test in [*splits, (everything, everything[:0])]:
        X_train, X_test = X[train], X[test]
        if comparison.info["scale"]:
            scaler = StandardScaler().fit(X_train)
            X_train, X_test = scaler.transform(X_train), scaler.transform(X_test) if test.size else X_test
        orders = [np.random.default_rng(draw).permutation(n_features) for draw in range(plan.draws)]
        found: dict[object, Neighbors] = {}

        def remember(A, key, search, X_train=X_train, found=found):
            if A is not X_train:
                return search()
            return found[key] if key in found else found.setdefault(key, search())

        for candidate in candidates:
            estimator = clone(candidate.estimator)
            with shared_neighbors(remember):
                labels = y[train] if candidate.uses_labels else None
                estimator.fit(X[train] if candidate.unscaled else X_train, labels)
                orders.append(feature_order(estimator, n_features))
        fold = Fold(X_train, X_test, y[train], y[test])
        for order, measure in itertools.product(orders if test.size else [], measures):
            measure.curve(fold, order, plan.check_sizes(n_features))
    return Seconds.now() - start


class Seconds(NamedTuple):
    """Wall time, and processor time of this process and of the worker processes."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> Seconds:
        server = forkserver._forkserver._forkserver_pid
        ticks = [0]
        if server is not None:
            ticks = [
                int(n) for n in Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[11:15]
            ]
        return cls(time.perf_counter(), time.process_time() + sum(ticks) / os.sysconf("SC_CLK_TCK"))

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall - other.wall, self.processor - other.processor)


def whole_comparison(name: str, X: np.ndarray, y: np.ndarray, n_splits: int) -> None:
    """Time all suitable methods with the default settings, except for the number of splits."""
    plan = Plan(RepeatedSplits(n_splits))
    for n_jobs in (1, 2):
        before = Seconds.now()
        comparison = compare(X, y, None, plan, Execution(n_jobs=n_jobs))
        total = Seconds.now() - before
        with threadpool_limits(1):
            least = floor(X, y, plan, comparison)
        label = f"{name}, {n_splits} splits, {n_jobs} jobs: comparison / its fits and curves"
        n_cores = min(n_jobs, cpu_count())
        report(f"{label}, time", total.wall * n_cores / least.wall, "at most", 1.5)
        report(f"{label}, processor time", total.processor / least.processor)


def whole_comparisons() -> None:
    def synthetic(n_samples: int, n_features: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
        return make_classification(
            n_samples,
            n_features,
            n_informative=20,
            n_classes=n_classes,
            n_clusters_per_class=1,
            random_state=0,
        )

    whole_comparison("breast_cancer", *load_breast_cancer(return_X_y=True), 10)
    whole_comparison("600 x 617, 26 classes", *synthetic(600, 617, 26), 3)
    whole_comparison("600 x 2000", *synthetic(600, 2000, 2), 3)
    whole_comparison("100 x 20000", *synthetic(100, 20_000, 2), 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    curves("digits", digits(), options.repeats)
    if options.data is None:
        print("Yale and MNIST are skipped: pass the folder of the datasets with --data")
    else:
        curves("Yale", yale(Path(options.data)), options.repeats)
        many_samples(Path(options.data))
    whole_comparisons()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
