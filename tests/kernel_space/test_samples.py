"""Samples of every kind: sparse, narrow, far from zero, strings; and life with scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from featsieve import (
    KernelForwardSelection,
    KernelGramSchmidt,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESTransformer,
    kernel_reconstruction_cost,
)

from .cases import BASES, DISCRIMINANTS, KERNEL_METHODS, TRANSFORMERS, named, outcome, plain


@pytest.mark.parametrize("method", KERNEL_METHODS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine", "laplacian"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_equals_dense(method, kernel, kind):
    X, y = plain()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    options = {} if kernel in ("linear", "cosine") else {"gamma": 0.3}
    dense, sparse = (
        method(kernel=kernel, **options).fit(X, y),
        method(kernel=kernel, **options).fit(kind(X), y),
    )
    assert_allclose(outcome(sparse, kind(X)), outcome(dense, X), atol=1e-7)
    assert_allclose(outcome(sparse, X), outcome(dense, kind(X)), atol=1e-7)


@pytest.mark.parametrize("gamma", ["scale", "median"])
def test_widths_of_sparse_and_dense_are_equal(gamma):
    X, _ = plain()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    dense, sparse = (KernelOrthogonalBasis(gamma=gamma).fit(each).gamma_ for each in (X, sp.csr_array(X)))
    assert_allclose(sparse, dense)
    if gamma == "scale":
        assert_allclose(dense, 1 / (X.shape[1] * X.var()))
    else:
        squares = [np.sum((a - b) ** 2) for i, a in enumerate(X) for b in X[:i]]
        assert_allclose(dense, 1 / np.median([s for s in squares if s > 0]))


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_values_that_are_not_finite(method):
    X, y = plain()
    for bad in (np.nan, np.inf):
        broken = X.copy()
        broken[3, 2] = bad
        with named("NaN|infinity"):
            method().fit(broken, y)
        with named("NaN|infinity"):
            outcome(method().fit(X, y), broken)


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_values_so_large_that_the_kernel_overflows(method):
    X, y = plain()
    with named("kernel|large|infinity|scale"):
        outcome(method(kernel="poly", degree=9, gamma=1.0).fit(X * 1e60, y), X * 1e60)


def test_samples_far_from_zero_keep_their_differences():
    X, _ = plain()
    near, far = (KernelOrthogonalBasis(gamma=0.3).fit(each) for each in (X, X + 1e6))
    assert np.array_equal(near.pivots_, far.pivots_)
    assert_allclose(far.transform(X + 1e6), near.transform(X), atol=1e-5)


@pytest.mark.parametrize("method", TRANSFORMERS)
def test_float32(method):
    X, y = plain()
    wide = method(gamma=0.3).fit(X, y).transform(X)
    X32 = X.astype(np.float32)
    narrow = method(gamma=0.3).fit(X32, y)
    found = narrow.transform(X32)
    assert found.dtype == np.float32
    assert_allclose(np.abs(found), np.abs(wide), atol=1e-3)
    assert narrow.fit_transform(X32, y).dtype == np.float32


def test_a_float32_kernel_matrix_has_coarser_rounding():
    X, _ = plain()
    K = (X @ X.T).astype(np.float32)
    basis = KernelOrthogonalBasis("precomputed", threshold=lambda t: 0.0).fit(K)
    assert basis.n_components_ == 5


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_the_samples_are_left_as_they_were(method):
    X, y = plain()
    kept = X.copy()
    outcome(method().fit(X, y), X)
    assert np.array_equal(X, kept)
    K = X @ X.T
    kept = K.copy()
    outcome(method(kernel="precomputed").fit(K, y), K)
    assert np.array_equal(K, kept)
    frozen = X.copy()
    frozen.flags.writeable = False
    outcome(method().fit(frozen, y), frozen)


WORDS = [
    "kernel",
    "kernels",
    "colonel",
    "basis",
    "bases",
    "basic",
    "feature",
    "features",
    "creature",
    "sample",
]


def common_pairs(a, b):
    """How many pairs of letters two words share, counted with repetition: a spectrum kernel."""
    pairs = [word[i : i + 2] for word in (a,) for i in range(len(word) - 1)]
    return float(sum(b[j : j + 2] == pair for pair in pairs for j in range(len(b) - 1)))


@pytest.mark.parametrize("method", KERNEL_METHODS)
@pytest.mark.parametrize(
    "kind", [list, np.array, lambda w: np.array(w, dtype=object)], ids=["list", "U", "object"]
)
def test_words(method, kind):
    y = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    K = np.array([[common_pairs(a, b) for b in WORDS] for a in WORDS])
    model = method(kernel=common_pairs).fit(kind(WORDS), y)
    given = method(kernel="precomputed").fit(K, y)
    new = ["kern", "base", "features!"]
    C = np.array([[common_pairs(a, b) for b in WORDS] for a in new])
    assert_allclose(outcome(model, kind(WORDS)), outcome(given, K), atol=1e-8)
    if method is not KernelNearestNeighbor:
        assert_allclose(outcome(model, kind(new)), outcome(given, C), atol=1e-8)
    if method in BASES:
        assert list(model.basis_) == [WORDS[i] for i in model.pivots_]


def test_words_in_a_pipeline():
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    model = make_pipeline(TAKESTransformer(common_pairs), KNeighborsClassifier(1)).fit(WORDS, y)
    assert model.score(WORDS, y) > 0.5
    with named("feature|numeric|number|derivative|columns"):
        model[0].original_feature_influence()


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_pickle_and_clone(method):
    X, y = plain()
    model = method(gamma="median").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(outcome(again, X), outcome(model, X))
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not [name for name in vars(fresh) if name.endswith("_")]
    assert_allclose(outcome(fresh.fit(X, y), X), outcome(model, X))


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_fitting_again_forgets(method):
    X, y = plain()
    other, other_y = plain(25, 3, seed=5)
    model = method().fit(other, other_y).fit(X, y)
    assert_allclose(outcome(model, X), outcome(method().fit(X, y), X))
    assert model.n_features_in_ == 5


@pytest.mark.parametrize("method", TRANSFORMERS)
def test_fit_transform_is_fit_then_transform(method):
    X, y = plain()
    model = method(gamma=0.3)
    assert_allclose(model.fit_transform(X, y), model.transform(X), atol=1e-8)


@pytest.mark.parametrize("method", TRANSFORMERS)
def test_pandas(method):
    X, y = plain()
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) * 3)
    model = method(gamma=0.3).set_output(transform="pandas").fit(frame, y)
    table = model.transform(frame)
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == list(model.get_feature_names_out())
    assert len(set(table.columns)) == table.shape[1]
    assert list(table.index) == list(frame.index)
    assert_allclose(table.to_numpy(), method(gamma=0.3).fit(X, y).transform(X), atol=1e-9)
    assert model.feature_names_in_.tolist() == list("abcde")
    with named("feature names"):
        model.transform(frame[["b", "a", "c", "d", "e"]])


def test_relief_names():
    X, y = plain()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = KernelRelief(KernelPCA(6, kernel="rbf"), n_features_to_select=3).set_output(transform="pandas")
    table = model.fit(frame, y).transform(frame)
    assert table.shape == (len(X), 3)
    assert model.feature_names_in_.tolist() == list("abcde")
    with named("feature names"):
        model.transform(frame[["b", "a", "c", "d", "e"]])


def test_selection_names():
    X, y = plain()
    frame = pd.DataFrame(X, columns=list("abcde"))
    selection = KernelForwardSelection(n_features_to_select=2).set_output(transform="pandas").fit(frame, y)
    table = selection.transform(frame)
    assert table.shape == (len(X), 2)
    assert set(table.columns) <= set("abcde")


def test_a_grid_search_over_a_pipeline():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), TAKESTransformer(), KNeighborsClassifier(1))
    grid = {
        "takestransformer__gamma": [0.01, "scale", "median"],
        "takestransformer__threshold": ["linear", np.sqrt],
    }
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.85
    width = {"takestransformer__gamma": ["dimension"], "takestransformer__n_components": [5, 40]}
    search = GridSearchCV(model, width, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.85


def test_a_grid_search_on_a_precomputed_kernel_cuts_rows_and_columns():
    X, y = load_wine(return_X_y=True)
    K = pairwise_kernels(scale(X), metric="rbf", gamma=0.05)
    model = make_pipeline(TAKESTransformer("precomputed"), KNeighborsClassifier(1))
    search = GridSearchCV(
        model, {"takestransformer__threshold": ["linear", np.square]}, cv=3, error_score="raise"
    )
    assert search.fit(K, y).best_score_ > 0.85
    nearest = GridSearchCV(KernelNearestNeighbor(kernel="precomputed"), {"n_neighbors": [1, 3]}, cv=3)
    assert nearest.fit(K, y).best_score_ > 0.85


def test_relief_over_a_grid_of_its_basis():
    X, y = plain(60)
    model = make_pipeline(
        KernelRelief(KernelPCA(6, kernel="rbf"), n_features_to_select=3), KNeighborsClassifier(1)
    )
    grid = {"kernelrelief__basis__gamma": [0.1, 0.5], "kernelrelief__basis": [KernelGramSchmidt(gamma=0.5)]}
    for key, values in grid.items():
        GridSearchCV(model, {key: values}, cv=2, error_score="raise").fit(X, y)
    basis = KernelPCA(6, kernel="rbf")
    KernelRelief(basis).fit(X, y)
    assert not hasattr(basis, "eigenvalues_")  # the caller's own stays as it was


def test_relief_takes_transformers_only():
    X, y = plain()
    for bad in ("pca", 3, KNeighborsClassifier()):
        with named("basis"):
            KernelRelief(bad).fit(X, y)


def test_reconstruction_cost_of_what_is_no_basis():
    X, y = plain()
    with named("basis"):
        kernel_reconstruction_cost(StandardScaler().fit(X), X)
    with named("basis"):
        kernel_reconstruction_cost(None, X)
    with pytest.raises(NotFittedError):
        kernel_reconstruction_cost(KernelOrthogonalBasis(), X)
    fitted = [
        KernelOrthogonalBasis().fit(X),
        KernelGramSchmidt().fit(X),
        KernelPCA(3, kernel="rbf", gamma=0.3).fit(X),
        *(method().fit(X, y) for method in DISCRIMINANTS),
    ]
    for basis in fitted:
        cost = kernel_reconstruction_cost(basis, X)
        assert 0 <= cost <= 1  # samples have length 1, and a projection never lengthens
        with named("features"):
            kernel_reconstruction_cost(basis, X[:, :3])
