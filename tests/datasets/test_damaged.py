"""Files whose contents contradict each other: found before anything is computed or allocated."""

import io
import zipfile
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from featsieve.datasets import DataError, load

X = sp.random_array((40, 12), density=0.3, random_state=0, format="csc")
Y = np.arange(40) % 2
HUGE = 2**30


def refused(path, **options):
    with pytest.raises(DataError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(path.name)
    return message


def damaged_mat(path, part, place, value, **variables):
    """Write a .mat file and change one number of an index array of X in it."""
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"X": X, "Y": Y} | variables)
    whole = buffer.getvalue()
    numbers = getattr(X, part).astype("<i4")
    start = whole.index(numbers.tobytes())
    numbers[place] = value
    path.write_bytes(whole[:start] + numbers.tobytes() + whole[start + numbers.nbytes :])
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
    part, place, value, word = DAMAGE[kind]
    message = refused(damaged_mat(tmp_path / "d.mat", part, place, value))
    assert message.startswith("d.mat: the data is not a valid sparse matrix: ")
    assert word in message
    assert message.endswith("The file is probably damaged: write it again from its source.")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("part", ["indices", "indptr", "data", "dense"])
@pytest.mark.parametrize("kind", [0, 8, 93, 213, 64773])
def test_type_of_numbers_that_matlab_does_not_have(tmp_path, part, kind, compressed):
    buffer = io.BytesIO()
    stored = X.toarray() if part == "dense" else X
    scipy.io.savemat(buffer, {"X": stored, "Y": Y})
    whole = buffer.getvalue()
    numbers = stored.T if part == "dense" else getattr(X, part)
    numbers = np.ascontiguousarray(numbers, dtype="<f8" if part in ("data", "dense") else "<i4").tobytes()
    start = whole.index(numbers) - 8
    whole = whole[:start] + kind.to_bytes(4, "little") + whole[start + 4 :]
    if compressed:
        packed, place = b"", 128
        while place < len(whole):
            end = place + 8 + int.from_bytes(whole[place + 4 : place + 8], "little")
            element = zlib.compress(whole[place:end])
            packed += (15).to_bytes(4, "little") + len(element).to_bytes(4, "little") + element
            place = end
        whole = whole[:128] + packed
    (tmp_path / "d.mat").write_bytes(whole)
    assert f"d.mat has numbers of the type {kind}, which MATLAB does not define." in refused(
        tmp_path / "d.mat"
    )


@pytest.mark.parametrize("do_compression", [False, True])
def test_types_that_matlab_has(tmp_path, do_compression):
    numbers = {kind: np.ones((40, 3), dtype=kind) for kind in ("u1", "i2", "u8", "f4", "c16", "?")}
    others = {
        "text": "words",
        "lines": ["one", "more"],
        "cells": np.array(["a", 1.5], dtype=object),
        "record": {"a": 1},
        "none": np.empty((0, 0)),
        "short": np.int8(1),
        "complex_sparse": sp.csc_array([[1j, 0], [0, 2]]),
    }
    named = {f"n{place}": values for place, values in enumerate(numbers.values())}
    content = others | named | {"X": X, "Y": Y}
    scipy.io.savemat(tmp_path / "d.mat", content, do_compression=do_compression)
    data = load(tmp_path / "d.mat")
    np.testing.assert_array_equal(data.X.toarray(), X.toarray())
    np.testing.assert_array_equal(data.y, Y)


@pytest.mark.parametrize(("place", "value"), [(0, 3), (12, 10**6), (12, -1)])
def test_first_and_last_pointer_of_matlab_5(tmp_path, place, value):
    refused(damaged_mat(tmp_path / "d.mat", "indptr", place, value))


@pytest.mark.parametrize("place", [2, 5])
def test_sparse_labels_of_matlab_5(tmp_path, place):
    labels = sp.csc_array(Y[:, None])
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"X": X.toarray(), "Y": labels})
    whole = buffer.getvalue()
    numbers = labels.indices.astype("<i4")
    start = whole.index(numbers.tobytes())
    numbers[place] = HUGE
    path = tmp_path / "d.mat"
    path.write_bytes(whole[:start] + numbers.tobytes() + whole[start + numbers.nbytes :])
    assert "d.mat: Y is not a valid sparse matrix" in refused(path)


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


def changed(values, place, value, kind=None):
    values = values.astype(kind or values.dtype)
    values[place] = value
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
    message = refused(write_hdf5(tmp_path / "d.mat", matlab=True, **changes))
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
    message = refused(write_hdf5(tmp_path / "d.h5ad", **changes))
    assert "d.h5ad: the data is not a valid sparse matrix: " in message
    assert word in message


@pytest.mark.parametrize("shape", [(40,), (40, 12, 1), (40, 2**60)])
def test_shape_of_h5ad(tmp_path, shape):
    refused(write_hdf5(tmp_path / "d.h5ad", shape=shape))


def test_whole_sparse_matrices(tmp_path):
    scipy.io.savemat(tmp_path / "d.mat", {"X": X})
    paths = [tmp_path / "d.mat", write_hdf5(tmp_path / "e.mat", matlab=True), write_hdf5(tmp_path / "d.h5ad")]
    for path in paths:
        np.testing.assert_array_equal(load(path).X.toarray(), X.toarray())


def test_space_that_matlab_reserves(tmp_path):
    path = write_hdf5(
        tmp_path / "d.mat", matlab=True, data=np.append(X.data, [7, 7]), ir=np.append(X.indices, [9, 99])
    )
    np.testing.assert_array_equal(load(path).X.toarray(), X.toarray())


def test_entries_that_are_stored_twice(tmp_path):
    data, columns = np.repeat(X.tocsr().data / 2, 2), np.repeat(COLUMNS, 2)
    data[0] = data[1] = np.nan
    path = write_hdf5(tmp_path / "d.h5ad", data=data, indices=columns, indptr=POINTERS * 2)
    found = load(path)
    expected = X.toarray()
    row, column = 0, COLUMNS[0]
    assert found.notes == (f"1 missing value in 'var{column}' was replaced with the median.",)
    expected[row, column] = found.X.toarray()[row, column]
    np.testing.assert_array_equal(found.X.toarray(), expected)


def _numpy(shape, version=1):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + b"\0" * 96


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("shape", [(4, 4), (13, 1), (10**12, 9)])
def test_numpy_file_shorter_than_its_header_says(tmp_path, shape, version):
    path = tmp_path / "d.npy"
    path.write_bytes(_numpy(shape, version))
    says = f"claims to hold {shape[0]} x {shape[1]} values, but the file is too short."
    assert refused(path).startswith(f"d.npy {says}")
    with zipfile.ZipFile(tmp_path / "d.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", _numpy(shape, version))
    assert refused(tmp_path / "d.npz").startswith(f"d.npz: X {says}")


def test_numpy_file_as_long_as_its_header_says(tmp_path):
    (tmp_path / "d.npy").write_bytes(_numpy((4, 3)))
    assert load(tmp_path / "d.npy").X.shape == (4, 3)
    np.savez_compressed(tmp_path / "d.npz", X=np.zeros((2000, 500)))  # hardly anything is stored
    assert load(tmp_path / "d.npz").X.shape == (2000, 500)


@pytest.mark.parametrize("matlab", [True, False])
def test_hdf5_file_too_short_for_what_it_claims(tmp_path, matlab):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / ("d.mat" if matlab else "d.h5ad")
    with h5py.File(path, "w", userblock_size=512 if matlab else 0) as file:
        file.create_dataset("X", shape=(10**7, 10**5), dtype="f8", chunks=(1000, 100), compression="gzip")
    if matlab:
        with path.open("r+b") as handle:
            handle.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    assert f"{path.name}: /X claims to hold 10000000 x 100000 values" in refused(path)


def test_hdf5_array_that_compresses_well(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "d.mat", "w", userblock_size=512) as file:
        file.create_dataset(
            "X", data=np.zeros((500, 4000)), chunks=True, compression="gzip", compression_opts=9
        )
        file.create_dataset("Y", shape=(1, 4000), dtype="f8")  # never written: zeros
    with (tmp_path / "d.mat").open("r+b") as handle:
        handle.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    data = load(tmp_path / "d.mat")
    assert data.X.shape == (4000, 500)
    assert not data.y.any()
