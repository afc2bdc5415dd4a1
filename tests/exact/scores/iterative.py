"""IterativeLS-1 and IterativeLS-2 around the Laplacian score."""

import itertools
from typing import NamedTuple

import numpy as np

from .exact import mp
from .graphs import knn_graph, neighbor_gap
from .spectral import laplacian_values


class IterativeResult(NamedTuple):
    """Order of the features (best first) and the smallest relative gaps on which it depends."""

    order: list
    gap: float
    distance_gap: float


def relative_gap(low, high):
    """Return (high - low) / max(|low|, |high|). A gap to an infinite score is infinite."""
    if mp.isinf(high):
        return mp.inf
    return (high - low) / max(abs(low), abs(high)) if high != low else mp.mpf(0)


def iterative(X, s, step=1, readmit=False, k=5):
    """IterativeLS-1 (readmit=False) and IterativeLS-2 (readmit=True) (001 section 3).

    Repeat: build the k-nearest-neighbor graph (heat weights, median bandwidth) on the kept features, compute
    the Laplacian scores of the kept features (1) or of all features (2), rank them in ascending order, keep
    the best. Round t keeps max(s, n - t step) features, n = number of all features. Until s features are
    kept.
    """
    X = np.asarray(X)
    n_features = X.shape[1]
    if not 0 < s <= n_features:
        raise ValueError(f"s must be between 1 and {n_features}; got {s}")
    kept = list(range(n_features))
    discarded = []
    gaps, distance_gaps = [mp.inf], []
    t = 0
    while True:
        t += 1
        distance_gaps.append(neighbor_gap(X[:, kept], k))
        W = knn_graph(X[:, kept], k)
        ranked = list(range(n_features)) if readmit else sorted(kept)
        scores = dict(zip(ranked, laplacian_values(X[:, ranked], W), strict=True))
        ranked.sort(key=lambda r: (scores[r], r))
        steps = [relative_gap(scores[a], scores[b]) for a, b in itertools.pairwise(ranked)]
        size = max(s, n_features - t * step)
        if size == s:
            # The whole of the last ranking decides the order.
            return IterativeResult(ranked + discarded, float(min(gaps + steps)), min(distance_gaps))
        # Kept against discarded; for IterativeLS-1 also the order among the discarded, which is final.
        gaps += steps[size - 1 : size] if readmit else steps[size - 1 :]
        kept = sorted(ranked[:size])
        if not readmit:
            discarded = ranked[size:] + discarded
