"""Compare nested curves with refitting scikit-learn's classifiers at every size, and time a cell.

python benchmarks/evaluation.py --data FOLDER, with the folder of the datasets.
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


def cells() -> None:
    X, y = load_digits(return_X_y=True)
    plan = Plan(RepeatedSplits(20), sizes=[1, 8], measures=["ncm"], draws=1)
    compare(X[:200], y[:200], "fisher", plan)  # starts the server that forks processes
    start = time.perf_counter()
    comparison = compare(X[:200], y[:200], "fisher", plan, Execution(n_jobs=1))
    seconds = time.perf_counter() - start - sum(cell.seconds or 0 for cell in comparison.cells)
    n_cells = len(comparison.cells)
    print(
        f"a cell in a separate process: {1000 * seconds / n_cells:.0f} ms in addition to the fit "
        f"({n_cells} cells)"
    )


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
    cells()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
