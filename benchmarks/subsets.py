"""Speed of the subset methods, as ratios to peers measured in the same run.

    python benchmarks/subsets.py [--data DIR] [--only NAME ...]

``--data`` is a folder with COIL20.mat, ORL_32x32.mat and USPS.mat. Without it, the benchmarks use synthetic
data of the same shape. Peers that are not installed are skipped with a message.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ratios import coil20, faces, finish, report, timed
from scipy.io import loadmat
from sklearn.cluster import KMeans
from sklearn.linear_model import lars_path
from sklearn.neighbors import KNeighborsClassifier

from featsieve import (
    MCFS,
    MRMR,
    SPFS,
    AutoSelector,
    ColumnSubset,
    Diverse,
    FacilityLocation,
    FisherScore,
    IterativeScore,
    KNNGraph,
    LaplacianScore,
    LeaveOneFeatureOut,
    SupervisedColumnSubset,
    TraceRatio,
)
from featsieve.subsets import leave_one_feature_out_score
from featsieve.subsets._embedding import spectral_embedding
from featsieve.subsets._kmeans import best_clusterings
from featsieve.subsets._objectives import held_out_halves


def peak_megabytes() -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def accuracy(folder: Path | None) -> None:
    print("Leave-one-out, accuracy, COIL20, one split")
    X, y = coil20(folder)
    # a split on which the scores are not all zero
    seed = next(s for s in range(50) if leave_one_feature_out_score(X, y, n_repeats=1, random_state=s).any())
    ours, scores = timed(lambda: leave_one_feature_out_score(X, y, n_repeats=1, random_state=seed)[0], 3)
    train, test = held_out_halves(y, 1, np.random.RandomState(seed))[0]

    def refit(columns: np.ndarray) -> float:
        model = KNeighborsClassifier(1, algorithm="brute").fit(X[train][:, columns], y[train])
        return model.score(X[test][:, columns], y[test])

    features = np.union1d(np.arange(0, 1024, 32), np.flatnonzero(scores)[:16])
    all_features = np.arange(1024)
    full = refit(all_features)
    theirs, expected = timed(lambda: [full - refit(np.delete(all_features, r)) for r in features])
    report(
        f"refitting 1-NN, from {features.size} features / ours",
        theirs / features.size * 1024 / ours,
        "at least",
        100,
    )
    report(
        "largest difference of scores on those", np.abs(scores[features] - expected).max(), "at most", 1e-12
    )
    if folder:
        content = loadmat(folder / "USPS.mat")
        X, y = content["X"].astype(np.float64), content["Y"].ravel()
        reset_peak()
        before = peak_megabytes()
        LeaveOneFeatureOut(n_repeats=2, random_state=0).fit(X, y)
        report("USPS (9298 x 256): additional peak memory, MB", peak_megabytes() - before, "at most", 3000)


def clustering(folder: Path | None) -> None:
    print("Leave-one-out, clustering, COIL20, 10 starts")
    X, _ = coil20(folder)
    features, quality, iterations, saved = [100, 400, 700, 1000], [], 0, 0
    ours, theirs = [], []
    for seed in range(3):
        seeds = np.random.RandomState(seed).randint(2**31 - 1, size=10)
        elapsed, clusterings = timed(lambda seeds=seeds: list(best_clusterings(X, 20, seeds)))
        ours.append(elapsed / 1024)
        iterations += sum(c.n_iter for c in clusterings)
        saved += sum(clusterings[0].n_iter - c.n_iter for c in clusterings[1:])
        for r in features:
            elapsed, model = timed(
                lambda r=r, seed=seed: KMeans(20, n_init=10, random_state=seed).fit(np.delete(X, r, axis=1))
            )
            theirs.append(elapsed)
            quality.append(clusterings[r + 1].inertia / model.inertia_)
    report(
        "KMeans(n_init=10) for each feature / ours, median of 3 sets of starts",
        np.median(theirs) / np.median(ours),
        "at least",
        5,
    )
    report("inertia of ours / theirs, mean over 12 problems", np.mean(quality), "at most", 1)
    report("Lloyd iterations saved by the shared start / iterations done", saved / iterations)


def iterative(folder: Path | None) -> None:
    print("Iterative Laplacian score, ORL, one feature dropped at a time, down to one")
    X = faces(folder)
    sizes, times = [128, 256, 512, 1024], []
    for d in sizes:
        times.append(timed(lambda d=d: IterativeScore(n_features_to_select=1).fit(X[:, :d]), 3)[0])
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    report(f"log-log slope of the time over d = {sizes[0]} to {sizes[-1]}", slope)
    try:
        from skfeature.function.similarity_based import lap_score
        from skfeature.utility.construct_W import construct_W
    except ImportError:
        print("  skipped: skfeature-chappers is not installed")
        return

    def peer(d: int) -> None:
        W = construct_W(
            X[:, :d], metric="euclidean", neighbor_mode="knn", weight_mode="heat_kernel", k=5, t=1e3
        )
        lap_score.lap_score(X[:, :d], W=W)

    rounds = np.arange(32, 1025, 62)
    elapsed = [timed(lambda d=d: peer(d), 3)[0] for d in rounds]
    total = np.trapezoid(np.interp(np.arange(1, 1025), rounds, elapsed), dx=1.0)
    report(
        f"skfeature-chappers rerun in each round (from {rounds.size} rounds) / ours",
        total / times[-1],
        "at least",
        6,
    )


def mcfs(folder: Path | None) -> None:
    print("MCFS, COIL20, 20 clusters, 50 features, graph included")
    X, _ = coil20(folder)
    ours, _ = timed(lambda: MCFS(20, n_features_to_select=50).fit(X), 5)
    try:
        from skfeature.function.sparse_learning_based import MCFS as Peer
        from skfeature.utility.construct_W import construct_W
    except ImportError:
        print("  skipped: skfeature-chappers is not installed")
        return

    def peer() -> None:
        W = construct_W(X, metric="euclidean", neighbor_mode="knn", weight_mode="heat_kernel", k=5, t=1)
        Peer.mcfs(X, n_selected_features=50, W=W, n_clusters=20)

    # a ratio of about 10 is possible: the search, Gram matrix, eigenvectors and paths are library calls
    report("skfeature-chappers / ours", timed(peer, 3)[0] / ours, "at least", 9)
    graph = timed(lambda: KNNGraph().build(X), 3)[0]
    report("share of ours that is the exact neighbor search", graph / ours)


def wide_mcfs(folder: Path | None) -> None:
    print("MCFS, noise of 300 x 2000, 5 clusters, half of the features, graph included")
    X = np.random.default_rng(0).standard_normal((300, 2000))
    F = X - X.mean(axis=0)
    Y = spectral_embedding(F, KNNGraph().build(X), 5)
    ours, model = timed(lambda: MCFS().fit(X), 5)

    def peer() -> np.ndarray:
        paths = [lars_path(F, y - y.mean(), method="lasso", max_iter=5000, return_path=False) for y in Y.T]
        return np.abs([coefficients for *_, coefficients in paths]).max(axis=0)

    theirs, scores = timed(peer, 2)
    report("scikit-learn's lars_path for the same responses / ours", theirs / ours, "at least", 1)
    # scikit-learn ends some paths one feature before least squares
    difference = np.abs(scores - model.scores_).max() / scores.max()
    report("largest difference of scores / largest score", difference, "at most", 1e-3)


def trace_ratio_and_spfs(folder: Path | None) -> None:
    print("Trace ratio and SPFS, COIL20, 50 features")
    X, y = coil20(folder)
    ours, _ = timed(lambda: TraceRatio(n_features_to_select=50).fit(X, y), 3)
    spfs, _ = timed(lambda: SPFS(n_features_to_select=50).fit(X, y), 3)
    report("SPFS forward / trace ratio, both ours (no peer has SPFS)", spfs / ours)
    try:
        from skfeature.function.similarity_based import trace_ratio
    except ImportError:
        print("  skipped: skfeature-chappers is not installed")
        return
    theirs, _ = timed(lambda: trace_ratio.trace_ratio(X, y, 50, style="fisher", mode="index"))
    report("trace ratio of skfeature-chappers / ours", theirs / ours, "at least", 1)


def mrmr(folder: Path | None) -> None:
    print("MRMR, F statistic and quotient, 500 x 5000, 3 classes")
    rng = np.random.default_rng(0)
    y = np.arange(500) % 3
    X = rng.standard_normal((500, 5000))
    X[:, :50] += np.outer(y, rng.random(50))
    ours, model = timed(lambda: MRMR(n_features_to_select=20).fit(X, y), 3)
    long, _ = timed(lambda: MRMR(n_features_to_select=200).fit(X, y))
    report("ours, 200 features / 20 features", long / ours)
    wide = np.hstack([X, *rng.standard_normal((3, *X.shape))])
    report(
        "ours, 20000 features / 5000 features",
        timed(lambda: MRMR(n_features_to_select=20).fit(wide, y), 3)[0] / ours,
        "at most",
        6,
    )
    information, _ = timed(lambda: MRMR(relevance="mutual_information", n_features_to_select=20).fit(X, y))
    report("ours, mutual information / F", information / ours)
    try:
        import pandas as pd
        from mrmr import mrmr_classif
    except ImportError:
        print("  skipped: mrmr_selection is not installed")
        return
    frame, labels = pd.DataFrame(X, columns=[str(j) for j in range(5000)]), pd.Series(y)

    def peer(n_features: int) -> list[str]:
        return mrmr_classif(frame, labels, n_features, n_jobs=1, show_progress=False)

    first, _ = timed(lambda: peer(1))
    theirs, chosen = timed(lambda: peer(20))
    report("mrmr_selection / ours, 20 features", theirs / ours, "at least", 50)
    # each pick of theirs takes longer than the one before
    extrapolated = first + (theirs - first) / 19 * 199
    report("mrmr_selection, extrapolated to 200 features / ours", extrapolated / long, "at least", 100)
    same = np.mean([int(name) == j for name, j in zip(chosen, model.order_, strict=False)])
    report("share of equal picks", same, "at least", 1)


def redundancy(folder: Path | None) -> None:
    print("Methods that take redundancy into account, 500 x 20000, 3 classes, 200 features")
    rng = np.random.default_rng(0)
    y = np.arange(500) % 3
    wide = rng.standard_normal((500, 40_000))  # 5000 would fit in the cache of some processors
    wide[:, :100] += np.outer(y, rng.random(100))
    narrow, X = wide[:, :10_000].copy(), wide[:, :20_000].copy()
    methods = {
        "Diverse(FisherScore())": (Diverse(FisherScore()), y),
        "Diverse(LaplacianScore())": (Diverse(LaplacianScore()), None),
        "ColumnSubset": (ColumnSubset(), None),
        "FacilityLocation(n_represented=2000)": (FacilityLocation(n_represented=2000), None),
        "SupervisedColumnSubset": (SupervisedColumnSubset(), y),
        "MRMR": (MRMR(), y),
        "AutoSelector, classes": (AutoSelector(), y),
        "AutoSelector, without labels": (AutoSelector(), None),
    }
    times = {}
    for name, (estimator, labels) in methods.items():
        estimator.set_params(n_features_to_select=200).fit(X[:50, :400], None if labels is None else y[:50])
        reset_peak()
        before = peak_megabytes()
        times[name], _ = timed(lambda e=estimator, y=labels: e.fit(X, y), 2)
        report(f"{name}: additional peak memory, MB", peak_megabytes() - before, "at most", 1000)
        narrow_time, wide_time = (
            timed(lambda e=estimator, y=labels, F=F: e.fit(F, y), 2)[0] for F in (narrow, wide)
        )
        slope = np.log(wide_time / narrow_time) / np.log(4)
        report(f"{name}: log-log slope of the time over d = 10000 and 40000", slope, "at most", 1.2)
    try:
        from fastcan import FastCan
    except ImportError:
        print("  skipped: fastcan is not installed")
        return
    indicators = (y[:, None] == np.arange(3)).astype(float)
    theirs, _ = timed(lambda: FastCan(200, verbose=0).fit(X, indicators))
    report("fastcan / SupervisedColumnSubset", theirs / times["SupervisedColumnSubset"], "at least", 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--only", nargs="*", help="run only these benchmarks")
    options = parser.parse_args()
    folder = Path(options.data) if options.data else None
    benchmarks: dict[str, Callable[[Path | None], None]] = {
        "accuracy": accuracy,
        "clustering": clustering,
        "iterative": iterative,
        "mcfs": mcfs,
        "wide-mcfs": wide_mcfs,
        "trace-ratio": trace_ratio_and_spfs,
        "mrmr": mrmr,
        "redundancy": redundancy,
    }
    warnings.simplefilter("ignore")  # of the peers
    print(f"data: {folder or 'synthetic'}; {os.cpu_count()} cores; ratios of wall times")
    for name, run in benchmarks.items():
        if not options.only or name in options.only:
            run(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
