import pickle
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from featsieve.engines import sources
from featsieve.engines.chunked import as_chunked
from featsieve.engines.sources import StoredSparse, readable_source


@pytest.fixture(params=["C", "F"])
def mapped(request, tmp_path):
    X = np.asarray(np.arange(60.0).reshape(12, 5), order=request.param)
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


@pytest.mark.parametrize("view", [np.s_[:], np.s_[3:, 1:4], np.s_[::2]])
def test_memory_map_is_opened_by_its_file(view, mapped):
    source = pickle.loads(pickle.dumps(readable_source(mapped[view])))
    assert len(pickle.dumps(source)) < 1000
    assert_array_equal(source[2:5, 1:3], mapped[view][2:5, 1:3])


def test_memory_map_without_a_file_is_not_opened(mapped, tmp_path):
    assert readable_source(mapped.copy()) is None
    private = np.load(tmp_path / "X.npy", mmap_mode="c")
    private[0] = 7  # is not written to the file
    assert readable_source(private) is None


def test_hdf5_dataset_is_opened_by_its_file(tmp_path):
    h5py = pytest.importorskip("h5py")
    X = np.arange(60.0).reshape(12, 5)
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file.create_dataset("group/X", data=X)
    with h5py.File(tmp_path / "X.h5", "r") as file:
        source = pickle.loads(pickle.dumps(readable_source(file["group/X"])))
        assert_array_equal(source[2:5, 1:3], X[2:5, 1:3])
        source.dataset.file.close()


def test_other_sources_are_kept():
    array = np.zeros((2, 2))
    assert readable_source(array) is array


@pytest.mark.parametrize("suffix", ["h5", "zarr"])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_sparse_matrices_are_read_in_chunks_of_rows_or_columns(format, suffix, tmp_path, monkeypatch):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    library = pytest.importorskip("h5py" if suffix == "h5" else "zarr")
    X = sp.random_array((40, 12), density=0.3, random_state=0, format=format)
    path = tmp_path / f"X.{suffix}"
    with library.File(path, "w") if suffix == "h5" else nullcontext(library.open_group(path)) as file:
        group = file.create_group("X")
        write = group.create_dataset if suffix == "h5" else group.create_array
        for part in ("data", "indices", "indptr"):
            write(part, data=getattr(X, part))
    monkeypatch.setattr(sources, "CHUNK_BYTES", 30 * 12)
    axis = ["csr", "csc"].index(format)
    source = pickle.loads(pickle.dumps(StoredSparse(str(path), "X", X.shape, axis)))
    assert source.chunks[1 - axis] == X.shape[1 - axis]
    assert source.chunks[axis] < X.shape[axis] // 2
    chunked = as_chunked(source)
    assert isinstance(chunked.array, da.Array)
    assert chunked.array.npartitions > 2
    assert_array_equal(chunked.load().toarray(), X.toarray())
    assert_array_equal(chunked[7:31, 2:9].load().toarray(), X.toarray()[7:31, 2:9])
