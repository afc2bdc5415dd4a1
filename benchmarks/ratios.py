"""What the benchmarks share: timing, a table of ratios and their bounds, real data."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat

# Exit code of a script that ran to its end and missed a bound; exceptions exit with 1.
MISSED = 3
# Environment variable: a file to which each ratio is written as a line of JSON.
ROWS_FILE = "FEATSIEVE_BENCH_ROWS"


@dataclass(frozen=True)
class Row:
    """A ratio and its bound: "at most", "at least" or none."""

    what: str
    ratio: float
    sense: str = ""
    bound: float = float("nan")

    @property
    def holds(self) -> bool:
        """Whether the bound is met; True without a bound."""
        if not self.sense:
            return True
        return self.ratio <= self.bound if self.sense == "at most" else self.ratio >= self.bound

    def __str__(self) -> str:
        verdict = f"  ({self.sense} {self.bound:g}: {'yes' if self.holds else 'NO'})" if self.sense else ""
        return f"  {self.what:<86} {self.ratio:9.3g}{verdict}"


ROWS: list[Row] = []


def timed(function: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Return the shortest wall time of several calls, and the result of the last one."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def report(what: str, ratio: float, sense: str = "", bound: float = np.nan) -> None:
    """Print one ratio and its bound."""
    row = Row(what, float(ratio), sense, float(bound))
    print(row, flush=True)
    ROWS.append(row)
    if path := os.environ.get(ROWS_FILE):
        with open(path, "a") as file:
            file.write(json.dumps(asdict(row)) + "\n")


def finish() -> int:
    """Print which bounds were missed and return the exit code."""
    missed = [row.what for row in ROWS if not row.holds]
    print(f"{len(missed)} bounds missed" + "".join(f"\n  {what}" for what in missed))
    return MISSED if missed else 0


def faces(folder: Path | None) -> np.ndarray:
    """The 400 x 1024 faces of ORL, or noise of that shape."""
    if folder:
        return loadmat(folder / "ORL_32x32.mat")["X"].astype(np.float64)
    return np.random.default_rng(0).integers(0, 256, (400, 1024)).astype(np.float64)


def coil20(folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """The 1440 x 1024 views of COIL20 and their 20 classes, or 20 noisy prototypes."""
    if folder:
        content = loadmat(folder / "COIL20.mat")
        return content["X"].astype(np.float64), content["Y"].ravel()
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(20), 72)
    return np.clip(rng.random((20, 1024))[y] + 0.2 * rng.standard_normal((1440, 1024)), 0, 1), y


def digits(folder: Path | None, n: int) -> np.ndarray:
    """The first n digits of MNIST, 784 pixels each, or integers of which four fifths are zero."""
    if folder:
        return np.load(folder / "mnist.npz")["X"][:n].astype(np.float64)
    rng = np.random.default_rng(0)
    return np.where(rng.random((n, 784)) < 0.2, rng.integers(1, 256, (n, 784)), 0).astype(np.float64)
