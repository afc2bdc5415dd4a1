"""Annotated matrices."""

import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from load_error import load_error

from featsieve.datasets import DataError, load, save

X = np.random.default_rng(0).random((6, 4))


@pytest.fixture
def h5ad(tmp_path):
    """Write an annotated matrix as the package anndata does, and return its path."""
    h5py = pytest.importorskip("h5py")
    text = h5py.string_dtype()

    def write(matrix, genes=("g1", "g2", "g3", "g3")):
        path = tmp_path / "cells.h5ad"
        with h5py.File(path, "w") as file:
            for where, values in (("X", matrix), ("layers/counts", 2 * matrix)):
                if sp.issparse(values):
                    group = file.create_group(where)
                    group.attrs["encoding-type"] = f"{values.format}_matrix"
                    group.attrs["shape"] = values.shape
                    for part in ("data", "indices", "indptr"):
                        group[part] = getattr(values, part)
                else:
                    file[where] = values
            var = file.create_group("var")
            var.attrs["_index"] = "gene"
            var.create_dataset("gene", data=list(genes), dtype=text)
            obs = file.create_group("obs")
            obs.attrs["_index"] = "_index"
            obs.create_dataset("_index", data=[f"c{i}" for i in range(6)], dtype=text)
            obs["depth"] = np.arange(6.0)
            obs.create_dataset("donor", data=list("uvuvww"), dtype=text)
            kind = obs.create_group("cell_type")
            kind["codes"] = np.array([0, 1, 0, 1, 2, 2], dtype=np.int8)
            kind.create_dataset("categories", data=["B", "T", "NK"], dtype=text)
            incomplete = obs.create_group("incomplete")
            incomplete["codes"] = np.array([0, 1, 0, -1, 0, 0], dtype=np.int8)
            incomplete.create_dataset("categories", data=["B", "T"], dtype=text)
            nullable = obs.create_group("batch")
            nullable["values"] = np.array([1, 2, 1, 2, 3, 3])
            nullable["mask"] = np.zeros(6, dtype=bool)
            obs.create_group("__categories").create_dataset("old", data=["x", "y"], dtype=text)
            obs["old"] = np.array([0, 1, 1, 0, 1, 1], dtype=np.int8)
        return path

    return write


@pytest.mark.parametrize("matrix", [X, sp.csr_array(X), sp.csc_array(X)], ids=["dense", "csr", "csc"])
def test_h5ad(h5ad, matrix):
    path = h5ad(matrix)
    data = load(path, target="cell_type")
    assert sp.issparse(data.X) == sp.issparse(matrix)
    np.testing.assert_array_equal(data.X.toarray() if sp.issparse(data.X) else data.X, X)
    assert data.feature_names == ["g1", "g2", "g3", "g3-1"]
    assert data.y.tolist() == ["B", "T", "B", "T", "NK", "NK"]
    assert data.notes == ("Several columns have the name 'g3'; the later ones were numbered.",)
    layer = load(path, samples="counts").X
    np.testing.assert_array_equal(layer.toarray() if sp.issparse(layer) else layer, 2 * X)


@pytest.mark.parametrize(
    ("target", "labels"),
    [
        ("donor", list("uvuvww")),
        ("depth", [0, 1, 2, 3, 4, 5]),
        ("batch", [1, 2, 1, 2, 3, 3]),
        ("old", list("xyyxyy")),
        (None, None),
    ],
)
def test_h5ad_labels(h5ad, target, labels):
    y = load(h5ad(X), target=target).y
    assert (y if y is None else y.tolist()) == labels


def test_cells_without_a_label_are_dropped(h5ad):
    data = load(h5ad(X), target="incomplete")
    assert data.X.shape == (5, 4)
    assert data.notes[-1] == "1 of 6 samples was dropped because its label in 'incomplete' is missing."


def test_wrong_h5ad(h5ad, tmp_path):
    assert "no column 'cell_tpe'. Did you mean 'cell_type'?" in load_error(h5ad(X), target="cell_tpe")
    assert "no layer 'rates'. The layers are 'counts'" in load_error(h5ad(X), samples="rates")
    assert "differ from the shape (6, 4) of the matrix" in load_error(h5ad(X, genes=["g1", "g2"]))
    (tmp_path / "t.h5ad").write_text("a,b\n1,2\n")
    assert "is not an HDF5 file" in load_error(tmp_path / "t.h5ad")


def test_h5ad_without_h5py(h5ad, monkeypatch):
    path = h5ad(X)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataError, match=r"reading cells\.h5ad needs h5py: pip install 'featsieve\[h5ad\]'$"):
        load(path)


def rich(path):
    """Write a file with all parts of annotated data."""
    h5py = pytest.importorskip("h5py")
    text = h5py.string_dtype()
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        file["X"] = X
        counts = sp.csr_array(2 * X)
        group = file.create_group("layers/counts")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", counts.shape
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(counts, part)
        for name, size in (("obs", 6), ("var", 4)):
            frame = file.create_group(name)
            frame.attrs["_index"] = "_index"
            frame.attrs.create("column-order", ["kind"], dtype=text)
            frame.create_dataset("_index", data=[f"{name}{i}" for i in range(size)], dtype=text)
            kind = frame.create_group("kind")
            kind["codes"] = (np.arange(size) % 2).astype(np.int8)
            kind.create_dataset("categories", data=["u", "v"], dtype=text)
        file["obsm/X_pca"] = np.c_[X[:, 0], np.arange(6) ** 2.0]
        file["varm/PCs"] = np.arange(8.0).reshape(4, 2)
        file["varp/links"] = np.arange(16.0).reshape(4, 4)
        file["uns/note"] = "kept"
    return path


def test_results_are_written_to_var_and_the_rest_is_kept(tmp_path):
    h5py = pytest.importorskip("h5py")
    data = load(rich(tmp_path / "t.h5ad"), target="kind")
    ranking = pd.DataFrame(
        {"rank": [2, 1, 3, 4], "score": [0.5, 0.9, 0.1, 0.0], "selected": [True, True, False, False]},
        index=data.columns,
    )
    path = save(data, ["var1", "var0"], tmp_path / "out.h5ad", ranking=ranking)
    with h5py.File(path) as file:
        assert file["uns/note"][()] == b"kept"
        assert file["obs/kind/codes"][()].tolist() == [0, 1, 0, 1, 0, 1]
        assert file["obsm/X_pca"].shape == (6, 2)
        np.testing.assert_array_equal(file["varm/PCs"][()], [[0, 1], [2, 3]])
        np.testing.assert_array_equal(file["varp/links"][()], [[0, 1], [4, 5]])
        var = file["var"]
        assert var["kind/codes"][()].tolist() == [0, 1]
        assert var["featsieve_rank"][()].tolist() == [2, 1]
        assert var["featsieve_score"][()].tolist() == [0.5, 0.9]
        assert var["featsieve_selected"][()].tolist() == [True, True]
        order = [name.decode() if isinstance(name, bytes) else name for name in var.attrs["column-order"]]
        assert order == ["kind", "featsieve_rank", "featsieve_score", "featsieve_selected"]
    again = load(path, target="kind", samples="counts")
    assert again.feature_names == ["var0", "var1"]
    np.testing.assert_array_equal(again.X.toarray(), 2 * X[:, :2])
    assert load(path).sample_names.tolist() == [f"obs{i}" for i in range(6)]


def test_embedding(tmp_path):
    data = load(rich(tmp_path / "t.h5ad"), samples="obsm/X_pca")
    assert data.feature_names == ["X_pca_0", "X_pca_1"]
    with pytest.raises(DataError, match="the features are not the variables of the file"):
        save(data, ["X_pca_0"], tmp_path / "out.h5ad")
    assert not (tmp_path / "out.h5ad").exists()
    assert "Did you mean 'obsm/X_pca'" in load_error(tmp_path / "t.h5ad", samples="obsm/X_pc")


def test_table_is_written_as_h5ad(tmp_path):
    pytest.importorskip("h5py")
    (tmp_path / "t.csv").write_text("id,a,b,target\ns1,1,2,u\ns2,3,,v\ns3,5,6,u\n")
    data = load(tmp_path / "t.csv")
    again = load(save(data, ["a", "b"], tmp_path / "out.h5ad"))
    np.testing.assert_array_equal(again.raw, data.raw)
    assert again.y.tolist() == ["u", "v", "u"]
    assert again.sample_names.tolist() == ["s1", "s2", "s3"]


def test_64_bit_indices_are_saved_as_svmlight(h5ad, tmp_path):
    matrix = sp.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    data = load(h5ad(matrix))
    save(data, data.feature_names, tmp_path / "out.svm")
    np.testing.assert_allclose(load(tmp_path / "out.svm").X.toarray(), X)
