"""Labels and columns of a table."""

import numpy as np
import pandas as pd
import pytest
from load_error import load_error

from featsieve.datasets import DataError, load

X = np.random.default_rng(0).random((6, 4))


Y = np.array([1, 2, 1, 2, 3, 3])


def test_target_may_be_a_column(npz):
    data = load(npz(X=X, y=Y), target="x2")
    np.testing.assert_array_equal(data.y, X[:, 2])
    assert data.feature_names == ["x0", "x1", "x3"]
    np.testing.assert_array_equal(data.X, X[:, [0, 1, 3]])


def test_labels_may_be_dropped(npz):
    assert load(npz(X=X, y=Y), drop=["y", "x0"]).y is None


def test_labels_of_bytes_are_text(npz):
    labels = np.array([b"a", b"b", b"a", b"b", b"\xff", b"\xfe"])
    assert load(npz(X=X, y=labels)).y.tolist() == ["a", "b", "a", "b", "\\xff", "\\xfe"]


def test_void_labels_are_refused(npz):
    assert "the labels in 'y' must be numbers or text; got the type |V8" in load_error(
        npz(X=X, y=np.zeros(6, dtype="V8"))
    )


GOOD = "height,width,flag,kind\n1.5,2,True,a\n2.5,3,False,b\n3.5,5,True,a\n"


def test_target_is_not_a_feature(table):
    data = load(table(GOOD), target="kind")
    assert data.name == "t.csv"
    assert data.feature_names == ["height", "width", "flag"]
    assert data.target_name == "kind"
    assert data.y.tolist() == ["a", "b", "a"]
    np.testing.assert_array_equal(data.X, [[1.5, 2, 1], [2.5, 3, 0], [3.5, 5, 1]])


@pytest.mark.parametrize("name", ["target", "Target", "TARGET"])
def test_column_named_target_is_the_labels(table, name):
    data = load(table(f"a,{name},b\n1,7,2\n3,8,4\n"))
    assert data.feature_names == ["a", "b"]
    assert data.target_name == name
    assert data.y.tolist() == [7, 8]


def test_no_labels(table):
    data = load(table("a,b\n1,2\n3,4\n"))
    assert data.y is None
    assert data.target_name is None


def test_column_named_target_is_a_feature_if_another_is_the_target(table):
    assert load(table("a,b,target\n1,2,3\n3,4,5\n"), target="b").feature_names == ["a", "target"]


@pytest.mark.parametrize("drop", [["kind", "flag"], ["kind,flag"], "kind,flag"])
def test_drop(table, drop):
    assert load(table(GOOD), drop=drop).feature_names == ["height", "width"]


def test_drop_a_name_with_a_comma(table):
    assert load(table('"a,b",a,b\n1,2,3\n4,5,6\n'), drop=["a,b"]).feature_names == ["a", "b"]


def test_unknown_target_suggests(table):
    assert "no column 'knd'. Did you mean 'kind'?" in load_error(table(GOOD), target="knd")
    assert "The columns are 'height', 'width', 'flag', 'kind'." in load_error(table(GOOD), target="zzz")


def test_unknown_drop_suggests(table):
    assert "no column 'Heigth'. Did you mean 'height'?" in load_error(table(GOOD), drop=["Heigth"])


def test_missing_labels(table):
    message = load_error(table("a,target\n1,\n2,\n3,\n"))
    assert "all labels in 'target' are missing" in message
    assert "--drop target" in message


def test_ambiguous_target_is_refused(table):
    assert "'target', 'Target' could be the labels" in load_error(table("a,target,Target\n1,2,3\n4,5,6\n"))


def test_no_remaining_columns(table):
    assert "no columns remain" in load_error(table("target\n1\n2\n"))


def test_name_of_missing_labels_is_quoted_for_a_shell(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a\nb": [np.nan, np.nan], "b": [1, 2]}).to_csv(path, index=False)
    with pytest.raises(DataError, match=r"with --drop \$'a\\u000ab'\.$"):
        load(path, target="a\nb")
