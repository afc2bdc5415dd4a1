"""Parquet and Feather."""

import datetime
import decimal
import json
import sys

import numpy as np
import pandas as pd
import pytest
from load_error import load_error

from featsieve.datasets import DataError, load


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


def test_columns_of_all_types(columnar):
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
    assert {data.columns[index] for index in data.origins} == set(frame.columns)
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
        assert "column 'a' has 1 missing value" in load_error(path, strict=True)
    else:
        np.testing.assert_array_equal(load(path).X[:, 0], [0, 2, 2, 3])


def test_nested_columns_are_refused(columnar):
    message = load_error(columnar(pd.DataFrame({"a": [1, 2], "b": [[1, 2], [3]]})))
    assert "column 'b' contains values of type" in message
    assert message.endswith("leave it out with --drop b.")


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("value", [[1, 2], {"a": 1}], ids=["list", "structure"])
def test_nested_labels_are_refused(columnar, value, strict):
    path = columnar(pd.DataFrame({"a": [1, 2], "b": [value, value]}))
    message = load_error(path, target="b", strict=strict)
    assert "the labels in 'b' must be numbers or text; got " in message
    assert message.endswith(("list.", "ndarray.", "dict."))


def test_dates_out_of_range(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    pytest.importorskip("skrub")
    when = arrow.array([2**62] * 12, arrow.timestamp("s"))
    feather.write_feather(arrow.table({"when": when, "b": np.arange(12.0)}), tmp_path / "t.feather")
    message = load_error(tmp_path / "t.feather")
    assert message.startswith("t.feather: column 'when' cannot be encoded")
    assert message.endswith("leave it out with --drop when.")


def test_index_is_left_out_with_a_note(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"gene": ["u", "v"], "a": [1, 2], "b": [3, 5]}).set_index("gene").to_parquet(
        tmp_path / "t.parquet"
    )
    data = load(tmp_path / "t.parquet")
    assert data.feature_names == ["a", "b"]
    assert data.notes == ("Index 'gene' was left out.",)


def test_duplicate_names_are_refused(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_arrays([[1, 2], [3, 4]], names=["a", "a"]), tmp_path / "t.parquet")
    assert "several columns have the name 'a'" in load_error(tmp_path / "t.parquet")


def test_duplicate_names_in_the_metadata_are_refused(tmp_path):
    """Pandas takes the names of its columns from the metadata."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.Table.from_pandas(pd.DataFrame({"a": ["u", "v"], "b": ["u", "v"]}))
    metadata = json.loads(table.schema.metadata[b"pandas"])
    metadata["columns"][1]["name"] = "a"
    table = table.replace_schema_metadata({"pandas": json.dumps(metadata)})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert "several columns have the name 'a'" in load_error(tmp_path / "t.parquet")


def test_without_pyarrow(columnar, monkeypatch):
    path = columnar(pd.DataFrame({"a": [1, 2]}))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow.feather", None)
    with pytest.raises(DataError, match=r"needs pyarrow: pip install 'featsieve\[tables\]'$"):
        load(path)
