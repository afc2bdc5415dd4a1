"""Relief (Kira & Rendell) on basis features: FSKGS and FSKPCA."""

from dataclasses import dataclass, field

import numpy as np

from .basis import features, kgs
from .decisions import Decisions
from .precision import is_zero, mp_array, number_array
from .spectral import kpca, kpca_features


@dataclass
class ReliefWeights:
    """Weights (larger is better), features from best to worst, near-hit and near-misses of every sample.

    neighbor_decisions are those of hits and misses, order_decisions those of the ranking.
    """

    weights: np.ndarray
    order: list
    hits: list
    misses: list
    neighbor_decisions: Decisions = field(default_factory=Decisions)
    order_decisions: Decisions = field(default_factory=Decisions)

    @property
    def margin(self):
        """Smallest relative margin of the decisions."""
        return min(self.neighbor_decisions.margin, self.order_decisions.margin)


def _divide_by_range(F):
    """nu_i: range of feature i; a feature of range zero becomes zero."""
    scaled = F.copy()
    for i in range(F.shape[1]):
        low, high = min(F[:, i]), max(F[:, i])
        for j in range(len(F)):
            constant = is_zero(high - low, max(abs(low), abs(high)))
            scaled[j, i] = 0 * F[j, i] if constant else F[j, i] / (high - low)
    return scaled


def relief(F, y, scaled=True, scaled_distance=None, power=2, misses="any"):
    """W_i = (1/N) sum_x [ diff_i(x, miss(x))^2 - diff_i(x, hit(x))^2 ], every sample x once.

    diff_i(x, z) = (x_i - z_i) / nu_i, nu_i the range of feature i (scaled=True; Kira & Rendell, supported
    by the text) or 1 (scaled=False). hit: nearest other sample of the class of x, miss: nearest sample of any
    other class, by Euclidean distance over the same diffs (scaled_distance=None) or as scaled_distance sets.
    power=1: |diff| instead of diff^2. misses="each": the nearest of each other class c, with weight
    P(c) / (1 - P(class of x)).
    """
    F, y = number_array(F), np.asarray(y)
    N, d = F.shape
    scaled_F = _divide_by_range(F)
    G = scaled_F if scaled else F
    H = scaled_F if (scaled if scaled_distance is None else scaled_distance) else F
    neighbors, order_decisions = Decisions(), Decisions()

    def nearest(x, candidates, kind):
        distances = [sum((H[x, i] - H[z, i]) ** 2 for i in range(d)) for z in candidates]
        scale = max(sum(H[x, i] ** 2 + H[z, i] ** 2 for i in range(d)) for z in candidates)
        return candidates[neighbors.best(f"{kind} of sample {x}", distances, False, scale, candidates)]

    def diff(i, x, z):
        return abs(G[x, i] - G[z, i]) ** power

    labels = np.unique(y)
    weights = [0 * F[0, 0] for _ in range(d)]
    all_hits, all_misses = [], []
    for x in range(N):
        same = [z for z in range(N) if z != x and y[z] == y[x]]
        if not same:
            raise ValueError(f"Sample {x} is the only one of its class: Relief needs a near-hit.")
        hit = nearest(x, same, "hit")
        if misses == "any":
            chosen = {nearest(x, [z for z in range(N) if y[z] != y[x]], "miss"): 1}
        else:
            chosen = {}
            for label in labels[labels != y[x]]:
                members = [int(z) for z in np.flatnonzero(y == label)]
                chosen[nearest(x, members, f"miss of class {label}")] = len(members)
        share = sum(chosen.values())
        for i in range(d):
            weights[i] = weights[i] - diff(i, x, hit)
            for miss, weight in chosen.items():
                weights[i] = weights[i] + diff(i, x, miss) * weight / share
        all_hits.append(hit)
        all_misses.append(list(chosen))
    weights = [w / N for w in weights]
    scale = max(abs(v) for v in G.ravel()) ** power
    order = order_decisions.sort("order of weights", weights, True, scale)
    return ReliefWeights(mp_array(weights), order, all_hits, all_misses, neighbors, order_decisions)


def fskgs(K, y, n_components=None, **options):
    """Relief on the KGS features (eq. 22) of all samples. Returns the basis and the weights."""
    basis = kgs(K, n_components)
    return basis, relief(features(K, basis.coefficients), y, **options)


def fskpca(K, y, n_components=None, center=True, **options):
    """Relief on the KPCA features of all samples. Returns the components and the weights."""
    components = kpca(K, n_components, center)
    return components, relief(kpca_features(K, K, components.coefficients, center), y, **options)
