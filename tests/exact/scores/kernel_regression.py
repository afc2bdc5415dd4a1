"""Local kernel regression (LKR) scores."""

from .classical import class_members
from .exact import columns_of, exponential, mp, solve_mp, squared_distances, to_floats, to_fraction, to_mp
from .graphs import degrees, knn_graph, neighbors, positive_bandwidth
from .spectral import weighted_spread


def _prediction_weights(distances, i, neighborhood, bandwidth, ridge):
    """Return beta' = k'(K + lambda I)^(-1) over the neighborhood of sample i (000 eq. 8)."""
    K = [[exponential(distances[p][q], bandwidth) for q in neighborhood] for p in neighborhood]
    for p in range(len(neighborhood)):
        K[p][p] += to_mp(to_fraction(ridge))
    return solve_mp(K, [exponential(distances[i][j], bandwidth) for j in neighborhood])


def _scores(X, neighborhoods, bandwidth, ridge, degree):
    """Return sum_i D_ii (f_i - sum_j beta_ij f_j)^2 / weighted spread for each feature (000 eq. 16)."""
    distances = squared_distances(X)
    beta = [
        _prediction_weights(distances, i, inside, bandwidth, ridge) for i, inside in enumerate(neighborhoods)
    ]
    scores = []
    for f in columns_of(X):
        spread = weighted_spread(f, degree)
        error = mp.mpf(0)
        for i, inside in enumerate(neighborhoods):
            prediction = sum((b * to_mp(f[j]) for b, j in zip(beta[i], inside, strict=True)), mp.mpf(0))
            error += degree[i] * (to_mp(f[i]) - prediction) ** 2
        scores.append(error / spread if spread else mp.inf)
    return to_floats(scores)


def lkr(X, k=10, bandwidth="median", ridge=0.1):
    """Unsupervised LKR score (000 eqs. 5, 8, 12 to 16). Smaller is better.

    Phi = sum_i D_ii (f_i - sum_{j in N_i} beta_ij f_j)^2 / sum_i D_ii (f_i - mu)^2
    N_i: the k nearest of sample i; beta_i' = k_i'(K_i + lambda I)^(-1) with the kernel exp(-d^2 / h); D:
    degrees of the either-neighbor graph with the same kernel; mu: degree-weighted mean. "median": median
    squared distance to N_i.
    """
    indices, _ = neighbors(X, k)
    distances = squared_distances(X)
    h = positive_bandwidth(bandwidth, [distances[i][j] for i, inside in enumerate(indices) for j in inside])
    degree = degrees(knn_graph(X, k, "heat", h))
    return _scores(X, indices, h, ridge, degree)


def lkr_supervised(X, y, bandwidth="median", ridge=0.1):
    """Supervised LKR score (000 eqs. 6, 8, 12 to 16). Smaller is better.

    As `lkr` with N_i = the other samples of the class of i and D = I (the degrees of the class graph).
    "median": over ordered pairs i != j of the same class.
    """
    _, members = class_members(y)
    distances = squared_distances(X)
    pairs = [distances[i][j] for inside in members for i in inside for j in inside if i != j]
    h = positive_bandwidth(bandwidth, pairs)
    n = len(distances)
    neighborhoods = [[j for inside in members if i in inside for j in inside if j != i] for i in range(n)]
    return _scores(X, neighborhoods, h, ridge, [mp.mpf(1)] * n)
