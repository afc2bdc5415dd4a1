"""The thread pool of featsieve against threads of joblib, on blocks as small as those of a score.

python benchmarks/threads.py
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from ratios import finish, report, timed
from sklearn import config_context, get_config

from featsieve.engines.blocks import n_threads, parallel_map, single_threaded_blas


def joblib_map(function: Callable[[Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
    """Do what ``parallel_map`` does with joblib: ordered, lazy, and in the context of the caller."""
    config = get_config()

    def configured(block: Any) -> Any:
        with config_context(**config):
            return function(block)

    pool = Parallel(n_jobs=n_threads(), backend="threading", return_as="generator", batch_size=1)
    with single_threaded_blas():
        yield from pool(delayed(copy_context().run)(configured, block) for block in blocks)


def compare(n_blocks: int, width: int) -> None:
    X = np.random.default_rng(0).standard_normal((n_blocks * width, 64))
    blocks = [slice(i * width, (i + 1) * width) for i in range(n_blocks)]

    def energies(block: slice) -> np.ndarray:
        return np.square(X[block] - X[block].mean(axis=0)).sum(axis=1)

    rounds = range(max(3, 400 // n_blocks))
    calls = {
        "ours": lambda: list(parallel_map(energies, blocks, X)),
        "joblib": lambda: list(joblib_map(energies, blocks)),
        "one thread": lambda: list(map(energies, blocks)),
    }
    # in turns, so that other load on the machine affects all of them
    runs = [{name: timed(call) for name, call in calls.items()} for _ in rounds]
    seconds = {name: min(run[name][0] for run in runs) for name in calls}
    what = f"{n_blocks} blocks of {1e3 * seconds['one thread'] / n_blocks:.2g} ms each"
    ratio = seconds["joblib"] / seconds["ours"]
    bound = ("at least", 5) if n_blocks * width <= 4000 else ()
    report(f"{what}: threads of joblib / ours", ratio, *bound)
    report(f"{what}: one thread / ours", seconds["one thread"] / seconds["ours"])
    gap = np.abs(np.array(runs[0]["joblib"][1]) - runs[0]["ours"][1]).max()
    report(f"{what}: largest difference", gap, "at most", 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used")
    parser.parse_args()
    print(f"{os.cpu_count()} cores, {n_threads()} threads; ratios of wall times")
    for n_blocks, width in ((4, 1000), (4, 20_000), (100, 1000), (100, 20_000)):
        compare(n_blocks, width)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
