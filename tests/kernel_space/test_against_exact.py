"""Every kernel-space method against its exact version, which has 120 digits and the full kernel matrix.

Options of the exact versions are those of docs/readings.md.
"""

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose
from sklearn.decomposition import KernelPCA

from featsieve import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelForwardSelection,
    KernelGramSchmidt,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESTransformer,
    kernel_reconstruction_cost,
)
from featsieve.kernel_space.kffs import forward_selection
from featsieve.kernel_space.relief import relief_weights

from .exact_data import DATA, KERNELS, close, close_up_to_sign, decided, kernels, samples

THRESHOLDS = {"t": lambda t: t, "t^2": lambda t: t**2, "sqrt t": lambda t: t**0.5}
KFFS = {"tie": "share", "odds": "samme"}
RELIEF = {"scaled": False, "misses": "each"}
# a cost is the root of a difference, which keeps half of the digits
ROOT = 1e-7

over_data = pytest.mark.parametrize("data", DATA)
with_labels = pytest.mark.parametrize("data", ["wine", "wine, two classes", "digits", "synthetic"])
over_ridges = pytest.mark.parametrize(
    ("data", "reg"),
    [("wine", 1e-3), ("wine", 0.1), ("breast cancer", 1e-3), ("digits", 0.1), ("synthetic", 1e-3)],
)


def check_basis(basis, expected, data, kernel):
    """Pivots, residuals, features and costs of a basis that stands on samples."""
    part, (K, C, diagonal) = samples(data), kernels(data, kernel)
    A = expected.coefficients
    assert basis.pivots_.tolist() == expected.pivots
    assert np.array_equal(basis.basis_, part.X[expected.pivots])
    close(basis.residuals_, expected.residuals)
    close(basis.transform(part.X), exact.features(K, A))
    close(basis.transform(part.new), exact.features(C, A))
    for found, cost in (
        (basis.reconstruction_cost_, exact.reconstruction_cost(K, A)),
        (kernel_reconstruction_cost(basis, part.X), exact.reconstruction_cost(K, A)),
        (kernel_reconstruction_cost(basis, part.new), exact.reconstruction_cost(K, A, C, diagonal)),
    ):
        assert_allclose(found, float(cost), rtol=ROOT, atol=ROOT)


@over_data
@pytest.mark.parametrize("kernel", ["rbf", "wide rbf", "laplacian", "polynomial"])
def test_kobl(data, kernel):
    expected = exact.kobl(kernels(data, kernel)[0], tie_index="sample")
    decided(expected.decisions)
    basis = KernelOrthogonalBasis(**KERNELS[kernel]).fit(samples(data).X)
    assert basis.n_components_ > 1
    check_basis(basis, expected, data, kernel)
    fitted = KernelOrthogonalBasis(**KERNELS[kernel]).fit_transform(samples(data).X)
    close(fitted, exact.features(kernels(data, kernel)[0], expected.coefficients))


@pytest.mark.parametrize("f", ["t^2", "sqrt t"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial"])
@pytest.mark.parametrize("data", ["wine", "digits"])
def test_kobl_of_other_thresholds(data, kernel, f):
    expected = exact.kobl(kernels(data, kernel)[0], THRESHOLDS[f], tie_index="sample")
    decided(expected.decisions)
    basis = KernelOrthogonalBasis(threshold=THRESHOLDS[f], **KERNELS[kernel]).fit(samples(data).X)
    check_basis(basis, expected, data, kernel)


@over_data
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_kobl_where_the_rank_is_the_number_of_features(data, kernel):
    """Without a threshold the basis ends where the exact residual is zero."""
    X = samples(data).X
    expected = exact.kobl(kernels(data, kernel)[0], lambda t: 0 * t, tie_index="sample")
    decided(expected.decisions)
    assert len(expected.pivots) == X.shape[1]
    basis = KernelOrthogonalBasis(threshold=lambda t: 0.0, **KERNELS[kernel]).fit(X)
    check_basis(basis, expected, data, kernel)


@pytest.mark.parametrize("limit", [1, 5, 40])
def test_kobl_with_at_most_so_many_components(limit):
    expected = exact.kobl(kernels("wine", "rbf")[0], n_components=limit, tie_index="sample")
    decided(expected.decisions)
    basis = KernelOrthogonalBasis(n_components=limit, **KERNELS["rbf"]).fit(samples("wine").X)
    check_basis(basis, expected, "wine", "rbf")


@pytest.mark.parametrize(
    ("kernel", "function"),
    [
        ("rbf", lambda a, b: np.exp(-0.05 * np.sum((a - b) ** 2))),
        ("polynomial", lambda a, b: (0.1 * (a @ b) + 1) ** 2),
    ],
)
def test_kobl_precomputed_and_callable(kernel, function):
    part, (K, C, _) = samples("wine"), kernels("wine", kernel)
    expected = exact.kobl(K, tie_index="sample")
    decided(expected.decisions)
    given = KernelOrthogonalBasis(kernel="precomputed").fit(exact.to_float(K))
    called = KernelOrthogonalBasis(kernel=function).fit(part.X)
    features = exact.features(C, expected.coefficients)
    for basis, new in ((given, exact.to_float(C)), (called, part.new)):
        assert basis.pivots_.tolist() == expected.pivots
        close(basis.transform(new), features)
        cost = exact.reconstruction_cost(K, expected.coefficients)
        assert_allclose(basis.reconstruction_cost_, float(cost), rtol=ROOT)


@pytest.mark.parametrize("n_components", [None, 1, 9])
@pytest.mark.parametrize(("data", "kernel"), [("wine", "rbf"), ("synthetic", "laplacian")])
def test_kgs(data, kernel, n_components):
    expected = exact.kgs(kernels(data, kernel)[0], n_components)
    decided(expected.decisions)
    basis = KernelGramSchmidt(n_components=n_components, **KERNELS[kernel]).fit(samples(data).X)
    check_basis(basis, expected, data, kernel)


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_kgs_passes_over_samples_in_the_span(kernel):
    expected = exact.kgs(kernels("wine", kernel)[0])
    decided(expected.decisions)
    assert expected.skipped
    check_basis(KernelGramSchmidt(**KERNELS[kernel]).fit(samples("wine").X), expected, "wine", kernel)


@pytest.mark.parametrize("about_mean", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
@pytest.mark.parametrize("data", ["breast cancer", "synthetic"])
def test_reconstruction_cost_of_kpca(data, kernel, about_mean):
    """Eq. 19 projects phi itself on the span of the principal directions; about_mean, phi less its mean."""
    part, (K, C, diagonal) = samples(data), kernels(data, kernel)
    expected = exact.kpca(K, 5)
    decided(expected.decisions)
    basis = KernelPCA(5, **KERNELS[kernel]).fit(part.X)
    for X, new in ((part.X, {}), (part.new, {"C": C, "diagonal": diagonal})):
        cost = exact.reconstruction_cost(K, expected.coefficients, about_mean=about_mean, **new)
        assert_allclose(kernel_reconstruction_cost(basis, X, about_mean=about_mean), float(cost), rtol=ROOT)


def check_selection(selection, F, y, expected):
    gamma = expected.gamma
    assert forward_selection(F, y)[1].tolist() == expected.order
    close(selection.weights_, gamma)
    by_weight = exact.Decisions().sort("weights", [gamma[i] for i in expected.order])
    assert selection.order_.tolist() == [expected.order[i] for i in by_weight]
    assert np.flatnonzero(selection.get_support()).tolist() == (expected.kept or [selection.order_[0]])


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("basis", [None, "rbf"])
def test_kffs(data, basis):
    part = samples(data)
    F = part.X if basis is None else KernelOrthogonalBasis(**KERNELS[basis]).fit_transform(part.X)
    expected = exact.kffs(F, part.y, **KFFS)
    decided(expected.decisions)
    check_selection(KernelForwardSelection().fit(F, part.y), F, part.y, expected)
    best = KernelForwardSelection(n_features_to_select=3).fit(F, part.y)
    assert np.flatnonzero(best.get_support()).tolist() == sorted(best.order_[:3])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_kffs_ties(n_classes, seed):
    """Small integers: outputs of weak classifiers, votes and errors tie exactly."""
    rng = np.random.default_rng(seed)
    F, y = rng.integers(-1, 2, (12, 6)).astype(float), np.arange(12) % n_classes
    F[:, 4] = F[:, 1]
    F[:, 5] = 7.0
    expected = exact.kffs(F, y, **KFFS)
    decided(expected.decisions)
    assert expected.decisions.ties
    check_selection(KernelForwardSelection().fit(F, y), F, y, expected)


@over_data
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_takes(data, kernel):
    part, (K, C, diagonal) = samples(data), kernels(data, kernel)
    basis = exact.kobl(K, tie_index="sample")
    selection = exact.kffs(exact.features(K, basis.coefficients), part.y, **KFFS)
    decided(basis.decisions, selection.decisions)
    takes = TAKESTransformer(**KERNELS[kernel]).fit(part.X, part.y)
    kept = selection.kept
    A = basis.coefficients[:, kept]
    close(takes.selection_.weights_, selection.gamma)
    assert takes.support_samples_.tolist() == [basis.pivots[i] for i in kept]
    close(takes.transform(part.new), exact.features(C, A))
    close(takes.basis_.transform(part.new), exact.features(C, basis.coefficients))
    cost = exact.reconstruction_cost(K, A, C, diagonal)
    assert_allclose(kernel_reconstruction_cost(takes, part.new), float(cost), rtol=ROOT)


RELIEF_BASES = {
    "kgs": (KernelGramSchmidt, lambda K: exact.kgs(K, 6), lambda C, K, A: exact.features(C, A)),
    "kobl": (
        KernelOrthogonalBasis,
        lambda K: exact.kobl(K, n_components=6, tie_index="sample"),
        lambda C, K, A: exact.features(C, A),
    ),
    "kpca": (KernelPCA, lambda K: exact.kpca(K, 6), exact.kpca_features),
}


@with_labels
@pytest.mark.parametrize("basis", RELIEF_BASES)
def test_relief(data, basis):
    part, (K, C, _) = samples(data), kernels(data, "rbf")
    estimator, learn, features = RELIEF_BASES[basis]
    directions = learn(K)
    A = directions.coefficients
    expected = exact.relief(features(K, K, A), part.y, **RELIEF)
    decided(directions.decisions, expected.neighbor_decisions, expected.order_decisions)
    assert not expected.neighbor_decisions.ties
    model = KernelRelief(estimator(n_components=6, **KERNELS["rbf"])).fit(part.X, part.y)
    close(model.weights_, expected.weights)
    assert model.order_.tolist() == expected.order
    kept = [i for i, weight in enumerate(expected.weights) if weight > 0]
    close_up_to_sign(model.transform(part.new), features(C, K, A)[:, kept], 1e-7)


def test_relief_of_a_class_of_one_sample():
    """By hand: the first two are hits of each other, the third has no hit; misses are 3, 2 and 2 away."""
    assert relief_weights(np.array([[0.0], [1.0], [3.0]]), [0, 0, 1]).tolist() == [(9 - 1 + 4 - 1 + 4) / 3]


@pytest.mark.parametrize("length", [0.1, 0.3, 0.7, 1.1])
def test_relief_of_a_sample_that_is_nobodys_neighbor(length):
    """Only the last sample has the second coordinate: its misses weigh as much as its hit, which leaves 0."""
    F = np.column_stack([np.append(np.arange(11.0) ** 1.1, 99), np.append(np.zeros(11), length)])
    y = np.repeat([0, 1, 2, 3], [3, 2, 1, 6])[np.random.default_rng(0).permutation(12)]
    assert abs(relief_weights(F, y)[0]) > 1
    assert relief_weights(F, y)[1] == 0


@over_data
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_neighbors", [1, 2, 5])
def test_knnc(data, kernel, n_neighbors):
    part, (K, C, diagonal) = samples(data), kernels(data, kernel)
    expected = exact.knnc(K, part.y, C, diagonal, n_neighbors)
    decided(expected.decisions)
    model = KernelNearestNeighbor(n_neighbors, **KERNELS[kernel]).fit(part.X, part.y)
    assert np.array_equal(model.predict(part.new), expected.labels)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 4, 7])
def test_knnc_ties(n_neighbors, kernel):
    """Integers: many distances are equal, and go to the smallest sample index."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (30, 3)).astype(float), rng.integers(0, 4, 30)
    new = rng.integers(0, 3, (20, 3)).astype(float)
    options = {"kernel": kernel, "gamma": 0.25, "degree": 2}
    exactly = {**options, "exact": kernel != "rbf"}
    diagonal = exact.kernel_diagonal(new, **exactly)
    for order in (slice(None), slice(None, None, -1)):
        K, C = exact.kernel_matrix(X[order], **exactly), exact.kernel_matrix(new, X[order], **exactly)
        expected = exact.knnc(K, y[order], C, diagonal, n_neighbors)
        assert expected.decisions.ties
        model = KernelNearestNeighbor(n_neighbors, **options).fit(X[order], y[order])
        assert np.array_equal(model.predict(new), expected.labels)


def symmetric_samples():
    """Corners of a cube about the origin, the middles of its faces, and each of them again."""
    corners = np.array([[a, b, c] for a in (1, -1) for b in (1, -1) for c in (1, -1)])
    faces = np.vstack([2 * np.eye(3), -2 * np.eye(3)])
    return np.random.default_rng(0).permutation(np.vstack([corners, faces, corners[:3], faces[:2]]))


@pytest.mark.parametrize("f", THRESHOLDS)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_equal_residuals_go_to_the_smallest_sample(kernel, f):
    X = symmetric_samples()
    options = {"kernel": kernel, "gamma": 0.25, "degree": 2}
    K = exact.kernel_matrix(X, exact=kernel != "rbf", **options)
    expected = exact.kobl(K, THRESHOLDS[f], tie_index="sample")
    decided(expected.decisions)
    assert len(expected.decisions.ties) > 1
    basis = KernelOrthogonalBasis(threshold=THRESHOLDS[f], **options).fit(X)
    assert basis.pivots_.tolist() == expected.pivots
    close(basis.residuals_, expected.residuals)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_gram_schmidt_passes_over_copies(kernel):
    X = symmetric_samples()
    options = {"kernel": kernel, "gamma": 0.25, "degree": 2}
    expected = exact.kgs(exact.kernel_matrix(X, exact=kernel != "rbf", **options))
    decided(expected.decisions)
    assert len(expected.skipped) >= 5
    basis = KernelGramSchmidt(**options).fit(X)
    assert basis.pivots_.tolist() == expected.pivots
    close(basis.residuals_, expected.residuals)


def ridge(reg, matrix):
    """``reg`` times the mean eigenvalue, in exact numbers."""
    return exact.mp.mpf(reg) * sum(matrix[i, i] for i in range(len(matrix))) / len(matrix)


@over_ridges
def test_kda(data, reg):
    part, (K, C, diagonal) = samples(data), kernels(data, "rbf")
    mu = ridge(reg, exact.kda_matrices(K, part.y)[1])
    expected = exact.kda(K, part.y, mu, between="weighted")
    decided(expected.decisions)
    model = KernelDiscriminantAnalysis(reg=reg, **KERNELS["rbf"]).fit(part.X, part.y)
    close(model.ratios_, expected.values)
    F = exact.features(C, expected.coefficients)
    close_up_to_sign(model.transform(part.new), F)
    cost = exact.reconstruction_cost(K, expected.coefficients, C, diagonal)
    assert_allclose(kernel_reconstruction_cost(model, part.new), float(cost), rtol=ROOT)


def test_kda_of_two_classes_as_printed():
    """The scatter of two means has the directions of their difference, and other lengths."""
    part, (K, C, _) = samples("breast cancer"), kernels("breast cancer", "rbf")
    expected = exact.kda(K, part.y, ridge(0.01, exact.kda_matrices(K, part.y)[1]), between="mika")
    model = KernelDiscriminantAnalysis(reg=0.01, **KERNELS["rbf"]).fit(part.X, part.y)
    close_up_to_sign(model.transform(part.new), exact.features(C, expected.coefficients))


@over_ridges
def test_gda(data, reg):
    part, (K, C, diagonal) = samples(data), kernels(data, "rbf")
    expected = exact.gda(K, part.y, ridge(reg, exact.center_kernel(K)))
    decided(expected.decisions)
    model = GeneralizedDiscriminantAnalysis(reg=reg, **KERNELS["rbf"]).fit(part.X, part.y)
    close(model.ratios_, expected.values)
    close_up_to_sign(model.transform(part.new), exact.gda_features(C, K, expected.coefficients))
    A = expected.coefficients - expected.coefficients.mean(axis=0)
    for about_mean in (False, True):
        cost = exact.reconstruction_cost(K, A, C, diagonal, about_mean)
        found = kernel_reconstruction_cost(model, part.new, about_mean=about_mean)
        assert_allclose(found, float(cost), rtol=ROOT)
