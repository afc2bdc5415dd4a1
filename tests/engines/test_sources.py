import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.engines.sources import readable_source


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
