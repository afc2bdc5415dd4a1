"""What the benchmarks share: timing, a table of ratios with the bounds they are held to, real data."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat

ROWS: list[tuple[str, float, str, float]] = []


def timed(function: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Least wall time of some calls, and what the last one returned."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def report(what: str, ratio: float, sense: str = "", bound: float = np.nan) -> None:
    """Print one ratio with the bound it is held to."""
    verdict = ""
    if sense:
        verdict = f"  ({sense} {bound:g}: {'yes' if _holds(ratio, sense, bound) else 'NO'})"
    print(f"  {what:<86} {ratio:9.3g}{verdict}", flush=True)
    ROWS.append((what, ratio, sense, bound))


def finish() -> int:
    """Say which bounds were missed; the exit code for that."""
    missed = [what for what, ratio, sense, bound in ROWS if sense and not _holds(ratio, sense, bound)]
    print(f"{len(missed)} bounds missed" + "".join(f"\n  {what}" for what in missed))
    return 1 if missed else 0


def _holds(ratio: float, sense: str, bound: float) -> bool:
    return ratio <= bound if sense == "at most" else ratio >= bound


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
