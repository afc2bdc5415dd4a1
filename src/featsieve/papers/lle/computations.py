"""Effect of rescaling, and of adding a constant feature, on the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import spearmanr

from featsieve.reproduction.protocols import LeadingSamples
from featsieve.scores.lle import LLEScore
from featsieve.scores.reconstruction import LLEReconstructionScore


def rescaled_scores(X: np.ndarray, y: np.ndarray, n_train: int, factor: float) -> dict[str, dict[str, Any]]:
    """Compute the effect of rescaling, and of adding a constant feature, on the scores of training images."""
    train = LeadingSamples(n_train, per_class=True).splits(len(y), y, 0)[0].train
    X = np.asarray(X[train], dtype=np.float64)
    with_constant = np.column_stack([X, np.ones(len(X))])
    methods = {
        "lle": LLEScore(n_neighbors=5, reg=1e-5),
        "algorithm 1": LLEReconstructionScore(n_neighbors=5, normalize=False),
    }
    values = {}
    for label, method in methods.items():
        original, rescaled, extended = (
            method.fit(samples).scores_ for samples in (X, factor * X, with_constant)
        )
        values[label] = {
            "rank correlation": float(spearmanr(original, rescaled).statistic),
            "score of a constant": float(extended[-1]),
            "better than a constant": int(np.sum(extended[:-1] < extended[-1])),
        }
    return values
