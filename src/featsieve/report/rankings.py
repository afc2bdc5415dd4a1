"""Rankings of the features: ranks by each method, consensus and agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.evaluation.recommendation import column_frequencies
from featsieve.report.numbers import fixed
from featsieve.report.text import brief

if TYPE_CHECKING:
    import pandas as pd

    from featsieve.evaluation import Comparison

# Browsers are slow to open a page with more features; the best features of each method are shown.
MAX_FEATURES = 20_000


def ranks_by_method(comparison: Comparison, labels: list[str]) -> pd.DataFrame:
    """Return ranks on all samples, with a row per column of the data and a column per method.

    The rows are in the order of the data. The last column, ``consensus``, is the rank by mean rank over the
    methods that beat random selection, 0 if there are none.
    """
    frame = comparison.ranking().sort_values("column")
    consensus = frame["consensus"].rank(method="first").fillna(0).astype(int)
    frame = frame.assign(consensus=consensus)
    return frame[[*(label for label in labels if label in frame.columns), "consensus"]]


def feature_table(
    comparison: Comparison, ranks: pd.DataFrame, n_top: int, complete: bool
) -> dict[str, Any] | None:
    """Return the ranks and scores of each column of the data by each method; ``n_top`` are highlighted.

    Only the best ``MAX_FEATURES`` are included unless ``complete``.
    """
    methods = list(ranks.columns[:-1])
    if not methods:
        return None
    rows = np.arange(len(ranks))
    if len(ranks) > MAX_FEATURES and not complete:
        best_ranks = ranks.to_numpy().min(axis=1)
        rows = np.sort(np.argsort(best_ranks, kind="stable")[:MAX_FEATURES])
    scores = {
        cell.method: result["scores"]
        for cell, result in comparison.results(ranking=True)
        if result.get("scores")
    }
    columns, features = comparison.columns, comparison.info["dataset"]["feature_names"]
    encoded = columns != features
    # of several features derived from one column, a method is represented by the best
    leaders = {
        label: comparison.leaders(order)[ranks[label].to_numpy()[rows] - 1]
        for label, order in comparison.orders().items()
        if label in methods
    }
    advice = comparison.recommend()
    summary = comparison.summary()
    better = set(summary.loc[summary["outcome"] == "better", "method"])
    return {
        "noun": "column" if encoded else "feature",
        "recommended": None
        if advice.method not in methods
        else {
            "label": advice.method,
            "index": methods.index(advice.method),
            "frequency": _frequencies(comparison)[rows].round(3).tolist(),
            "interchangeable": [advice.interchangeable.get(columns[row], []) for row in rows],
        },
        "consensus_of": [label for label in methods if label in better],
        "names": [columns[row] for row in rows],
        "consensus": ranks["consensus"].to_numpy()[rows].tolist() if better else None,
        "methods": [
            {
                "label": label,
                "ranks": ranks[label].to_numpy()[rows].tolist(),
                "scores": [round_digits(scores[label][feature]) for feature in leaders[label]]
                if label in scores
                else None,
                "best_features": [features[feature] for feature in leaders[label]] if encoded else None,
            }
            for label in methods
        ],
        "n_top": n_top,
        "left_out": len(columns) - rows.size,
    }


def _frequencies(comparison: Comparison) -> np.ndarray:
    advice = comparison.recommend()
    return column_frequencies(comparison, advice.method or "", advice.n_features)


def round_digits(value: float | None, digits: int = 4) -> float | None:
    """Round a number to significant digits; None if it is not finite."""
    return float(f"{value:.{digits}g}") if value is not None and np.isfinite(value) else None


def agreement(ranks: pd.DataFrame) -> dict[str, Any] | None:
    """Return the Spearman correlations of the rankings, with similar methods next to each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    labels = list(ranks.columns[:-1])
    if len(labels) < 2 or len(ranks) < 2:
        return None
    # The Pearson correlation of ranks is the Spearman correlation.
    matrix = np.clip(np.corrcoef(ranks[labels].to_numpy(dtype=np.float64), rowvar=False), -1, 1)
    distances = squareform(1 - matrix, checks=False)
    order = leaves_list(linkage(distances, "average", optimal_ordering=True))
    labels, matrix = [labels[index] for index in order], matrix[np.ix_(order, order)]
    return {
        "methods": labels,
        "matrix": [[round_digits(value, 6) for value in row] for row in matrix],
        "explanation": _explain_agreement(labels, matrix),
    }


def _explain_agreement(labels: list[str], matrix: np.ndarray) -> str:
    rows, columns = np.triu_indices(len(labels), 1)
    pairs = matrix[rows, columns]
    median = float(np.median(pairs))
    how = "similarly" if median > 0.7 else "somewhat similarly" if median > 0.3 else "differently"
    if len(labels) == 2:
        return f"The two methods rank the features {how}: their correlation is {fixed(median, 2)}."
    most, least = int(np.argmax(pairs)), int(np.argmin(pairs))
    closest, farthest = (
        f"{brief(labels[rows[pair]])} and {brief(labels[columns[pair]])} ({fixed(pairs[pair], 2)})"
        for pair in (most, least)
    )
    return (
        f"The methods rank the features {how}: the median correlation between two methods is "
        f"{fixed(median, 2)}. The most similar are {closest}, the least similar {farthest}."
    )
