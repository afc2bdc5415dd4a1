import builtins

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import VarianceScore
from featsieve.engines.chunked import Chunked, as_chunked, is_chunked

da = pytest.importorskip("dask.array", reason="dask is not installed")


@pytest.fixture
def X():
    X = np.random.default_rng(0).standard_normal((40, 12)).astype(np.float32)
    X[X < 0] = 0
    return X


def test_a_small_memory_map_is_an_array(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert not is_chunked(mapped)
    with sklearn.config_context(working_memory=1e-3):
        assert is_chunked(mapped)
        assert not is_chunked(X)
        assert not is_chunked(mapped * 2)


def test_selection_and_loading(X):
    chunked = as_chunked(da.from_array(X, chunks=(7, 5)))
    assert as_chunked(chunked) is chunked
    assert_array_equal(chunked.load(), X)
    assert_array_equal(chunked[[3, 1, 30]].load(), X[[3, 1, 30]])
    assert_array_equal(chunked[:, X.max(axis=0) > 2].load(), X[:, X.max(axis=0) > 2])
    scaled = chunked.scaled(np.arange(12), 0.5, np.float32)
    assert_allclose(scaled.load(), (X - np.arange(12)) / 2, rtol=1e-6)
    assert scaled.load().dtype == np.float32


def test_sparse_chunks_are_joined(X):
    chunked = as_chunked(da.from_array(X, chunks=(7, 5)).map_blocks(sp.csr_matrix))
    assert chunked.is_sparse
    loaded = chunked[:, 2:9].load()
    assert loaded.nnz == np.count_nonzero(X[:, 2:9])
    assert_array_equal(loaded.toarray(), X[:, 2:9])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("chunks", [(7, 5), (40, 12)])
def test_summary(convert, chunks, X):
    summary = as_chunked(da.from_array(X, chunks=chunks).map_blocks(convert)).summary
    assert_array_equal(summary.minimum, X.min(axis=0))
    assert_array_equal(summary.maximum, X.max(axis=0))
    assert_allclose(summary.mean, X.mean(axis=0, dtype=np.float64))
    assert_array_equal(summary.stored, (X != 0).sum(axis=0) if convert is sp.csr_array else 40)


def test_blocks_are_whole_chunks_that_fit_in_memory(X):
    chunked = as_chunked(da.from_array(X, chunks=(-1, 2)))
    with sklearn.config_context(working_memory=2 * 5.5 * 160 / 0.8 / 2**20):  # five columns and a half
        assert [block.stop - block.start for block in chunked.column_blocks()] == [4, 4, 4]
    assert len(chunked.column_blocks(n_tasks=5)) == 6
    assert len(chunked.column_blocks()) == 1


def test_integers_become_float64():
    loaded = as_chunked(da.from_array(np.arange(6).reshape(3, 2), chunks=2)).load()
    assert loaded.dtype == np.float64


@pytest.mark.parametrize(
    ("array", "match"),
    [
        (da.zeros(5), "two-dimensional"),
        (da.zeros((1, 3)), "at least 2 samples"),
        (da.zeros((4, 3), dtype=complex), "Complex data"),
        (da.zeros((4, 3), dtype="U3"), "must contain numbers"),
        (da.ma.masked_equal(da.zeros((4, 3)), 0), "no masked values"),
        (da.zeros((9, 3))[da.arange(9) % 2 == 0], "known shape"),
    ],
)
def test_invalid_arrays_are_rejected(array, match):
    with pytest.raises(ValueError, match=match):
        as_chunked(array)


@pytest.mark.parametrize("convert", [sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("chunks", [(8, 12), (20, 5)])
def test_chunks_of_other_formats(convert, chunks, X):
    lazy = as_chunked(da.from_array(X, chunks=chunks).map_blocks(convert))
    assert_array_equal(lazy.summary.stored, (X != 0).sum(axis=0))
    assert_array_equal(lazy[:, 2:9].load().toarray(), X[:, 2:9])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_empty_chunks_are_dropped(convert, X):
    lazy = da.from_array(X, chunks=((0, 15, 0, 25), (5, 0, 7))).map_blocks(convert)
    assert_allclose(VarianceScore().fit(lazy).scores_, VarianceScore().fit(X).scores_, rtol=1e-6)


def test_data_frame_is_rejected():
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    frame = frames.from_pandas(pandas.DataFrame({"a": [1.0, 2.0]}), npartitions=1)
    with pytest.raises(ValueError, match="to_dask_array"):
        VarianceScore().fit(frame)


def test_missing_dask_is_named(X, tmp_path, monkeypatch):
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(tmp_path / "X.zarr", data=X, chunks=(8, 4))
    real = builtins.__import__

    def without_dask(name, *args, **kwargs):
        if name.split(".")[0] == "dask":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_dask)
    with pytest.raises(ValueError, match=r"pip install 'featsieve\[dask\]'"):
        VarianceScore().fit(array)


def test_a_chunked_matrix_has_no_values_of_its_own(X):
    assert not hasattr(Chunked, "__array__")
