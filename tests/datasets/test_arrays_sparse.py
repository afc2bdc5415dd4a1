"""Sparse matrices in files: index arrays that contradict each other are refused."""

import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from load_error import load_error

from featsieve.datasets import load

X = sp.random_array((40, 12), density=0.3, random_state=0, format="csc")


Y = np.arange(40) % 2


HUGE = 2**30


def damaged_mat(path, part, index, value, **variables):
    """Write a .mat file and change one number of an index array of X in it."""
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"X": X, "Y": Y} | variables)
    content = buffer.getvalue()
    numbers = getattr(X, part).astype("<i4")
    start = content.index(numbers.tobytes())
    numbers[index] = value
    path.write_bytes(content[:start] + numbers.tobytes() + content[start + numbers.nbytes :])
    return path


DAMAGE = {
    "index too large": (
        "indices",
        5,
        5701648,
        "row indices must be at least 0 and less than 40; got 5701648",
    ),
    "index one too large": ("indices", 5, 40, "less than 40; got 40"),
    "index negative": ("indices", 5, -3, "got -3"),
    "pointer too large": ("indptr", 5, HUGE, "column pointers must not decrease"),
    "pointer negative": ("indptr", 5, -HUGE, "column pointers must not decrease"),
    "pointers not in order": ("indptr", 4, int(X.indptr[6]), "column pointers must not decrease"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_sparse_matrix_of_matlab_5(tmp_path, kind):
    part, index, value, word = DAMAGE[kind]
    message = load_error(damaged_mat(tmp_path / "d.mat", part, index, value))
    assert message.startswith("d.mat: the data is not a valid sparse matrix: ")
    assert word in message
    assert message.endswith("The file is probably damaged: write it again from its source.")


@pytest.mark.parametrize(("index", "value"), [(0, 3), (12, 10**6), (12, -1)])
def test_first_and_last_pointer_of_matlab_5(tmp_path, index, value):
    load_error(damaged_mat(tmp_path / "d.mat", "indptr", index, value))


@pytest.mark.parametrize("index", [2, 5])
def test_sparse_labels_of_matlab_5(tmp_path, index):
    labels = sp.csc_array(Y[:, None])
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"X": X.toarray(), "Y": labels})
    content = buffer.getvalue()
    numbers = labels.indices.astype("<i4")
    start = content.index(numbers.tobytes())
    numbers[index] = HUGE
    path = tmp_path / "d.mat"
    path.write_bytes(content[:start] + numbers.tobytes() + content[start + numbers.nbytes :])
    assert "d.mat: Y is not a valid sparse matrix" in load_error(path)


def test_sparse_matrix_of_matlab_4(tmp_path):
    scipy.io.savemat(tmp_path / "d.mat", {"X": X, "Y": Y}, format="4")
    data = load(tmp_path / "d.mat", drop=["x3"])
    np.testing.assert_array_equal(data.X.toarray(), np.delete(X.toarray(), 3, axis=1))


def write_hdf5(path, matlab=False, **changes):
    """Write X as MATLAB 7.3 or AnnData do, with some of its arrays or attributes replaced."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512 if matlab else 0) as file:
        group = file.create_group("X")
        names = ("data", "ir", "jc") if matlab else ("data", "indices", "indptr")
        stored = X if matlab else X.tocsr()
        arrays = dict(zip(names, (stored.data, stored.indices, stored.indptr), strict=True))
        for name, values in arrays.items():
            group[name] = changes.get(name, values)
        if matlab:
            group.attrs["MATLAB_sparse"] = changes.get("rows", 40)
        else:
            group.attrs["encoding-type"] = "csr_matrix"
            group.attrs["shape"] = changes.get("shape", X.shape)
            for name, size in (("var", 12), ("obs", 40)):
                table = file.create_group(name)
                table.attrs["_index"] = "_index"
                labels = [f"{name}{i}" for i in range(size)]
                table.create_dataset("_index", data=labels, dtype=h5py.string_dtype())
    if matlab:
        with path.open("r+b") as handle:
            handle.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return path


def changed(values, index, value, kind=None):
    values = values.astype(kind or values.dtype)
    values[index] = value
    return values


ROWS, STARTS = X.indices, X.indptr


COLUMNS, POINTERS = X.tocsr().indices, X.tocsr().indptr


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"ir": changed(ROWS, 5, 40)}, "less than 40; got 40"),
        ({"ir": changed(ROWS, 5, 2**64 - 1, "u8")}, "got 18446744073709551615"),
        ({"ir": ROWS + 0.5}, "row indices must be integers; got float64"),
        ({"ir": ROWS[:-4]}, "equally long"),
        ({"jc": changed(STARTS, 0, 1)}, "first column pointer must be 0; got 1"),
        ({"jc": changed(STARTS, 4, HUGE)}, "column pointers must not decrease"),
        ({"jc": changed(STARTS, 12, HUGE)}, "last column pointer"),
        ({"jc": changed(STARTS, 3, np.nan, "f8")}, "column pointers must be integers; got float64"),
        ({"rows": 20}, "row indices must be at least 0 and less than 20"),
        ({"rows": -20}, "row indices must be at least 0"),
    ],
)
def test_sparse_matrix_of_matlab_7_3(tmp_path, changes, word):
    message = load_error(write_hdf5(tmp_path / "d.mat", matlab=True, **changes))
    assert "d.mat: X is not a valid sparse matrix: " in message
    assert word in message


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"indices": changed(COLUMNS, 5, 12)}, "column indices must be at least 0 and less than 12; got 12"),
        ({"indices": changed(COLUMNS, 5, -1)}, "got -1"),
        ({"indices": changed(COLUMNS, 5, np.nan, "f8")}, "column indices must be integers; got float64"),
        ({"indptr": changed(POINTERS, 5, HUGE)}, "row pointers must not decrease"),
        ({"indptr": changed(POINTERS, 5, 2**63, "u8")}, "row pointers must not decrease"),
        ({"indptr": changed(POINTERS, 40, POINTERS[40] - 1)}, "last row pointer must be 144, the number"),
        ({"indptr": POINTERS[:-1]}, "there must be 41 row pointers for 40 rows; got 40"),
        ({"data": X.data[:-1]}, "equally long"),
        ({"shape": (40, 5)}, "less than 5"),
        ({"shape": (HUGE, 12)}, f"must be {HUGE + 1} row pointers"),
        ({"shape": (-1, 12)}, "row pointers"),
    ],
)
def test_sparse_matrix_of_h5ad(tmp_path, changes, word):
    message = load_error(write_hdf5(tmp_path / "d.h5ad", **changes))
    assert "d.h5ad: the data is not a valid sparse matrix: " in message
    assert word in message


@pytest.mark.parametrize("shape", [(40,), (40, 12, 1), (40, 2**60)])
def test_shape_of_h5ad(tmp_path, shape):
    load_error(write_hdf5(tmp_path / "d.h5ad", shape=shape))


def test_valid_sparse_matrices(tmp_path):
    scipy.io.savemat(tmp_path / "d.mat", {"X": X})
    paths = [tmp_path / "d.mat", write_hdf5(tmp_path / "e.mat", matlab=True), write_hdf5(tmp_path / "d.h5ad")]
    for path in paths:
        np.testing.assert_array_equal(load(path).X.toarray(), X.toarray())


def test_reserved_space_is_ignored(tmp_path):
    path = write_hdf5(
        tmp_path / "d.mat", matlab=True, data=np.append(X.data, [7, 7]), ir=np.append(X.indices, [9, 99])
    )
    np.testing.assert_array_equal(load(path).X.toarray(), X.toarray())


def test_duplicate_entries_are_summed(tmp_path):
    data, columns = np.repeat(X.tocsr().data / 2, 2), np.repeat(COLUMNS, 2)
    data[0] = data[1] = np.nan
    path = write_hdf5(tmp_path / "d.h5ad", data=data, indices=columns, indptr=POINTERS * 2)
    data = load(path)
    expected = X.toarray()
    row, column = 0, COLUMNS[0]
    assert data.notes == (f"1 missing value in column 'var{column}' was replaced with the median.",)
    expected[row, column] = data.X.toarray()[row, column]
    np.testing.assert_array_equal(data.X.toarray(), expected)
