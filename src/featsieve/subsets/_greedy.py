"""Greedy ranking: choose features one by one by a criterion that depends on the features chosen before."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.arrays import round_to_bits
from featsieve.engines.progress import track
from featsieve.subsets._columns import COPY_TOL, UnitColumns
from featsieve.types import Mask

# Values are ties if they differ by at most TIE_RTOL of the largest one, plus their rounding errors.
TIE_RTOL = 1e-9
# Bound of the rounding error of a sum of products, as a share of its largest possible value.
ROUNDING_RTOL = 1e-13
# The values of features that were not chosen are rounded to this number of bits and then sorted.
KEY_BITS = 30


class Criterion(Protocol):
    """State of a greedy choice."""

    columns: UnitColumns

    @property
    def errors(self) -> NDArray[np.float64] | float:
        """Bounds of the rounding errors of the last values."""

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        """Return the value of choosing each of the candidates next; larger is better."""

    def add(self, j: int) -> NDArray[np.float64]:
        """Choose feature j; return its absolute correlations with all features."""


def rank_greedily(
    criterion: Criterion, n_choices: int, score_others: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Choose up to ``n_choices`` features one by one; return scores and the order of all features.

    Copies of chosen features (up to sign, scale and offset) are not chosen. The order has the chosen features
    first, then the others by their last value, then the copies by their first value, then the constant
    features. Values that differ only by rounding are ties, and the smallest index comes first.

    The score of a chosen feature is its value at its choice, the score of any other feature its last value.
    Without ``score_others``, features that are not chosen get score 0 and are ordered by their first value.
    """
    candidates = criterion.columns.norms > 0
    varies = candidates.copy()
    values = criterion.values(candidates)
    first, first_errors = values.copy(), np.array(criterion.errors)
    scores = np.zeros(first.size)
    chosen: list[int] = []
    for _ in track(range(n_choices), n_choices, "features chosen"):
        if not candidates.any():
            continue
        best = int((candidates & (values >= lowest_ties(values, candidates, criterion.errors))).argmax())
        chosen.append(best)
        scores[best] = values[best]
        candidates = candidates & (criterion.add(best) < 1 - COPY_TOL)
        candidates[best] = False
        values = criterion.values(candidates)
    others = np.ones(first.size, dtype=bool)
    others[chosen] = False
    if score_others:
        scores[others] = values[others]
        key = np.where(candidates, values, first)
        errors = np.where(candidates, criterion.errors, first_errors)
    else:
        key, errors = first, first_errors
    key = np.where(np.abs(key) <= errors, 0.0, key)
    order = np.lexsort((-round_to_bits(key, KEY_BITS), ~candidates, ~varies))
    return scores, np.concatenate([np.array(chosen, dtype=np.intp), order[others[order]]])


def lowest_ties(
    values: NDArray[np.float64], candidates: Mask, errors: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return, for each feature, the lowest value that equals the largest of the candidates up to rounding."""
    masked = np.where(candidates, values, -np.inf)
    best = int(masked.argmax())
    largest = masked[best]
    if not np.isfinite(largest):
        return np.full(values.size, largest)
    errors = np.broadcast_to(errors, values.shape)
    return largest - TIE_RTOL * abs(largest) - errors[best] - errors
