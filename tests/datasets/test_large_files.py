"""Files that do not fit in the working memory are read in chunks, with the same values and labels."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import LaplacianScore
from featsieve.datasets import load
from featsieve.datasets.options import TableOptions
from featsieve.engines.chunked import Chunked

pytest.importorskip("dask.array", reason="dask is not installed")

CHUNKS = TableOptions(chunks=True)
RNG = np.random.default_rng(0)
X = RNG.gamma(2.0, size=(60, 9)).astype(np.float32)
X[RNG.random(X.shape) < 0.4] = 0
Y = np.repeat(["a", "b", "c"], 20)


def write_npy(folder):
    np.save(folder / "big.npy", X)
    return folder / "big.npy"


def write_zarr(folder):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(folder / "big.zarr", mode="w")
    group.create_array("X", data=X, chunks=(25, 4))
    group.create_array("y", data=np.repeat([0, 1, 2], 20))
    return folder / "big.zarr"


def write_parquet(folder):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(X.astype(float), columns=[f"g{i}" for i in range(9)]).assign(target=Y, note="text")
    (folder / "big.parquet").mkdir()
    for part, start in enumerate((0, 35)):
        rows = frame[start : start + 35]
        rows.to_parquet(folder / "big.parquet" / f"part-{part}.parquet", row_group_size=10, index=False)
    return folder / "big.parquet"


def _write_annotated(folder, values):
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "big.h5ad", "w") as file:
        if sp.issparse(values):
            node = file.create_group("X")
            node.attrs.update({"encoding-type": f"{values.format}_matrix", "shape": values.shape})
            for part in ("data", "indices", "indptr"):
                node[part] = getattr(values, part)
        else:
            file["X"] = values
        for table, count in (("obs", 60), ("var", 9)):
            node = file.create_group(table)
            node.attrs["_index"] = "_index"
            node["_index"] = [f"{table}{i}" for i in range(count)]
        file["obs/target"] = [label.encode() for label in Y]
    return folder / "big.h5ad"


def write_h5ad(folder):
    return _write_annotated(folder, X)


def write_sparse_h5ad(folder):
    return _write_annotated(folder, sp.csr_array(X))


def write_columns_h5ad(folder):
    return _write_annotated(folder, sp.csc_array(X))


def write_counts_h5ad(folder):
    return _write_annotated(folder, sp.csr_array(np.ceil(X).astype(np.int32)))


WRITERS = [
    write_npy, write_zarr, write_parquet,
    write_h5ad, write_sparse_h5ad, write_columns_h5ad, write_counts_h5ad,
]  # fmt: skip


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__.removeprefix("write_"))
def test_values_and_labels_are_those_of_the_file(write, isolated, tmp_path):
    path = write(tmp_path)
    small = load(path, drop=["note"] if write is write_parquet else ())
    assert not isinstance(small.X, Chunked)
    with sklearn.config_context(working_memory=0.001):
        assert not isinstance(load(path).X, Chunked)
        large = load(path, isolated=isolated, options=CHUNKS)
        assert isinstance(large.X, Chunked)
        assert large.feature_names == small.feature_names
        assert large.target_name == small.target_name
        if small.y is not None:
            assert_array_equal(large.y, small.y)
        values = large.X.load()
        expected = small.X.toarray() if sp.issparse(small.X) else small.X
        assert sp.issparse(values) == sp.issparse(small.X)
        assert_array_equal(values.toarray() if sp.issparse(values) else values, expected)
        scores = LaplacianScore().fit(large.X).scores_
    assert_allclose(scores, LaplacianScore().fit(small.X).scores_, rtol=1e-6)


def test_columns_without_numbers_are_named(tmp_path):
    with sklearn.config_context(working_memory=0.001):
        dataset = load(write_parquet(tmp_path), options=CHUNKS)
    assert any("'note'" in note and "no numbers" in note for note in dataset.notes)


def test_a_column_can_be_the_labels(tmp_path):
    with sklearn.config_context(working_memory=0.001):
        dataset = load(write_parquet(tmp_path), target="g3", options=CHUNKS)
    assert_allclose(dataset.y, X[:, 3])
    assert "g3" not in dataset.feature_names


def test_samples_can_be_drawn(tmp_path):
    with sklearn.config_context(working_memory=0.001):
        drawn = load(write_zarr(tmp_path), options=CHUNKS).subsample(10, 0)
    rows = np.sort(np.random.default_rng(0).permutation(60)[:10])
    assert_array_equal(drawn.X.load(), X[rows])


def test_a_folder_without_parquet_files(tmp_path):
    (tmp_path / "big.parquet").mkdir()
    with pytest.raises(ValueError, match=r"contains no \.parquet files"):
        load(tmp_path / "big.parquet")
