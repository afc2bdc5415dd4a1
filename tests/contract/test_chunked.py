"""Chunked data and arrays have equal scores, for every kind of source and any chunks."""

from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal

import featsieve

da = pytest.importorskip("dask.array", reason="dask is not installed")

METHODS = [m for m in featsieve.methods() if "chunked" in m.inputs]
SPARSE_METHODS = [m for m in METHODS if "sparse" in m.inputs]
PROMISED = {
    "variance", "fisher", "pearson", "chi-square", "information-gain", "laplacian", "spec", "lkr", "lle",
    "lle-reconstruction", "constraint", "relieff", "trace-ratio",
}  # fmt: skip
CHUNKS = {"rows": (37, -1), "columns": (-1, 5), "both": (30, 7), "uneven": ((1, 50, 39), (13, 1, 9))}
# Small blocks: several passes, and several pairs of blocks of rows.
MEMORY = {"whole": 1024, "blocks": 0.02}


@pytest.fixture(scope="module", params=[np.float64, np.float32], ids=["float64", "float32"])
def X(request):
    """Non-negative data with zeros, without equal columns."""
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(90, 23)) * rng.uniform(0.5, 3, 23)
    X[rng.random(X.shape) < 0.3] = 0
    X[:, 6] = 1.5  # constant
    X[3] = X[4]
    return X.astype(request.param)


HOSTILE = {
    "huge": lambda X: X * 1e30,
    "tiny": lambda X: X * 1e-25,
    "offset": lambda X: X + 1000,
    "different units": lambda X: X * 10.0 ** np.linspace(-4, 4, 23),
    "ties": lambda X: np.rint(X),
    "copies": lambda X: X[np.arange(90) // 6],
    "mostly zero": lambda X: X * (np.random.default_rng(1).random(X.shape) < 0.1),
}


@pytest.fixture(scope="module")
def y():
    return np.repeat([0, 1, 2], 30)


@pytest.fixture(scope="module")
def expected(X, y):
    """Fitted estimators of all methods, on the array in memory."""
    return {m.name: m.make().fit(X, y) for m in METHODS}


def open_memmap(X, folder):
    path = folder / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def open_zarr(X, folder):
    zarr = pytest.importorskip("zarr")
    return zarr.create_array(folder / "X.zarr", data=X, chunks=(40, 6))


def open_hdf5(X, folder):
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "X.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(33, 8))
    return h5py.File(folder / "X.h5", "r")["X"]


SOURCES = {"memmap": open_memmap, "zarr": open_zarr, "hdf5": open_hdf5}


def check_equal(model, reference, dtype):
    rtol = 1e-6 if dtype == np.float32 else 1e-10
    size = np.abs(reference.scores_[np.isfinite(reference.scores_)]).max()
    assert_allclose(model.scores_, reference.scores_, rtol=rtol, atol=rtol * size)
    assert_array_equal(model.order_, reference.order_)


def test_promised_methods_support_chunks():
    assert {m.name for m in METHODS} >= PROMISED


@pytest.mark.parametrize("memory", MEMORY.values(), ids=MEMORY)
@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_dask_array(method, chunks, memory, X, y, expected):
    with sklearn.config_context(working_memory=memory):
        model = method.make().fit(da.from_array(X, chunks=chunks), y)
    check_equal(model, expected[method.name], X.dtype)


@pytest.mark.parametrize("memory", MEMORY.values(), ids=MEMORY)
@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("method", SPARSE_METHODS, ids=lambda m: m.name)
def test_sparse_dask_array(method, chunks, memory, X, y, expected):
    lazy = da.from_array(X, chunks=chunks).map_blocks(sp.csr_array)
    with sklearn.config_context(working_memory=memory):
        model = method.make().fit(lazy, y)
    check_equal(model, expected[method.name], X.dtype)


def check_close(model, reference, dtype):
    """Compare scores relative to the largest one, and not the order, because features can be tied."""
    rtol = 1e-6 if dtype == np.float32 else 1e-10
    finite = np.isfinite(reference.scores_)
    assert_array_equal(model.scores_[~finite], reference.scores_[~finite])
    size = np.abs(reference.scores_[finite]).max(initial=0)
    assert_allclose(model.scores_[finite], reference.scores_[finite], rtol=0, atol=rtol * size)


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_hostile_data(method, data, X, y):
    X = data(X.astype(np.float64)).astype(X.dtype)
    reference = method.make().fit(X, y)
    chunks = da.from_array(X, chunks=(37, 5))
    with sklearn.config_context(working_memory=0.02):
        check_close(method.make().fit(chunks, y), reference, X.dtype)
        if method in SPARSE_METHODS:
            check_close(method.make().fit(sp.csr_array(X), y), reference, X.dtype)
            check_close(method.make().fit(chunks.map_blocks(sp.csr_array), y), reference, X.dtype)
        if find_spec("torch") is not None:
            check_close(method.make().fit(featsieve.stream(X, "cpu"), y), reference, X.dtype)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_file(method, source, X, y, expected, tmp_path):
    with sklearn.config_context(working_memory=0.005):
        model = method.make().fit(source(X, tmp_path), y)
    check_equal(model, expected[method.name], X.dtype)
