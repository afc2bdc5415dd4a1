"""Scores that predict a feature at a sample from other samples: LKR, LLE, Algorithm 1, sparsity."""

import numpy as np

from .graphs import class_bandwidth, knn, knn_graph, neighbor_bandwidth
from .scores import columns, ratio, variance, weighted_spread


def kernel(a, b, h):
    """exp(-||a - b||^2 / h) (000, sec. 5)."""
    return np.exp(-np.sum((a - b) ** 2) / h)


def kernel_ridge_weights(X, i, neighbors, h, ridge):
    """beta_i of 000 eq. 8 and 10: k'(K + ridge I)^-1, zero outside the neighborhood."""
    beta = np.zeros(len(X))
    if len(neighbors):
        K = np.array([[kernel(X[p], X[q], h) for q in neighbors] for p in neighbors])
        k = np.array([kernel(X[i], X[j], h) for j in neighbors])
        beta[list(neighbors)] = np.linalg.solve(K + ridge * np.eye(len(neighbors)), k)
    return beta


@columns
def prediction_score(f, B, degree):
    """sum_i D_ii (f_i - sum_j B_ij f_j)^2 / weighted spread (000 eq. 16)."""
    n = len(f)
    errors = [degree[i] * (f[i] - np.sum(B[i] * f)) ** 2 for i in range(n)]
    return ratio(np.sum(errors), weighted_spread(f, degree))


def lkr(X, k=10, bandwidth="median", ridge=0.1):
    """Unsupervised LKR score (000 eq. 16): N_i directed, D from the symmetric graph."""
    h = neighbor_bandwidth(X, k, bandwidth)
    neighbors = knn(X, k)[0]
    B = np.array([kernel_ridge_weights(X, i, neighbors[i], h, ridge) for i in range(len(X))])
    degree = np.sum(knn_graph(X, k, "heat", h), axis=1)
    return prediction_score(X, B, degree)


def lkr_supervised(X, y, bandwidth="median", ridge=0.1):
    """Supervised LKR score (000 eq. 16): N_i the rest of the class, D = I."""
    n = len(X)
    h = class_bandwidth(X, y, bandwidth)
    rest = [[j for j in range(n) if j != i and y[j] == y[i]] for i in range(n)]
    B = np.array([kernel_ridge_weights(X, i, rest[i], h, ridge) for i in range(n)])
    return prediction_score(X, B, np.ones(n))


def constrained_weights(Z, reg):
    """Minimize ||sum_j m_j z_j||^2 + reg sum m^2 with sum m = 1, of minimum norm (004 eq. 11, 13).

    m = 1/K + Q t, the columns of Q an orthonormal basis of the vectors that sum to 0; then
    ||m||^2 = 1/K + ||t||^2, so the smallest t gives the smallest m.
    """
    K = len(Z)
    Q = np.linalg.qr(np.column_stack([np.ones(K), np.eye(K)]))[0][:, 1:]
    center = np.mean(Z, axis=0)
    if reg == 0:
        # singular values of the size of rounding errors in Z'Q count as zero, even if there are no others
        largest = np.linalg.norm(Z.T @ Q, 2) if K > 1 else 0.0
        noise = max(Z.shape) * np.finfo(float).eps * np.linalg.norm(Z)
        t = np.zeros(K - 1)
        if largest > noise:
            t = np.linalg.lstsq(Z.T @ Q, -center, rcond=noise / largest)[0]
    else:
        tall = np.vstack([Z.T @ Q, np.sqrt(reg) * np.eye(K - 1)])
        t = np.linalg.lstsq(tall, np.concatenate([-center, np.zeros(K - 1)]), rcond=0)[0]
    return 1 / K + Q @ t


def kkt_weights(Z, reg):
    """The same minimizer from the stationarity equations; needs reg > 0 or independent rows."""
    K = len(Z)
    system = np.zeros((K + 1, K + 1))
    system[:K, :K] = 2 * (Z @ Z.T + reg * np.eye(K))
    system[:K, K] = 1.0
    system[K, :K] = 1.0
    right = np.zeros(K + 1)
    right[K] = 1.0
    return np.linalg.solve(system, right)[:K]


def closed_form_weights(z, gamma):
    """m_j = 1/K - zbar (z_j - zbar) / (gamma + V), the 1-D solution of 004 eq. 13; 1/K if V = 0."""
    centered = z - np.mean(z)
    V = np.sum(centered**2)
    return 1 / len(z) - np.mean(z) * centered / (gamma + V) if V > 0 else np.full(len(z), 1 / len(z))


def barycenter_weights(X, k, reg=0.0):
    """M of 004 eq. 11: rows sum to 1, zero outside the k nearest neighbors."""
    M = np.zeros((len(X), len(X)))
    neighbors = knn(X, k)[0]
    for i in range(len(X)):
        M[i, neighbors[i]] = constrained_weights(X[i] - X[neighbors[i]], reg)
    return M


@columns
def reconstruction_error(f, M):
    """sum_i (f_i - sum_j m_ij f_j)^2 (004 eq. 12)."""
    return np.sum([(f[i] - np.sum(M[i] * f)) ** 2 for i in range(len(f))])


def over_variance(error, X, normalize):
    """error / population variance, or the error itself."""
    if not normalize:
        return error
    return np.array([ratio(e, v) for e, v in zip(error, variance(X), strict=True)])


def lle_reconstruction(X, k=5, reg=0.0, normalize=True):
    """Algorithm 1 of 004: eq. 12, divided by the variance of the feature if normalize."""
    return over_variance(reconstruction_error(X, barycenter_weights(X, k, reg)), X, normalize)


def feature_weights(f, k, reg, rng=None):
    """Mhat of 004 eq. 13 for one feature; ties are resolved by index, or at random if rng is passed."""
    n = len(f)
    Mhat = np.zeros((n, n))
    for i in range(n):
        tie = np.arange(n) if rng is None else rng.permutation(n)
        others = sorted((abs(f[i] - f[j]), tie[j], j) for j in range(n) if j != i)
        nearest = [j for _, _, j in others[:k]]
        Mhat[i, nearest] = constrained_weights((f[i] - f[nearest])[:, None], reg)
    return Mhat


def lle_random_ties(X, M, k=5, reg=1e-5, rng=None):
    """||M - Mhat_r||_F^2 (004 eq. 14) for a given M, with random ties in one dimension."""
    return np.array([np.sum((M - feature_weights(f, k, reg, rng)) ** 2) for f in X.T])


def lle(X, k=5, reg=1e-5):
    """LLE score of 004 eq. 14: M unregularized of minimum norm, Mhat by eq. 13."""
    return lle_random_ties(X, barycenter_weights(X, k), k, reg)


def lasso(target, dictionary, penalty, tolerance=1e-12, max_sweeps=200_000):
    """Minimize 1/(2d) ||target - dictionary' s||^2 + penalty ||s||_1 by cyclic coordinate descent."""
    d = len(target)
    s = np.zeros(len(dictionary))
    residual = target.astype(float).copy()
    curvature = np.array([np.sum(row**2) / d for row in dictionary])
    for _ in range(max_sweeps):
        largest = 0.0
        for j in range(len(dictionary)):
            if curvature[j] == 0:
                continue
            pull = np.sum(dictionary[j] * residual) / d + curvature[j] * s[j]
            new = np.sign(pull) * max(abs(pull) - penalty, 0.0) / curvature[j]
            residual -= (new - s[j]) * dictionary[j]
            largest = max(largest, abs(new - s[j]) * np.sqrt(curvature[j]))
            s[j] = new
        if largest <= tolerance * np.sqrt(np.sum(target**2) / d):
            return s
    raise RuntimeError(f"coordinate descent did not reach {tolerance} in {max_sweeps} sweeps")


def sparsity_weights(X, n_neighbors=None, alpha=0.05):
    """S in the l1-penalized form of 004 eq. 7 on centered samples; a_i = alpha max_j |x_j . x_i| / d."""
    n, d = X.shape
    Xc = X - np.mean(X, axis=0)
    S = np.zeros((n, n))
    near = None if n_neighbors is None else knn(X, n_neighbors)[0]
    for i in range(n):
        allowed = [j for j in range(n) if j != i] if near is None else list(near[i])
        penalty = alpha * max(abs(np.sum(Xc[j] * Xc[i])) for j in allowed) / d
        S[i, allowed] = lasso(Xc[i], Xc[allowed], penalty)
    return S


def sparsity(X, n_neighbors=None, alpha=0.05, normalize=True):
    """SS = sum_i (f_i - sum_j s_ij f_j)^2 / variance, features centered (004 eq. 8)."""
    S = sparsity_weights(X, n_neighbors, alpha)
    return over_variance(reconstruction_error(X - np.mean(X, axis=0), S), X, normalize)
