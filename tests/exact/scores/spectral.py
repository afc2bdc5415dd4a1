"""Laplacian score, SPEC, the graph-preserving form and the constraint score."""

from fractions import Fraction

from .exact import columns_of, is_constant, mp, mp_matrix, rows_of, to_floats, to_fraction, to_mp
from .graphs import degrees


def pair_energy(f, W):
    """Return f'(D - W)f = sum over i < j of w_ij (f_i - f_j)^2 for exact f and symmetric W."""
    n = len(f)
    terms = (W[i][j] * to_mp(f[i] - f[j]) ** 2 for j in range(n) for i in range(j))
    return sum(terms, mp.mpf(0))


def weighted_spread(f, degree):
    """Return sum_i D_ii (f_i - mu)^2 with mu = sum_i D_ii f_i / sum_i D_ii (000 eqs. 14 and 15).

    The value is exactly zero if f is constant over the samples with positive degree.
    """
    support = [i for i, weight in enumerate(degree) if weight != 0]
    if not support or is_constant([f[i] for i in support]):
        return mp.mpf(0)
    shifted = [to_mp(f[i] - f[support[0]]) for i in support]
    weights = [degree[i] for i in support]
    center = sum(w * v for w, v in zip(weights, shifted, strict=True)) / sum(weights)
    return sum(w * (v - center) ** 2 for w, v in zip(weights, shifted, strict=True))


def laplacian_values(X, W):
    """Return the Laplacian scores as `mp` numbers (see `laplacian`)."""
    W = mp_matrix(W)
    degree = degrees(W)
    scores = []
    for f in columns_of(X):
        spread = weighted_spread(f, degree)
        scores.append(pair_energy(f, W) / spread if spread else mp.inf)
    return scores


def laplacian(X, W):
    """Laplacian score (001 step 3; 004 eq. 3 with the weighted mean of 000). Smaller is better.

    L_r = g'(D - W)g / g'Dg,  g = f - (f'D1 / 1'D1) 1
    """
    return to_floats(laplacian_values(X, W))


def spec(X, W, kind, n_components=None):
    """SPEC scores of Zhao and Liu (002 eq. 1), LL = normalized Laplacian, h = D^(1/2) f / ||D^(1/2) f||.

    kind 1: h'LLh (smaller is better)
    kind 2: h'LLh / (1 - (h'xi_1)^2) (smaller is better)
    kind 3: sum over j = 2 .. k of (2 - lambda_j) (h'xi_j)^2 (larger is better), k = n_components

    1 - (h'xi_1)^2 is evaluated as weighted_spread(f) / f'Df, the same number without cancellation.
    """
    if kind not in (1, 2, 3):
        raise ValueError(f"kind must be 1, 2 or 3; got {kind}")
    W = mp_matrix(W)
    degree = degrees(W)
    pairs = _nontrivial_eigenpairs(W, degree, n_components) if kind == 3 else None
    scores = []
    for f in columns_of(X):
        if not weighted_spread(f, degree):
            scores.append(mp.mpf(0) if kind == 3 else mp.inf)
            continue
        h = [mp.sqrt(weight) * to_mp(v) for weight, v in zip(degree, f, strict=True)]
        squared_norm = sum(v * v for v in h)
        energy = pair_energy(f, W) / squared_norm
        if kind == 1:
            scores.append(energy)
        elif kind == 2:
            scores.append(energy / (weighted_spread(f, degree) / squared_norm))
        else:
            scores.append(sum((2 - value) * _dot(h, xi) ** 2 for value, xi in pairs) / squared_norm)
    return to_floats(scores)


def _dot(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), mp.mpf(0))


def normalized_laplacian(W, degree):
    """Return I - D^(-1/2) W D^(-1/2) as rows of `mp` numbers."""
    if any(weight == 0 for weight in degree):
        raise ValueError("every sample must have positive degree")
    n = len(W)
    root = [mp.sqrt(weight) for weight in degree]
    return [[mp.mpf(i == j) - W[i][j] / (root[i] * root[j]) for j in range(n)] for i in range(n)]


def trivial_eigenvector(degree):
    """Return D^(1/2) 1 with unit norm: the eigenvector of the normalized Laplacian with eigenvalue 0."""
    total = sum(degree)
    return [mp.sqrt(weight / total) for weight in degree]


def deflated_eigenpairs(W, degree):
    """Return (lambda_j, xi_j), j = 2 .. n, of the normalized Laplacian in increasing order of lambda.

    The trivial eigenvector is moved from eigenvalue 0 to 4, beyond the largest possible value 2, and left
    out.
    """
    n = len(W)
    L, first = normalized_laplacian(W, degree), trivial_eigenvector(degree)
    deflated = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            deflated[i, j] = L[i][j] + 4 * first[i] * first[j]
    values, vectors = mp.eigsy(deflated)
    order = sorted(range(n), key=lambda j: values[j])[: n - 1]
    return [(values[j], [vectors[i, j] for i in range(n)]) for j in order]


def _nontrivial_eigenpairs(W, degree, n_components):
    pairs = deflated_eigenpairs(W, degree)
    if n_components is None:
        return pairs
    count = n_components - 1
    if 0 < count < len(pairs) and pairs[count][0] - pairs[count - 1][0] < mp.mpf(10) ** -40:
        raise ValueError("eigenvalue n_components is not separated from the next one")
    return pairs[:count]


def quadratic_form(f, matrix):
    """Return f'Mf exactly for Fractions."""
    n = len(f)
    return sum((f[i] * sum(matrix[i][j] * f[j] for j in range(n)) for i in range(n)), Fraction(0))


def graph_preserving(X, A, B, kind="ratio", weight=0.1):
    """Graph-preserving form (004 eqs. 9 and 10).

    "ratio": f'Af / f'Bf;  "difference": f'Af - weight f'Bf
    """
    if kind not in ("ratio", "difference"):
        raise ValueError(f'kind must be "ratio" or "difference"; got {kind!r}')
    A, B = rows_of(A), rows_of(B)
    scores = []
    for f in columns_of(X):
        energy, spread = quadratic_form(f, A), quadratic_form(f, B)
        if kind == "difference":
            scores.append(energy - to_fraction(weight) * spread)
        else:
            scores.append(mp.inf if is_constant(f) or spread == 0 else energy / spread)
    return to_floats(scores)


def constraint(X, must, cannot, kind="ratio", weight=0.1):
    """Constraint score (004 eqs. 5 and 6). Smaller is better.

    "ratio": sum_M (f_i - f_j)^2 / sum_C (f_i - f_j)^2;  "difference": sum_M (...) - weight sum_C (...)
    """
    if kind not in ("ratio", "difference"):
        raise ValueError(f'kind must be "ratio" or "difference"; got {kind!r}')
    must, cannot = ({(min(i, j), max(i, j)) for i, j in pairs} for pairs in (must, cannot))
    scores = []
    for f in columns_of(X):
        near = sum(((f[i] - f[j]) ** 2 for i, j in must), Fraction(0))
        far = sum(((f[i] - f[j]) ** 2 for i, j in cannot), Fraction(0))
        if kind == "difference":
            scores.append(near - to_fraction(weight) * far)
        else:
            scores.append(near / far if far != 0 else mp.inf)
    return to_floats(scores)
