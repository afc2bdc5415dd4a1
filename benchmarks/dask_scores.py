"""Scores of data in chunks: times relative to arrays in memory, times of workers, and peak memory.

    python benchmarks/dask_scores.py                            # ratios of times
    python benchmarks/dask_scores.py --zarr 50000x10000         # dense data in a Zarr array of that shape
    python benchmarks/dask_scores.py --counts 200000x20000      # sparse data in chunks

``--zarr`` and ``--counts`` print the peak of the resident memory of all processes, polled every 20 ms, and
the estimate that ``featsieve.estimate`` gave before.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import scipy.sparse as sp
import sklearn
from ratios import finish, report, timed

import featsieve
from featsieve.scores import laplacian_score, lkr_score, lle_score

# Rows of a chunk, and columns of a chunk of a Zarr array.
ROWS, COLUMNS = 1000, 1000


def clusters(start: int, rows: int, n_features: int) -> np.ndarray:
    """Samples of 20 clusters in a space of 10 dimensions, with noise of different size in each feature."""
    directions = np.random.default_rng(1).standard_normal((10, n_features)).astype(np.float32)
    centers = 2 * np.random.default_rng(2).standard_normal((20, 10)).astype(np.float32)
    rng = np.random.default_rng(start + 3)
    latent = centers[rng.integers(0, 20, rows)] + rng.standard_normal((rows, 10), dtype=np.float32)
    noise = np.linspace(0.5, 5, n_features, dtype=np.float32)
    return latent @ directions + noise * rng.standard_normal((rows, n_features), dtype=np.float32)


def write_zarr(path: Path, n_samples: int, n_features: int) -> None:
    import zarr

    shape = (n_samples, n_features)
    chunks = (min(ROWS, n_samples), min(COLUMNS, n_features))
    array = zarr.create_array(path, shape=shape, chunks=chunks, dtype="float32", compressors=None)
    for start in range(0, n_samples, ROWS):
        rows = min(ROWS, n_samples - start)
        array[start : start + rows] = clusters(start, rows, n_features)


def counts(n_samples: int, n_features: int) -> Any:
    """Counts with 2% entries, in chunks of 2000 rows."""
    chunks = []
    for start in range(0, n_samples, 2000):
        rng = np.random.default_rng(start)
        rows = min(2000, n_samples - start)
        sizes = rng.binomial(n_features, 0.02, rows)
        columns = np.concatenate(
            [np.sort(rng.choice(n_features, size, replace=False, shuffle=False)) for size in sizes]
        )
        values = np.ceil(rng.exponential(2, columns.size)).astype(np.float32)
        parts = (values, columns.astype(np.int32), np.cumsum([0, *sizes], dtype=np.int32))
        chunk = sp.csr_array(parts, shape=(rows, n_features))
        chunks.append(da.from_array(chunk, chunks=chunk.shape, asarray=False, name=False))
    return da.concatenate(chunks)


def resident(pid: int) -> int:
    """Resident memory of a process and its descendants, in bytes."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:  # it has ended
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(resident, children))


def run_and_poll(arguments: list[str]) -> tuple[dict[str, Any], float]:
    """Run this script with these arguments; return what it prints as JSON, and the peak of memory in MB."""
    process = subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, resident(process.pid))
        time.sleep(0.02)
    assert process.returncode == 0
    assert process.stdout is not None
    return json.loads(process.stdout.read().splitlines()[-1]), peak / 1e6


def score_zarr(path: Path) -> None:
    """Compute the graph and three scores, and save them beside the data."""
    import zarr

    X = zarr.open_array(path, mode="r")
    estimates = {m: featsieve.estimate(X, m).memory / 1e6 for m in ("laplacian", "lkr", "lle")}
    seconds = {}
    start = time.perf_counter()
    graph = featsieve.KNNGraph(10).build(X)
    seconds["graph"] = time.perf_counter() - start
    found = {"neighbors": graph.neighbors.indices, "distances": graph.neighbors.distances}
    for name, score in (("laplacian", laplacian_score), ("lkr", lkr_score), ("lle", lle_score)):
        start = time.perf_counter()
        found[name] = score(X, graph)
        seconds[name] = time.perf_counter() - start
    np.savez(path.with_suffix(".npz"), **found)
    print(json.dumps({"seconds": seconds, "estimates": estimates}))


def score_counts(shape: tuple[int, int]) -> None:
    """Compute three scores of sparse counts; the graph is given."""
    X = counts(*shape)
    n = shape[0]
    links = np.random.default_rng(0).integers(0, n, (n, 5))
    graph = sp.csr_array((np.ones(5 * n), (np.repeat(np.arange(n), 5), links.ravel())), shape=(n, n))
    graph = sp.csr_array(graph.maximum(graph.T))
    y = np.arange(n) % 3
    seconds = {}
    estimates = {m: featsieve.estimate(X, m).memory / 1e6 for m in ("variance", "chi-square")}
    for name, score in (
        ("variance", lambda: featsieve.VarianceScore().fit(X)),
        ("laplacian", lambda: featsieve.LaplacianScore(graph).fit(X)),
        ("chi-square", lambda: featsieve.ChiSquareScore().fit(X, y)),
    ):
        start = time.perf_counter()
        score()
        seconds[name] = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "estimates": estimates}))


def check_against_arrays(path: Path) -> None:
    """Compare with arrays in memory: the neighbors of 20 rows, and all scores on the same graph."""
    import zarr

    X, found = zarr.open_array(path, mode="r")[:], np.load(path.with_suffix(".npz"))
    rows = np.random.default_rng(0).choice(len(X), min(20, len(X)), replace=False)
    wrong = 0
    for row in rows:
        squared = np.zeros(len(X))
        for block in range(0, len(X), 5000):
            gaps = X[block : block + 5000].astype(np.float64) - X[row]
            squared[block : block + 5000] = np.einsum("ij,ij->i", gaps, gaps)
        squared[row] = np.inf
        wrong += not np.array_equal(np.argsort(squared)[:10], found["neighbors"][row])
    report(f"rows of {len(rows)} with other neighbors", wrong, "at most", 0)
    neighbors = featsieve.graphs.Neighbors(found["neighbors"], found["distances"])
    graph = featsieve.KNNGraph(10).build_from_neighbors(neighbors)
    for name, score in (("laplacian", laplacian_score), ("lkr", lkr_score), ("lle", lle_score)):
        gap = np.max(np.abs(score(X, graph) / found[name] - 1))
        report(f"{name}: relative difference from the array in memory", gap, "at most", 1e-6)


def memory_of_zarr(shape: tuple[int, int], working_memory: int, folder: Path) -> None:
    path = folder / f"X{shape[0]}x{shape[1]}.zarr"
    if not path.exists():
        write_zarr(path, *shape)
    options = ["--working-memory", str(working_memory)]
    answer, peak = run_and_poll(["--child", f"zarr:{path}", *options])
    _print_memory(f"Zarr {shape[0]} x {shape[1]}", answer, peak, working_memory)
    check_against_arrays(path)


def memory_of_counts(shape: tuple[int, int], working_memory: int) -> None:
    name = "x".join(map(str, shape))
    answer, peak = run_and_poll(["--child", f"counts:{name}", "--working-memory", str(working_memory)])
    stored = 8 * 0.02 * shape[0] * shape[1] / 1e6  # the chunks are in memory
    _print_memory(f"counts {name}", answer, peak, working_memory, 1200 + stored)


def _print_memory(
    data: str, answer: dict[str, Any], peak: float, working_memory: int, limit: float = 1200
) -> None:
    times = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in answer["seconds"].items())
    print(f"{data}, working memory {working_memory} MB: {times}", flush=True)
    estimate = max(answer["estimates"].values())
    report(f"{data}: peak memory in MB", peak, "at most", limit)
    report(f"{data}: estimated / measured peak", estimate / peak, "at most", 1.3)
    report(f"{data}: measured / estimated peak", peak / estimate, "at most", 1 / 0.7)


def best_of(calls: dict[str, Callable[[], Any]], rounds: int = 3) -> dict[str, float]:
    """Best time of each call, in turns, so that other load on the machine affects all of them."""
    runs = [{name: timed(call)[0] for name, call in calls.items()} for _ in range(rounds)]
    return {name: min(run[name] for run in runs) for name in calls}


def overhead(shape: tuple[int, int]) -> None:
    """Times of a dask array in memory relative to the NumPy array."""
    X = clusters(0, *shape)
    lazy = da.from_array(X, chunks=(-(-shape[0] // 8), -1))
    y = np.arange(shape[0]) % 3
    for name in ("variance", "fisher", "laplacian", "lkr", "lle"):
        method = featsieve.get_method(name)
        seconds = best_of(
            {
                "array": lambda method=method: method.make().fit(X, y),
                "dask": lambda method=method: method.make().fit(lazy, y),
            }
        )
        report(
            f"{name} of {shape[0]} x {shape[1]}: dask / array",
            seconds["dask"] / seconds["array"],
            "at most",
            1.5,
        )


def workers(shape: tuple[int, int]) -> None:
    """Times of two workers relative to one, and the growth of the client's memory."""
    import zarr
    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        write_zarr(Path(folder) / "X.zarr", *shape)
        X = zarr.open_array(Path(folder) / "X.zarr", mode="r")
        seconds, peaks = {}, []
        for count in (1, 2):
            options = {"threads_per_worker": 1, "memory_limit": None, "dashboard_address": ":0"}
            with (
                LocalCluster(n_workers=count, host="127.0.0.1", **options) as cluster,
                Client(cluster) as client,
            ):
                client.wait_for_workers(count)
                peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
                seconds[count] = best_of({"": lambda: featsieve.LaplacianScore().fit(X)}, 2)[""]
        share = (peaks[1] - peaks[0]) * 1024 / (4 * shape[0] ** 2)  # before and after the first cluster
        report("growth of the client's memory / n x n distances in float32", share, "at most", 0.25)
        report(
            f"laplacian of {shape[0]} x {shape[1]}: two workers / one", seconds[2] / seconds[1], "at most", 1
        )


def shape_of(text: str) -> tuple[int, int]:
    n_samples, n_features = text.split("x")
    return int(n_samples), int(n_features)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="not used")
    parser.add_argument("--zarr", type=shape_of, metavar="NxD")
    parser.add_argument("--counts", type=shape_of, metavar="NxD")
    parser.add_argument(
        "--folder", type=Path, help="where to write the Zarr array; by default, and then removed"
    )
    parser.add_argument("--working-memory", type=int, default=512, metavar="MB")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sklearn.set_config(working_memory=options.working_memory)
    if options.child:
        kind, _, value = options.child.partition(":")
        score_zarr(Path(value)) if kind == "zarr" else score_counts(shape_of(value))
        return 0
    if options.zarr:
        with tempfile.TemporaryDirectory() as folder:
            memory_of_zarr(options.zarr, options.working_memory, options.folder or Path(folder))
    if options.counts:
        memory_of_counts(options.counts, options.working_memory)
    if not (options.zarr or options.counts):
        workers((8000, 1000))
        overhead((10_000, 1000))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
