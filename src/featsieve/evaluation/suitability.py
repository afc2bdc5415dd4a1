"""Methods that a comparison leaves out because they do not suit the data or take too long, and why."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags

from featsieve.evaluation.candidates import ALL, RANDOM, VARIANCE, Candidate, find_candidate
from featsieve.evaluation.data import Data
from featsieve.wording import counted

# Without a budget, the time is estimated only for data with more entries than this.
MAX_SMALL_SIZE = 200_000
# Budget in seconds of larger data.
DEFAULT_BUDGET = 600.0
# Sizes of the samples that times are measured on, and bounds of the exponents of their growth.
N_PROBE_SAMPLES, N_PROBE_FEATURES = 100, 60
MIN_EXPONENT, MAX_EXPONENT = 0.0, 3.0
# Times below this vary too much to show how they grow, which is then taken to be linear.
MIN_MEASURABLE_SECONDS = 0.02


def leave_out(
    candidates: list[Candidate], data: Data, n_fits: int, budget: float | None
) -> tuple[list[Candidate], list[dict[str, str]]]:
    """Split candidates into those that suit the data and the budget, and the others with the reason.

    The budget is the time in seconds of all fits. The quickest methods are kept.
    """
    kept, left_out = [], []
    for candidate in candidates:
        reason = why_unsuitable(candidate, data)
        if reason is None:
            kept.append(candidate)
        else:
            left_out.append({"method": candidate.label, "reason": reason})
    if budget == math.inf or (budget is None and _is_small(data)):
        return kept, left_out
    limit = DEFAULT_BUDGET if budget is None else budget
    slow = _find_slow(kept, data, n_fits, limit)
    left_out += [
        {
            "method": label,
            "time": f"about {_describe(seconds)}",
            "reason": f"the slowest methods do not fit into the budget of {_describe(limit)}; include one "
            "with --methods NAME, or all with a larger --budget",
        }
        for label, seconds in slow.items()
    ]
    return [candidate for candidate in kept if candidate.label not in slow], left_out


def describe_slow(candidates: list[Candidate], data: Data, n_fits: int) -> str | None:
    """Return a sentence on the methods that exceed the default budget together, None if there are none."""
    slow = {} if _is_small(data) else _find_slow(candidates, data, n_fits, DEFAULT_BUDGET)
    if not slow:
        return None
    times = ", ".join(f"{label} (about {_describe(slow[label])})" for label in reversed(slow))
    return (
        f"Expected to take long on one core: {times}. --budget {DEFAULT_BUDGET / 60:.0f}m leaves out the "
        "slowest methods, --timeout limits one method on one split."
    )


def _is_small(data: Data) -> bool:
    return data.X.shape[0] * data.X.shape[1] <= MAX_SMALL_SIZE


def _find_slow(candidates: list[Candidate], data: Data, n_fits: int, limit: float) -> dict[str, float]:
    """Return the slowest methods, without which the others keep to a time limit, and their seconds."""
    baselines = (RANDOM, ALL, VARIANCE)
    seconds = {
        candidate.label: 0.0 if candidate.label in baselines else n_fits * estimate_seconds(candidate, data)
        for candidate in candidates
    }
    total, slow = 0.0, {}
    for label in sorted(seconds, key=lambda label: seconds[label]):
        total += seconds[label]
        if total > limit:
            slow[label] = seconds[label]
    return slow


def why_unsuitable(candidate: Candidate, data: Data) -> str | None:
    """Return why a method cannot rank the features of the data, None if it can."""
    if candidate.estimator is None:
        return None
    tags, X = get_tags(candidate.estimator), data.X
    if candidate.uses_labels and data.y is None:
        return "needs labels; name them with --target"
    if tags.input_tags.positive_only and X.shape[0] and X.min() < 0:
        return "needs values of at least 0, such as counts"
    if sp.issparse(X) and not tags.input_tags.sparse:
        return "does not accept sparse data"
    if candidate.uses_labels and data.target == "numeric" and not accepts_numbers(candidate.label):
        return "needs classes; --target-type classes treats each value of the labels as a class"
    return None


@cache
def accepts_numbers(label: str) -> bool:
    """Return whether a registered method accepts a numeric target, by fitting it on a few samples."""
    candidate, random = find_candidate(label), np.random.default_rng(0)
    candidate.set_target("numeric")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            candidate.estimator.fit(random.standard_normal((40, 5)), random.standard_normal(40))
        except ValueError:
            return False
    return True


def estimate_seconds(candidate: Candidate, data: Data) -> float:
    """Estimate the time of a fit on all samples from fits on parts of them."""
    n, d = data.X.shape
    rows = np.unique(np.linspace(0, n - 1, min(n, 2 * N_PROBE_SAMPLES)).astype(np.intp))
    columns = np.unique(np.linspace(0, d - 1, min(d, 2 * N_PROBE_FEATURES)).astype(np.intp))
    few_rows, few_columns = rows[::2], columns[::2]
    base = _time_fit(candidate, data, few_rows, few_columns)
    if math.isnan(base):
        return 0.0  # its error is recorded like any other
    n_exponent = _exponent(base, _time_fit(candidate, data, rows, few_columns), rows.size / few_rows.size)
    d_exponent = _exponent(
        base, _time_fit(candidate, data, few_rows, columns), columns.size / few_columns.size
    )
    return base * (n / few_rows.size) ** n_exponent * (d / few_columns.size) ** d_exponent


def _exponent(base: float, larger: float, ratio: float) -> float:
    if math.isnan(larger) or ratio <= 1 or larger < MIN_MEASURABLE_SECONDS:
        return 1.0
    return float(np.clip(math.log(larger / base) / math.log(ratio), MIN_EXPONENT, MAX_EXPONENT))


def _time_fit(candidate: Candidate, data: Data, rows: np.ndarray, columns: np.ndarray) -> float:
    """Return the seconds of a fit on a part of the data, NaN if it fails."""
    X: Any = data.X[rows][:, columns]
    X = np.nan_to_num(X.astype(np.float64)) if not sp.issparse(X) else X
    y = data.y[rows] if candidate.uses_labels and data.y is not None else None
    estimator = clone(candidate.estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            estimator.fit(X, y)
        except ValueError:
            return math.nan
        return time.perf_counter() - start


def describe_left_out(left_out: Iterable[dict[str, str]]) -> list[str]:
    """Return a line for each reason, with the methods that it applies to."""
    by_reason: dict[str, list[str]] = {}
    for row in left_out:
        time_needed = f" ({row['time']})" if "time" in row else ""
        by_reason.setdefault(row["reason"], []).append(row["method"] + time_needed)
    return [f"Left out {', '.join(labels)}: {reason}." for reason, labels in by_reason.items()]


def _describe(seconds: float) -> str:
    if seconds < 0.95:
        return f"{seconds:.1g} seconds"
    if seconds < 100:
        return counted(round(seconds), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"
