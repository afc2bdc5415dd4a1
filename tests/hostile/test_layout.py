"""Invariance to memory layout, number type, storage, and the order of samples and features."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from featsieve import KNNGraph, LaplacianScore

from .cases import check_ranking, integers, is_a, over, plain

exact = {"rtol": 1e-9, "atol": 1e-12}


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def strided(X):
    padded = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    padded[::2, ::3] = X
    return padded[::2, ::3]


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "read-only": read_only,
    "every third column": strided,
    "negative strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "lists": lambda X: X.tolist(),
    "data frame": pd.DataFrame,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "object dtype": lambda X: X.astype(object),
}


@over()
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_in_memory(case, layout):
    X, y = plain()
    assert_allclose(
        case.fit(LAYOUTS[layout](X), y).scores_, case.fit(X, y).scores_, rtol=case.rtol, atol=1e-12
    )


@over()
def test_arguments_are_not_modified(case):
    X, y = plain()
    X[:, 2] = 1.5
    original, original_y = X.copy(), y.copy()
    for array in (X, np.asfortranarray(X)):
        case.fit(array, y).transform(array)
        assert np.array_equal(array, original)
        assert array.flags.writeable
    assert np.array_equal(y, original_y)


@over(
    lambda case: (
        "graph" in case.estimator.get_params()
        and not is_a("LLEReconstructionScore", "LLEScore", "FacilityLocation")(case)  # need neighbor lists
    )
)
def test_prebuilt_graph_is_not_modified(case):
    X, y = plain()
    dense = KNNGraph(4).build(X).weights.toarray()
    for weights in (dense.copy(), sp.csr_array(dense)):
        case.fit(X, y, graph=weights)
        assert np.array_equal(weights if isinstance(weights, np.ndarray) else weights.toarray(), dense)
        if isinstance(weights, np.ndarray):
            assert weights.flags.writeable
        else:
            assert weights.data.flags.writeable


@over()
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "int8", "bool", "float32"])
def test_number_types(case, dtype):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2 if dtype == "bool" else 128, size=(30, 11))
    y = np.arange(30) % 3
    rtol = 1e-3 if dtype == "float32" else 1e-9
    assert_allclose(
        case.fit(X.astype(dtype), y).scores_, case.fit(X.astype(float), y).scores_, rtol=rtol, atol=1e-6
    )


@over()
def test_unsigned_differences_do_not_wrap(case):
    X, y = plain()
    X = np.round(X * 17).astype(np.uint8)
    assert_allclose(case.fit(X, y).scores_, case.fit(X.astype(float), y).scores_, **exact)


@over()
def test_float32_scores_are_close_to_float64(case):
    X, y = plain()
    double, single = case.fit(X, y), case.fit(X.astype(np.float32), y)
    check_ranking(single, X.shape[1])
    assert_allclose(single.scores_, double.scores_, rtol=1e-3, atol=1e-5)


@over(lambda case: case.needs_y and case.name != "boosting")  # draws features for one class after the other
@pytest.mark.parametrize("rename", [str, lambda c: f"class {2 - c}", lambda c: 10 * c - 7, lambda c: bool(c)])
def test_scores_do_not_depend_on_the_names_of_classes(case, rename):
    X, y = plain()
    y = y % 2 if rename(0) is False else y
    assert_allclose(case.fit(X, [rename(c) for c in y]).scores_, case.fit(X, y).scores_, **exact)


def with_zeros():
    X, y = plain()
    X[X < 2] = 0
    return X, y


def non_canonical(X):
    """Return a CSR array with unsorted indices, stored zeros and each entry split into two halves."""
    rows, cols = np.indices(X.shape)
    data = np.concatenate([X.ravel() / 2] * 2)
    order = np.lexsort((-np.tile(cols.ravel(), 2), np.tile(rows.ravel(), 2)))
    pointers = np.arange(0, 2 * X.size + 1, 2 * X.shape[1])
    return sp.csr_array((data[order], np.tile(cols.ravel(), 2)[order], pointers), shape=X.shape)


@over(lambda case: "sparse" in case.inputs)
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, non_canonical])
def test_sparse_equals_dense(case, form):
    X, y = with_zeros()
    sparse = form(X)
    assert_allclose(case.fit(sparse, y).scores_, case.fit(X, y).scores_, rtol=case.rtol, atol=1e-12)
    assert np.array_equal(sparse.toarray(), X)
    assert sparse.nnz == form(X).nnz


def test_non_canonical_storage():
    X, _ = with_zeros()
    assert not non_canonical(X).has_canonical_format
    assert np.array_equal(non_canonical(X).toarray(), X)


DRAW_SAMPLES = ["LeaveOneFeatureOut", "ModelImportance", "AutoSelector"]  # by row index


@over(lambda case: not is_a(*DRAW_SAMPLES)(case))
@pytest.mark.parametrize("seed", range(4))
def test_scores_do_not_depend_on_the_order_of_samples(case, seed):
    X, y = plain()
    order = np.random.default_rng(seed).permutation(len(X))
    assert_allclose(case.fit(X[order], y[order]).scores_, case.fit(X, y).scores_, rtol=case.rtol, atol=1e-12)


@over(lambda case: not is_a(*DRAW_SAMPLES)(case))
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("copies", [False, True], ids=["ties", "ties and duplicates"])
def test_scores_do_not_depend_on_the_order_of_tied_samples(case, seed, copies):
    X, y = integers(seed=seed)
    if not copies:
        X, first = np.unique(X, axis=0, return_index=True)
        y = y[first]
    order = np.random.default_rng(seed).permutation(len(X))
    assert_allclose(case.fit(X[order], y[order]).scores_, case.fit(X, y).scores_, rtol=case.rtol, atol=1e-12)


def scores_of_permuted_features(case, X, y):
    """Permute the columns of X and return the scores in the original order."""
    order = np.random.default_rng(1).permutation(X.shape[1])
    scores = np.empty(X.shape[1])
    scores[order] = case.fit(X[:, order], y).scores_
    return scores


@over(lambda case: not is_a("ModelImportance")(case))  # trees draw features by column index
def test_scores_do_not_depend_on_the_order_of_features(case):
    X, y = plain()
    assert_allclose(
        scores_of_permuted_features(case, X, y), case.fit(X, y).scores_, rtol=case.rtol, atol=1e-12
    )


# ties among neighbors may depend on the order of features, and trees draw features by column index
SEARCH_NEIGHBORS = ["SupervisedColumnSubset", "AutoSelector"]


@over(lambda case: not case.neighbors and not is_a("ModelImportance", *SEARCH_NEIGHBORS)(case))
def test_scores_of_tied_samples_do_not_depend_on_the_order_of_features(case):
    X, y = integers()
    assert_allclose(
        scores_of_permuted_features(case, X, y), case.fit(X, y).scores_, rtol=case.rtol, atol=1e-12
    )


@over(lambda case: "_rank" not in vars(type(case.estimator)))
def test_order_follows_the_scores(case):
    X, y = plain()
    ranked = case.fit(X, y)
    sorted_scores = ranked.scores_[ranked.order_]
    assert np.all(np.diff(sorted_scores) <= 0 if case.larger else np.diff(sorted_scores) >= 0)
    assert sorted_scores[0] != sorted_scores[-1]


@over()
@pytest.mark.parametrize(("number", "n_selected"), [(1, 1), (7, 7), (0.5, 3), (None, 3), (np.int64(2), 2)])
def test_the_best_features_are_selected(case, number, n_selected):
    X, y = plain()
    selector = case.fit(X, y, n_features_to_select=number)
    assert np.array_equal(selector.get_support(indices=True), np.sort(selector.order_[:n_selected]))
    assert np.array_equal(selector.transform(X), X[:, np.sort(selector.order_[:n_selected])])


@over()
def test_pickle_and_clone(case):
    X, y = plain()
    selector = case.fit(X, y, n_features_to_select=2)
    unpickled = pickle.loads(pickle.dumps(selector))
    assert np.array_equal(unpickled.scores_, selector.scores_)
    assert np.array_equal(unpickled.transform(X), selector.transform(X))
    unfitted = clone(selector)
    assert repr(unfitted) == repr(selector)
    with pytest.raises(NotFittedError):
        unfitted.transform(X)


@over()
def test_fit_changes_no_parameter_and_is_repeatable(case):
    X, y = plain()
    selector = clone(case.estimator)
    parameters = repr(selector.get_params())
    first = selector.fit(X, y).scores_
    assert repr(selector.get_params()) == parameters
    assert np.array_equal(selector.fit(X, y).scores_, first)
    selector.fit(X[:, :3], y)  # must replace all attributes of the first fit
    assert selector.scores_.shape == (3,)
    assert selector.transform(X[:, :3]).shape == (len(X), 1)


def test_builder_graph_and_matrix_are_equivalent():
    X, _ = plain()
    expected = LaplacianScore(KNNGraph(4)).fit(X).scores_
    graph = KNNGraph(4).build(X)
    for graph_like in (graph, graph.weights, graph.weights.toarray(), sp.csr_matrix(graph.weights)):
        assert_allclose(LaplacianScore(graph_like).fit(X).scores_, expected, **exact)
