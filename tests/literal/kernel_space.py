"""Bases and selection in kernel space (003), on the full kernel matrix, one equation at a time.

K is the kernel matrix of the training samples, N x N. A basis is a matrix A of coefficients, one column
per base vector: w_i = sum_j A[j, i] phi(x_j) (003 eq. 2). C holds k(x, x_j), one row per new sample.
"""

import numpy as np

EPS = np.finfo(float).eps


def kobl(K, f=lambda t: t, n_components=None):
    """Algorithm 1: pivots, r_kk and the coefficients of the orthonormal base vectors.

    Eq. 13 is used with the normalised coefficient, r_kj = w_k' phi(x_j). Ties go to the smallest index;
    squares that differ by 1e-12 r_11^2 and by a millionth of the largest at most are equal to rounding. A
    residual that rounding alone can explain, r_kk^2 <= N eps r_11^2, ends the basis whatever f says.
    """
    N = len(K)
    limit = N if n_components is None else n_components
    alpha = np.eye(N)  # row j is alpha_j^(0) = e_j
    pivots, residuals, basis = [], [], []
    first = np.max(np.diag(K))  # r_11^2
    learned = np.zeros(N)  # sum over the basis of (w' phi(x_i))^2
    while len(basis) < limit:
        squares = np.diag(K) - learned  # eq. 10
        squares[pivots] = -np.inf
        largest = np.max(squares)
        if largest <= N * EPS * first:
            break
        j = int(np.flatnonzero(squares >= largest - min(1e-12 * first, 1e-6 * largest))[0])  # eq. 5
        r = np.sqrt(squares[j])  # eq. 6
        if r / np.sqrt(first) < f(len(basis) / N):  # eq. 20, 21
            break
        w = alpha[j] / np.sqrt(alpha[j] @ K @ alpha[j])  # eq. 12
        pivots.append(j)
        residuals.append(r)
        basis.append(w)
        alpha = alpha - np.outer(w @ K, w)  # eq. 13, corrected; the rows already used play no part
        learned = learned + (w @ K) ** 2
    A = np.array(basis).T.reshape(N, len(basis))
    return np.array(pivots, dtype=int), np.array(residuals), A


def kgs(K, n_components=None):
    """Gram-Schmidt over the samples in the order given, none left out for being small (003 section 3.1.3).

    A sample inside the span of those before it, to rounding, has no direction left and is passed over.
    """
    N = len(K)
    limit = N if n_components is None else n_components
    pivots, residuals, basis = [], [], []
    for j in range(N):
        if len(basis) == limit:
            break
        alpha = np.eye(N)[j]
        for w in basis:
            alpha = alpha - w * (w @ K @ alpha)
        square = alpha @ K @ alpha
        if square <= N * EPS * np.max(np.diag(K)):
            continue
        pivots.append(j)
        residuals.append(np.sqrt(square))
        basis.append(alpha / np.sqrt(square))
    A = np.array(basis).T.reshape(N, len(basis))
    return np.array(pivots, dtype=int), np.array(residuals), A


def features(C, A):
    """phi_i(x) = sum_j A[j, i] k(x_j, x) (eq. 2 and 22)."""
    return C @ A


def reconstruction_cost(K, A, C=None, diagonal=None):
    """E(M) = mean_j ||phi(x_j) - its projection on span{w_1..w_d}|| (eq. 19), of new samples with C.

    For orthonormal w this is sqrt(k(x, x) - sum_i (w_i' phi(x))^2); otherwise the Gram matrix of the w
    stands between.
    """
    C = K if C is None else C
    diagonal = np.diag(K) if diagonal is None else diagonal
    gram = np.linalg.pinv(A.T @ K @ A, rcond=1e-12, hermitian=True)
    total = 0.0
    for j in range(len(C)):
        onto = A.T @ C[j]
        total += np.sqrt(max(diagonal[j] - onto @ gram @ onto, 0.0))
    return total / len(C)


def centring(N):
    """H = I - 11'/N."""
    return np.eye(N) - np.ones((N, N)) / N


def centred(C, K):
    """<phi(x) - m, phi(x_j) - m> with m the mean of the training samples."""
    return C - np.mean(C, axis=1)[:, None] - np.mean(K, axis=0)[None, :] + np.mean(K)


def kpca(K, n_components):
    """Coefficients of the unit principal directions, largest first: w = sum_j a_j (phi(x_j) - m)."""
    H = centring(len(K))
    values, vectors = np.linalg.eigh(H @ K @ H)
    top = np.argsort(-values, kind="stable")[:n_components]
    return values[top], H @ vectors[:, top] / np.sqrt(values[top])


def scatters(Phi, y):
    """S_B = sum_c n_c (m_c - m)(m_c - m)' and S_W = sum_c sum_i (phi_i - m_c)(phi_i - m_c)'."""
    mean = np.mean(Phi, axis=0)
    between = np.zeros((Phi.shape[1], Phi.shape[1]))
    within = np.zeros_like(between)
    for label in np.unique(y):
        inside = Phi[y == label]
        m = np.mean(inside, axis=0)
        between += len(inside) * np.outer(m - mean, m - mean)
        for phi in inside:
            within += np.outer(phi - m, phi - m)
    return between, within


def leading(top, bottom, y, n_components=None):
    """Directions of the largest top/bottom, at most one less than there are classes."""
    limit = len(np.unique(y)) - 1
    keep = limit if n_components is None else min(limit, n_components)
    # a kernel matrix is seldom of full rank: look where bottom is not zero, as w cannot be elsewhere
    scale, axes = np.linalg.eigh(bottom)
    axes = axes[:, scale > 1e-12 * scale[-1]] / np.sqrt(scale[scale > 1e-12 * scale[-1]])
    _, vectors = np.linalg.eigh(axes.T @ top @ axes)
    return axes @ vectors[:, ::-1][:, :keep]


def kda_explicit(Phi, y, reg, n_components=None):
    """Max w'S_B w / w'(S_W + reg I)w in the feature space itself."""
    between, within = scatters(Phi, y)
    return leading(between, within + reg * np.eye(len(within)), y, n_components)


def gda_explicit(Phi, y, reg, n_components=None):
    """Max w'S_B w / w'(S_T + reg I)w, S_T = S_B + S_W, in the feature space itself."""
    between, within = scatters(Phi, y)
    return leading(between, between + within + reg * np.eye(len(within)), y, n_components)


def kernel_scatters(K, y):
    """M = sum_c n_c (m_c - m)(m_c - m)' of the columns of K, and N = sum_c K_c (I - 1/n_c) K_c'.

    With w = sum_j a_j phi(x_j): w'S_B w = a'Ma and w'S_W w = a'Na.
    """
    N = len(K)
    mean = np.mean(K, axis=1)
    M, within = np.zeros((N, N)), np.zeros((N, N))
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        Kc = K[:, members]
        m = np.mean(Kc, axis=1)
        M += len(members) * np.outer(m - mean, m - mean)
        within += Kc @ centring(len(members)) @ Kc.T
    return M, within


def kda(K, y, reg, n_components=None, penalty="coefficients"):
    """Coefficients a that maximise a'Ma / a'(N + reg P)a.

    P = I penalises the coefficients (as [22] prints it), P = K the direction: w'w = a'Ka.
    """
    M, within = kernel_scatters(K, y)
    P = np.eye(len(K)) if penalty == "coefficients" else K
    return leading(M, within + reg * P, y, n_components)


def kda_two(K, y, reg, penalty="coefficients"):
    """The closed form for two classes: a = (N + reg P)^-1 (m_2 - m_1)."""
    _, within = kernel_scatters(K, y)
    first, second = np.unique(y)
    P = np.eye(len(K)) if penalty == "coefficients" else K
    difference = np.mean(K[:, y == second], axis=1) - np.mean(K[:, y == first], axis=1)
    return np.linalg.solve(within + reg * P, difference)


def gda(K, y, reg, n_components=None, penalty="coefficients"):
    """Max a'Kc W Kc a / a'(Kc Kc + reg P)a over the centred samples, W_ij = 1/n_c inside a class [1]."""
    N = len(K)
    H = centring(N)
    Kc = H @ K @ H
    W = sum(np.outer(y == c, y == c) / np.sum(y == c) for c in np.unique(y))
    P = np.eye(N) if penalty == "coefficients" else Kc
    return leading(Kc @ W @ Kc, Kc @ Kc + reg * P, y, n_components)


def weak_votes(f, y):
    """One row per sample, 1 at the class that least squares with a bias on the one feature f gives it.

    Two classes: the sign of the fit to -1 and +1. More: the class whose one-against-rest fit is largest.
    Where fits are equal, to rounding, there is no vote.
    """
    labels = np.unique(y)
    design = np.column_stack([f, np.ones(len(f))])
    fits = np.zeros((len(f), len(labels)))
    for c, label in enumerate(labels):
        target = np.where(y == label, 1.0, -1.0)
        fits[:, c] = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    votes = np.zeros(fits.shape)
    for j in range(len(f)):
        best = np.flatnonzero(fits[j] >= np.max(fits[j]) - 1e-12)
        if len(best) == 1:
            votes[j, best[0]] = 1
    return votes


def wrong(votes, y):
    """b_i: 0 or 1 as most votes are for its class or another, 1 - 1/m if m classes share most."""
    most = np.max(votes, axis=1)
    sharing = np.sum(votes == most[:, None], axis=1)
    own = np.array([votes[j, c] for j, c in enumerate(np.unique(y, return_inverse=True)[1])])
    return np.where(own == most, 1 - 1 / sharing, 1.0)


def kffs(F, y):
    """Algorithm 2 on the kernel-space features F (N x d): the order of choosing, and gamma of each feature.

    The table V holds the classes that the weak classifiers give, v counts votes, and the ensemble gives the
    class with most of them, one at random among equals: an error and b_i are its expectation. A feature is
    chosen once; the smallest index wins among equal errors; the error is kept within 1/(2N) of 0 and 1.

    With C classes a guess errs with rate 1 - 1/C, so eq. 23 and step 14 carry the factor C - 1:
    gamma = log((C - 1)(1 - e)/e), and the weight of a sample classified correctly is divided by
    (C - 1)(1 - e)/e. For two classes that is what is printed.
    """
    N, d = F.shape
    V = [weak_votes(F[:, i], y) for i in range(d)]
    v = np.zeros(V[0].shape)
    c = np.ones(N)
    gamma = np.zeros(d)
    order = []
    for _ in range(d):
        c = c / np.sum(c)  # step 7
        errors = [np.sum(c * wrong(v + V[i], y)) if i not in order else np.inf for i in range(d)]  # step 10
        k = int(np.flatnonzero(errors <= min(errors) + 1e-12)[0])  # step 12
        v = v + V[k]  # step 13
        e = min(max(errors[k], 1 / (2 * N)), 1 - 1 / (2 * N))
        odds = (len(np.unique(y)) - 1) * (1 - e) / e
        c = c * (1 / odds) ** (1 - wrong(v, y))  # step 14
        gamma[k] = np.log(odds) if abs(odds - 1) > 1e-12 else 0.0  # eq. 23
        order.append(k)
    return np.array(order), gamma


def relief(F, y, scaled=False, power=2):
    """Mean over all samples of (f(x) - f(nearest miss))^2 - (f(x) - f(nearest hit))^2 (Kira and Rendell).

    The nearest are so in kernel space, by the distance of all coordinates, which share a unit: dividing
    each by its range, as ReliefF does (scaled, power 1), would raise directions that hold nothing. With
    several classes every other class gives its nearest miss, weighted by its share P(c)/(1 - P(class of
    x)). Ties go to the smallest index.
    """
    N, d = F.shape
    span = np.max(F, axis=0) - np.min(F, axis=0)
    span = np.where(span > 0, span, 1.0) if scaled else np.ones(d)
    G = F / span
    weights = np.zeros(d)
    for i in range(N):
        distance = np.array([np.sum(np.abs(G[i] - G[j]) ** power) for j in range(N)])
        for label in np.unique(y):
            members = [j for j in range(N) if y[j] == label and j != i]
            if not members:
                continue
            nearest = min(members, key=lambda j: (distance[j], j))
            difference = np.abs(G[i] - G[nearest]) ** power
            if label == y[i]:
                weights -= difference / N
            else:
                weights += np.mean(y == label) / (1 - np.mean(y == y[i])) * difference / N
    return weights


def knnc(K, y, C, diagonal, n_neighbors=1):
    """Label of most of the nearest by k(x,x) - 2k(x,z) + k(z,z).

    Equal distances go to the smallest index, equal votes to the label of the nearest of those equal.
    """
    found = []
    for i in range(len(C)):
        distance = [diagonal[i] - 2 * C[i, j] + K[j, j] for j in range(len(K))]
        nearest = [y[j] for j in sorted(range(len(K)), key=lambda j: (distance[j], j))[:n_neighbors]]
        found.append(max(nearest, key=nearest.count))  # the first of several
    return np.array(found)


def influence(transform, X, weights, step=1e-5):
    """s_j sqrt(mean_i sum_m omega_m (d phi_m / d x_j)^2) at the samples, by central differences.

    s_j is the standard deviation of feature j, and omega are the weights over their sum.
    """
    found = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        move = np.zeros(X.shape[1])
        move[j] = step
        slope = (transform(X + move) - transform(X - move)) / (2 * step)
        found[j] = np.std(X[:, j]) * np.sqrt(np.mean(slope**2 @ weights) / np.sum(weights))
    return found
