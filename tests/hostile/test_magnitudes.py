"""Rankers against their exact versions, on data of extreme magnitudes and shapes.

The exact versions compute in fractions or with 100 digits. They were written from the papers, without
knowledge of the implementation.
"""

from fractions import Fraction

import numpy as np
import pytest
from exact import scores as exact
from numpy.testing import assert_allclose

import featsieve
from featsieve import (
    MCFS,
    SPFS,
    ChiSquareScore,
    ClassGraph,
    ConstraintScore,
    FisherScore,
    GraphPreservingScore,
    InformationGain,
    IterativeScore,
    KNNGraph,
    LaplacianScore,
    LeaveOneFeatureOut,
    LKRScore,
    LLEReconstructionScore,
    LLEScore,
    PearsonScore,
    ReliefF,
    SparsityScore,
    SPECScore,
    TraceRatio,
    VarianceScore,
)
from featsieve.subsets._objectives import held_out_halves

from .magnitudes import N_SAMPLES, TRANSFORMATIONS, hostile

# Rounding decides choices whose exact relative difference is smaller.
DECIDED = 1e-9
# Scores below this share of their natural scale are rounding error.
NEGLIGIBLE = 1e-12


def remove_some_labels(y):
    return np.where(np.arange(len(y)) % 5 == 0, -1, y)


def numeric_target(X, y):
    return 0.3 * X[:, 0] / np.abs(X[:, 0]).max() + y + 0.1


# Name, estimator, and exact scores of (X, y).
WITHOUT_NEIGHBORS = [
    ("variance", VarianceScore(), lambda X, y: exact.variance(X)),
    ("pearson", PearsonScore(), exact.pearson),
    ("fisher", FisherScore(), exact.fisher),
    ("chi-square", ChiSquareScore(), exact.chi_square),
    ("information-gain", InformationGain(), exact.information_gain),
    ("information-gain", InformationGain(n_bins=3), lambda X, y: exact.information_gain(X, y, 3)),
    ("laplacian", LaplacianScore(ClassGraph()), lambda X, y: exact.laplacian(X, exact.class_graph(y))),
    ("lkr", LKRScore(ClassGraph()), exact.lkr_supervised),
    ("sparsity", SparsityScore(), lambda X, y: exact.sparsity(X)),
    (
        "constraint",
        ConstraintScore(),
        lambda X, y: exact.constraint(X, *exact.pairs_from_labels(y)),
    ),
    (
        "constraint",
        ConstraintScore(kind="difference"),
        lambda X, y: exact.constraint(X, *exact.pairs_from_labels(y), "difference"),
    ),
]

# Name, estimator of k neighbors, and exact scores of (X, y, k).
WITH_NEIGHBORS = [
    ("relieff", ReliefF, lambda X, y, k: exact.relieff(X, y, k)),
    (
        "laplacian",
        lambda k: LaplacianScore(KNNGraph(k)),
        lambda X, y, k: exact.laplacian(X, exact.knn_graph(X, k)),
    ),
    (
        "laplacian",
        lambda k: LaplacianScore(KNNGraph(k, weights="binary")),
        lambda X, y, k: exact.laplacian(X, exact.knn_graph(X, k, "binary")),
    ),
    *(
        (
            "spec",
            lambda k, kind=kind: SPECScore(KNNGraph(k), kind=kind),
            lambda X, y, k, kind=kind: exact.spec(X, exact.knn_graph(X, k), kind),
        )
        for kind in (1, 2, 3)
    ),
    ("lkr", lambda k: LKRScore(KNNGraph(k)), lambda X, y, k: exact.lkr(X, k)),
    ("lle", LLEScore, lambda X, y, k: exact.lle(X, k)),
    ("lle-reconstruction", LLEReconstructionScore, lambda X, y, k: exact.lle_reconstruction(X, k)),
    (
        "lle-reconstruction",
        lambda k: LLEReconstructionScore(k, reg=0.1),
        lambda X, y, k: exact.lle_reconstruction(X, k, 0.1),
    ),
    (
        "lle-reconstruction",
        lambda k: LLEReconstructionScore(k, normalize=False),
        lambda X, y, k: exact.lle_reconstruction(X, k, normalize=False),
    ),
    ("sparsity", lambda k: SparsityScore(n_neighbors=k), lambda X, y, k: exact.sparsity(X, k)),
    (
        "graph-preserving",
        lambda k: GraphPreservingScore(
            lambda X, y: KNNGraph(k).build(X).laplacian, lambda X, y: np.diag(KNNGraph(k).build(X).degree)
        ),
        lambda X, y, k: _graph_preserving(X, exact.knn_graph(X, k)),
    ),
]


def _graph_preserving(X, W):
    # the fraction of exp(-1e12) would have a denominator with 1e12 digits
    W = [[w if w > 1e-300 else 0 for w in row] for row in W]
    degrees = [sum(row) for row in W]
    B = [[degrees[i] if i == j else 0 for j in range(len(W))] for i in range(len(W))]
    return exact.graph_preserving(X, exact.laplacian_matrix(W), B)


# Rankers that make discrete choices, each with a separate test, and one that no paper defines.
CHOICES = {"iterative", "trace-ratio", "spfs", "mcfs", "leave-one-out"}
OWN = {"takes"}  # tested against finite differences in tests/kernel_space
# Compared in test_greedy_magnitudes.
GREEDY = {
    "mrmr",
    "l1-path",
    "forest",
    "boosting",
    "diverse",
    "column-subset",
    "supervised-column-subset",
    "facility-location",
    "auto",
}


def ids(rows):
    return [f"{row[0]} {index}" for index, row in enumerate(rows)]


over_data = pytest.mark.parametrize("name", TRANSFORMATIONS)
over_some = pytest.mark.parametrize(
    "name", ["plain", "times 1e8", "zero-inflated", "heavy-tailed", "one column times 1e5"]
)


def test_all_rankers_are_tested():
    covered = {row[0] for row in WITHOUT_NEIGHBORS + WITH_NEIGHBORS} | CHOICES | OWN | GREEDY
    assert covered == {method.name for method in featsieve.methods()}


def check(estimator, X, y, expected, rtol=1e-8):
    scores = estimator.fit(X, y).scores_
    # energies that are not divided by the spread have the squared unit of the feature
    by_unit = isinstance(estimator, LLEReconstructionScore) and not estimator.normalize
    by_unit |= isinstance(estimator, ConstraintScore) and estimator.kind == "difference"
    scale = len(X) * X.var(axis=0, dtype=np.float64) if by_unit else 1.0
    rounding = 1e3 * np.finfo(X.dtype).eps if X.dtype == np.float32 else NEGLIGIBLE
    assert_allclose(scores / scale, expected / scale, rtol=max(rtol, rounding), atol=rounding)


@over_data
@pytest.mark.parametrize("uneven", [False, True], ids=["even", "a class of one"])
@pytest.mark.parametrize("row", WITHOUT_NEIGHBORS, ids=ids(WITHOUT_NEIGHBORS))
def test_scores_of_features_and_labels(row, name, uneven):
    kind, estimator, expected = row
    X, y = hostile(name, uneven)
    X = np.abs(X) if kind == "chi-square" else X
    y = remove_some_labels(y) if kind == "constraint" and not uneven else y
    check(estimator, X, y, expected(X, y))


@over_data
def test_correlation_with_numbers(name):
    X, y = hostile(name)
    check(PearsonScore(), X, numeric_target(X, y), exact.pearson(X, numeric_target(X, y)))


@over_data
@pytest.mark.parametrize("n_bins", [3, 10])
def test_information_about_numbers(name, n_bins):
    X, y = hostile(name)
    y = numeric_target(X, y)
    check(InformationGain(n_bins=n_bins), X, y, exact.mutual_information(X, y, n_bins))


@over_data
@pytest.mark.parametrize("k", [1, 4, N_SAMPLES - 1])
def test_relieff_of_numbers(name, k):
    X, y = hostile(name)
    y = numeric_target(X, y)
    check(ReliefF(k), X, y, exact.rrelieff(X, y, k))


# with one sample far away, the columns are copies of each other up to 1e-12 of their squares
@pytest.mark.parametrize("name", sorted(TRANSFORMATIONS.keys() - {"one sample far away"}))
@pytest.mark.parametrize("n_nonzero", [2, 5])
def test_mcfs_scores_of_numbers(name, n_nonzero):
    X, y = hostile(name)
    Y = np.column_stack([numeric_target(X, y), 0.1 + np.sqrt(np.arange(N_SAMPLES))])
    model = MCFS(n_features_to_select=n_nonzero)
    for targets in (Y[:, :1], Y):
        expected = exact.mcfs_targets(X, targets, n_nonzero)
        scores = model.fit(X, targets if targets.shape[1] > 1 else targets[:, 0]).scores_
        assert_allclose(scores, expected, rtol=1e-6, atol=1e-9 * expected.max())


@over_data
@pytest.mark.parametrize("k", [1, 4, N_SAMPLES - 1])
@pytest.mark.parametrize("row", WITH_NEIGHBORS, ids=ids(WITH_NEIGHBORS))
def test_scores_of_neighbors(row, name, k):
    kind, estimator, expected = row
    X, y = hostile(name)
    assert not exact.neighbors(X, k)[1]
    assert kind != "relieff" or not exact.relieff_has_ties(X, y, k)
    # reconstruction weights of near-duplicate neighbors lose digits
    check(estimator(k), X, y, expected(X, y, k), rtol=1e-5 if "reconstruction" in kind else 1e-8)


def skip_undecided(gap):
    """Skip choices that rounding decides."""
    if gap < DECIDED:
        pytest.skip(f"the exact choice is decided by a relative difference of {gap:.1g}")


@over_data
@pytest.mark.parametrize("readmit", [False, True])
def test_iterative_order(name, readmit):
    X, _ = hostile(name)
    expected = exact.iterative(X, 2, step=1, readmit=readmit, k=4)
    skip_undecided(min(expected.gap, expected.distance_gap))
    ranker = LaplacianScore(KNNGraph(4))
    model = IterativeScore(ranker, readmit=readmit, n_features_to_select=2).fit(X)
    assert model.order_.tolist() == list(expected.order)


@over_data
def test_trace_ratio_subset(name):
    X, y = hostile(name)
    n, W = len(y), exact.class_graph(y)
    within = exact.laplacian_matrix(W)
    between = [[W[i][j] - Fraction(1, n) for j in range(n)] for i in range(n)]
    expected = exact.trace_ratio(X, within, between, 2)
    skip_undecided(expected.gap)
    model = TraceRatio(n_features_to_select=2).fit(X, y)
    assert sorted(model.order_[:2]) == expected.subset
    assert_allclose(model.ratio_, expected.ratio, rtol=1e-8)


@over_data
def test_spfs_order(name):
    X, y = hostile(name)
    normalized = X - X[0]
    normalized -= normalized.mean(axis=0)
    normalized /= np.linalg.norm(normalized, axis=0)
    W = exact.class_graph(y)
    skip_undecided(exact.spfs_gap(normalized, W, 3))
    model = SPFS(n_features_to_select=3).fit(X, y)
    assert model.order_[:3].tolist() == exact.spfs_forward(normalized, W, 3)


# on the other two, weights of exp(-1e6) connect the graph, which the estimator treats as missing edges
@pytest.mark.parametrize("name", sorted(TRANSFORMATIONS.keys() - {"heavy-tailed", "one sample far away"}))
@pytest.mark.parametrize("n_nonzero", [2, 5])
def test_mcfs_scores(name, n_nonzero):
    X, _ = hostile(name)
    expected = exact.mcfs(X, exact.knn_graph(X, 4), 2, n_nonzero, center=True)
    model = MCFS(2, graph=KNNGraph(4), n_features_to_select=n_nonzero).fit(X)
    assert_allclose(model.scores_, expected, rtol=1e-6, atol=1e-9 * expected.max())


@over_data
def test_leave_one_out_accuracy(name):
    X, y = hostile(name)
    halves = held_out_halves(y, 4, np.random.RandomState(0))
    expected = np.mean([exact.leave_one_out(X, y, np.sort(train), test) for train, test in halves], axis=0)
    model = LeaveOneFeatureOut(n_repeats=4, random_state=0).fit(X, y)
    assert_allclose(model.scores_, expected, atol=1e-12)


@over_some
@pytest.mark.parametrize("row", WITHOUT_NEIGHBORS, ids=ids(WITHOUT_NEIGHBORS))
def test_scores_of_features_and_labels_in_float32(row, name):
    kind, estimator, expected = row
    X, y = hostile(name)
    X = (np.abs(X) if kind == "chi-square" else X).astype(np.float32)
    check(estimator, X, y, expected(X, y))


@over_some
@pytest.mark.parametrize("row", WITH_NEIGHBORS, ids=ids(WITH_NEIGHBORS))
def test_scores_of_neighbors_in_float32(row, name):
    X, y = hostile(name)
    X = X.astype(np.float32)
    assert not exact.neighbors(X, 4)[1]
    check(row[1](4), X, y, row[2](X, y, 4))
