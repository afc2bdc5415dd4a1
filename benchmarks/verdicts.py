"""Check by simulation how often a method is called better than random selection.

    python benchmarks/verdicts.py [--draws 200]

15 simple rankings and a fast classifier or regression stand for the methods and the measures of a
comparison, so that many draws of data are possible. Prints the share of draws of noise in which some method
is called better; the share of draws of data with 3 informative features among 20 in which one is; and the
share in which all intervals contain the mean gains over all draws.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from ratios import finish, report
from scipy.stats import rankdata

from featsieve.evaluation import RepeatedFolds, RepeatedSplits, default_sizes, log_auc
from featsieve.evaluation.verdicts import simultaneous_interval

KINDS = ("even", "uneven", "numbers")
SHAPES = ((60, 20), (100, 50), (200, 20), (60, 200))
N_NEIGHBORS, N_RANDOM_ORDERS = 5, 10


def make_data(kind: str, n: int, d: int, effect: float, random: np.random.Generator) -> tuple[Any, Any]:
    """Return noise and labels, and add the labels times ``effect`` to 3 features."""
    X = random.standard_normal((n, d))
    if kind == "numbers":
        return X, random.standard_normal(n) + effect * X[:, :3].sum(axis=1)
    y = (np.arange(n) >= (0.5 if kind == "even" else 0.8) * n).astype(int)
    X[:, :3] += effect * y[:, None]
    return X, y


def rankings(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return the order of the features by each method."""
    n, d = X.shape
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / spread
    t = y - y.mean()
    relevance = np.abs(Z.T @ t)
    squares = np.sum(Z**2, axis=1)
    distances = squares[:, None] + squares - 2 * Z @ Z.T
    np.fill_diagonal(distances, np.inf)
    neighbors = np.argsort(distances, axis=1)[:, :N_NEIGHBORS].T
    different = np.array([np.abs(y[column] - y) for column in neighbors]) / np.ptp(y)
    share = different.mean()
    weights = different / (share or 1) - (1 - different) / (1 - share or 1)
    relief = sum(weight @ np.abs(Z - Z[column]) for weight, column in zip(weights, neighbors, strict=True))
    components = np.linalg.svd(Z, full_matrices=False)[2]
    scores = {
        "correlation": relevance,
        "rank correlation": np.abs((rankdata(X, axis=0) - (n + 1) / 2).T @ (rankdata(y) - (n + 1) / 2)),
        "median": np.abs((np.median(X, axis=0) < X).T @ t),
        "square": np.abs((Z**2 - 1).T @ t),
        "covariance": relevance * spread,
        "ridge": np.abs(Z.T @ np.linalg.solve(Z @ Z.T + d / 2 * np.eye(n), t)),
        "relief": relief,
        "correlation and relief": rankdata(relevance) + rankdata(relief),
        "laplacian": -sum(np.sum((Z - Z[column]) ** 2, axis=0) for column in neighbors),
        "variance": spread,
        "small variance": -spread,
        "kurtosis": np.mean(Z**4, axis=0),
        "component": np.abs(components[0]),
        "5 components": np.sum(components[:5] ** 2, axis=0),
    }
    orders = {name: np.argsort(-values) for name, values in scores.items()}
    return orders | {"mrmr": mrmr(relevance, np.abs(Z.T @ Z) / n)}


def mrmr(relevance: np.ndarray, correlations: np.ndarray) -> np.ndarray:
    """Return up to 30 features by relevance divided by mean redundancy, and the others by relevance."""
    redundancy, order = np.zeros(relevance.size), []
    for _ in range(min(relevance.size, 30)):
        values = relevance / np.maximum(redundancy / max(len(order), 1), 1e-3) if order else relevance.copy()
        values[order] = -np.inf
        order.append(int(values.argmax()))
        redundancy += correlations[order[-1]]
    return np.array(order + [j for j in np.argsort(-relevance) if j not in set(order)])


def area(fold: Sequence[np.ndarray], order: np.ndarray, sizes: np.ndarray) -> float:
    """Return the mean performance over log sizes: balanced accuracy and ROC AUC, or rank correlation."""
    Z, Z_test, y, y_test = fold
    is_numeric = y.dtype.kind == "f"
    if is_numeric:
        terms = Z_test * (Z.T @ (y - y.mean()))
    else:
        means = [Z[y == label].mean(axis=0) for label in (0, 1)]
        terms = Z_test * (means[1] - means[0]) - (means[1] ** 2 - means[0] ** 2) / 2
    decisions = np.cumsum(terms[:, order], axis=1)[:, sizes - 1]
    ranks = rankdata(decisions, axis=0)
    if is_numeric:
        a, b = ranks - ranks.mean(axis=0), rankdata(y_test) - (y_test.size + 1) / 2
        curve = b @ a / np.sqrt(np.maximum(np.sum(a**2, axis=0) * (b @ b), 1e-12))
    else:
        n_positive = np.sum(y_test == 1)
        auc = (ranks[y_test == 1].mean(axis=0) - (n_positive + 1) / 2) / (y_test.size - n_positive)
        recalls = [np.mean((decisions[y_test == label] > 0) == label, axis=0) for label in (0, 1)]
        curve = (np.mean(recalls, axis=0) + auc) / 2
    return float(log_auc(curve, sizes))


def gains(X: np.ndarray, y: np.ndarray, protocol: Any, seed: int) -> tuple[dict[str, np.ndarray], float]:
    """Return the gains of each method over random selection on each split, and the test ratio."""
    random, sizes = np.random.default_rng([seed, 1]), np.array(default_sizes(X.shape[1]))
    rows, ratios = [], []
    for train, test in protocol.splits(len(X), None if y.dtype.kind == "f" else y, seed):
        mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
        fold = ((X[train] - mean) / spread, (X[test] - mean) / spread, y[train], y[test])
        orders = [random.permutation(X.shape[1]) for _ in range(N_RANDOM_ORDERS)]
        reference = np.mean([area(fold, order, sizes) for order in orders])
        chosen = rankings(X[train], y[train])
        rows.append({name: area(fold, order, sizes) - reference for name, order in chosen.items()})
        ratios.append(test.size / train.size)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}, float(np.mean(ratios))


def simulate(draws: int, kinds: Sequence[str], effect: float, protocol: Any) -> list[Any]:
    """Return the gains and the test ratio of each draw."""
    results = []
    for draw in range(draws):
        kind = kinds[draw % len(kinds)]
        n, d = SHAPES[0] if effect else SHAPES[draw // len(kinds) % len(SHAPES)]
        random = np.random.default_rng([draw, round(100 * effect), *kind.encode()])
        results.append(gains(*make_data(kind, n, d, effect, random), protocol, draw))
    return results


def share_better(results: list[Any], n_splits: int | None = None) -> float:
    """Return the share of the draws in which some method is called better by the first splits."""
    better = [
        any(simultaneous_interval(values[:n_splits], ratio).low > 0 for values in rows.values())
        for rows, ratio in results
    ]
    return float(np.mean(better))


def share_covered(results: list[Any]) -> float:
    """Return the share of the draws in which all intervals contain the mean gains over all draws."""
    truth = {name: np.mean([rows[name].mean() for rows, _ in results]) for name in results[0][0]}
    covered = []
    for rows, ratio in results:
        intervals = {name: simultaneous_interval(values, ratio) for name, values in rows.items()}
        covered.append(all(i.low <= truth[name] <= i.high for name, i in intervals.items()))
    return float(np.mean(covered))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--data", help="not used")
    draws = parser.parse_args().draws
    noise = simulate(draws, KINDS, 0, RepeatedSplits(10))
    for n_splits in (5, 8, 10):
        report(
            f"noise, {n_splits} random halves: some method is better",
            share_better(noise, n_splits),
            "at most",
            0.05,
        )
    for name, protocol in (("10 folds", RepeatedFolds(10, 1)), ("5 folds twice", RepeatedFolds(5, 2))):
        report(f"noise, {name}: some method is better", share_better(simulate(draws, KINDS, 0, protocol)))
    for kind, effect in (("even", 0.7), ("even", 1.0), ("numbers", 0.5), ("numbers", 0.7)):
        results = simulate(draws, [kind], effect, RepeatedSplits(10))
        report(f"{kind}, effect {effect:g}, 60 x 20: some method is better", share_better(results))
        report(f"{kind}, effect {effect:g}, 60 x 20: all intervals hold", share_covered(results))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
