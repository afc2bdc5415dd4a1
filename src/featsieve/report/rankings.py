"""What the methods say of the features: ranks, consensus, agreement."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.report.text import brief

# More features than this make a page that a browser is slow to open; the best of each method are kept.
MOST_FEATURES = 20_000
ALL_SAMPLES = -1


def ranks_by_method(comparison: Any, labels: list[str]) -> Any:
    """Data frame of ranks on all samples: a row for each column of the table, a column for each method.

    The rows are in the order of the table, and ``consensus`` has the place of each by the mean of its ranks.
    """
    frame = comparison.ranking()
    places = np.arange(1, len(frame) + 1)
    frame = frame.assign(consensus=places).sort_values("column")
    return frame[[*(label for label in labels if label in frame.columns), "consensus"]]


def feature_table(comparison: Any, ranks: Any, mark: int, whole: bool) -> dict[str, Any] | None:
    """Ranks and scores of each column of the table by each method.

    Parameters
    ----------
    comparison : Comparison
    ranks : DataFrame
        What :func:`ranks_by_method` gives.
    mark : int
        How many of the best to mark at first.
    whole : bool
        Whether to keep all, however many there are.
    """
    methods = list(ranks.columns[:-1])
    if not methods:
        return None
    kept = np.arange(len(ranks))
    if len(ranks) > MOST_FEATURES and not whole:
        best = ranks.to_numpy().min(axis=1)
        kept = np.sort(np.argsort(best, kind="stable")[:MOST_FEATURES])
    scores = {
        cell.method: cell.result["scores"]
        for cell in comparison.cells
        if cell.split == ALL_SAMPLES and cell.status == "ok" and cell.result and cell.result.get("scores")
    }
    names, features = comparison.columns, comparison.info["dataset"]["feature_names"]
    best = {
        label: comparison.leaders(order)[ranks[label].to_numpy()[kept] - 1]
        for label, order in comparison.orders().items()
        if label in methods
    }
    return {
        "noun": "feature" if names == features else "column",
        "names": [names[place] for place in kept],
        "consensus": ranks["consensus"].to_numpy()[kept].tolist(),
        "methods": [
            {
                "label": label,
                "ranks": ranks[label].to_numpy()[kept].tolist(),
                "scores": [short(scores[label][each]) for each in best[label]] if label in scores else None,
                "parts": [features[each] for each in best[label]] if names != features else None,
            }
            for label in methods
        ],
        "mark": mark,
        "left_out": len(names) - kept.size,
    }


def short(value: float | None, digits: int = 4) -> float | None:
    """The value to so many digits, None where it is no number."""
    return float(f"{value:.{digits}g}") if value is not None and np.isfinite(value) else None


def agreement(ranks: Any) -> dict[str, Any] | None:
    """Spearman's correlations between the rankings, with methods that agree side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    labels = list(ranks.columns[:-1])
    if len(labels) < 2 or len(ranks) < 2:
        return None
    # ranks are permutations of the same numbers, so Pearson's correlation of them is Spearman's
    matrix = np.clip(np.corrcoef(ranks[labels].to_numpy(dtype=np.float64), rowvar=False), -1, 1)
    distances = squareform(1 - matrix, checks=False)
    order = leaves_list(linkage(distances, "average", optimal_ordering=True))
    labels, matrix = [labels[place] for place in order], matrix[np.ix_(order, order)]
    return {
        "methods": labels,
        "matrix": [[short(value, 6) for value in row] for row in matrix],
        "explained": _told(labels, matrix),
    }


def _told(labels: list[str], matrix: np.ndarray) -> str:
    rows, columns = np.triu_indices(len(labels), 1)
    pairs = matrix[rows, columns]
    middle = float(np.median(pairs))
    how = "much the same order" if middle > 0.7 else "related orders" if middle > 0.3 else "different orders"
    text = f"Mostly the methods give {how}: the middle correlation between two of them is {middle:.2f}."
    if len(labels) == 2:
        return f"The correlation between the two methods is {middle:.2f}: {how}."
    most, least = int(np.argmax(pairs)), int(np.argmin(pairs))
    near, far = (f"{brief(labels[rows[at]])} and {brief(labels[columns[at]])}" for at in (most, least))
    return f"{text} Closest are {near} ({pairs[most]:.2f}), farthest {far} ({pairs[least]:.2f})."
