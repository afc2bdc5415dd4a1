"""Conversion of matrices of every kind to a floating-point matrix of its namespace."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.engines.arrays import (
    as_matrix,
    canonicalize,
    is_tensor,
    namespace,
    round_to_bits,
    take_rows,
    to_device_of,
    to_host,
)

FORMS = ["array", "csr", "csc", "tensor"]


def convert(X, form):
    if form == "tensor":
        return pytest.importorskip("torch").asarray(X)
    return X if form == "array" else sp.csr_array(X).asformat(form)


def to_array(X):
    return X.toarray() if sp.issparse(X) else to_host(X)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("dtype", "expected"), [(np.float64, np.float64), (np.float32, np.float32), (np.int16, np.float64)]
)
def test_floats_are_preserved_and_others_become_float64(form, dtype, expected):
    X = np.arange(1, 7).reshape(3, 2).astype(dtype)
    matrix = as_matrix(convert(X, form))
    assert to_array(matrix).dtype == expected
    assert_array_equal(to_array(matrix), X)


def test_valid_matrices_are_not_copied():
    X = np.random.default_rng(0).standard_normal((5, 3))
    assert np.shares_memory(as_matrix(X), X)
    S = sp.csr_array(X)
    assert np.shares_memory(as_matrix(S).data, S.data)


@pytest.mark.parametrize("form", FORMS)
def test_nan_and_infinity_are_rejected(form):
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            as_matrix(convert(np.array([[1.0, 2], [value, 3]]), form))


@pytest.mark.parametrize(
    ("shape", "message"), [((3,), "two-dimensional"), ((1, 3), "at least 2 samples"), ((3, 0), "1 feature")]
)
def test_shapes_of_tensors_are_checked(shape, message):
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=message):
        as_matrix(torch.zeros(shape))


def test_sum_of_many_finite_values_may_overflow():
    torch = pytest.importorskip("torch")
    X = torch.full((3, 2), 1.5e308, dtype=torch.float64)
    assert as_matrix(X) is X


def test_repeated_and_zero_entries_are_merged_in_a_copy():
    S = sp.csr_array((np.array([1.0, 2.0, 0.0, 4.0]), [1, 1, 0, 2], [0, 2, 4]), shape=(2, 3))
    result = canonicalize(S)
    assert_array_equal(result.toarray(), [[0, 3, 0], [0, 0, 4]])
    assert result.nnz == 2
    assert S.nnz == 4


def test_an_outdated_flag_of_the_format_is_not_trusted():
    S = sp.csr_array((np.array([1.0, 2.0]), [1, 1], [0, 2, 2]), shape=(2, 3))
    S.has_canonical_format = True
    assert canonicalize(S).nnz == 1


def test_repeated_entries_with_infinite_sum_are_rejected():
    S = sp.csr_array((np.full(2, 1.5e308), [1, 1], [0, 2, 2]), shape=(2, 3))
    with pytest.raises(ValueError, match="repeated entries"):
        canonicalize(S)


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_taken_in_the_storage_of_the_matrix(form):
    X = np.arange(12.0).reshape(4, 3)
    rows = take_rows(convert(X, form), np.array([3, 0, 0]))
    assert type(rows) is type(convert(X, form))
    assert_array_equal(to_array(rows), X[[3, 0, 0]])


def test_host_arrays_move_to_the_namespace_of_a_tensor():
    torch = pytest.importorskip("torch")
    X = np.arange(6.0).reshape(3, 2)
    X.flags.writeable = False
    like = torch.ones(2, dtype=torch.float64)
    for moved in (to_device_of(X, like), to_device_of(sp.csc_array(X), like)):
        assert is_tensor(moved)
        assert_allclose(to_host(moved @ like), X.sum(axis=1))
    assert to_device_of(X, X) is X
    assert namespace(sp.csr_array(X)) is namespace(X)


def test_sums_in_another_order_are_equal_after_rounding():
    values = np.random.default_rng(0).standard_normal((1000, 50)) + 3
    forward, backward = values.sum(axis=1), np.array([sum(row[::-1].tolist()) for row in values])
    assert (forward != backward).any()
    assert (round_to_bits(forward) == round_to_bits(backward)).mean() > 0.99
    assert_allclose(round_to_bits(forward, 20), forward, rtol=2**-20)
    assert_array_equal(round_to_bits(-forward), -round_to_bits(forward))
