"""Kernel nearest neighbor classifier (KNNC)."""

from dataclasses import dataclass, field

import numpy as np

from .decisions import Decisions
from .precision import number_array


@dataclass
class Neighbors:
    """Predicted labels and the training indices of the neighbors, nearest first, of every new sample."""

    labels: np.ndarray
    indices: list
    squared_distances: list
    decisions: Decisions = field(default_factory=Decisions)

    @property
    def margin(self):
        """Smallest relative margin of the decisions."""
        return self.decisions.margin


def knnc(K, y, C, diagonal, n_neighbors=1, vote_tie="nearest"):
    """Class of the nearest training samples by ||phi(x) - phi_j||^2 = k(x, x) - 2 k(x, x_j) + K_jj.

    K: training kernel, y: its labels, C_ij = k(x_i, x_j) and diagonal k(x_i, x_i) of the new samples. Equal
    distances go to the smallest training index. Majority vote; tied classes: that of the nearest
    neighbor (vote_tie="nearest") or the smallest label (vote_tie="label"). Fractions are compared exactly.
    """
    K, C, diagonal, y = number_array(K), number_array(C), number_array(diagonal), np.asarray(y)
    if not 1 <= n_neighbors <= len(K):
        raise ValueError(f"n_neighbors must be between 1 and {len(K)}; got {n_neighbors}.")
    decisions, labels, indices, kept_distances = Decisions(), [], [], []
    for x, (c, k) in enumerate(zip(C, diagonal, strict=False)):
        distances = [k - 2 * c[j] + K[j, j] for j in range(len(K))]
        scale = abs(k) + max(abs(K[j, j]) for j in range(len(K)))
        remaining, chosen = list(range(len(K))), []
        for rank in range(n_neighbors):
            values = [distances[j] for j in remaining]
            best = decisions.best(f"neighbor {rank} of sample {x}", values, False, scale, remaining)
            chosen.append(remaining.pop(best))
        votes = {label: sum(1 for j in chosen if y[j] == label) for label in np.unique(y[chosen])}
        tied = [label for label, count in votes.items() if count == max(votes.values())]
        if vote_tie == "nearest":
            winner = next(y[j] for j in chosen if y[j] in tied)
        elif vote_tie == "label":
            winner = tied[0]
        else:
            raise ValueError(f"vote_tie must be one of 'nearest', 'label'; got {vote_tie!r}.")
        if len(tied) > 1:
            decisions.compare(f"vote of sample {x}", 1, 1)
        labels.append(winner)
        indices.append(chosen)
        kept_distances.append([distances[j] for j in chosen])
    return Neighbors(np.array(labels), indices, kept_distances, decisions)


def knnc_features(F, y, G, n_neighbors=1, vote_tie="nearest"):
    """KNNC in selected features: linear kernel of the training features F and the new features G."""
    F, G = number_array(F), number_array(G)
    return knnc(F.dot(F.T), y, G.dot(F.T), [g.dot(g) for g in G], n_neighbors, vote_tie)
