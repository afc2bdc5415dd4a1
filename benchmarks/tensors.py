"""The same scores on PyTorch tensors: agreement with NumPy, and ratios to the floor of the device.

    python benchmarks/tensors.py [--device cuda] [--data DIR] [--samples N]

The floor of the neighbor search is the matrix product X X' that it contains, that of the LLE score the
sort of every feature. Times are medians of repeats after a warm-up, the device synchronised.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from featsieve import KNNGraph, scores
from featsieve.graphs import barycenter_weights, nearest_neighbors


def data(folder: Path | None, n: int) -> np.ndarray:
    if folder:
        return np.load(folder / "mnist.npz")["X"][:n].astype(np.float32)
    rng = np.random.default_rng(0)
    return np.where(rng.random((n, 784)) < 0.2, rng.integers(1, 256, (n, 784)), 0).astype(np.float32)


def median_time(function: Callable[[], Any], device: str, repeats: int = 5) -> float:
    def wait() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    function()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def agreement(X: np.ndarray, device: str) -> None:
    tensor = torch.asarray(X, device=device)
    y = np.arange(len(X)) % 7
    graph = KNNGraph(5).build(X)
    calls: dict[str, Callable[[Any], Any]] = {
        "variance": scores.variance_score,
        "fisher": lambda Z: scores.fisher_score(Z, y),
        "laplacian": lambda Z: scores.laplacian_score(Z, graph if Z is X else KNNGraph(5)),
        "lkr": lambda Z: scores.lkr_score(Z, graph if Z is X else KNNGraph(5)),
        "lle-reconstruction": lambda Z: scores.lle_reconstruction_score(Z, graph if Z is X else KNNGraph(5)),
        "lle": lambda Z: scores.lle_score(Z, graph if Z is X else KNNGraph(5)),
        "relieff": lambda Z: scores.relieff_score(Z, y, 5),
    }
    for name, call in calls.items():
        expected, found = np.asarray(call(X)), call(tensor)
        assert found.device == tensor.device, name
        found = found.cpu().numpy()
        finite = np.isfinite(expected)
        assert (np.isfinite(found) == finite).all(), name
        gap = np.linalg.norm(found[finite] - expected[finite]) / np.linalg.norm(expected[finite])
        print(f"  {name:<20} relative difference from NumPy {gap:.1e}", flush=True)
        assert gap < 1e-3, name


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=60_000)
    options = parser.parse_args()
    device = options.device
    name = torch.cuda.get_device_name() if device.startswith("cuda") else "CPU"
    print(f"device: {name}; data: {options.data or 'synthetic'}; float32")
    agreement(data(options.data, 2_000), device)

    X = torch.asarray(data(options.data, options.samples), device=device)
    n = X.shape[0]
    block = max(1, 2**28 // n)
    product = median_time(lambda: [X[i : i + block] @ X.T for i in range(0, n, block)], device, 3)
    sort = median_time(lambda: torch.sort(X.T.double().contiguous(), dim=1), device, 3)
    search = median_time(lambda: nearest_neighbors(X, 5), device, 3)
    graph = KNNGraph(5, weights="binary").build(X)
    weights = median_time(lambda: barycenter_weights(X, graph.neighbors.indices), device, 3)
    lle = median_time(lambda: scores.lle_score(X, graph), device, 3)
    laplacian = median_time(lambda: scores.laplacian_score(X, graph), device)
    print(f"{n} x {X.shape[1]}: seconds, and ratio to the floor")
    print(f"  neighbor search             {search:8.3f}   {search / product:6.2f} x X X' ({product:.3f} s)")
    print(f"  barycenter weights           {weights:8.3f}")
    print(f"  LLE score after the graph    {lle:8.3f}   {lle / sort:6.2f} x the sort ({sort:.3f} s)")
    print(f"  Laplacian after the graph    {laplacian:8.3f}")


if __name__ == "__main__":
    main()
