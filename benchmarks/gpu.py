"""Scores of float32 tensors on a GPU: agreement with NumPy, times, and ratios to the matrix product.

    python benchmarks/gpu.py [--device cuda] [--data DIR] [--large]

Times are the best of three after a warm-up, the device synchronized. ``--large`` adds 300,000 and 1,000,000
samples, measured once. The product is X X', computed in blocks without keeping the results.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.io import loadmat

import featsieve
from featsieve import MCFS, SPFS, IterativeScore, KernelOrthogonalBasis, KNNGraph, RBFGraph, scores
from featsieve.evaluation import Fold, nearest_neighbor_curve
from featsieve.graphs import nearest_neighbors
from featsieve.subsets import leave_one_feature_out_score, mcfs_score, spfs_forward_score

# Methods whose last step runs on the host, where their scores are.
ON_HOST = ("mcfs", "iterative")


def mnist(folder: Path | None, n: int) -> np.ndarray:
    if folder:
        return np.load(folder / "mnist.npz")["X"][:n].astype(np.float32)
    rng = np.random.default_rng(0)
    return np.where(rng.random((n, 784)) < 0.2, rng.integers(1, 256, (n, 784)), 0).astype(np.float32)


def coil20(folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Load COIL20, or create data of its shape: 1,440 x 1,024, 20 classes."""
    if folder:
        content = loadmat(folder / "COIL20.mat")
        return content["X"].astype(np.float32), content["Y"].ravel()
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(20), 72)
    return (rng.random((20, 1024))[y] + 0.7 * rng.random((1440, 1024))).astype(np.float32), y


def random_tensor(n: int, d: int, device: str) -> Any:
    torch.manual_seed(0)
    values = torch.randint(1, 256, (n, d), device=device, dtype=torch.float32)
    return values * (torch.rand(n, d, device=device) < 0.2)


def best_time(function: Callable[[], Any], device: str, repeats: int = 3, warm_up: bool = True) -> float:
    def wait() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    if warm_up:
        function()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return min(times)


def agreement(X: np.ndarray, device: str) -> None:
    """Check the scores of a tensor against those of the same float32 array."""
    tensor = torch.asarray(X, device=device)
    y = np.arange(len(X)) % 7
    calls: dict[str, Callable[[Any], Any]] = {
        "variance": scores.variance_score,
        "fisher": lambda Z: scores.fisher_score(Z, y),
        "laplacian": lambda Z: scores.laplacian_score(Z, KNNGraph(5)),
        "lkr": lambda Z: scores.lkr_score(Z, KNNGraph(5)),
        "lle-reconstruction": lambda Z: scores.lle_reconstruction_score(Z, KNNGraph(5)),
        "lle": lambda Z: scores.lle_score(Z, KNNGraph(5)),
        "relieff": lambda Z: scores.relieff_score(Z, y, 5),
        "pearson": lambda Z: scores.pearson_score(Z, y),
        "chi-square": lambda Z: scores.chi_square_score(Z, y),
        "information-gain": lambda Z: scores.information_gain_score(Z, y),
        "spfs": lambda Z: spfs_forward_score(Z, RBFGraph(), 20),
        "mcfs": lambda Z: mcfs_score(Z, KNNGraph(5), 5, 50),
        "iterative": lambda Z: IterativeScore(step=0.1).fit(Z).scores_,
    }
    for name, call in calls.items():
        expected, scored = np.asarray(call(X)), call(tensor)
        assert isinstance(scored, np.ndarray) == (name in ON_HOST) or scored.device == tensor.device, name
        values = scored.cpu().numpy() if isinstance(scored, torch.Tensor) else scored
        finite = np.isfinite(expected)
        assert (np.isfinite(values) == finite).all(), name
        gap = np.linalg.norm(values[finite] - expected[finite]) / np.linalg.norm(expected[finite])
        print(f"  {name:<20} relative difference from NumPy {gap:.1e}", flush=True)
        assert gap < 1e-5, name


def leave_one_out(X: np.ndarray, y: np.ndarray, device: str) -> None:
    """Time leave-one-out on COIL20, whose scores equal those of the CPU."""
    tensor = torch.asarray(X, device=device)
    print(f"COIL20, {X.shape[0]} x {X.shape[1]}")
    for objective, n_repeats, limit in [("clustering", 1, 5.0), ("accuracy", 20, np.inf)]:

        def score(Z: Any, objective: str = objective, n_repeats: int = n_repeats) -> np.ndarray:
            return leave_one_feature_out_score(Z, y, objective, n_repeats, 0)

        start = time.perf_counter()
        expected = score(X)
        on_cpu = time.perf_counter() - start
        assert np.abs(score(tensor) - expected).max() < 1e-12, objective
        print(f"  leave-one-out {objective}: equal to the CPU, which takes {on_cpu:.2f} s")
        show(f"leave-one-out {objective}", best_time(lambda f=score: f(tensor), device), limit)
    calls: dict[str, Callable[[], Any]] = {
        "MCFS with its graph": lambda: MCFS().fit(tensor),
        "SPFS forward with its graph": lambda: SPFS().fit(tensor),
        "iterative Laplacian score, a round per feature": lambda: IterativeScore().fit(tensor),
    }
    for name, call in calls.items():
        show(name, best_time(call, device, 1), np.inf)


def curves_and_bases(X: np.ndarray, device: str) -> None:
    """Time nested curves and KOBL on most of MNIST, and compare them with the CPU on a part of it."""
    tensor, y = torch.asarray(X, device=device), X[:, 300:500].sum(axis=1).astype(int) % 10
    order = np.random.default_rng(0).permutation(X.shape[1])

    def curve(Z: Any, n_train: int) -> np.ndarray:
        train, test = slice(500, 500 + n_train), slice(0, 500)
        return nearest_neighbor_curve(Fold(Z[train], Z[test], y[train], y[test]), order)

    def basis(Z: Any) -> KernelOrthogonalBasis:
        return KernelOrthogonalBasis(gamma="median", threshold=lambda t: 0.0, n_components=200).fit(Z)

    assert np.array_equal(curve(tensor, 2_000), curve(X, 2_000))
    assert np.array_equal(basis(tensor[:2_000]).pivots_, basis(X[:2_000]).pivots_)
    print("  nested curve and KOBL: equal to the CPU")
    seconds = best_time(lambda: curve(tensor, len(X) - 500), device)
    show(f"1-NN accuracy at all sizes, {len(X) - 500:,} training samples", seconds, np.inf)
    show("KOBL, dimension 200", best_time(lambda: basis(tensor), device), np.inf)


def streamed(X: np.ndarray, device: str) -> None:
    """Time scores of data that stays in host memory, and compare them with those of the tensor."""
    tensor, host = torch.asarray(X, device=device), featsieve.stream(X, device)
    graph = KNNGraph(5, weights="binary")
    for name in ("laplacian_score", "lle_score"):
        function = getattr(scores, name)
        values, expected = function(host, graph), function(tensor, graph)
        assert torch.allclose(values, expected, rtol=1e-5), name
        seconds = best_time(lambda f=function: f(host, graph), device)
        show(f"streamed {name} with its search", seconds, np.inf)


def show(name: str, seconds: float, limit: float, unit: str = "s") -> None:
    missed = "" if seconds <= limit else "  MISSED"
    print(f"  {name:<48} {seconds:8.3f} {unit:<2} at most {limit:g}{missed}", flush=True)


def product_time(X: Any, device: str, repeats: int = 3) -> float:
    block = max(1, 2**28 // X.shape[0])

    def multiply() -> None:
        for start in range(0, X.shape[0], block):
            X[start : start + block] @ X.T

    return best_time(multiply, device, repeats)


def streamed_within(X: np.ndarray, device: str, gibibytes: float) -> None:
    """Time the Laplacian score of data that is larger than the memory of the device that may be used."""
    total = torch.cuda.get_device_properties(device).total_memory
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(gibibytes * 2**30 / total)
    torch.cuda.reset_peak_memory_stats()
    graph = KNNGraph(5, weights="binary")
    host = featsieve.stream(X, device)
    seconds = best_time(lambda: scores.laplacian_score(host, graph), device, 1, warm_up=False)
    peak = torch.cuda.max_memory_reserved() / 2**30
    torch.cuda.set_per_process_memory_fraction(1.0)
    show(f"streamed Laplacian score with its search, {X.shape[0]:,} x {X.shape[1]:,}", seconds, np.inf)
    print(f"  data {X.nbytes / 2**30:.1f} GiB, device memory {peak:.1f} GiB, limited to {gibibytes} GiB")


def large(device: str) -> None:
    """Time the LLE score of data that fills the device for minutes, and of data that it does not hold."""
    graph = KNNGraph(5, weights="binary")
    for n, d, limit in [(300_000, 1024, 6.5), (1_000_000, 512, 60)]:
        X = random_tensor(n, d, device)
        show(f"product X X', {n:,} x {d:,}", product_time(X, device, 1), np.inf)
        seconds = best_time(lambda X=X: scores.lle_score(X, graph), device, 1, warm_up=False)
        show(f"LLE score with its search, {n:,} x {d:,}", seconds, limit)
        del X
    if device.startswith("cuda"):
        torch.manual_seed(0)
        streamed_within(torch.rand(200_000, 8_192).numpy(), device, 4)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=60_000)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    device = options.device
    name = torch.cuda.get_device_name() if device.startswith("cuda") else platform.processor() or "CPU"
    print(
        f"{datetime.now(UTC):%Y-%m-%d}; {name}; featsieve {featsieve.__version__}, torch {torch.__version__}"
    )
    print(f"data: {options.data or 'synthetic'}; float32")
    agreement(mnist(options.data, 2_000), device)

    X = torch.asarray(mnist(options.data, options.samples), device=device)
    print(f"{X.shape[0]} x {X.shape[1]}")
    product = product_time(X, device)
    show("product X X'", product, np.inf)
    search = best_time(lambda: nearest_neighbors(X, 5), device)
    show("neighbor search / product", search / product, 1.5, "")
    binary = KNNGraph(5, weights="binary")
    show("LLE score with its search", best_time(lambda: scores.lle_score(X, binary), device), 0.30)
    graph = KNNGraph(5).build(X)
    for function in (scores.laplacian_score, scores.lkr_score, scores.lle_reconstruction_score):
        seconds = best_time(lambda f=function, X=X, graph=graph: f(X, graph), device)
        show(f"{function.__name__} after the graph", seconds, 0.05)
    classes = np.arange(len(X)) % 10
    for function in (scores.pearson_score, scores.chi_square_score, scores.information_gain_score):
        seconds = best_time(lambda f=function, X=X: f(X, classes), device)
        show(f"{function.__name__}", seconds, np.inf)
    del X, graph

    X, y = random_tensor(20_000, 500, device), np.arange(20_000) % 4
    host = mnist(options.data, options.samples)
    streamed(host, device)
    curves_and_bases(host, device)
    leave_one_out(*coil20(options.data), device)
    show("ReliefF, 20,000 x 500", best_time(lambda: scores.relieff_score(X, y), device), 0.2)
    if options.large:
        large(device)


if __name__ == "__main__":
    main()
