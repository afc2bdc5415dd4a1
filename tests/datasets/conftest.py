"""Files that several tests write."""

import numpy as np
import pytest
import scipy.io


@pytest.fixture
def mat(tmp_path):
    """Write variables to a .mat file and return its path."""

    def write(**variables):
        scipy.io.savemat(tmp_path / "d.mat", variables)
        return tmp_path / "d.mat"

    return write


@pytest.fixture
def npz(tmp_path):
    """Write arrays to a .npz file and return its path."""

    def write(**arrays):
        np.savez(tmp_path / "d.npz", **arrays)
        return tmp_path / "d.npz"

    return write


@pytest.fixture
def table(tmp_path):
    """Write a table and return its path."""

    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
