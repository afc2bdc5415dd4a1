"""The structure of sparse matrices is checked; `tests/hostile/test_sparse_structure.py` tests the callers."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context

from featsieve.engines.sparse import check_sparse, densify_small, structure_error

DENSE = np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 0, 0]])


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_valid_matrices_have_no_error(form):
    X = sp.coo_array(DENSE).asformat(form)
    assert structure_error(X) is None
    assert (check_sparse(X).toarray() == DENSE).all()


def change(X, **arrays):
    for name, value in arrays.items():
        setattr(X, name, value)
    return X


def make(form):
    return sp.coo_array(DENSE).asformat(form)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (change(make("csr"), indices=np.array([0, 3, 1, 0])), "column indices must be .* less than 3; got 3"),
        (change(make("csc"), indices=np.array([0, -1, 2, 0])), "row indices must be at least 0 .* got -1"),
        (
            change(make("csr"), indices=np.array([0.0, 2, 1, 0])),
            "column indices must be integers; got float64",
        ),
        (change(make("csr"), indptr=np.array([0, 2, 1, 3, 4])), "must not decrease; got 1 after 2"),
        (change(make("csr"), indptr=np.array([1, 2, 2, 3, 4])), "first row pointer must be 0; got 1"),
        (change(make("csr"), indptr=np.array([0, 2, 2, 3, 9])), "at most 4, the number of entries; got 9"),
        (change(make("csr"), indptr=np.array([0, 2, 4])), "5 row pointers for 4 rows; got 3"),
        (change(make("csr"), data=np.ones(3)), r"equally long; got shapes \(4,\) and \(3,\)"),
        (
            change(make("coo"), coords=(np.array([0, 9]), np.array([0, 1])), data=np.ones(2)),
            "less than 4; got 9",
        ),
        (
            change(make("coo"), data=np.ones(2)),
            "rows, columns and values must be equally many; got 4, 4 and 2",
        ),
        (change(make("dia"), offsets=np.array([0])), "one offset per diagonal; got 1"),
    ],
)
def test_errors_name_what_was_expected(X, message):
    with pytest.raises(ValueError, match=rf"W is not a valid sparse matrix: .*{message}.*coo_array"):
        check_sparse(X, "W")


def test_lists_of_unequal_length_are_rejected():
    X = make("lil")
    X.data[0] = [1.0]
    assert structure_error(X) == "columns and values must be equally many in each row"


def test_reserved_space_after_the_last_entry_is_cut_off():
    X = make("csr")
    X.data, X.indices = np.append(X.data, [9.0, 9.0]), np.append(X.indices, [77, 77])
    assert check_sparse(X).data.size == 4
    assert (check_sparse(X).toarray() == DENSE).all()


def test_other_objects_are_returned():
    assert check_sparse(DENSE) is DENSE


def test_only_small_matrices_are_densified():
    X = sp.csr_array((1024, 128))  # 1 MiB if dense
    with config_context(working_memory=4):
        assert isinstance(densify_small(X), np.ndarray)
    with config_context(working_memory=3):
        assert densify_small(X) is X
