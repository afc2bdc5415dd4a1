"""Nested curves against refitting scikit-learn's classifiers at every size, and what a cell costs.

Run with the folder of the datasets: python benchmarks/evaluation.py --data FOLDER
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from ratios import finish, report, timed
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from featsieve.evaluation import (
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


def refitted(model, fold: Fold, order: np.ndarray) -> np.ndarray:
    found = []
    for size in range(1, order.size + 1):
        kept = order[:size]
        model.fit(fold.X_train[:, kept], fold.y_train)
        found.append(model.score(fold.X_test[:, kept], fold.y_test))
    return np.array(found)


def yale(folder: Path) -> Fold:
    from featsieve.datasets import load

    faces = load(folder / "Yale_32x32.mat")
    train, test = PublishedSplits(folder / "splits" / "Yale_5Train.mat").splits(165, None, 0)[0]
    X = np.asarray(faces.X, dtype=np.float64)
    return Fold(X[train], X[test], faces.y[train], faces.y[test])


def digits() -> Fold:
    X, y = load_digits(return_X_y=True)
    return Fold(X[::2], X[1::2], y[::2], y[1::2])


def curves(name: str, fold: Fold, repeats: int) -> None:
    order = np.argsort(-fold.X_train.var(axis=0), kind="stable")
    ridge = len(fold.y_train) / 10
    for curve, model in (
        (nearest_neighbor_curve, KNeighborsClassifier(1, algorithm="brute")),
        (nearest_mean_curve, NearestCentroid()),
        (linear_curve, make_pipeline(StandardScaler(), RidgeClassifier(ridge))),
    ):
        with threadpool_limits(1):  # faster for both: the problems are small
            slow, expected = timed(lambda model=model: refitted(model, fold, order))
            fast, found = timed(lambda curve=curve: curve(fold, order), repeats)
        what = f"{name}, {curve.__name__}, {order.size} sizes"
        report(f"{what}: refitting / nested", slow / fast, "at least", 5)
        report(f"{what}: largest difference of accuracies", np.abs(expected - found).max(), "at most", 0)


def many_samples(folder: Path, n_test: int = 500) -> None:
    """All sizes on the whole of MNIST, beside the product of all features and some sizes refitted."""
    from featsieve.datasets import load

    mnist = load(folder / "mnist.npz")
    X, y = np.asarray(mnist.X, dtype=np.float64), mnist.y
    fold = Fold(X[n_test:60_000], X[:n_test], y[n_test:60_000], y[:n_test])
    order = np.argsort(-fold.X_train.var(axis=0), kind="stable")
    fast, found = timed(lambda: nearest_neighbor_curve(fold, order), 2)
    product = timed(lambda: fold.X_test @ fold.X_train.T, 2)[0]
    slow, gap, sample = 0.0, 0.0, range(1, order.size, 98)
    for size in sample:
        kept = order[:size]
        train, test = fold.X_train[:, kept], fold.X_test[:, kept]
        model = KNeighborsClassifier(1, algorithm="brute").fit(train, fold.y_train)
        seconds, accuracy = timed(lambda m=model, t=test: m.score(t, fold.y_test))
        slow, gap = slow + seconds, max(gap, abs(accuracy - found[size - 1]))
    slow *= order.size / len(sample)
    what = f"MNIST, {len(fold.y_train)} to learn from, 1-NN at all sizes"
    report(f"{what}: refitting (from {len(sample)} sizes) / nested", slow / fast, "at least", 5)
    report(f"{what}: largest difference of accuracies on those", gap, "at most", 0)
    report(f"{what}: nested / product of all features", fast / product)


def cells() -> None:
    X, y = load_digits(return_X_y=True)
    plan = Plan(RepeatedSplits(20), sizes=[1, 8], measures=["ncm"], draws=1)
    compare(X[:200], y[:200], "fisher", plan)  # starts the server
    start = time.perf_counter()
    found = compare(X[:200], y[:200], "fisher", plan, Execution(n_jobs=1))
    took = time.perf_counter() - start
    fits = sum(cell.seconds or 0 for cell in found.cells)
    each = (took - fits) / len(found.cells)
    print(f"a cell in its own process: {1000 * each:.0f} ms beside the fit ({len(found.cells)} cells)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    curves("digits", digits(), options.repeats)
    if options.data is None:
        print("Yale and MNIST are left out: name the folder of the datasets with --data")
    else:
        curves("Yale", yale(Path(options.data)), options.repeats)
        many_samples(Path(options.data))
    cells()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
