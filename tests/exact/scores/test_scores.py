"""Self-tests of the score oracles: hand-computed cases and identities, never the library."""

from fractions import Fraction
from math import exp, inf, sqrt

import numpy as np
import pytest

from . import (
    chi_square,
    class_graph,
    constraint,
    fisher,
    graph_preserving,
    information_gain,
    knn_graph,
    laplacian,
    laplacian_matrix,
    lkr,
    lkr_supervised,
    mcfs_targets,
    mutual_information,
    neighbor_gap,
    neighbors,
    pairs_from_labels,
    pearson,
    rbf_graph,
    relieff,
    relieff_has_ties,
    rrelieff,
    spec,
    to_floats,
    variance,
)
from .exact import exponential, mp, rows_of, solve_mp, solve_rational, squared_distances, to_fraction, to_mp

CLOSE = {"rtol": 1e-14, "atol": 0}


def sample(n=14, d=5, seed=0):
    """Return random data with three classes and a feature that depends on the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d))
    X[:, 0] += 2 * y
    return X, y


def test_conversions_are_exact():
    for value in (0.1, 1e8 + 1e-8, 1e-300, -3.5, 7):
        assert to_fraction(value) == Fraction(value)
        assert to_fraction(to_mp(value)) == Fraction(value)
    assert to_fraction(np.float32(0.1)) == Fraction(float(np.float32(0.1)))
    with pytest.raises(ValueError):
        to_fraction(mp.inf)
    assert to_floats([Fraction(1, 3), mp.inf]).tolist() == [1 / 3, inf]


def test_rational_solver_finds_rank_and_null_space():
    solution, basis = solve_rational([[1, 2], [2, 4]], [3, 6])
    assert solution == [3, 0]
    assert basis == [[-2, 1]]
    with pytest.raises(ValueError):
        solve_rational([[1, 2], [2, 4]], [3, 7])
    assert solve_mp([[0, 1], [2, 0]], [3, 4]) == [2, 3]


def test_variance_by_hand():
    assert variance([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]).tolist() == [2 / 3, 0]
    offset = np.array([[1e8], [1e8 + 2**-20]])
    assert variance(offset)[0] == 2.0**-42


def test_pearson_by_hand():
    X = [[1.0, 2.0, 4.0], [2.0, 1.0, 4.0], [3.0, 0.0, 4.0]]
    assert pearson(X, [0.5, 1.0, 1.5]).tolist() == [1, 1, 0]
    np.testing.assert_allclose(pearson(X, [0, 0, 1]), [sqrt(3) / 2, sqrt(3) / 2, 0], **CLOSE)
    assert pearson(X, [1, 1, 1]).tolist() == [0, 0, 0]
    X, y = sample()
    expected = [max(abs(np.corrcoef(f, y == c)[0, 1]) for c in range(3)) for f in X.T]
    np.testing.assert_allclose(pearson(X, y), expected, rtol=1e-12)


def test_fisher_by_hand():
    X = [[0.0, 1.0, 3.0], [2.0, 1.0, 3.0], [4.0, 2.0, 3.0], [6.0, 2.0, 3.0]]
    # Means 1, 5, 3: between 2 * 4 + 2 * 4 = 16, within 1 + 1 + 1 + 1 = 4.
    assert fisher(X, ["a", "a", "b", "b"]).tolist() == [4, inf, 0]


def test_fisher_is_a_laplacian_score_and_a_graph_preserving_form():
    X, y = sample()
    np.testing.assert_allclose(laplacian(X, class_graph(y)), 1 / (1 + fisher(X, y)), **CLOSE)
    n = len(y)
    blocks = [[Fraction(int(a == b), int(np.sum(y == a))) for b in y] for a in y]
    A = [[blocks[i][j] - Fraction(1, n) for j in range(n)] for i in range(n)]
    B = [[int(i == j) - blocks[i][j] for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(graph_preserving(X, A, B), fisher(X, y), **CLOSE)


def test_variance_is_a_graph_preserving_form():
    X, _ = sample()
    n = len(X)
    ones = [[Fraction(1, n)] * n for _ in range(n)]
    difference = graph_preserving(X, np.eye(n), ones, kind="difference", weight=1)
    np.testing.assert_allclose(difference, n * variance(X), **CLOSE)


def test_chi_square_by_hand():
    X = [[1.0, 0.0, 2.0], [3.0, 0.0, 2.0], [4.0, 0.0, 2.0], [8.0, 0.0, 2.0]]
    # Sums 4 and 12, expected 8 and 8: 16/8 + 16/8.
    assert chi_square(X, [0, 0, 1, 1]).tolist() == [4, 0, 0]
    with pytest.raises(ValueError):
        chi_square([[-1.0]], [0])


def test_information_gain_by_hand():
    X = [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    assert information_gain(X, [0, 0, 1, 1]).tolist() == [1, 0, 0]
    # Five distinct values, two bins: the cut is the median 3, which belongs to the lower bin.
    column = [[1.0], [2.0], [3.0], [4.0], [5.0]]
    assert information_gain(column, [0, 0, 0, 1, 1], n_bins=2)[0] == pytest.approx(
        -(0.6 * np.log2(0.6) + 0.4 * np.log2(0.4)), rel=1e-14
    )
    # Three bins: cuts 1 + 4/3 and 1 + 8/3, so the bins are {1, 2}, {3}, {4, 5}.
    gain = information_gain(column, [0, 1, 0, 1, 1], n_bins=3)[0]
    assert gain == pytest.approx(-(0.6 * np.log2(0.6) + 0.4 * np.log2(0.4)) - 0.4, rel=1e-14)


def test_relieff_by_hand():
    X = [[0.0, 7.0], [1.0, 7.0], [3.0, 7.0], [4.0, 7.0]]
    assert relieff(X, [0, 0, 1, 1], k=1).tolist() == [0.375, 0]
    # Three classes, k = 1: sample 0 has no hit; P(c)/(1 - P) weights its misses 2/3 and 1/3.
    X = [[0.0], [1.0], [2.0], [4.0]]
    # i=0: 2/3*1/4 + 1/3*4/4 = 1/2. i=1: -1/4 + 1/2*1/4 + 1/2*3/4 = 1/4.
    # i=2: -1/4 + 1/2*2/4 + 1/2*2/4 = 1/4. i=3: 1/3*4/4 + 2/3*2/4 = 2/3.
    assert relieff(X, [0, 1, 1, 2], k=1)[0] == float(Fraction(5, 12))
    assert relieff_has_ties([[0.0], [1.0], [-1.0]], [0, 0, 0], k=1)
    assert not relieff_has_ties(*sample(), k=3)


def test_rrelieff_by_hand():
    # diff f: 1/4 (0-1), 2/4 (1-3), 1/4 (3-4). Nearest: 0-1, 1-0, 3-4, 4-3. diff y: 1/10, 1/10, 5/10, 5/10.
    X, y = [[0.0, 7.0], [1.0, 7.0], [3.0, 7.0], [4.0, 7.0]], [0.0, 1.0, 5.0, 10.0]
    # N_y = 12/10, N_f = 4/4, N_yf = 12/10 / 4 = 3/10.
    expected = Fraction(3, 12) - (1 - Fraction(3, 10)) / (4 - Fraction(12, 10))
    assert rrelieff(X, y, k=1).tolist() == [float(expected), 0]
    # neighbors with equal targets: N_y = N_yf = 0
    assert rrelieff(X, [0.0, 0.0, 1.0, 1.0], k=1).tolist() == [-0.25, 0]
    # with two samples, the only neighbor has the opposite target: N_y = n
    assert rrelieff([[0.0], [2.0]], [0.5, 3.0]).tolist() == [1]


def test_mutual_information_by_hand():
    X = [[0.0, 0.0], [1.0, 0.5], [2.0, 0.0], [9.0, 0.5]]
    # two bins each: {0, 1} and {2, 9}; y: {1, 2} and {3, 30} in the same rows
    assert mutual_information(X, [1.0, 2.0, 3.0, 30.0], n_bins=2).tolist() == [1, 0]
    assert mutual_information(X, [1.0, 2.0, 3.0, 30.0]).tolist() == [2, 1]


def test_mcfs_targets_by_hand():
    # orthogonal features of squared length 4, targets (2, 1) times features and (0, -3): unit length divides
    # by 2 sqrt(5) and 6; with all coefficients, the path ends at least squares
    X = np.array([[6.0, 8.0], [6.0, 6.0], [4.0, 8.0], [4.0, 6.0]])
    Y = np.column_stack([X @ [2.0, 1.0], X @ [0.0, -3.0] + 1])
    np.testing.assert_allclose(mcfs_targets(X, Y[:, :1]), [1 / sqrt(5), 1 / (2 * sqrt(5))], **CLOSE)
    np.testing.assert_allclose(mcfs_targets(X, Y), [1 / sqrt(5), 0.5], **CLOSE)
    # one coefficient: the first knot after the first feature enters is where the second one does
    np.testing.assert_allclose(mcfs_targets(X, Y[:, :1], 1), [1 / (2 * sqrt(5)), 0], **CLOSE)


def test_neighbors_and_ties():
    indices, tied = neighbors([[0.0], [1.0], [3.0], [3.0]], 1)
    assert indices == [[1], [0], [3], [2]]
    assert not tied
    indices, tied = neighbors([[0.0], [1.0], [2.0]], 1)
    assert indices == [[1], [0], [1]]
    assert tied
    assert neighbor_gap([[0.0], [1.0], [2.0]], 1) == 0
    # Distances 1e8 + 1 and 1e8 + 1 + 2^-20 differ although their squares agree in float64.
    far = 1e8 + 1
    assert neighbors([[0.0], [far + 2.0**-20], [-far]], 1)[0][0] == [2]
    with pytest.raises(ValueError):
        neighbors([[0.0], [1.0]], 2)


def test_knn_graph_by_hand():
    X = [[0.0], [1.0], [3.0]]
    W = to_floats(knn_graph(X, 1))
    np.testing.assert_allclose(W, [[0, exp(-1), 0], [exp(-1), 0, exp(-4)], [0, exp(-4), 0]], **CLOSE)
    W = to_floats(knn_graph(X, 1, weights="binary"))
    assert W.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert to_floats(knn_graph(X, 1, bandwidth=2.0))[1, 2] == pytest.approx(exp(-2), rel=1e-15)
    with pytest.raises(ValueError):
        knn_graph([[0.0], [0.0], [0.0]], 1)


def test_other_graphs_by_hand():
    assert to_floats(class_graph([0, 1, 0])).tolist() == [[0.5, 0, 0.5], [0, 1, 0], [0.5, 0, 0.5]]
    W = to_floats(rbf_graph([[0.0], [2.0]], 4.0))
    np.testing.assert_allclose(W, [[1, exp(-1)], [exp(-1), 1]], **CLOSE)
    assert pairs_from_labels([0, -1, 0, 1]) == ([(0, 2)], [(0, 3), (2, 3)])
    assert to_floats(laplacian_matrix([[5, 1], [1, 0]])).tolist() == [[1, -1], [-1, 1]]


def test_laplacian_by_hand():
    W = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    # f = (0, 1, 3): energy 1 + 4 = 5, mean (0 + 2 + 3)/4 = 5/4, spread 25/16 + 2/16 + 49/16 = 76/16.
    X = [[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]]
    assert laplacian(X, W).tolist() == [float(Fraction(5 * 16, 76)), inf]
    # Isolated samples carry no weight.
    assert laplacian([[1.0], [1.0], [9.0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]).tolist() == [inf]


def test_laplacian_is_invariant_to_exact_shifts_and_scales():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 50, size=(12, 4)).astype(float)
    W = knn_graph(X, 4)
    scaled = X * np.array([1.0, 2.0**27, 2.0**-27, 2.0**10]) + np.array([2.0**27, 0.0, 1.0, -(2.0**30)])
    assert laplacian(X, W).tolist() == laplacian(scaled, W).tolist()


def test_spec_identities():
    X, _ = sample()
    X[:, 4] = 3.0
    W = rbf_graph(X, 4.0)
    assert spec(X, W, 2).tolist() == laplacian(X, W).tolist()
    first = spec(X, W, 1)
    degree = to_floats(W).sum(axis=1)
    squared_cosine = (degree @ X) ** 2 / (degree.sum() * (degree @ X**2))
    np.testing.assert_allclose(first[:4] / (1 - squared_cosine[:4]), spec(X, W, 2)[:4], rtol=1e-12)
    np.testing.assert_allclose(spec(X, W, 3)[:4], 2 * (1 - squared_cosine[:4]) - first[:4], rtol=1e-12)
    assert (first[4], spec(X, W, 2)[4], spec(X, W, 3)[4]) == (inf, inf, 0)
    assert spec(X, W, 3, 1).tolist() == [0] * 5
    np.testing.assert_allclose(spec(X, W, 3, len(X)), spec(X, W, 3), **CLOSE)


def test_spec_on_the_complete_graph_refuses_a_choice_of_eigenvectors():
    W = np.ones((4, 4)) - np.eye(4)
    with pytest.raises(ValueError):
        spec([[0.0], [1.0], [3.0], [7.0]], W, 3, 2)
    # Two samples joined by an edge: lambda_2 = 2, so the sum is zero.
    assert abs(spec([[0.0], [1.0]], [[0, 1], [1, 0]], 3)[0]) < 1e-60


def test_constraint_by_hand_and_as_graph_preserving_form():
    X = [[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]]
    assert constraint(X, [(0, 1)], [(0, 2), (2, 1)]).tolist() == [1 / 13, inf]
    assert constraint(X, [(0, 1), (1, 0)], [(0, 2)], "difference", 0.5).tolist() == [1 - 4.5, 0]
    X, y = sample()
    y = np.where(np.arange(len(y)) < 9, y, -1)
    must, cannot = pairs_from_labels(y)
    n = len(y)
    WM, WC = np.zeros((n, n)), np.zeros((n, n))
    for W, pairs in ((WM, must), (WC, cannot)):
        for i, j in pairs:
            W[i, j] = W[j, i] = 1
    A, B = laplacian_matrix(WM), laplacian_matrix(WC)
    for kind in ("ratio", "difference"):
        assert constraint(X, must, cannot, kind).tolist() == graph_preserving(X, A, B, kind).tolist()


def test_lkr_with_one_neighbor():
    X = [[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]]
    # N_0 = {1}, N_1 = {0}, N_2 = {1}, h = 1; beta = K / (1 + ridge); D = (e^-1, e^-1 + e^-4, e^-4).
    a, b = exp(-1), exp(-4)
    errors = [(0 - a / 1.1 * 1) ** 2, (1 - a / 1.1 * 0) ** 2, (3 - b / 1.1 * 1) ** 2]
    degree = np.array([a, a + b, b])
    f = np.array([0.0, 1.0, 3.0])
    mu = degree @ f / degree.sum()
    expected = degree @ errors / (degree @ (f - mu) ** 2)
    scores = lkr(X, k=1)
    assert scores[0] == pytest.approx(expected, rel=1e-13)
    assert scores[1] == inf


def test_lkr_supervised_equals_the_inverse_matrix_form():
    X, y = sample(n=12, d=3)
    scores = lkr_supervised(X, y, bandwidth=2.0, ridge=0.1)
    distances = squared_distances(X)
    rows = rows_of(X)
    errors = [mp.mpf(0)] * 3
    for c in range(3):
        inside = [i for i in range(12) if y[i] == c]
        K = [[exponential(distances[p][q], Fraction(2)) for q in inside] for p in inside]
        for p in range(len(inside)):
            K[p][p] += to_mp(0.1)
        unit = [[Fraction(p == q) for p in range(len(inside))] for q in range(len(inside))]
        G = [solve_mp(K, column) for column in unit]
        for r in range(3):
            Gf = solve_mp(K, [rows[i][r] for i in inside])
            errors[r] += sum((Gf[p] / G[p][p]) ** 2 for p in range(len(inside)))
    np.testing.assert_allclose(scores, to_floats(errors) / (12 * variance(X)), **CLOSE)


def test_lkr_supervised_by_hand():
    # Class 1 has a single sample, predicted by 0. The median distance is 1.
    X = [[0.0], [1.0], [5.0]]
    errors = [(0 - exp(-1) / 1.5) ** 2, 1.0, 25.0]
    assert lkr_supervised(X, [0, 0, 1], ridge=0.5)[0] == pytest.approx(sum(errors) / 14, rel=1e-14)
