"""HDF5 files that are shorter than their datasets claim."""

import numpy as np
import pytest
from load_error import load_error

from featsieve.datasets import load


@pytest.mark.parametrize("matlab", [True, False])
def test_file_shorter_than_its_datasets_claim(tmp_path, matlab):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / ("d.mat" if matlab else "d.h5ad")
    with h5py.File(path, "w", userblock_size=512 if matlab else 0) as file:
        file.create_dataset("X", shape=(10**7, 10**5), dtype="f8", chunks=(1000, 100), compression="gzip")
    if matlab:
        with path.open("r+b") as handle:
            handle.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    assert f"{path.name}: /X claims to hold 10000000 x 100000 values" in load_error(path)


def test_array_that_compresses_well(tmp_path):
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
