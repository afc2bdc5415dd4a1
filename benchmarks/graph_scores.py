"""Speed of the graph scores, as ratios to a lower bound and to peers from PyPI, measured in one run.

    python benchmarks/graph_scores.py [--data DIR] [--full] [--only NAME ...]

``--data`` names a folder with mnist.npz and COIL20.mat; without it, synthetic data of the same shape is
used. ``--full`` adds 60,000 samples. Peers that are not installed are skipped with a message.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from ratios import coil20, digits, finish, report, timed
from sklearn.datasets import load_digits
from sklearn.linear_model import Lasso
from sklearn.neighbors import NearestNeighbors

from featsieve import KNNGraph, LaplacianScore, LLEScore, RBFGraph, ReliefF, scores
from featsieve.graphs import l1_weights


def lle(folder: Path | None, n: int, bounds: tuple[float, float]) -> None:
    print(f"LLE score, {n} x 784, end to end, against scikit-learn's exact neighbor search alone")
    X = digits(folder, n)
    search, _ = timed(lambda: NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors())
    models = {}
    for algorithm, bound in (("exact", bounds[1]), ("scikit-learn", bounds[0]), ("faiss", bounds[1])):
        if algorithm == "faiss" and find_spec("faiss") is None:
            print("  skipped: faiss is not installed")
            continue
        builder = KNNGraph(5, algorithm=algorithm)
        total, models[algorithm] = timed(lambda builder=builder: LLEScore(graph=builder).fit(X))
        report(f'LLE score, search "{algorithm}" / scikit-learn\'s search', total / search, "at most", bound)
    reference = models["scikit-learn"].scores_
    gap = max(np.abs(model.scores_ - reference).max() for model in models.values())
    report("largest difference between these scores", gap)
    graph = KNNGraph(5, weights="binary").build(X)
    score, _ = timed(lambda: scores.lle_score(X, graph))
    sort, _ = timed(lambda: [np.argsort(X[:, r]) for r in range(X.shape[1])])
    report("LLE score on a given graph / sorting every feature, on one core (lower bound)", score / sort)


def lle_growth(_: Path | None) -> None:
    print("LLE score on a given graph: growth with the number of samples")
    sizes, times = [4_000, 8_000, 16_000, 32_000, 64_000], []
    for n in sizes:
        X = np.random.default_rng(n).standard_normal((n, 64))
        graph = KNNGraph(5, weights="binary").build(X[:, :3])
        times.append(timed(lambda X=X, graph=graph: scores.lle_score(X, graph), 3)[0])
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    report(f"log-log slope over n = {sizes[0]} to {sizes[-1]}", slope, "at most", 1.15)


def laplacian(_: Path | None) -> None:
    print("Laplacian score, 200 features")
    X = np.random.default_rng(0).standard_normal((50_000, 200))
    small = X[:10_000]
    ours, model = timed(lambda: LaplacianScore(KNNGraph(5, bandwidth=2e4)).fit(small), 3)
    graph = KNNGraph(5).build(small)
    score, _ = timed(lambda: scores.laplacian_score(small, graph), 5)
    product, _ = timed(lambda: graph.weights @ small, 5)
    report("score on a given graph / sparse product W X, on one core (lower bound)", score / product)
    try:
        from skfeature.function.similarity_based import lap_score
        from skfeature.utility.construct_W import construct_W
    except ImportError:
        print("  skipped: skfeature-chappers is not installed")
    else:
        # its weights are exp(-d^2 / 2 t^2), and every sample is also its own neighbor
        options = {
            "metric": "euclidean",
            "neighbor_mode": "knn",
            "weight_mode": "heat_kernel",
            "k": 5,
            "t": 100.0,
        }

        def peer() -> np.ndarray:
            return lap_score.lap_score(small, W=construct_W(small, **options), mode="index")

        theirs, order = timed(peer)
        report(
            "time of skfeature-chappers / ours at 10,000 samples, graph included",
            theirs / ours,
            "at least",
            8,
        )
        report(
            "share of the first 100 features in common",
            len(set(order[:100]) & set(model.order_[:100])) / 100,
        )
    large, _ = timed(lambda: LaplacianScore(KNNGraph(5, bandwidth=2e4)).fit(X))
    report(
        "ours at 50,000 samples / ours at 10,000 (the peer allocates three dense 20 GB matrices)",
        large / ours,
    )


def spec(folder: Path | None) -> None:
    print("SPEC, 1440 x 1024, on the complete Gaussian graph")
    X, _ = coil20(folder)
    graph = RBFGraph(1.0)
    ours, spec_scores = timed(lambda: scores.spec_score(X, graph, kind=2), 3)
    W = graph.build(X).weights
    product, _ = timed(lambda: W @ X, 3)
    report("graph and score / product W X (lower bound)", ours / product)
    try:
        from skfeature.function.similarity_based import SPEC
    except ImportError:
        print("  skipped: skfeature-chappers is not installed")
        return
    theirs, order = timed(lambda: SPEC.spec(X, mode="index", style=0))
    report("time of skfeature-chappers / ours, kind 2, graph included", theirs / ours, "at least", 30)
    # the peer sorts its scores in the opposite direction
    ranks = np.argsort(np.argsort(spec_scores))
    correlation = np.corrcoef(ranks, np.argsort(np.asarray(order)[::-1]))[0, 1]
    report("rank correlation with the reversed order of the peer", correlation)


def relieff(folder: Path | None) -> None:
    print("ReliefF, 720 x 1024, 10 neighbors")
    X, y = coil20(folder)
    X, y = X[::2], y[::2]
    ours, model = timed(lambda: ReliefF(10).fit(X, y), 3)
    scaled = X / np.ptp(X, axis=0).clip(1e-300)
    search, _ = timed(
        lambda: NearestNeighbors(n_neighbors=11, metric="manhattan").fit(scaled).kneighbors(), 3
    )
    report("ours / one Manhattan neighbor search by scikit-learn (lower bound)", ours / search)
    try:
        from skrebate import ReliefF as Peer
    except ImportError:
        print("  skipped: skrebate is not installed")
        return
    varied = np.ptp(X, axis=0) > 0  # the peer divides by the range
    # by default the peer treats more than 10 classes as a regression target, and few values as categories
    peer = Peer(n_neighbors=10, n_jobs=-1, label_type="multiclass", categorical_threshold=1)
    theirs, fitted = timed(lambda: peer.fit(X[:, varied], y))
    report("time of skrebate on all cores / ours", theirs / ours, "at least", 20)
    gap = np.abs(fitted.feature_importances_ - model.scores_[varied]).max()
    report("largest difference of scores (classes of equal size, where the two weightings agree)", gap)


def sparsity(_: Path | None) -> None:
    print("Sparse weights, handwritten digits of scikit-learn, 1797 x 64, from all other samples")
    X = load_digits().data
    alpha = 0.05
    ours, weights = timed(lambda: l1_weights(X, alpha))
    X = X - X.mean(axis=0)
    gram = X @ X.T
    samples = np.arange(0, len(X), 10)

    def peer() -> np.ndarray:
        coefficients = np.zeros((samples.size, len(X)))
        for row, i in zip(coefficients, samples, strict=True):
            others = np.delete(np.arange(len(X)), i)
            penalty = alpha * np.abs(gram[i, others]).max() / X.shape[1]
            model = Lasso(penalty, fit_intercept=False, tol=1e-10, max_iter=10_000)
            row[others] = model.fit(X[others].T, X[i]).coef_
        return coefficients

    theirs, expected = timed(peer)
    report("ten times the time of scikit-learn's Lasso on a tenth of the samples / ours", 10 * theirs / ours)
    report("largest difference of the weights", np.abs(weights[samples].toarray() - expected).max())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--full", action="store_true", help="also 60,000 samples")
    parser.add_argument("--only", nargs="*", help="names of the parts to run")
    options = parser.parse_args()
    folder = Path(options.data) if options.data else None
    parts: dict[str, Callable[[], None]] = {
        "lle": lambda: lle(folder, 20_000, (1.4, 1.0)),
        "growth": lambda: lle_growth(folder),
        "laplacian": lambda: laplacian(folder),
        "spec": lambda: spec(folder),
        "relieff": lambda: relieff(folder),
        "sparsity": lambda: sparsity(folder),
    }
    if options.full:
        parts["full"] = lambda: lle(folder, 60_000, (1.25, 0.8))
    warnings.simplefilter("ignore")  # of the peers
    print(f"data: {folder or 'synthetic'}; {os.cpu_count()} cores; ratios of wall times")
    for name, run in parts.items():
        if not options.only or name in options.only:
            run()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
