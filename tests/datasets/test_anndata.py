"""Parts of annotated matrices that are subset with the variables."""

import numpy as np
import pytest
import scipy.sparse as sp

from featsieve.datasets import DataError, load, save

h5py = pytest.importorskip("h5py")


@pytest.fixture
def annotated(tmp_path):
    """Write a sparse matrix whose variables have columns of several kinds."""

    def write(change=lambda file: None):
        X = sp.csc_array(np.arange(12.0).reshape(3, 4))
        with h5py.File(tmp_path / "t.h5ad", "w") as file:
            group = file.create_group("X")
            group.attrs["encoding-type"], group.attrs["shape"] = "csc_matrix", X.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(X, part)
            file["obs/_index"] = ["c0", "c1", "c2"]
            var = file.create_group("var")
            var["_index"] = ["g0", "g1", "g1", "g3"]
            var["mean"] = np.arange(4) / 2
            var.create_group("length").attrs["encoding-type"] = "nullable-integer"
            var["length/values"], var["length/mask"] = np.arange(4), np.array([True, False, False, True])
            change(file)
        return load(tmp_path / "t.h5ad")

    return write


def test_sparse_matrix_and_columns_of_var(annotated, tmp_path):
    data = annotated()
    path = save(data, ["g3", "g1-1"], tmp_path / "out.h5ad")
    with h5py.File(path) as file:
        assert file["X"].attrs["encoding-type"] == "csc_matrix"
        assert file["X"].attrs["shape"].tolist() == [3, 2]
        assert file["var/mean"][()].tolist() == [1, 1.5]
        assert file["var/length/mask"][()].tolist() == [False, True]
        assert file["var/length"].attrs["encoding-type"] == "nullable-integer"
        assert "featsieve_rank" not in file["var"]
    again = load(path)
    assert again.feature_names == ["g1", "g3"]
    np.testing.assert_array_equal(again.X.toarray(), [[2, 3], [6, 7], [10, 11]])


def test_old_tables_are_refused(annotated, tmp_path):
    def change(file):
        del file["var"]
        file["var"] = np.array([(b"a",), (b"b",), (b"c",), (b"d",)], dtype=[("index", "S1")])

    data = annotated(change)
    with pytest.raises(DataError, match=r"out\.h5ad cannot be written: .* old version of anndata"):
        save(data, ["a"], tmp_path / "out.h5ad")


def test_result_can_be_read_by_anndata(annotated, tmp_path):
    anndata = pytest.importorskip("anndata")
    path = save(annotated(), ["g0"], tmp_path / "out.h5ad")
    assert anndata.read_h5ad(path).shape == (3, 1)


def test_text_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,u\n2,v\n3,u\n")
    data = load(tmp_path / "t.csv")
    with pytest.raises(DataError, match="contains text"):
        save(data, ["b"], tmp_path / "out.h5ad")
