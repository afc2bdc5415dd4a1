"""MATLAB 7.3 files."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from load_error import load_error

from featsieve.datasets import load

X = np.random.default_rng(0).random((6, 4))


Y = np.array([1, 2, 1, 2, 3, 3])


@pytest.fixture
def mat73(tmp_path):
    """Write variables as MATLAB 7.3 does: HDF5 after 512 bytes, transposed matrices, text as numbers."""
    h5py = pytest.importorskip("h5py")

    def write(**variables):
        path = tmp_path / "d.mat"
        with h5py.File(path, "w", userblock_size=512) as file:
            for name, value in variables.items():
                _write_variable(h5py, file, name, value)
        with path.open("r+b") as handle:
            handle.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
        return path

    return write


def _write_variable(h5py, file, name, value):
    if sp.issparse(value):
        group = file.create_group(name)
        group.attrs["MATLAB_sparse"] = value.shape[0]
        for part, array in (("data", value.data), ("ir", value.indices), ("jc", value.indptr)):
            group[part] = array
    elif value.dtype.kind == "U":  # a cell array of text
        refs = []
        for index, word in enumerate(value):
            key = f"#refs#/{name}{index}"
            file[key] = np.array([[ord(letter)] for letter in word], dtype=np.uint16)
            file[key].attrs["MATLAB_class"] = b"char"
            refs.append(file[key].ref)
        file.create_dataset(name, data=np.array([refs], dtype=object), dtype=h5py.ref_dtype)
        file[name].attrs["MATLAB_class"] = b"cell"
    else:
        file[name] = np.atleast_2d(value).T if value.ndim > 1 else value[None, :]
        file[name].attrs["MATLAB_class"] = b"double"


@pytest.mark.parametrize("labels", [Y, np.array(["a", "bb", "a", "bb", "c", "c"])])
def test_matlab_7_3(mat73, labels):
    data = load(mat73(X=X, Y=labels))
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == labels.tolist()


def test_matlab_7_3_sparse(mat73):
    thin = np.where(X > 0.5, X, 0)
    data = load(mat73(fea=sp.csc_array(thin), gnd=Y))
    np.testing.assert_array_equal(data.X.toarray(), thin)


def test_matlab_7_3_without_h5py(mat73, monkeypatch):
    path = mat73(X=X)
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert load_error(path).endswith("reading it needs h5py: pip install 'featsieve[h5ad]'")


def test_damaged_matlab_7_3(tmp_path):
    pytest.importorskip("h5py")
    path = tmp_path / "d.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\0" * 400)
    assert "is not a MATLAB 7.3 file, or is cut short" in load_error(path)
