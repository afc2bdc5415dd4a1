"""Greedy ranking: choose one feature after another by a criterion that depends on those chosen before."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.arrays import round_to_bits
from featsieve.engines.progress import track
from featsieve.subsets._columns import COPY_TOL, UnitColumns
from featsieve.types import Mask


class Criterion(Protocol):
    """State of a greedy choice."""

    columns: UnitColumns

    def values(self, candidates: Mask) -> NDArray[np.float64]:
        """Return the value of choosing each of the candidates next; larger is better."""

    def add(self, j: int) -> NDArray[np.float64]:
        """Choose feature j; return its absolute correlations with all features."""


def rank_greedily(
    criterion: Criterion, n_picks: int, score_others: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Choose up to ``n_picks`` features one by one; return scores and the order of all features.

    Copies of chosen features (up to sign, scale and offset) are not chosen. Behind the chosen features, the
    others follow in the order of their last value, then the copies in the order of their first value, then
    the constant features. Values that differ only by rounding are ties; the smallest index goes first.

    The score of a feature is its value when it was chosen, or its last value. Without ``score_others``, the
    last values are not computed: features that were not chosen score 0, in the order of their first value.
    """
    candidates = criterion.columns.norms > 0
    varies = candidates.copy()
    first = values = round_to_bits(criterion.values(candidates))
    scores = np.zeros(first.size)
    chosen: list[int] = []
    for _ in track(range(n_picks), n_picks, "picks"):
        if not candidates.any():
            continue
        best = int(np.where(candidates, values, -np.inf).argmax())
        chosen.append(best)
        scores[best] = values[best]
        candidates = candidates & (criterion.add(best) < 1 - COPY_TOL)
        candidates[best] = False
        values = round_to_bits(criterion.values(candidates))
    others = np.ones(first.size, dtype=bool)
    others[chosen] = False
    if score_others:
        scores[others] = values[others]
    else:
        values = first
    order = np.lexsort((-np.where(candidates, values, first), ~candidates, ~varies))
    return scores, np.concatenate([np.array(chosen, dtype=np.intp), order[others[order]]])
