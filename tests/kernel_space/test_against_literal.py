"""Every kernel-space method against its literal version, which works on the full kernel matrix."""

import numpy as np
import pytest
from literal import kernel_space as literal
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import scale

from featsieve import (
    TAKES,
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelForwardSelection,
    KernelGramSchmidt,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    kernel_reconstruction_cost,
)
from featsieve.kernel_space.kffs import forward_selection

TIGHT = {"rtol": 1e-8, "atol": 1e-8}
# the root of a difference that is zero but for rounding
ROOT = {"rtol": 1e-7, "atol": 1e-7}
THRESHOLDS = {"t": lambda t: t, "t^2": np.square, "sqrt t": np.sqrt}
KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.05},
    "wide rbf": {"kernel": "rbf", "gamma": 0.002},
    "laplacian": {"kernel": "laplacian", "gamma": 0.03},
    "polynomial": {"kernel": "poly", "gamma": 0.1, "degree": 2, "coef0": 1},
    "linear": {"kernel": "linear"},
    "cosine": {"kernel": "cosine"},
}


def halves(load, rows=None):
    """Standardised samples with labels: those to learn from and those to meet later."""
    X, y = load(return_X_y=True)
    keep = np.random.default_rng(0).permutation(len(X))[:rows]
    X, y = scale(X[keep]), y[keep]
    cut = 3 * len(X) // 4
    return X[:cut], y[:cut], X[cut:], y[cut:]


REAL = {
    "wine": lambda: halves(load_wine),
    "breast_cancer": lambda: halves(load_breast_cancer),
    "digits": lambda: halves(load_digits, 600),
}


@pytest.fixture(scope="module", params=REAL)
def real(request):
    return REAL[request.param]()


@pytest.fixture(
    scope="module",
    params=[("wine", 2), ("wine", 3), ("breast_cancer", 2), ("digits", 2), ("digits", 10)],
    ids=lambda p: f"{p[0]}, {p[1]} classes",
)
def classes(request):
    """Training samples of so many classes with their labels, and new samples."""
    name, count = request.param
    X, y, new, _ = REAL[name]()
    return X[y < count], y[y < count], new


@pytest.fixture(scope="module")
def wine():
    return halves(load_wine)


def kernel_matrix(options, X, Z=None):
    options = dict(options)
    return pairwise_kernels(X, Z, metric=options.pop("kernel"), filter_params=True, **options)


def kernel_diagonal(options, X):
    return np.array([kernel_matrix(options, x[None, :])[0, 0] for x in X])


@pytest.mark.parametrize("f", THRESHOLDS)
@pytest.mark.parametrize("kernel", ["wide rbf", "polynomial"])
def test_kobl(real, kernel, f):
    kobl_equals_algorithm_1(*real, kernel, f)


@pytest.mark.parametrize("f", THRESHOLDS)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_kobl_with_narrow_kernels(wine, kernel, f):
    kobl_equals_algorithm_1(*wine, kernel, f)


def kobl_equals_algorithm_1(X, _y, new, _ynew, kernel, f):
    options = KERNELS[kernel]
    K, C = kernel_matrix(options, X), kernel_matrix(options, new, X)
    pivots, residuals, A = literal.kobl(K, THRESHOLDS[f])
    threshold = "linear" if f == "t" else THRESHOLDS[f]
    basis = KernelOrthogonalBasis(threshold=threshold, **options).fit(X)

    assert 1 < basis.n_components_ == len(pivots)
    assert np.array_equal(basis.pivots_, pivots)
    assert np.array_equal(basis.basis_, X[pivots])
    assert_allclose(basis.residuals_, residuals, **TIGHT)
    assert_allclose(basis.transform(X), literal.features(K, A), **TIGHT)
    assert_allclose(basis.transform(new), literal.features(C, A), **TIGHT)
    assert_allclose(basis.fit_transform(X), literal.features(K, A), **TIGHT)
    assert_allclose(basis.reconstruction_cost_, literal.reconstruction_cost(K, A), **ROOT)
    expected = literal.reconstruction_cost(K, A, C, kernel_diagonal(options, new))
    assert_allclose(kernel_reconstruction_cost(basis, new), expected, **ROOT)


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_kobl_where_the_rank_is_the_number_of_features(real, kernel):
    """The basis ends at rounding, with as many vectors as X has directions, and rebuilds the kernel."""
    X, _, new, _ = real
    options = KERNELS[kernel]
    basis = KernelOrthogonalBasis(threshold=lambda t: 0.0, **options).fit(X)
    pivots, _, _ = literal.kobl(kernel_matrix(options, X), lambda t: 0.0)
    assert basis.n_components_ == np.linalg.matrix_rank(X) == len(pivots)
    assert np.array_equal(basis.pivots_, pivots)
    F, G = basis.transform(X), basis.transform(new)
    assert_allclose(F @ F.T, kernel_matrix(options, X), rtol=1e-6, atol=1e-6)
    assert_allclose(G @ F.T, kernel_matrix(options, new, X), rtol=1e-6, atol=1e-6)
    assert_allclose(basis.reconstruction_cost_, 0, atol=1e-6)


@pytest.mark.parametrize("limit", [1, 5, 40])
def test_kobl_with_at_most_so_many_components(wine, limit):
    X = wine[0]
    pivots, residuals, _ = literal.kobl(kernel_matrix(KERNELS["rbf"], X), n_components=limit)
    basis = KernelOrthogonalBasis(n_components=limit, **KERNELS["rbf"]).fit(X)
    assert np.array_equal(basis.pivots_, pivots)
    assert_allclose(basis.residuals_, residuals, **TIGHT)


@pytest.mark.parametrize(
    ("kernel", "function"),
    [
        ("rbf", lambda a, b: np.exp(-0.05 * np.sum((a - b) ** 2))),
        ("polynomial", lambda a, b: (0.1 * (a @ b) + 1) ** 2),
    ],
)
def test_kobl_precomputed_and_callable(wine, kernel, function):
    X, _, new, _ = wine
    options = KERNELS[kernel]
    named = KernelOrthogonalBasis(**options).fit(X)
    given = KernelOrthogonalBasis(kernel="precomputed").fit(kernel_matrix(options, X))
    called = KernelOrthogonalBasis(kernel=function).fit(X)
    assert np.array_equal(given.pivots_, named.pivots_)
    assert np.array_equal(called.pivots_, named.pivots_)
    assert_allclose(given.transform(kernel_matrix(options, new, X)), named.transform(new), **TIGHT)
    assert_allclose(called.transform(new), named.transform(new), **TIGHT)
    assert_allclose(given.reconstruction_cost_, named.reconstruction_cost_, **ROOT)


@pytest.mark.parametrize("n_components", [None, 1, 20])
@pytest.mark.parametrize("options", [{"kernel": "rbf", "gamma": 1.0}, {"kernel": "laplacian", "gamma": 0.3}])
def test_kgs(wine, options, n_components):
    X, _, new, _ = wine
    K, C = kernel_matrix(options, X), kernel_matrix(options, new, X)
    pivots, residuals, A = literal.kgs(K, n_components)
    basis = KernelGramSchmidt(n_components=n_components, **options).fit(X)
    assert np.array_equal(basis.pivots_, pivots)
    assert_allclose(basis.residuals_, residuals, **TIGHT)
    assert_allclose(basis.transform(X), literal.features(K, A), **TIGHT)
    assert_allclose(basis.transform(new), literal.features(C, A), **TIGHT)
    expected = literal.reconstruction_cost(K, A, C, kernel_diagonal(options, new))
    assert_allclose(kernel_reconstruction_cost(basis, new), expected, **ROOT)


def test_reconstruction_cost_of_kpca(real):
    """Eq. 19 projects phi itself, not phi less its mean, on the span of the principal directions."""
    X, _, new, _ = real
    options = KERNELS["rbf"]
    K = kernel_matrix(options, X)
    _, A = literal.kpca(K, 10)
    basis = KernelPCA(10, **options).fit(X)
    assert_allclose(kernel_reconstruction_cost(basis, X), literal.reconstruction_cost(K, A), **ROOT)
    expected = literal.reconstruction_cost(K, A, kernel_matrix(options, new, X), np.ones(len(new)))
    assert_allclose(kernel_reconstruction_cost(basis, new), expected, **ROOT)


def test_kffs(classes):
    X, y, _ = classes
    F = KernelOrthogonalBasis(**KERNELS["rbf"], n_components=60).fit_transform(X)
    order, gamma = literal.kffs(F, y)
    selection = KernelForwardSelection().fit(F, y)
    assert np.array_equal(forward_selection(F, y)[1], order)
    assert_allclose(selection.weights_, gamma, **TIGHT)
    assert np.array_equal(selection.order_, order[np.argsort(-gamma[order].round(9), kind="stable")])
    assert np.array_equal(selection.get_support(), gamma > 0)


def test_kffs_the_best_so_many(wine):
    F, y, _, _ = wine
    _, gamma = literal.kffs(F, y)
    selection = KernelForwardSelection(n_features_to_select=4).fit(F, y)
    best = sorted(np.argsort(-gamma.round(9), kind="stable")[:4])
    assert np.flatnonzero(selection.get_support()).tolist() == best


def test_takes(classes):
    X, y, new = classes
    options = KERNELS["wide rbf"]
    pivots, _, A = literal.kobl(kernel_matrix(options, X), np.sqrt)
    _, gamma = literal.kffs(literal.features(kernel_matrix(options, X), A), y)
    takes = TAKES(threshold=np.sqrt, **options).fit(X, y)
    keep = np.flatnonzero(gamma > 0)
    F = literal.features(kernel_matrix(options, new, X), A)
    assert_allclose(takes.transform(new), F[:, keep], **TIGHT)
    assert_allclose(takes.basis_.transform(new), F, **TIGHT)
    assert np.array_equal(takes.support_samples_, pivots[keep])


@pytest.mark.parametrize("count", [2, 3])
def test_relief(wine, count):
    X, y, _, _ = wine
    X, y = X[y < count], y[y < count]
    for basis in (
        KernelGramSchmidt(kernel="rbf", gamma=0.5),
        KernelOrthogonalBasis(**KERNELS["rbf"]),
        KernelPCA(8, kernel="rbf", gamma=0.05),
    ):
        found = KernelRelief(basis).fit(X, y).weights_
        assert_allclose(found, literal.relief(basis.fit_transform(X), y), **TIGHT)


@pytest.mark.parametrize("n_neighbors", [1, 2, 5])
@pytest.mark.parametrize("kernel", KERNELS)
def test_knnc(real, kernel, n_neighbors):
    X, y, new, _ = real
    options = KERNELS[kernel]
    K, C = kernel_matrix(options, X), kernel_matrix(options, new, X)
    expected = literal.knnc(K, y, C, kernel_diagonal(options, new), n_neighbors)
    model = KernelNearestNeighbor(n_neighbors, **options).fit(X, y)
    assert np.array_equal(model.predict(new), expected)


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 4, 7])
def test_knnc_ties(n_neighbors):
    """Integers and a linear kernel: distances are exact, so equal ones are equal."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (60, 3)).astype(float), rng.integers(0, 4, 60)
    new = rng.integers(0, 3, (40, 3)).astype(float)
    expected = literal.knnc(X @ X.T, y, new @ X.T, np.sum(new**2, axis=1), n_neighbors)
    model = KernelNearestNeighbor(n_neighbors, kernel="linear").fit(X, y)
    assert np.array_equal(model.predict(new), expected)
    shuffled = KernelNearestNeighbor(n_neighbors, kernel="linear").fit(X[::-1], y[::-1])
    expected = literal.knnc(
        (X @ X.T)[::-1, ::-1], y[::-1], new @ X[::-1].T, np.sum(new**2, axis=1), n_neighbors
    )
    assert np.array_equal(shuffled.predict(new), expected)


# a basis that rounding all but ends: its last residual is less than a thousandth of the first
STEEP = {"kernel": "rbf", "gamma": 1e-4, "threshold": lambda t: 0.0, "n_components": 60}


@pytest.mark.parametrize("options", [*KERNELS.values(), STEEP], ids=[*KERNELS, "steep"])
def test_influence_on_the_original_features(wine, options):
    X, y, _, _ = wine
    takes = TAKES(**options, n_features_to_select=0.5).fit(X, y)
    weights = np.maximum(takes.selection_.weights_[takes.selection_.get_support()], 0)
    steep = options is STEEP
    assert (takes.basis_.residuals_[-1] < 1e-3 * takes.basis_.residuals_[0]) == steep
    expected = literal.influence(takes.transform, X, weights, step=1e-3 if steep else 1e-5)
    # the laplacian kernel has a corner at every sample it stands on
    tolerance = 0.02 if options["kernel"] == "laplacian" else 1e-4
    assert_allclose(takes.original_feature_influence(), expected, rtol=tolerance)


@pytest.mark.parametrize("kernel", ["rbf", "wide rbf", "polynomial"])
def test_influence_on_the_classes(wine, kernel):
    X, y, _, _ = wine
    takes = TAKES(**KERNELS[kernel]).fit(X, y)
    F = takes.transform(X)
    alpha = 0.1 * np.sum((F - F.mean(axis=0)) ** 2) / F.shape[1]
    model = Ridge(alpha).fit(F, np.eye(3)[y])
    expected = literal.influence(lambda Z: model.predict(takes.transform(Z)), X, np.ones(3)) * np.sqrt(3)
    assert_allclose(takes.original_feature_influence(of="classes"), expected, rtol=1e-4)


def ridge(reg, matrix):
    """reg as a share of the mean eigenvalue."""
    return reg * np.trace(matrix) / len(matrix)


def same_up_to_scale(found, expected, tolerance):
    assert found.shape == expected.shape
    cosine = (
        np.sum(found * expected, axis=0) / np.linalg.norm(found, axis=0) / np.linalg.norm(expected, axis=0)
    )
    assert_allclose(np.abs(cosine), 1, atol=tolerance)


@pytest.mark.parametrize("reg", [1e-3, 0.1])
def test_kda(classes, reg):
    X, y, new = classes
    options = KERNELS["rbf"]
    K, C = kernel_matrix(options, X), kernel_matrix(options, new, X)
    model = KernelDiscriminantAnalysis(reg=reg, **options).fit(X, y)
    mu = ridge(reg, literal.kernel_scatters(K, y)[1])
    A = literal.kda(K, y, mu)
    same_up_to_scale(model.transform(new), C @ A, 1e-7)
    if len(np.unique(y)) == 2:
        same_up_to_scale(model.transform(new), C @ literal.kda_two(K, y, mu)[:, None], 1e-7)
    expected = literal.reconstruction_cost(K, A, C, np.ones(len(new)))
    assert_allclose(kernel_reconstruction_cost(model, new), expected, rtol=1e-6)


@pytest.mark.parametrize("reg", [1e-3, 0.1])
def test_gda(classes, reg):
    X, y, new = classes
    options = KERNELS["rbf"]
    K, C = kernel_matrix(options, X), kernel_matrix(options, new, X)
    H = literal.centring(len(K))
    model = GeneralizedDiscriminantAnalysis(reg=reg, **options).fit(X, y)
    A = literal.gda(K, y, ridge(reg, H @ K @ H), penalty="norm")
    same_up_to_scale(model.transform(new), literal.centred(C, K) @ A, 1e-7)
    expected = literal.reconstruction_cost(K, H @ A, C, np.ones(len(new)))
    assert_allclose(kernel_reconstruction_cost(model, new), expected, rtol=1e-6)
