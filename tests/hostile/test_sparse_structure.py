"""Sparse matrices with inconsistent index arrays raise an error that explains the inconsistency."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.utils import get_tags

import featsieve
from featsieve import KernelForwardSelection, KNNGraph, LaplacianScore, kernel_reconstruction_cost
from featsieve.evaluation import compare
from featsieve.scores import graph_preserving_score, laplacian_score

from .cases import over, plain, rejects

HUGE = 2**30


def _with_entry(array, name, position, value):
    array = array.copy()
    getattr(array, name)[position] = value
    return array


def _with_attribute(array, name, value):
    array = array.copy()
    setattr(array, name, value)
    return array


def _lil(X):
    array = sp.lil_array(X)
    array.rows[2][1] = X.shape[1] + 5
    return array


def _lil_lengths(X):
    array = sp.lil_array(X)
    array.data[2] = array.data[2] * 3
    return array


def _coo(X, axis, value):
    array = sp.coo_array(X)
    array.coords[axis][3] = value
    return array


# Description -> the invalid matrix, and a fragment of the message.
INVALID = {
    "column too large": lambda X: (_with_entry(sp.csr_array(X), "indices", 5, HUGE), "column indices"),
    "column just too large": lambda X: (
        _with_entry(sp.csr_array(X), "indices", 5, X.shape[1]),
        f"less than {X.shape[1]}; got {X.shape[1]}",
    ),
    "column negative": lambda X: (_with_entry(sp.csr_array(X), "indices", 5, -3), "got -3"),
    "row too large": lambda X: (_with_entry(sp.csc_array(X), "indices", 5, HUGE), "row indices"),
    "row negative": lambda X: (_with_entry(sp.csc_matrix(X), "indices", 0, -1), "got -1"),
    "pointer too large": lambda X: (
        _with_entry(sp.csr_matrix(X), "indptr", 4, HUGE),
        "row pointers must not",
    ),
    "pointer negative": lambda X: (
        _with_entry(sp.csc_array(X), "indptr", 2, -HUGE),
        "column pointers must not",
    ),
    "first pointer": lambda X: (_with_entry(sp.csr_array(X), "indptr", 0, 2), "first row pointer must be 0"),
    "last pointer": lambda X: (_with_entry(sp.csr_array(X), "indptr", -1, HUGE), "last row pointer"),
    "pointers that end with 0": lambda X: (
        _with_entry(sp.csr_array(X), "indptr", slice(5, None), 0),
        "row pointers must not decrease",
    ),
    "too few pointers": lambda X: (
        _with_attribute(sp.csr_array(X), "indptr", sp.csr_array(X).indptr[:-3]),
        f"must be {X.shape[0] + 1} row pointers",
    ),
    "too few indices": lambda X: (_with_attribute(sp.csr_array(X), "indices", np.arange(3)), "equally long"),
    "real indices": lambda X: (
        _with_attribute(sp.csr_array(X), "indices", sp.csr_array(X).indices + np.nan),
        "must be integers; got float64",
    ),
    "real pointers": lambda X: (
        _with_attribute(sp.csc_array(X), "indptr", sp.csc_array(X).indptr.astype(float)),
        "must be integers; got float64",
    ),
    "coordinate too large": lambda X: (_coo(X, 0, HUGE), "row indices"),
    "coordinate negative": lambda X: (_coo(X, 1, -HUGE), f"got {-HUGE}"),
    "block too far": lambda X: (_with_entry(sp.bsr_array(X, blocksize=(2, 1)), "indices", 0, HUGE), "column"),
    "list too far": lambda X: (_lil(X), "column indices"),
    "list too long": lambda X: (_lil_lengths(X), "equally many"),
    "diagonal without offset": lambda X: (
        _with_attribute(sp.dia_array(X), "offsets", np.arange(2)),
        "one offset per diagonal",
    ),
}


def data():
    X, y = plain()
    X[X < 2] = 0
    return X, y


over_sparse_methods = over(lambda case: "sparse" in case.inputs)


@over_sparse_methods
def test_rankers_reject_invalid_matrices(case):
    X, y = data()
    fitted = case.fit(X, y)
    for make in INVALID.values():
        invalid, word = make(X)
        rejects(partial(case.fit, invalid, y), "X is not a valid sparse matrix", word, "coo_array")
        rejects(partial(fitted.transform, invalid), word)


@pytest.mark.parametrize("kind", ["column too large", "pointer too large"])
def test_inverse_transform_rejects_invalid_matrices(kind):
    X, y = data()
    for model in (LaplacianScore(n_features_to_select=7), KernelForwardSelection(n_features_to_select=7)):
        fitted = model.fit(X, y)
        invalid, word = INVALID[kind](X)
        rejects(partial(fitted.transform, invalid), word)
        rejects(partial(fitted.inverse_transform, invalid), word)


over_kernel_methods = pytest.mark.parametrize(
    "model",
    [
        pytest.param(record.make(), id=record.name)
        for record in featsieve.methods(role=None)
        if record.role != "ranker" and get_tags(record.make()).input_tags.sparse
    ],
)


@over_kernel_methods
def test_kernel_methods_reject_invalid_matrices(model):
    X, y = data()
    fitted = clone(model).fit(X, y)
    method = fitted.transform if hasattr(fitted, "transform") else fitted.predict
    for make in INVALID.values():
        invalid, word = make(X)
        rejects(partial(clone(model).fit, invalid, y), "X is not a valid sparse matrix", word)
        rejects(partial(method, invalid), word)


@pytest.mark.parametrize("kind", ["column too large", "pointer too large"])
def test_reconstruction_cost_rejects_invalid_matrices(kind):
    X, _ = data()
    invalid, word = INVALID[kind](X)
    basis = KernelPCA(3, kernel="rbf").fit(X)
    rejects(lambda: kernel_reconstruction_cost(basis, invalid), word)


@pytest.mark.parametrize("kind", INVALID)
def test_graphs_reject_invalid_weights(kind):
    X, _ = data()
    weights = KNNGraph(6).build(X).weights.toarray()
    invalid, word = INVALID[kind](weights)
    rejects(lambda: LaplacianScore(invalid).fit(X), "graph is not a valid sparse matrix", word)
    rejects(lambda: laplacian_score(X, invalid), word)
    rejects(lambda: graph_preserving_score(X, invalid, weights), "A is not a valid sparse matrix", word)
    rejects(lambda: KNNGraph(3).build(INVALID[kind](X)[0]), "X is not a valid sparse matrix")


@pytest.mark.parametrize("kind", INVALID)
def test_comparisons_reject_invalid_matrices(kind):
    X, y = data()
    invalid, word = INVALID[kind](X)
    rejects(lambda: compare(invalid, y, ["fisher"]), "X is not a valid sparse matrix", word)


def _reserved(X):
    """Return a matrix with spare capacity that contains arbitrary entries."""
    array = sp.csr_array(X)
    array.data = np.concatenate([array.data, [np.nan, 1e300]])
    array.indices = np.concatenate([array.indices, [HUGE, -5]]).astype(array.indices.dtype)
    return array


def _unsorted(X):
    array = sp.csr_array(X)
    for start, end in zip(array.indptr[:-1], array.indptr[1:], strict=True):
        array.indices[start:end] = array.indices[start:end][::-1]
        array.data[start:end] = array.data[start:end][::-1]
    array.has_sorted_indices = array.has_canonical_format = True  # the cached flags are wrong
    return array


def _repeated(X):
    array = sp.coo_array(X)
    halves = np.concatenate([array.data / 4, array.data * 3 / 4])
    rows, columns = (np.concatenate([indices, indices]) for indices in array.coords)
    order = np.argsort(rows, kind="stable")
    pointers = np.concatenate([[0], np.bincount(rows, minlength=X.shape[0]).cumsum()])
    repeated = sp.csr_array((halves[order], columns[order], pointers), shape=X.shape)
    repeated.has_canonical_format = True
    return repeated


def _mixed(X):
    array = sp.csc_array(X)
    array.indptr = array.indptr.astype(np.int64)
    return array


@pytest.mark.parametrize(
    "stored", [_reserved, _unsorted, _repeated, _mixed, sp.lil_array, sp.bsr_array, sp.dok_array]
)
@over_sparse_methods
def test_scores_do_not_depend_on_the_storage(case, stored):
    X, y = data()
    expected, selector = case.fit(sp.csr_array(X), y), case.fit(stored(X), y)
    assert_allclose(selector.scores_, expected.scores_, rtol=case.rtol, atol=1e-12)
    assert np.array_equal(selector.transform(stored(X)).toarray(), X[:, selector.get_support()])


@pytest.mark.parametrize("stored", [_reserved, _unsorted, _repeated])
@over_kernel_methods
def test_kernel_methods_do_not_depend_on_the_storage(model, stored):
    X, y = data()
    fitted = [clone(model).fit(array, y) for array in (sp.csr_array(X), stored(X))]
    method = "transform" if hasattr(fitted[0], "transform") else "predict"
    expected, result = (getattr(model, method)(X) for model in fitted)
    assert_allclose(result, expected, rtol=1e-6, atol=1e-9)


@over_sparse_methods
def test_repeated_entries_whose_sum_overflows(case):
    X, y = data()
    array = _repeated(X)
    array.data[:] = 1e308
    rejects(lambda: case.fit(array, y), "their sum is infinite")


@pytest.mark.parametrize("stored", [_reserved, _unsorted, _repeated])
def test_argument_is_not_modified(stored):
    X = data()[0]
    array = stored(X)
    originals = [getattr(array, name).copy() for name in ("data", "indices", "indptr")]
    LaplacianScore().fit(array).transform(array)
    for name, original in zip(("data", "indices", "indptr"), originals, strict=True):
        np.testing.assert_array_equal(getattr(array, name), original)
