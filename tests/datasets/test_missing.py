"""Missing and infinite values."""

import numpy as np
import pytest
import scipy.sparse as sp
from load_error import load_error

from featsieve.datasets import load

X = np.random.default_rng(0).random((6, 4))


def test_missing_values_of_a_sparse_matrix(mat):
    X_missing = np.array([[0, np.nan], [2, 3], [0, 5.0], [1, 7]])
    path = mat(X=sp.csc_array(X_missing))
    assert "column 'x1' has 1 missing value:" in load_error(path, strict=True)
    data = load(path)
    assert sp.issparse(data.X)
    assert data.X.toarray()[0, 1] == 5


def test_missing_values_of_an_array(tmp_path):
    X_missing = np.array([[1.0, np.nan, np.nan], [np.nan, 3, np.nan], [5, 9, np.nan]])
    np.save(tmp_path / "d.npy", X_missing)
    assert "column 'x2' has no values at all" in load_error(tmp_path / "d.npy", strict=True)
    data = load(tmp_path / "d.npy")
    np.testing.assert_array_equal(data.X, [[1, 6], [3, 3], [5, 9]])
    np.testing.assert_array_equal(data.raw, X_missing[:, :2])
    assert data.feature_names == ["x0", "x1"]
    assert data.notes == (
        "Column 'x2' is entirely missing and was left out.",
        "2 missing values in 2 columns ('x0', 'x1') were replaced with medians.",
    )


def test_medians_that_overflow_are_refused(npz):
    huge = np.array([[1.7e308, 1], [1.7e308, 2], [np.nan, 3]])
    assert "column 'x0' contains values that are too large" in load_error(npz(X=huge))
    elsewhere = np.array([[1.7e308, 1], [1.7e308, np.nan], [1.7e308, 3], [1.7e308, 4]])
    assert "column 'x0' contains values that are too large" in load_error(npz(X=elsewhere))


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4"])
@pytest.mark.parametrize("sparse", [False, True])
def test_signaling_nan_is_missing_without_a_warning(mat, npz, kind, sparse):
    """Not every NaN is silent: arithmetic with this one raises a floating-point warning."""
    values = X.astype(kind)
    bits = values.view(kind.replace("f", "u"))
    bits[0, 1] = 0x7FF0000000000001 if kind.endswith("8") else 0x7F800001
    data = load(mat(X=sp.csc_array(values.astype(kind[1:]))) if sparse else npz(X=values))
    raw = data.raw.toarray() if sparse else data.raw
    assert np.isnan(raw[0, 1])
    raw.sum()
    np.testing.assert_array_equal(raw[1:], values[1:])
    assert data.notes == ("1 missing value in column 'x1' was replaced with the median.",)


@pytest.mark.parametrize("missing", ["", "?", "NA", "nan"])
def test_strict_counts_missing_values(table, missing):
    message = load_error(table(f"a,b,c\n1,{missing},3\n4,{missing},6\n7,8,9\n"), strict=True)
    assert "column 'b' has 2 missing values" in message
    assert "omit --strict" in message
    assert "--drop b" in message


def test_strict_names_empty_columns(table):
    message = load_error(table("a,b,c\n1,,3\n4,,6\n"), strict=True)
    assert "column 'b' has no values at all" in message
    assert "--drop b" in message


def test_infinite_value(table):
    assert "column 'b' has 1 infinite value" in load_error(table("a,b\n1,inf\n4,5\n"))


def test_many_missing_values(table):
    message = load_error(table("a,b,c,d,e\n,,,,5\n1,2,3,4,5\n"), strict=True)
    assert "4 columns ('a', 'b', 'c' and 1 more) have 4 missing values" in message
    assert message.endswith("--drop a,b,c,d.")
