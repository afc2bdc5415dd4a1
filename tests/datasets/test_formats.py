"""Parquet, Feather, ARFF, svmlight and h5ad."""

import datetime
import decimal
import gzip
import json
import sys
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from featsieve.datasets import DataError, load

X = np.random.default_rng(0).random((6, 4))
Y = np.array([1, 2, 1, 2, 3, 3])


def refused(path, **options):
    with pytest.raises(DataError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(path.name)
    return message


@pytest.fixture(params=["parquet", "feather"])
def columnar(request, tmp_path):
    """Write a frame and return its path."""
    pytest.importorskip("pyarrow")

    def write(frame):
        path = tmp_path / f"t.{request.param}"
        getattr(frame, f"to_{request.param}")(path)
        return path

    return write


def test_columns(columnar):
    frame = pd.DataFrame(
        {"a": [1, 2, None], "b": [True, False, True], "c": [0.5, 1.5, 7], "target": ["u", "v", "u"]}
    )
    data = load(columnar(frame))
    assert data.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(data.raw, [[1, 1, 0.5], [2, 0, 1.5], [np.nan, 1, 7]])
    assert data.y.tolist() == ["u", "v", "u"]


def test_columns_of_every_kind(columnar):
    pytest.importorskip("skrub")
    n = 12
    frame = pd.DataFrame(
        {
            "small": np.arange(n, dtype=np.int8),
            "nullable": pd.array([None, *range(1, n)], dtype="Int64"),
            "kind": pd.Categorical(["a", "b", "c"] * 4),
            "grade": pd.Categorical([1, 2, 3] * 4),
            "when": pd.date_range("2020-01-01", periods=n),
            "day": [datetime.date(2020, 1, 1 + i) for i in range(n)],
            "wait": pd.to_timedelta(np.arange(n), unit="min"),
            "price": [decimal.Decimal(i) / 4 for i in range(n)],
            "flag": [True, None, False] * 4,
        }
    )
    data = load(columnar(frame))
    assert np.isfinite(data.X).all()
    assert {data.columns[place] for place in data.origins} == set(frame.columns)
    np.testing.assert_array_equal(data.X[:, data.feature_names.index("wait")], 60.0 * np.arange(n))
    np.testing.assert_array_equal(data.X[:, data.feature_names.index("price")], np.arange(n) / 4)


@pytest.mark.parametrize("strict", [False, True])
def test_signaling_nan_in_single_precision(tmp_path, strict):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    numbers = np.arange(4, dtype=np.float32)
    numbers[1:2].view(np.uint32)[:] = 0x7F800001
    path = tmp_path / "t.parquet"
    parquet.write_table(arrow.table({"a": numbers, "b": [1.0, 2, 3, 4]}), path)
    if strict:
        assert "column 'a' has 1 missing value" in refused(path, strict=True)
    else:
        np.testing.assert_array_equal(load(path).X[:, 0], [0, 2, 2, 3])


def test_nested_columns_are_refused(columnar):
    message = refused(columnar(pd.DataFrame({"a": [1, 2], "b": [[1, 2], [3]]})))
    assert "column 'b' contains values of type" in message
    assert message.endswith("leave it out with --drop b.")


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("value", [[1, 2], {"a": 1}], ids=["list", "structure"])
def test_nested_labels_are_refused(columnar, value, strict):
    path = columnar(pd.DataFrame({"a": [1, 2], "b": [value, value]}))
    message = refused(path, target="b", strict=strict)
    assert "the labels in 'b' must be numbers or text; got " in message
    assert message.endswith(("list.", "ndarray.", "dict."))


def test_dates_out_of_range(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    pytest.importorskip("skrub")
    when = arrow.array([2**62] * 12, arrow.timestamp("s"))
    feather.write_feather(arrow.table({"when": when, "b": np.arange(12.0)}), tmp_path / "t.feather")
    message = refused(tmp_path / "t.feather")
    assert message.startswith("t.feather: column 'when' cannot be encoded")
    assert message.endswith("leave out with --drop when.")


def test_index_is_left_out_and_said(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"gene": ["u", "v"], "a": [1, 2], "b": [3, 5]}).set_index("gene").to_parquet(
        tmp_path / "t.parquet"
    )
    data = load(tmp_path / "t.parquet")
    assert data.feature_names == ["a", "b"]
    assert data.notes == ("Index 'gene' was left out.",)


def test_columns_of_one_name(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_arrays([[1, 2], [3, 4]], names=["a", "a"]), tmp_path / "t.parquet")
    assert "several columns have the name 'a'" in refused(tmp_path / "t.parquet")


def test_columns_of_one_name_in_the_metadata(tmp_path):
    """Pandas takes the names of its columns from the metadata."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.Table.from_pandas(pd.DataFrame({"a": ["u", "v"], "b": ["u", "v"]}))
    metadata = json.loads(table.schema.metadata[b"pandas"])
    metadata["columns"][1]["name"] = "a"
    table = table.replace_schema_metadata({"pandas": json.dumps(metadata)})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert "several columns have the name 'a'" in refused(tmp_path / "t.parquet")


def test_without_pyarrow(columnar, monkeypatch):
    path = columnar(pd.DataFrame({"a": [1, 2]}))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow.feather", None)
    with pytest.raises(DataError, match=r"needs pyarrow: pip install 'featsieve\[tables\]'$"):
        load(path)


ARFF = """% a comment
@RELATION 'the weather'
@attribute outlook {sunny, 'very rainy', "over\\"cast"}
@ATTRIBUTE 'the temperature' REAL
@attribute note string
@attribute class {yes,no}

@DATA
sunny, 21.5, 'a, b', yes
% between
'very rainy',?,"it's",no

"over\\"cast",1e3,plain,yes
"""


def test_arff(tmp_path):
    pytest.importorskip("skrub")
    (tmp_path / "t.arff").write_text(ARFF)
    data = load(tmp_path / "t.arff")
    assert data.columns == ["outlook", "the temperature", "note"]
    assert data.y.tolist() == ["yes", "no", "yes"]
    assert data.target_name == "class"
    table = data.table.values
    assert table["outlook"].tolist() == ["sunny", "very rainy", 'over"cast']
    assert table["note"].tolist() == ["a, b", "it's", "plain"]
    np.testing.assert_array_equal(table["the temperature"], [21.5, np.nan, 1000])


def test_sparse_arff(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@attribute a numeric\n@attribute b {u,'v, w'}\n@attribute c integer\n@data\n"
        "{0 1.5, 2 7}\n{}\n{1 'v, w',2 ?}\n"
    )
    table = load(tmp_path / "t.arff", target="b").table.values
    np.testing.assert_array_equal(table[["a", "c"]], [[1.5, 7], [0, 0], [0, np.nan]])
    assert table["b"].tolist() == ["u", "u", "v, w"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("@DATA", "data"), "line 8 is not valid in an ARFF header: 'data'"),
        (("sunny, 21.5", "snowy, 21.5"), "line 9: 'snowy' is not a declared value of 'outlook'"),
        (("21.5", "warm"), "line 9: 'the temperature' must be a number; got 'warm'"),
        (("plain,yes", "plain"), "line 13 has 3 values for 4 attributes"),
        (("'a, b'", "'a, b"), "line 9: a quote is not closed"),
        (("REAL", "imaginary"), "has the type 'imaginary', which is not supported"),
        (("{yes,no}", "{yes,no"), "do not end with }"),
        (("note string", "note"), "must have the name and the type of an attribute"),
        (("note string", "outlook string"), "several columns have the name 'outlook'"),
    ],
)
def test_wrong_arff(tmp_path, change, says):
    assert change[0] in ARFF
    (tmp_path / "t.arff").write_text(ARFF.replace(*change))
    assert says in refused(tmp_path / "t.arff")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("@relation r\n@attribute a real\n", "no line @data"),
        ("@relation r\n@data\n1\n", "has no attributes"),
        ("@relation r\n@attribute a real\n@data\n", "has attributes but no rows"),
        ("@relation r\n@attribute a real\n@data\n{0 1\n", "does not end with }"),
        ("@relation r\n@attribute a real\n@data\n{7 1}\n", "index must be less than 1; got '7'"),
        ("a,b\n1,2\n", "line 1 is not valid in an ARFF header"),
    ],
)
def test_unusable_arff(tmp_path, content, says):
    (tmp_path / "t.arff").write_text(content)
    assert says in refused(tmp_path / "t.arff")


def test_arff_with_many_spaces_before_a_stray_quote(tmp_path):
    """Found in a time that does not grow with the cube of the spaces."""
    path = tmp_path / "t.arff"
    path.write_text(f"@relation r\n@attribute a string\n@attribute b real\n@data\n'u',{' ' * 3_000}0'\n")
    start = time.perf_counter()
    assert "line 5: a quote is not closed" in refused(path)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("ending", ["svmlight", "libsvm", "svm", "svm.gz"])
def test_svmlight(tmp_path, ending):
    thin = np.where(X > 0.5, X, 0)
    thin[0, -1] = 0.25
    path = tmp_path / f"d.{ending}"
    with gzip.open(path, "wb") if ending.endswith("gz") else path.open("wb") as handle:
        dump_svmlight_file(thin, Y, handle, zero_based=False)
    data = load(path)
    assert sp.issparse(data.X)
    np.testing.assert_allclose(data.X.toarray(), thin)
    assert data.y.tolist() == Y.tolist()
    assert data.feature_names == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,2\n", "is not an svmlight file"),
        ("1 1:2 1:x\n", "is not an svmlight file"),
        ("1 2147483647:1\n", "got 2147483647"),
        ("# nothing\n", "nothing to rank"),
    ],
)
def test_unusable_svmlight(tmp_path, content, says):
    (tmp_path / "d.svm").write_text(content)
    assert says in refused(tmp_path / "d.svm")


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
            gaps = obs.create_group("gaps")
            gaps["codes"] = np.array([0, 1, 0, -1, 0, 0], dtype=np.int8)
            gaps.create_dataset("categories", data=["B", "T"], dtype=text)
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


def test_wrong_h5ad(h5ad, tmp_path):
    assert "no column 'cell_tpe'. Did you mean 'cell_type'?" in refused(h5ad(X), target="cell_tpe")
    assert "1 of the 6 labels in 'gaps' are missing" in refused(h5ad(X), target="gaps")
    assert "no layer 'rates'. The layers are 'counts'" in refused(h5ad(X), samples="rates")
    assert "differ from the shape (6, 4) of the matrix" in refused(h5ad(X, genes=["g1", "g2"]))
    (tmp_path / "t.h5ad").write_text("a,b\n1,2\n")
    assert "is not an HDF5 file" in refused(tmp_path / "t.h5ad")


def test_h5ad_without_h5py(h5ad, monkeypatch):
    path = h5ad(X)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataError, match=r"reading cells\.h5ad needs h5py: pip install 'featsieve\[h5ad\]'$"):
        load(path)
