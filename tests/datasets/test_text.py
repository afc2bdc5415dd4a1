"""Tables of text: what is read, what is set aside, and what is said of files that cannot be used."""

import bz2
import gzip
import lzma

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
    data = load(table("\ufeffa, b , c\n1, 2,3\n 4,5, \n"))
    assert data.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(data.X, [[1, 2, 3], [4, 5, 3]])


@pytest.mark.parametrize("drop", [["kind", "flag"], ["kind,flag"], "kind,flag"])
def test_drop(table, drop):
    assert load(table(GOOD), drop=drop).feature_names == ["height", "width"]


def test_drop_a_name_with_a_comma(table):
    assert load(table('"a,b",a,b\n1,2,3\n4,5,6\n'), drop=["a,b"]).feature_names == ["a", "b"]


@pytest.mark.parametrize("missing", ["", "?", "NA", "nan"])
def test_strict_counts_missing_values(table, missing):
    message = refused(table(f"a,b,c\n1,{missing},3\n4,{missing},6\n7,8,9\n"), strict=True)
    assert "column 'b' has 2 missing values" in message
    assert "without --strict" in message
    assert "--drop b" in message


def test_strict_names_empty_columns(table):
    message = refused(table("a,b,c\n1,,3\n4,,6\n"), strict=True)
    assert "column 'b' has no values at all" in message
    assert "--drop b" in message


def test_infinite_value(table):
    assert "column 'b' has 1 infinite value" in refused(table("a,b\n1,inf\n4,5\n"))


def test_text_column_says_both_remedies(table):
    message = refused(table(GOOD), strict=True)
    assert "column 'kind' contains text ('a')" in message
    assert "--drop kind" in message
    assert "--target kind" in message


def test_text_column_beside_known_labels_is_not_offered_as_labels(table):
    assert "--target" not in refused(table(GOOD), target="flag", strict=True)


def test_many_text_columns(table):
    message = refused(table("v,w,x,y z,n\n" + "a,b,c,d,1\n" * 2), strict=True)
    assert "4 columns ('v', 'w', 'x' and 1 more) contain text" in message
    assert "--drop 'v,w,x,y z'" in message


def test_many_missing_values(table):
    message = refused(table("a,b,c,d,e\n,,,,5\n1,2,3,4,5\n"), strict=True)
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
    assert "'target', 'Target' could be the labels" in refused(table("a,target,Target\n1,2,3\n4,5,6\n"))


def test_nothing_left(table):
    assert "no columns remain" in refused(table("target\n1\n2\n"))


def test_row_numbers_are_not_a_feature(table):
    path = table(",a,b\n0,1,2\n1,3,5\n")
    assert "--drop 'Unnamed: 0'" in refused(path, strict=True)
    assert load(path, drop=["Unnamed: 0"], strict=True).feature_names == ["a", "b"]
    assert load(path).feature_names == ["a", "b"]


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
        (b"a,b,a\n1,2,3\n", "several columns have the name 'a'"),
        (b"a, a\n1,2\n", "several columns have the name 'a'"),
        (b"a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3"),
        (b"a,b\n1,2,3\n4,5,6\n", "the first row has more fields"),
        (b"a,b,c\n1,2,3\n4,5", "line 3 has 2 fields where the header has 3"),
        (b'a,b\n1,"2\n3,4\n', "EOF inside string"),
        (b"a,yes\n1,yes\n2,no\n", "line 1 may be column names or data"),
        (
            b"\x50\x4b\x03\x04\x00\x00",
            "it looks like a NumPy archive or an Excel sheet. Check its extension.",
        ),
        ("a,b\n1,2\n".encode("utf-16-le"), "is not text"),
        ("a,b\n1,2\n".encode("utf-32"), "is not text"),
    ],
)
def test_unusable_file(table, content, says):
    assert says in refused(table(content))


def test_short_row_is_not_filled(table):
    assert "line 3" in refused(table("a,b,c\n1,2,3\n4,5\n"))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.data"])
def test_separator_is_found_out(table, separator, name):
    rows = [["a", "b", "c"], ["1.5", "2", "3"], ["4", "5.25", "6"], ["7", "8", "-9"]]
    data = load(table("\n".join(separator.join(row) for row in rows), name))
    assert data.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(data.X, [[1.5, 2, 3], [4, 5.25, 6], [7, 8, -9]])


@pytest.mark.parametrize("header", ["a;b;c\n", ""])
def test_decimal_commas(table, header):
    data = load(table(header + "7,5;2,25;7\n3,5;4,75;6\n-0,5;1;5\n"))
    np.testing.assert_array_equal(data.X, [[7.5, 2.25, 7], [3.5, 4.75, 6], [-0.5, 1, 5]])
    assert any("decimal commas" in note for note in data.notes)


def test_spaces_inside_fields_do_not_separate(table):
    data = load(table("first name,age\nAnn Lee,5\nBob Ray,6\nAnn Lee,7\n"), target="first name")
    assert data.y.tolist() == ["Ann Lee", "Bob Ray", "Ann Lee"]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n4.7,3.2,1.3,0.2,other\n", 5),
        ("5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n", 4),
        ("3,1,2\n4,5,6\n", 3),
        ("p,x,p\ne,x,b\np,s,b\ne,x,p\n", 3),
        ("?,3,1,2\n4,5,6,7\n", 4),
    ],
)
def test_without_a_header(table, content, names):
    data = load(table(content))
    assert data.columns == [f"x{place}" for place in range(names)]
    assert len(data.X) == content.count("\n")
    assert "The first line looks like data" in data.notes[0]


def test_a_name_over_numbers_makes_a_header_of_years(table):
    assert load(table("country,2012,2010,2011\n1,5,6,7\n2,7,8,6\n")).feature_names[1] == "2012"


def test_header_as_savetxt_writes_it(tmp_path):
    np.savetxt(tmp_path / "t.txt", np.arange(6).reshape(3, 2) ** 2.0, header="a b")
    assert load(tmp_path / "t.txt").feature_names == ["a", "b"]


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", None),
        ("cp1252", "Windows-1252"),
        ("latin-1", "Latin-1"),
    ],
)
def test_encoding_is_found_out(table, encoding, note):
    odd = "\x81" if encoding == "latin-1" else ""  # Windows-1252 has no such byte
    data = load(table(f"größe{odd},b\n1,2\n3,5\n".encode(encoding)))
    assert data.feature_names == [f"größe{odd}", "b"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 5]])
    assert [each for each in data.notes if "UTF-8" in each] == (
        [f"The file is not UTF-8 text and was read as {note}."] if note else []
    )


@pytest.mark.parametrize("opener", [gzip.open, bz2.open, lzma.open])
def test_compressed(tmp_path, opener):
    ending = {gzip.open: "gz", bz2.open: "bz2", lzma.open: "xz"}[opener]
    path = tmp_path / f"t.csv.{ending}"
    with opener(path, "wt") as handle:
        handle.write(GOOD)
    assert load(path, target="kind").feature_names == ["height", "width", "flag"]
    path.write_bytes(path.read_bytes()[:-12])
    assert "cut short" in refused(path)


def test_numbers_are_read_to_the_last_digit(table):
    values = np.random.default_rng(0).standard_normal(500) * 10.0 ** np.arange(-250, 250)
    text = "\n".join(["a,b", *(f"{value!r},1" for value in values.tolist())])
    np.testing.assert_array_equal(load(table(text)).X[:, 0], values)


def test_quoted_fields(table):
    data = load(table('"a, b","c ""d"""\n"1","2"\n"3","4"\n'))
    assert data.feature_names == ["a, b", 'c "d"']
