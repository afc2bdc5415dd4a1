"""Arrays of NumPy."""

import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from fuzz.judge import outcome
from load_error import load_error

from featsieve.datasets import load

X = np.random.default_rng(0).random((6, 4))


Y = np.array([1, 2, 1, 2, 3, 3])


def test_type_is_kept(npz):
    assert load(npz(X=np.eye(3, dtype=np.uint8))).X.dtype == np.uint8


def test_error_lists_the_arrays(npz):
    message = load_error(npz(a=X, b=Y))
    assert "it contains 'a', 'b'" in message
    assert "--samples NAME" in message


def test_exchanged_extensions(tmp_path, npz):
    renamed = npz(X=X).rename(tmp_path / "many.npy")
    assert "Check its extension." in load_error(renamed)
    np.save(tmp_path / "one.npy", X)
    assert "Check its extension." in load_error((tmp_path / "one.npy").rename(tmp_path / "one.npz"))


def test_python_objects_are_not_unpickled(npz):
    assert "y contains Python objects" in load_error(npz(X=X, y=np.array([None] * 6)))
    assert "X contains Python objects" in load_error(npz(X=X.astype(object), y=Y))


def test_npy(tmp_path):
    np.save(tmp_path / "d.npy", X)
    data = load(tmp_path / "d.npy")
    np.testing.assert_array_equal(data.X, X)
    assert data.y is None


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (X[0], "must be a matrix"),
        (X[:0], "nothing to rank"),
        (X + 1j, "must be real numbers"),
        (np.array([["a", "b"]]), "must be real numbers"),
        (np.array([[1, None]]), "contains Python objects"),
        (np.array([[1.0, np.inf], [2, 3]]), "column 'x1' has 1 infinite value"),
        (np.full((2, 2), np.nan), "all values are missing"),
    ],
)
def test_unusable_array(tmp_path, array, expected):
    np.save(tmp_path / "d.npy", array)
    assert expected in load_error(tmp_path / "d.npy")


@pytest.mark.parametrize("name", ["gnd", "feature_names"])
@pytest.mark.parametrize("kind", ["<U3", ">U3"])
def test_text_that_is_not_unicode(tmp_path, name, kind):
    words = np.array(["abc", "bcd", "cde", "def"], dtype=kind)
    words.view(kind.replace("U3", "u4"))[1] = 0x110000
    np.savez(tmp_path / "d.npz", X=X[:4], **{name: words})
    assert "contains text that is not Unicode" in load_error(tmp_path / "d.npz")


def test_empty_text_labels(npz):
    assert load(npz(X=X, gnd=np.zeros(6, dtype="<U0"))).y.tolist() == [""] * 6


def _numpy(shape, version=1):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + b"\0" * 96


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("shape", [(4, 4), (13, 1), (10**12, 9)])
def test_file_shorter_than_its_header_claims(tmp_path, shape, version):
    path = tmp_path / "d.npy"
    path.write_bytes(_numpy(shape, version))
    expected = f"claims to hold {shape[0]} x {shape[1]} values, but the file is too short."
    assert load_error(path).startswith(f"d.npy {expected}")
    with zipfile.ZipFile(tmp_path / "d.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", _numpy(shape, version))
    assert load_error(tmp_path / "d.npz").startswith(f"d.npz: X {expected}")


def test_file_as_long_as_its_header_claims(tmp_path):
    (tmp_path / "d.npy").write_bytes(_numpy((4, 3)))
    assert load(tmp_path / "d.npy").X.shape == (4, 3)
    np.savez_compressed(tmp_path / "d.npz", X=np.zeros((2000, 500)))  # hardly anything is stored
    assert load(tmp_path / "d.npz").X.shape == (2000, 500)


@pytest.mark.parametrize(
    "header", ["{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 9)}", "{", "[]"]
)
def test_invalid_header(tmp_path, header):
    text = header.ljust(117).encode() + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * 64
    path = tmp_path / "t.npy"
    path.write_bytes(content)
    assert isinstance(outcome(path), str)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", content)
    assert isinstance(outcome(tmp_path / "t.npz"), str)


def test_pickles_are_refused(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[print, 1]], dtype=object))
    assert "contains Python objects" in outcome(tmp_path / "t.npy")
    (tmp_path / "u.npy").write_bytes(b"\x80\x04\x95\x10")
    assert "is not a NumPy file" in outcome(tmp_path / "u.npy")


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_matrix_of_scipy(tmp_path, kind):
    matrix = sp.random_array((30, 12), density=0.2, rng=np.random.default_rng(0), format=kind)
    sp.save_npz(tmp_path / "d.npz", matrix)
    data = load(tmp_path / "d.npz")
    assert sp.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), matrix.toarray())
    with np.load(tmp_path / "d.npz") as archive:
        arrays = dict(archive) | {"y": np.arange(30) % 2}
    np.savez(tmp_path / "d.npz", **arrays)
    assert load(tmp_path / "d.npz").y.tolist() == [0, 1] * 15


def test_unusable_sparse_matrix_of_scipy(tmp_path):
    matrix = sp.random_array((30, 12), density=0.2, rng=np.random.default_rng(0), format="coo")
    sp.save_npz(tmp_path / "d.npz", matrix)
    assert "format csr or csc; got 'coo' of the shape [30, 12]" in load_error(tmp_path / "d.npz")
    sp.save_npz(tmp_path / "d.npz", matrix.tocsr())
    with np.load(tmp_path / "d.npz") as archive:
        arrays = dict(archive)
    np.savez(tmp_path / "d.npz", **arrays | {"indices": arrays["indices"] + 12})
    assert "not a valid sparse matrix" in load_error(tmp_path / "d.npz")
    del arrays["indptr"]
    np.savez(tmp_path / "d.npz", **arrays)
    assert "indptr" in load_error(tmp_path / "d.npz")
