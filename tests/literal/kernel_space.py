"""Bases and selection in kernel space (003), on the full kernel matrix, one equation at a time.

K is the kernel matrix of the training samples, N x N. A basis is a matrix A of coefficients, one column
per base vector: w_i = sum_j A[j, i] phi(x_j) (003 eq. 2). C holds k(x, x_j), one row per new sample.
"""

import numpy as np

EPS = np.finfo(float).eps


def kobl(K, f=lambda t: t, n_components=None):
    """Algorithm 1: pivots, r_kk and the coefficients of the orthonormal base vectors.

    Eq. 13 is used with the normalised coefficient, r_kj = w_k' phi(x_j). Ties go to the smallest index.
    A residual that rounding alone can explain, r_kk^2 <= N eps r_11^2, ends the basis whatever f says.
    """
    N = len(K)
    limit = N if n_components is None else n_components
    alpha = np.eye(N)  # row j is alpha_j^(0) = e_j
    pivots, residuals, basis = [], [], []
    learned = np.zeros(N)  # sum over the basis of (w' phi(x_i))^2
    while len(basis) < limit:
        squares = np.diag(K) - learned  # eq. 10
        squares[pivots] = -np.inf
        j = int(np.argmax(squares))  # eq. 5
        first = squares[j] if not pivots else first
        if squares[j] <= N * EPS * first:
            break
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
    N = len(K)
    out = np.zeros(C.shape)
    for i in range(len(C)):
        for j in range(N):
            out[i, j] = C[i, j] - np.mean(C[i]) - np.mean(K[:, j]) + np.mean(K)
    return out


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
    values, vectors = np.linalg.eigh(axes.T @ top @ axes)
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
    """Coefficients over the centred samples: max a'Kc W Kc a / a'(Kc Kc + reg P)a, W_ij = 1/n_c in a class."""
    N = len(K)
    H = centring(N)
    Kc = H @ K @ H
    W = np.array([[(y[i] == y[j]) / np.sum(y == y[i]) for j in range(N)] for i in range(N)])
    P = np.eye(N) if penalty == "coefficients" else Kc
    return leading(Kc @ W @ Kc, Kc @ Kc + reg * P, y, n_components)


def weak_classifier(f, y):
    """Label that least squares with a bias on the one feature f gives each sample; ties to the first label.

    Two classes: the sign of the fit to -1 and +1. More: the class whose one-against-rest fit is largest.
    """
    labels = np.unique(y)
    design = np.column_stack([f, np.ones(len(f))])
    fits = []
    for label in labels:
        target = np.where(y == label, 1.0, -1.0)
        fits.append(design @ np.linalg.lstsq(design, target, rcond=None)[0])
    return labels[np.argmax(fits, axis=0)]


def kffs(F, y):
    """Algorithm 2 on the kernel-space features F (N x d): the order of choosing, and gamma of each feature.

    The table V holds the labels the weak classifiers give, v counts votes, and the ensemble gives the
    label with most votes (ties to the first). A feature is chosen once; the smallest index wins among
    equal errors; the error is kept within 1/(2N) of 0 and 1.

    With C classes a guess errs with rate 1 - 1/C, so eq. 23 and step 14 carry the factor C - 1:
    gamma = log((C - 1)(1 - e)/e), and the weight of a sample classified correctly is divided by
    (C - 1)(1 - e)/e. For two classes that is what is printed.
    """
    N, d = F.shape
    labels = np.unique(y)
    V = [weak_classifier(F[:, i], y) for i in range(d)]
    votes = np.zeros((N, len(labels)))
    c = np.ones(N)
    gamma = np.zeros(d)
    order = []
    for _ in range(d):
        c = c / np.sum(c)  # step 7
        best, best_error = None, np.inf
        for i in range(d):
            if i in order:
                continue
            ensemble = labels[np.argmax(votes + (V[i][:, None] == labels[None, :]), axis=1)]
            error = np.sum(c[ensemble != y])  # step 10
            if error < best_error - 1e-12:  # equal errors are equal however they were summed
                best, best_error, wrong = i, error, ensemble != y
        votes = votes + (V[best][:, None] == labels[None, :])  # step 13
        e = min(max(best_error, 1 / (2 * N)), 1 - 1 / (2 * N))
        odds = (len(labels) - 1) * (1 - e) / e
        c = np.where(wrong, c, c / odds)  # step 14
        gamma[best] = np.log(odds)  # eq. 23
        order.append(best)
    return np.array(order), gamma


def relief(F, y, scaled=True, power=1):
    """Mean over all samples of |f(x) - f(nearest miss)| - |f(x) - f(nearest hit)| (Kira and Rendell).

    Differences are divided by the feature's range; with several classes every other class gives its
    nearest miss, weighted by its share P(c)/(1 - P(class of x)). Ties go to the smallest index.
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
    """Label of most of the nearest in ||phi(x) - phi(z)||^2 = k(x,x) - 2k(x,z) + k(z,z); ties to the smallest."""
    labels = np.unique(y)
    found = []
    for i in range(len(C)):
        distance = [diagonal[i] - 2 * C[i, j] + K[j, j] for j in range(len(K))]
        nearest = sorted(range(len(K)), key=lambda j: (distance[j], j))[:n_neighbors]
        votes = [sum(y[j] == label for j in nearest) for label in labels]
        found.append(labels[int(np.argmax(votes))])
    return np.array(found)
