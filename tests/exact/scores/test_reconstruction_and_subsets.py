"""Self-tests of the reconstruction scores and of the subset oracles: hand-computed cases and identities."""

from fractions import Fraction
from itertools import pairwise, permutations
from math import inf

import numpy as np
import pytest

from . import (
    barycenter_weights,
    iterative,
    knn_graph,
    laplacian,
    laplacian_matrix,
    leave_one_out,
    lle,
    lle_reconstruction,
    loo_accuracies,
    mcfs,
    neighbors,
    rbf_graph,
    sparsity,
    spfs_forward,
    spfs_gap,
    to_floats,
    trace_ratio,
    variance,
)
from .barycenter import affine_weights
from .exact import mp, to_fraction, to_mp
from .mcfs import embedding, lasso_path, sparse_coefficients
from .sparsity import lasso

CLOSE = {"rtol": 1e-14, "atol": 0}


def sample(n=14, d=5, seed=0):
    """Return random data in which the first feature follows the sample index."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] += np.arange(n) / 3
    return X


def tied_sample(n=14, seed=3):
    """Return data with ties in single features but no ties in the full space."""
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 2, n), rng.integers(0, 5, n), np.full(n, 4), rng.normal(size=n)]
    X = np.column_stack(values).astype(float)
    assert not neighbors(X, 5)[1]
    return X


def test_barycenter_weights_by_hand():
    assert barycenter_weights([[0.0], [-1.0], [1.0]], [[1, 2], [0, 2], [0, 1]])[0] == [Fraction(1, 2)] * 2
    # x = 0 from 1 and 3: m_1 + 3 m_2 = 0, m_1 + m_2 = 1.
    assert barycenter_weights([[0.0], [1.0], [3.0]], [[1, 2]] * 3)[0] == [Fraction(3, 2), Fraction(-1, 2)]
    # Three neighbors in one dimension: the minimum norm solution of z'm = 0, 1'm = 1 with z = (-1, -2, -3).
    assert affine_weights([[Fraction(-z)] for z in (1, 2, 3)], 0) == [
        Fraction(4, 3),
        Fraction(1, 3),
        Fraction(-2, 3),
    ]
    assert affine_weights([[Fraction(0)]] * 4, 0) == [Fraction(1, 4)] * 4
    assert affine_weights([[Fraction(0)]] * 4, 1e-5) == [Fraction(1, 4)] * 4


@pytest.mark.parametrize("reg", [0, 1e-5, 0.5])
def test_one_dimensional_weights_have_the_closed_form(reg):
    z = [to_fraction(v) for v in np.random.default_rng(0).normal(size=5)]
    center = sum(z) / 5
    V = sum((v - center) ** 2 for v in z)
    expected = [Fraction(1, 5) - center * (v - center) / (to_fraction(reg) + V) for v in z]
    assert affine_weights([[v] for v in z], reg) == expected


@pytest.mark.parametrize("d", [2, 3, 8])
def test_barycenter_weights_solve_the_least_squares_problem(d):
    X = sample(12, d)
    indices, _ = neighbors(X, 5)
    for i, m in enumerate(barycenter_weights(X, indices)):
        assert sum(m) == 1
        Z = X[i] - X[indices[i]]
        # m = 1/K + P u with P the projection orthogonal to 1; the minimum-norm u minimizes ||Z'(1/K + P u)||.
        P = np.eye(5) - 0.2
        u = np.linalg.lstsq(Z.T @ P, -Z.T @ np.full(5, 0.2), rcond=1e-10)[0]
        np.testing.assert_allclose(to_floats(m), 0.2 + P @ u, rtol=1e-8, atol=1e-9)


def test_lle_reconstruction_identities():
    X = sample(12, 6)
    X[:, 5] = 2.0
    raw = lle_reconstruction(X, 4, normalize=False)
    scores = lle_reconstruction(X, 4)
    assert (raw[5], scores[5]) == (0, inf)
    np.testing.assert_allclose(scores[:5], raw[:5] / variance(X)[:5], **CLOSE)
    indices, _ = neighbors(X, 4)
    M = np.zeros((12, 12))
    for i, m in enumerate(barycenter_weights(X, indices)):
        M[i, indices[i]] = to_floats(m)
    np.testing.assert_allclose(raw[:5], ((X - M @ X) ** 2).sum(axis=0)[:5], rtol=1e-9)
    shifted = lle_reconstruction(np.round(X * 64) + 2.0**27, 4)
    assert shifted.tolist() == lle_reconstruction(np.round(X * 64), 4).tolist()


def test_lle_is_zero_for_a_single_feature():
    X = sample(12, 1)
    assert lle(X, k=3, reg=0.0).tolist() == [0]


def test_lle_by_hand():
    # Feature 0 has the values 0, 0, 0, 1. With k = 1 all weights are 1. Feature 1 decides M.
    X = [[0.0, 0.0], [0.0, 1.0], [0.0, 5.0], [1.0, 7.0]]
    # M: 0 -> 1, 1 -> 0, 2 -> 3, 3 -> 2. In feature 0, rows 0, 1, 2 choose among two zeros, row 3 among three.
    # Rows 0 and 1: miss with probability 1/2, then the squared difference is 2. Row 2: always 2. Row 3: 2/3.
    scores = lle(X, k=1)
    assert scores[0] == pytest.approx(1 + 1 + 2 + 4 / 3, rel=1e-15)
    # Feature 1: neighbors 1, 0, 3, 2, all as in M.
    assert scores[1] == 0


def test_lle_enumeration_agrees_with_combinatorics():
    X = tied_sample()
    literal = lle(X, k=3, literal_choices=10**6)
    np.testing.assert_allclose(lle(X, k=3, literal_choices=0), literal, **CLOSE)
    np.testing.assert_allclose(lle(X, k=3), literal, **CLOSE)
    np.testing.assert_allclose(lle(X, k=5, literal_choices=0), lle(X, k=5, literal_choices=10**6), **CLOSE)


def test_lle_does_not_depend_on_the_order_of_samples():
    X = tied_sample()
    order = np.random.default_rng(5).permutation(len(X))
    np.testing.assert_allclose(lle(X[order]), lle(X), **CLOSE)


def test_lle_without_ties_is_the_frobenius_norm():
    X = sample(10, 3)
    M, Mhat = np.zeros((10, 10)), np.zeros((10, 10))
    indices, _ = neighbors(X, 3)
    for i, m in enumerate(barycenter_weights(X, indices)):
        M[i, indices[i]] = to_floats(m)
    indices, _ = neighbors(X[:, :1], 3)
    for i, m in enumerate(barycenter_weights(X[:, :1], indices, 1e-3)):
        Mhat[i, indices[i]] = to_floats(m)
    assert lle(X, k=3, reg=1e-3)[0] == pytest.approx(((M - Mhat) ** 2).sum(), rel=1e-12)


def test_lasso_by_hand():
    def f(*values):
        return [Fraction(v) for v in values]

    assert lasso([f(2, 0)], f(3, 1), Fraction(2)) == [1]
    assert lasso([f(2, 0)], f(3, 1), Fraction(7)) == [0]
    # Orthogonal vectors: soft thresholds.
    assert lasso([f(1, 0), f(0, 1)], f(3, -2), Fraction(1)) == [2, -1]
    # Equal vectors, and a dependent vector that is longer: the fit is unique.
    s = lasso([f(1), f(1), f(2)], f(3), Fraction(1))
    assert s[0] + s[1] + 2 * s[2] == Fraction(5, 2)
    s = lasso([f(1, 0), f(0, 1), f(3, 3)], f(2, 2), Fraction(1, 4))
    assert s[:2] == [0, 0]


def test_lasso_agrees_with_coordinate_descent():
    rng = np.random.default_rng(2)
    vectors, target = rng.normal(size=(12, 5)), rng.normal(size=5)
    for penalty in (0.01, 0.2, 1.0):
        exact = lasso(*[[[to_fraction(v) for v in row] for row in vectors]], [to_fraction(v) for v in target],
                      to_fraction(penalty))  # fmt: skip
        s = np.zeros(12)
        for _ in range(50000):
            for j in range(12):
                rho = vectors[j] @ (target - s @ vectors) + s[j] * (vectors[j] @ vectors[j])
                s[j] = np.sign(rho) * max(abs(rho) - penalty, 0) / (vectors[j] @ vectors[j])
            gradient = vectors @ (target - s @ vectors)
            if np.all(np.abs(gradient - penalty * np.sign(s))[s != 0] < 1e-12):
                break
        np.testing.assert_allclose(to_floats(exact) @ vectors, s @ vectors, atol=1e-9)


def test_sparsity_identities():
    X = np.round(sample(10, 4) * 64)
    X[:, 3] = 1.0
    scores, raw = sparsity(X), sparsity(X, normalize=False)
    assert (scores[3], raw[3]) == (inf, 0)
    np.testing.assert_allclose(scores[:3], raw[:3] / variance(X)[:3], **CLOSE)
    # Exact shifts and a common exact scale do not matter.
    assert sparsity(X * 2.0**-20 + 2.0**20).tolist() == scores.tolist()
    # A penalty as large as the largest product gives s = 0 and the score n.
    assert sparsity(X, alpha=1.0)[:3].tolist() == [10, 10, 10]
    assert np.all(sparsity(X, n_neighbors=9) == scores)
    # One candidate: a single soft threshold.
    centered = X - X.mean(axis=0)
    fit = [((1 - 0.25) * (x @ centered[j[0]]) / (centered[j[0]] @ centered[j[0]])) * centered[j[0]]
           for x, j in zip(centered, neighbors(X, 1)[0], strict=True)]  # fmt: skip
    expected = ((centered - fit) ** 2).sum(axis=0)[:3]
    np.testing.assert_allclose(sparsity(X, 1, alpha=0.25, normalize=False)[:3], expected, rtol=1e-12)


def test_iterative_with_all_features_is_one_ranking():
    X = sample(15, 5)
    order = np.argsort(laplacian(X, knn_graph(X, 5))).tolist()
    for readmit in (False, True):
        result = iterative(X, 5, readmit=readmit)
        assert result.order == order
        assert result.gap > 0
    # One round that discards as much as needed also leaves the first ranking.
    assert iterative(X, 1, step=4).order == order


def test_iterative_by_rounds():
    X = sample(15, 4)
    first = np.argsort(laplacian(X, knn_graph(X, 5)))
    kept = np.sort(first[:3])
    second = kept[np.argsort(laplacian(X[:, kept], knn_graph(X[:, kept], 5)))]
    assert iterative(X, 2).order == [*second.tolist(), first[3]]
    again = np.argsort(laplacian(X, knn_graph(X[:, kept], 5)))
    assert iterative(X, 2, readmit=True).order == again.tolist()
    assert iterative(X, 2, step=5).order == first.tolist()


def test_iterative_reports_ties():
    X = sample(15, 3)
    assert iterative(np.column_stack([X, X[:, 0]]), 1).gap < 1e-50
    constants = np.column_stack([X, np.ones(15), np.ones(15)])
    result = iterative(constants, 2)
    assert result.order[-2:] == [3, 4]
    assert result.gap > 1e-6


def test_trace_ratio_by_hand_and_by_iteration():
    X = [[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]]
    A, B = [[1, 0], [0, 1]], [[4, 0], [0, 1]]
    # Per feature: 4/1, 4/4. The third is constant.
    assert trace_ratio(X, A, B, 1)[:2] == ([0], 4.0)
    assert trace_ratio(X, A, B, 2)[:2] == ([0, 2], 4.0)
    X = sample(12, 6)
    A, B = laplacian_matrix(knn_graph(X, 3)), laplacian_matrix(rbf_graph(X, 5.0))
    a, b = (np.einsum("ir,ij,jr->r", X, to_floats(m), X) for m in (A, B))
    subset = [0, 1, 2]
    for _ in range(20):
        ratio = b[subset].sum() / a[subset].sum()
        subset = sorted(np.argsort(-(b - ratio * a))[:3])
    best = trace_ratio(X, A, B, 3)
    assert best.subset == subset
    assert best.ratio == pytest.approx(ratio, rel=1e-12)
    assert 0 < best.gap < 1


def test_spfs_by_hand():
    X = sample(8, 4)
    W = np.outer(X[:, 2], X[:, 2])
    assert spfs_forward(X, W, 1) == [2]
    W = to_floats(knn_graph(X, 3))
    chosen = []
    for _ in range(4):
        remaining = [r for r in range(4) if r not in chosen]
        costs = [np.linalg.norm(X[:, [*chosen, r]] @ X[:, [*chosen, r]].T - W) for r in remaining]
        chosen.append(remaining[int(np.argmin(costs))])
    assert spfs_forward(X, W, 4) == chosen
    assert spfs_gap(X, W, 4) > 1e-6


def test_embedding_solves_the_eigenproblem():
    X = sample(10, 3)
    W = rbf_graph(X, 5.0)
    L = laplacian_matrix(W)
    degree = [sum(row) for row in W]
    for y in embedding(W, 2):
        Ly = [sum(a * b for a, b in zip(row, y, strict=True)) for row in L]
        value = sum(a * b for a, b in zip(Ly, y, strict=True))
        assert abs(sum(w * v * v for w, v in zip(degree, y, strict=True)) - 1) < 1e-80
        assert abs(sum(w * v for w, v in zip(degree, y, strict=True))) < 1e-80
        assert max(abs(Ly[i] - value * degree[i] * y[i]) for i in range(10)) < 1e-80
    with pytest.raises(ValueError):
        embedding([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]], 1)


@pytest.mark.parametrize("seed", range(6))
def test_lasso_path_satisfies_the_optimality_conditions(seed):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(9, 6)) @ rng.normal(size=(6, 6))
    columns = [[to_mp(v) for v in f] for f in data.T * 10.0 ** rng.integers(-8, 8, size=(6, 1))]
    y = [to_mp(v) for v in rng.normal(size=9)]
    previous = mp.inf
    for lam, a, _ in lasso_path(columns, y):
        assert lam < previous
        previous = lam
        residual = [y[i] - sum(f[i] * c for f, c in zip(columns, a, strict=True)) for i in range(9)]
        for f, c in zip(columns, a, strict=True):
            product = sum(u * v for u, v in zip(f, residual, strict=True))
            size = sum(abs(u) for u in f)
            assert abs(product) <= lam + size * mp.mpf(10) ** -60
            if abs(c) > mp.mpf(10) ** -50:
                assert abs(product - lam * mp.sign(c)) < size * mp.mpf(10) ** -60
    assert lam == 0


@pytest.mark.parametrize("center", [False, True])
def test_lasso_path_with_more_features_than_samples_ends_in_an_exact_fit(center):
    data = np.random.default_rng(9).integers(-50, 50, size=(6, 9)).astype(float) * 6
    data -= center * data.mean(axis=0)
    columns = [[to_mp(v) for v in f] for f in data.T]
    y = [to_mp(v) for v in (3, 1, -4, 2, -7, 5)]
    lam, a, n_active = list(lasso_path(columns, y))[-1]
    assert (lam, n_active) == (0, 6 - center)
    assert max(abs(y[i] - sum(f[i] * c for f, c in zip(columns, a, strict=True))) for i in range(6)) < 1e-80


def test_lasso_path_can_drop_a_coefficient():
    counts = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        data = rng.normal(size=(9, 6)) @ rng.normal(size=(6, 6))
        columns = [[to_mp(v) for v in f] for f in data.T]
        sizes = [n for _, _, n in lasso_path(columns, [to_mp(v) for v in rng.normal(size=9)])]
        counts.append(any(b < a for a, b in pairwise(sizes)))
    assert any(counts)


def test_sparse_coefficients_by_hand():
    columns = [[to_mp(v) for v in f] for f in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    y = [to_mp(v) for v in (5, -3, 1)]
    assert sparse_coefficients(columns, y, 1) == [2, 0, 0]
    assert sparse_coefficients(columns, y, 2) == [4, -2, 0]
    assert sparse_coefficients(columns, y, 3) == [5, -3, 1]


def test_mcfs_with_all_features_is_least_squares():
    X = sample(12, 4)
    W = rbf_graph(X, 5.0)
    Y = to_floats(embedding(W, 3)).T
    expected = np.abs(np.linalg.lstsq(X, Y, rcond=None)[0]).max(axis=1)
    np.testing.assert_allclose(mcfs(X, W, 3), expected, rtol=1e-10)
    centered = np.linalg.lstsq(X - X.mean(axis=0), Y - Y.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(mcfs(X, W, 3, center=True), np.abs(centered).max(axis=1), rtol=1e-10)
    constant = mcfs(np.column_stack([X, np.ones(12)]), W, 3)
    assert constant.tolist() == [*mcfs(X, W, 3).tolist(), 0]
    assert np.count_nonzero(mcfs(X, W, 1, 2)) == 2


def test_leave_one_out_by_hand():
    X = [[0.0, 0.0], [10.0, 0.0], [1.0, 9.0], [9.0, 9.0]]
    y = [0, 1, 0, 1]
    full, without = loo_accuracies(X, y, [0, 1], [2, 3])
    # Without feature 0 both test points are tied and go to sample 0, of class 0.
    assert (full, without) == (1, [Fraction(1, 2), 1])
    assert leave_one_out(X, y, [0, 1], [2, 3]).tolist() == [0.5, 0]
    with pytest.raises(ValueError):
        leave_one_out(X, y, [1, 0], [2, 3])


def test_widely_different_scales():
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(12, 4)) * 1024) * np.array([2.0**27, 1.0, 2.0**-27, 1.0])
    X[:, 3] += 2.0**27
    for score in (lle_reconstruction, lle, sparsity):
        assert np.all(np.isfinite(score(X)))
    for columns in permutations(range(4), 4):
        part = list(columns)
        np.testing.assert_allclose(lle_reconstruction(X[:, part]), lle_reconstruction(X)[part], **CLOSE)
