"""Tables of text: what is read, what is set aside, and what is said of files that cannot be used."""

import numpy as np
import pytest

from featsieve.datasets import DataError, load

GOOD = "height,width,flag,kind\n1.5,2,True,a\n2.5,3,False,b\n3.5,5,True,a\n"


@pytest.fixture
def table(tmp_path):
    """Write a table and return its path."""

    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refused(path, **options):
    """The message of the DataError, which is a single line that begins with the name of the file."""
    with pytest.raises(DataError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(path.name)
    return message


def test_target_leaves_the_features(table):
    data = load(table(GOOD), target="kind")
    assert data.name == "t.csv"
    assert data.feature_names == ["height", "width", "flag"]
    assert data.target_name == "kind"
    assert data.y.tolist() == ["a", "b", "a"]
    np.testing.assert_array_equal(data.X, [[1.5, 2, 1], [2.5, 3, 0], [3.5, 5, 1]])


@pytest.mark.parametrize("name", ["target", "Target", "TARGET"])
def test_column_called_target_is_never_a_feature(table, name):
    data = load(table(f"a,{name},b\n1,7,2\n3,8,4\n"))
    assert data.feature_names == ["a", "b"]
    assert data.target_name == name
    assert data.y.tolist() == [7, 8]


def test_no_labels(table):
    data = load(table("a,b\n1,2\n3,4\n"))
    assert data.y is None
    assert data.target_name is None


def test_named_target_leaves_the_column_called_target_a_feature(table):
    assert load(table("a,b,target\n1,2,3\n3,4,5\n"), target="b").feature_names == ["a", "target"]


def test_tsv(table):
    data = load(table("a\tb c\n1\t2\n3\t4\n", "t.tsv"))
    assert data.feature_names == ["a", "b c"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])


def test_extension_in_capitals(table):
    assert load(table("a,b\n1,2\n3,4\n", "T.CSV")).feature_names == ["a", "b"]


def test_byte_order_mark_and_spaces(table):
    data = load(table("\ufeffa, b , c\n1, 2,3\n 4,5, \n"), impute=True)
    assert data.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(data.X, [[1, 2, 3], [4, 5, 3]])


@pytest.mark.parametrize("drop", [["kind", "flag"], ["kind,flag"], "kind,flag"])
def test_drop(table, drop):
    assert load(table(GOOD), drop=drop).feature_names == ["height", "width"]


def test_drop_a_name_with_a_comma(table):
    assert load(table('"a,b",a,b\n1,2,3\n4,5,6\n'), drop=["a,b"]).feature_names == ["a", "b"]


def test_impute_with_the_median(table):
    data = load(table("a,b\n1,5\n,6\n3,7\n8,\n"), impute=True)
    np.testing.assert_array_equal(data.X, [[1, 5], [3, 6], [3, 7], [8, 6]])


@pytest.mark.parametrize("missing", ["", "?", "NA", "nan"])
def test_missing_values_are_counted(table, missing):
    message = refused(table(f"a,b,c\n1,{missing},3\n4,{missing},6\n7,8,9\n"))
    assert "column 'b' has 2 missing values" in message
    assert "--impute" in message
    assert "--drop b" in message


def test_missing_truth_values_are_numbers_all_the_same(table):
    data = load(table("a,b\nTrue,1\n,2\nTrue,3\nFalse,4\n"), impute=True)
    np.testing.assert_array_equal(data.X[:, 0], [1, 1, 1, 0])


def test_empty_column_is_named_as_such(table):
    message = refused(table("a,b,c\n1,,3\n4,,6\n"), impute=True)
    assert "column 'b' has no values at all" in message
    assert "--drop b" in message


def test_infinite_value(table):
    assert "column 'b' has 1 infinite value" in refused(table("a,b\n1,inf\n4,5\n"))


def test_text_column_says_both_remedies(table):
    message = refused(table(GOOD))
    assert "column 'kind' holds text ('a')" in message
    assert "--drop kind" in message
    assert "--target kind" in message


def test_text_column_beside_known_labels_is_not_offered_as_labels(table):
    assert "--target" not in refused(table(GOOD), target="flag")


def test_many_text_columns(table):
    message = refused(table("v,w,x,y z,n\n" + "a,b,c,d,1\n" * 2))
    assert "4 columns ('v', 'w', 'x' and 1 more) hold text" in message
    assert "--drop 'v,w,x,y z'" in message


def test_many_missing_values(table):
    message = refused(table("a,b,c,d,e\n,,,,5\n1,2,3,4,5\n"))
    assert "4 columns ('a', 'b', 'c' and 1 more) have 4 missing values" in message
    assert message.endswith("--drop a,b,c and so on.")


def test_unknown_target_suggests(table):
    assert "no column 'knd'. Did you mean 'kind'?" in refused(table(GOOD), target="knd")
    assert "The columns are 'height', 'width', 'flag', 'kind'." in refused(table(GOOD), target="zzz")


def test_unknown_drop_suggests(table):
    assert "no column 'Heigth' to drop. Did you mean 'height'?" in refused(table(GOOD), drop=["Heigth"])


def test_missing_labels(table):
    message = refused(table("a,target\n1,x\n2,\n3,y\n"))
    assert "1 of the 3 labels in 'target' are missing" in message
    assert "--drop target" in message


def test_two_targets(table):
    assert "'target', 'Target' could be labels" in refused(table("a,target,Target\n1,2,3\n4,5,6\n"))


def test_nothing_left(table):
    assert "no columns are left" in refused(table("target\n1\n2\n"))


def test_row_numbers_are_not_a_feature(table):
    path = table(",a,b\n0,1,2\n1,3,5\n")
    assert "--drop 'Unnamed: 0'" in refused(path)
    assert load(path, drop=["Unnamed: 0"]).feature_names == ["a", "b"]


@pytest.mark.parametrize("names", ["0,1,2", "400.5,401,409.5", ",".join(str(4000 - i) for i in range(9))])
def test_numbers_in_order_are_column_names(table, names):
    row = ",".join("1" for _ in names.split(","))
    assert load(table(f"{names}\n{row}\n{row}\n")).feature_names == names.split(",")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n \n", "no column names and no rows"),
        (b"a,b\n", "no rows"),
        (bytes(range(256)), "is not text"),
        ("größe,b\n1,2\n".encode("latin-1"), "is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "is not text"),
        (b"a,b,a\n1,2,3\n", "several columns are called 'a'"),
        (b"a, a\n1,2\n", "several columns are called 'a'"),
        (b"a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3"),
        (b"a,b\n1,2,3\n4,5,6\n", "the first row has more fields"),
        (b"a,b,c\n1,2,3\n4,5", "line 3 has 2 fields where the header has 3"),
        (b'a,b\n1,"2\n3,4\n', "EOF inside string"),
        (b"a;b;c\n1;2;3\n", "separated by semicolons"),
        (b"a\tb\n1\t2\n", "separated by tabs"),
        (b"5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n", "line 1 looks like data"),
        (b"5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n", "line 1 looks like data"),
        (b"3,1,2\n4,5,6\n", "line 1 looks like data"),
        (b"a,yes\n1,yes\n2,no\n", "line 1 looks like data"),
        (b"\x50\x4b\x03\x04\x00\x00", "is not text"),
    ],
)
def test_unusable_file(table, content, says):
    assert says in refused(table(content))


def test_short_row_is_not_imputed(table):
    assert "line 3" in refused(table("a,b,c\n1,2,3\n4,5\n"), impute=True)
