"""Every kernel-space method against its exact version, on data of hostile magnitudes and shapes.

The exact versions compute with 120 digits. Their options are those of docs/readings.md.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose

import featsieve
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
from featsieve.kernel_space.gamma import resolve_gamma

from .magnitudes import TRANSFORMATIONS, hostile

N_SAMPLES = 12  # exact eigenvectors take O(n^3) slow operations
KERNELS = ["rbf", "linear", "poly"]
LABELS = {
    "three classes": np.arange(N_SAMPLES) % 3,
    "-1 and 1": np.where(np.arange(N_SAMPLES) % 3 == 0, -1, 1),
    "a class of one": np.repeat([0, 1, 2], [N_SAMPLES - 5, 4, 1]),
}
RIDGE = 1e-3
TOLERANCE = 1e-7
# Decisions with a smaller exact margin, relative to the terms, depend on rounding.
MIN_DECISION_MARGIN = 1e-12

# Float64 kernel values are accurate to about 1e-16 of the largest entry. Numbers that are a small fraction of
# that entry have fewer digits: their relative error is about ROUNDING / fraction. They are not compared if it
# is above MAX_TOLERANCE. For base vectors, the fraction is the smallest squared residual so far over the
# largest k(x, x). For discriminant directions, it is their ratio over the largest ratio, because the ridge is
# a fraction of the whole kernel matrix. Directions lose more digits, because eigenvalues of the size of
# rounding errors are removed.
BASIS_ROUNDING, DIRECTION_ROUNDING, MAX_TOLERANCE = 1e-12, 1e-9, 1e-3


def leading_tolerances(fractions, rounding):
    """Compute tolerances of the leading vectors that float64 kernel values determine."""
    fractions = np.minimum.accumulate(exact.to_float(fractions))
    with np.errstate(divide="ignore"):
        tolerances = np.maximum(rounding / fractions, TOLERANCE)
    tolerances = tolerances[tolerances < MAX_TOLERANCE]
    if not tolerances.size:
        pytest.skip("float64 kernel values determine none of the vectors")
    return tolerances


def basis_tolerances(case, basis):
    return leading_tolerances([r2 / case.largest for r2 in basis.squared_residuals], BASIS_ROUNDING)


@cache
def data(name, kernel, labels):
    """Return samples, labels, new samples, exact kernel matrices and the options of estimators."""
    X, y = hostile(name)[0][:N_SAMPLES], LABELS[labels]
    new = X[::3] + 0.1 * X.std(axis=0) * np.random.default_rng(9).standard_normal(X[::3].shape)
    gamma = resolve_gamma(kernel, "scale", X)
    options = {"kernel": kernel, "gamma": 1 if gamma is None else gamma}
    K = exact.kernel_matrix(X, **options)
    return SimpleNamespace(
        X=X,
        y=y,
        new=new,
        kernel=kernel,
        gamma=gamma,
        options={} if kernel == "rbf" else {"kernel": kernel},  # "rbf" is the default
        K=K,
        C=exact.kernel_matrix(new, X, **options),
        diagonal=exact.kernel_diagonal(new, **options),
        largest=max(K[i, i] for i in range(len(K))),
    )


def skip_if_rounding_decides(*decisions, margin=MIN_DECISION_MARGIN):
    """Skip data on which a decision depends on rounding. Exact ties follow a rule and are not skipped."""
    for decision in decisions:
        if decision.scale_margin < margin:
            difference = float(decision.scale_margin)
            pytest.skip(f"{decision.closest} is decided by a relative difference of {difference:.1g}")


def compare(values, expected, tolerances):
    """Compare leading columns up to their signs, with tolerances relative to their largest entries."""
    m = len(tolerances)
    values, expected = values[..., :m], exact.to_float(expected)[..., :m]
    assert values.shape == expected.shape
    sign = np.where(np.sum(values * expected, axis=0) < 0, -1.0, 1.0)
    magnitudes = np.abs(expected).max(axis=0) if expected.ndim == 2 else np.abs(expected)
    error = np.abs(values * sign - expected).reshape(-1, m)
    assert np.all(error <= tolerances * magnitudes), (error.max(axis=0) / magnitudes, tolerances)


def compare_costs(case, model, A, tolerances, about_mean=False):
    """Compare costs if all directions A are determined."""
    if len(tolerances) < A.shape[1]:
        return
    cost = exact.reconstruction_cost(case.K, A, case.C, case.diagonal, about_mean)
    error = kernel_reconstruction_cost(model, case.new, about_mean=about_mean) - float(cost)
    assert abs(error) <= np.max(tolerances, initial=TOLERANCE) * float(case.largest) ** 0.5


def check_basis(case, model, basis):
    tolerances = basis_tolerances(case, basis)
    m = len(tolerances)
    assert model.gamma_ == case.gamma
    assert model.pivots_[:m].tolist() == basis.pivots[:m]
    compare(model.residuals_, basis.residuals, tolerances)
    compare(model.transform(case.new), exact.features(case.C, basis.coefficients), tolerances)
    if m == len(basis.pivots):
        assert model.n_components_ == m
    compare_costs(case, model, basis.coefficients, tolerances)


def exact_kobl(case):
    basis = exact.kobl(case.K, tie_index="sample")
    m = len(basis.pivots)
    # the residual of the rejected candidate matters, but not its index
    skip_if_rounding_decides(exact.kobl(case.K, n_components=m, tie_index="sample").decisions)
    if basis.rejected is not None:
        assert abs(basis.rejected / basis.residuals[0] - exact.mp.mpf(m) / N_SAMPLES) > MIN_DECISION_MARGIN
    return basis


def check_kobl(case):
    basis = exact_kobl(case)
    check_basis(case, KernelOrthogonalBasis(**case.options).fit(case.X), basis)


def check_kgs(case):
    check_basis(case, KernelGramSchmidt(**case.options).fit(case.X), exact.kgs(case.K))


def ridge(matrix):
    """Compute the default fraction of the mean eigenvalue."""
    return exact.mp.mpf(RIDGE) * sum(matrix[i, i] for i in range(len(matrix))) / len(matrix)


def check_kda(case):
    mu = ridge(exact.kda_matrices(case.K, case.y)[1])
    expected = exact.kda(case.K, case.y, mu, between="weighted")
    tolerances = leading_tolerances(expected.values / expected.values[0], DIRECTION_ROUNDING)
    model = KernelDiscriminantAnalysis(**case.options).fit(case.X, case.y)
    assert model.gamma_ == case.gamma
    compare(model.ratios_, expected.values, tolerances)
    compare(model.transform(case.new), exact.features(case.C, expected.coefficients), tolerances)
    compare_costs(case, model, expected.coefficients, tolerances)


def check_gda(case):
    rho = ridge(exact.center_kernel(case.K))
    expected = exact.gda(case.K, case.y, rho)
    # centering samples (linear) or 1 - k (rbf) loses no digits; centering poly may leave a small fraction
    fraction = rho / RIDGE / case.largest if case.kernel == "poly" else 1
    tolerances = leading_tolerances(fraction * expected.values / expected.values[0], DIRECTION_ROUNDING)
    model = GeneralizedDiscriminantAnalysis(**case.options).fit(case.X, case.y)
    assert model.gamma_ == case.gamma
    compare(model.ratios_, expected.values, tolerances)
    F = exact.gda_features(case.C, case.K, expected.coefficients)
    compare(model.transform(case.new), F, tolerances)
    compare_costs(case, model, expected.coefficients, tolerances, about_mean=True)


def select_exactly(F, y):
    selection = exact.kffs(F, y, tie="share", odds="samme")
    skip_if_rounding_decides(selection.decisions)
    best = exact.Decisions().sort("weights", [selection.gamma[i] for i in selection.order])
    order = [selection.order[i] for i in best]
    return selection, order, selection.kept or order[:1]


def compare_weights(weights, expected):
    expected = exact.to_float(expected)
    assert_allclose(weights, expected, rtol=0, atol=TOLERANCE * max(1, np.abs(expected).max()))


def check_kffs(case):
    """Compare on the samples themselves, because the method has no kernel."""
    selection, order, kept = select_exactly(case.X, case.y)
    model = KernelForwardSelection().fit(case.X, case.y)
    compare_weights(model.weights_, selection.gamma)
    assert model.order_.tolist() == order
    assert model.get_support(indices=True).tolist() == kept


def check_takes(case):
    basis = exact_kobl(case)
    tolerances = basis_tolerances(case, basis)
    assert len(tolerances) == len(basis.pivots)
    selection, _, kept = select_exactly(exact.features(case.K, basis.coefficients), case.y)
    model = TAKESTransformer(**case.options).fit(case.X, case.y)
    assert model.gamma_ == case.gamma
    compare_weights(model.selection_.weights_, selection.gamma)
    assert model.support_samples_.tolist() == [basis.pivots[i] for i in kept]
    A = basis.coefficients[:, kept]
    compare(model.transform(case.new), exact.features(case.C, A), tolerances[kept])
    compare_costs(case, model, A, tolerances[kept])


def check_relief(case):
    basis = exact.kgs(case.K)
    F = exact.features(case.K, basis.coefficients)
    expected = exact.relief(F, case.y, scaled=False, misses="each")
    # vectors that are not determined contribute less than this fraction of the squared distances
    skip_if_rounding_decides(expected.neighbor_decisions, margin=BASIS_ROUNDING / MAX_TOLERANCE * N_SAMPLES)
    tolerances = basis_tolerances(case, basis)
    m = len(tolerances)
    model = KernelRelief(KernelGramSchmidt(**case.options)).fit(case.X, case.y)
    assert model.basis_.gamma_ == case.gamma
    magnitudes = np.abs(exact.to_float(F)[:, :m]).max(axis=0) ** 2
    error = np.abs(model.weights_[:m] - exact.to_float(expected.weights)[:m])
    assert np.all(error <= 4 * tolerances * magnitudes)
    selected = np.sort(model.order_[: model.n_features_])
    coordinates = model.basis_.transform(case.new)
    assert np.array_equal(model.transform(case.new), coordinates[:, selected])
    if m == len(basis.pivots):
        skip_if_rounding_decides(expected.order_decisions)
        assert model.order_.tolist() == expected.order
        # the weight is exactly zero if a sample is not a neighbor of any other
        assert model.n_features_ == sum(weight > 1e-40 * case.largest for weight in expected.weights)


def check_knnc(case):
    expected = exact.knnc(case.K, case.y, case.C, case.diagonal)
    decisions = expected.decisions
    if case.kernel != "poly":  # distances are not computed as differences of kernel values
        assert decisions.margin > MIN_DECISION_MARGIN
    else:
        skip_if_rounding_decides(decisions)
    model = KernelNearestNeighbor(**case.options).fit(case.X, case.y)
    assert model.gamma_ == case.gamma
    assert np.array_equal(model.predict(case.new), expected.labels)


CHECKS = {
    "kobl": check_kobl,
    "kgs": check_kgs,
    "kda": check_kda,
    "gda": check_gda,
    "kffs": check_kffs,
    "takes-transformer": check_takes,
    "kernel-relief": check_relief,
    "knnc": check_knnc,
}
UNSUPERVISED = {"kobl", "kgs"}
over_supervised = pytest.mark.parametrize("method", sorted(CHECKS.keys() - UNSUPERVISED))


def test_every_kernel_space_method_is_checked():
    rankers = {method.name for method in featsieve.methods()}
    assert CHECKS.keys() == {method.name for method in featsieve.methods(role=None)} - rankers


@pytest.mark.parametrize(
    ("method", "kernel"),  # KFFS has no kernel
    [(method, kernel) for method in CHECKS for kernel in KERNELS if method != "kffs" or kernel == "rbf"],
)
@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_magnitudes(name, kernel, method):
    CHECKS[method](data(name, kernel, "three classes"))


@over_supervised
@pytest.mark.parametrize("labels", ["-1 and 1", "a class of one"])
@pytest.mark.parametrize("name", ["plain", "heavy-tailed", "offset by 1e8"])
def test_labels(name, labels, method):
    if method == "kernel-relief" and labels == "a class of one":
        pytest.skip(
            "the exact version requires a hit for every sample; see tests/kernel_space/test_relief.py"
        )
    CHECKS[method](data(name, "rbf", labels))


@over_supervised
@pytest.mark.parametrize("label", [0, 1.0, "a", -1])
def test_one_class(method, label):
    X = hostile("plain")[0]
    y = np.full(len(X), label)
    (estimator,) = (known.estimator for known in featsieve.methods(role=None) if known.name == method)
    if method == "knnc":  # like scikit-learn: there is one answer
        assert set(estimator().fit(X, y).predict(X)) == {label}
    else:
        with pytest.raises(ValueError, match="y must contain at least two classes"):
            estimator().fit(X, y)
