"""Zarr stores."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from cli.command import rank_as_json
from load_error import load_error

from featsieve.datasets import DataError, load

zarr = pytest.importorskip("zarr")
X = np.random.default_rng(0).random((12, 4))


@pytest.fixture(params=[2, 3])
def version(request):
    return request.param


def test_array(tmp_path, version):
    zarr.create_array(str(tmp_path / "t.zarr"), data=X, zarr_format=version)
    np.testing.assert_array_equal(load(tmp_path / "t.zarr").X, X)


def test_group_through_the_command(tmp_path, version):
    group = zarr.open_group(str(tmp_path / "t.zarr"), mode="w", zarr_format=version)
    for name, values in {"X": X, "y": np.arange(12) % 2, "counts": 2 * X}.items():
        group.create_array(name, data=values)
    output = rank_as_json(tmp_path / "t.zarr", "-m", "fisher")
    assert (output["shape"], output["target"]) == ([12, 4], "y")
    np.testing.assert_array_equal(load(tmp_path / "t.zarr", samples="counts").X, 2 * X)
    assert "no array 'cunts'. Did you mean 'counts'" in load_error(tmp_path / "t.zarr", samples="cunts")


@pytest.mark.parametrize("is_sparse", [False, True])
def test_annotated_matrix(tmp_path, is_sparse):
    group = zarr.open_group(str(tmp_path / "t.zarr"), mode="w", zarr_format=2)
    if is_sparse:
        matrix, part = sp.csr_array(X), group.create_group("X")
        part.attrs.update({"encoding-type": "csr_matrix", "shape": list(X.shape)})
        for field in ("data", "indices", "indptr"):
            part.create_array(field, data=getattr(matrix, field))
    else:
        group.create_array("X", data=X)
    for name, size in (("obs", 12), ("var", 4)):
        frame = group.create_group(name)
        frame.attrs["_index"] = "_index"
        frame.create_array("_index", data=np.array([f"{name}{i}" for i in range(size)]))
    kind = group["obs"].create_group("kind")
    kind.create_array("codes", data=(np.arange(12) % 2).astype(np.int8))
    kind.create_array("categories", data=np.array(["u", "v"]))
    data = load(tmp_path / "t.zarr", target="kind")
    assert data.y.tolist() == ["u", "v"] * 6
    assert data.feature_names == ["var0", "var1", "var2", "var3"]
    assert data.sample_names[3] == "obs3"
    assert sp.issparse(data.X) == is_sparse
    np.testing.assert_array_equal(data.X.toarray() if is_sparse else data.X, X)


def test_damaged_store(tmp_path):
    (tmp_path / "t.zarr").mkdir()
    assert "t.zarr is not a Zarr store" in load_error(tmp_path / "t.zarr")
    (tmp_path / "u.zarr").write_text("a,b\n1,2\n")
    assert "u.zarr is not a Zarr store" in load_error(tmp_path / "u.zarr")
    zarr.create_array(
        str(tmp_path / "v.zarr"), shape=(10**7, 10**7), chunks=(10, 10), dtype="f8", zarr_format=2
    )
    assert "the file is too short" in load_error(tmp_path / "v.zarr")


def test_without_zarr(tmp_path, monkeypatch):
    zarr.create_array(str(tmp_path / "t.zarr"), data=X)
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(DataError, match=r"reading t\.zarr needs zarr: pip install 'featsieve\[zarr\]'$"):
        load(tmp_path / "t.zarr")
