"""Greedy ranking: choose features one by one by a criterion that depends on the features chosen before."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.arrays import round_to_bits
from featsieve.engines.progress import track
from featsieve.subsets._columns import COPY_TOL, UnitColumns
from featsieve.types import Mask

# Values are ties if they are within TIE_RTOL of the largest one, plus TIE_FLOOR of the largest
# value before the first choice.
TIE_RTOL, TIE_FLOOR = 1e-9, 1e-13
# The values of features that were not chosen are rounded to this number of bits and then sorted.
KEY_BITS = 30


class Criterion(Protocol):
    """State of a greedy choice."""

    columns: UnitColumns

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
    first = values.copy()
    floor = value_floor(first)
    scores = np.zeros(first.size)
    chosen: list[int] = []
    for _ in track(range(n_choices), n_choices, "features chosen"):
        if not candidates.any():
            continue
        best = _first_largest(values, candidates, floor)
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
    else:
        key = first
    key = np.where(np.abs(key) <= floor, 0.0, key)
    order = np.lexsort((-round_to_bits(key, KEY_BITS), ~candidates, ~varies))
    return scores, np.concatenate([np.array(chosen, dtype=np.intp), order[others[order]]])


def value_floor(first: NDArray[np.float64]) -> float:
    """Return the largest difference that counts as rounding, given the values before the first choice."""
    return TIE_FLOOR * float(np.abs(first[np.isfinite(first)]).max(initial=0.0))


def _first_largest(values: NDArray[np.float64], candidates: Mask, floor: float) -> int:
    """Return the first candidate whose value is the largest up to rounding."""
    largest = values[candidates].max()
    tolerance = TIE_RTOL * abs(largest) + floor if np.isfinite(largest) else 0.0
    return int((candidates & (values >= largest - tolerance)).argmax())
