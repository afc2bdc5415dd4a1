"""Tables of text."""

import bz2
import gzip
import lzma

import numpy as np
import pytest
from load_error import load_error

from featsieve.datasets import load

GOOD = "height,width,flag,kind\n1.5,2,True,a\n2.5,3,False,b\n3.5,5,True,a\n"


def test_tsv(table):
    data = load(table("a\tb c\n1\t2\n3\t4\n", "t.tsv"))
    assert data.feature_names == ["a", "b c"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])


def test_extension_in_capitals(table):
    assert load(table("a,b\n1,2\n3,4\n", "T.CSV")).feature_names == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "expected"),
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
        (
            b"a,yes\n1,yes\n2,no\n",
            "line 1 may be column names or data: if it is data, add a row of column names above it; "
            "otherwise rename the column whose name is also a value in it.",
        ),
        (
            b"\x50\x4b\x03\x04\x00\x00",
            "it looks like a NumPy archive or an Excel workbook. Check its extension.",
        ),
        ("a,b\n1,2\n".encode("utf-16-le"), "is not text"),
        ("a,b\n1,2\n".encode("utf-32"), "is not text"),
    ],
)
def test_unusable_file(table, content, expected):
    assert expected in load_error(table(content))


def test_short_row_is_refused(table):
    assert "line 3" in load_error(table("a,b,c\n1,2,3\n4,5\n"))


@pytest.mark.parametrize("opener", [gzip.open, bz2.open, lzma.open])
def test_compressed(tmp_path, opener):
    ending = {gzip.open: "gz", bz2.open: "bz2", lzma.open: "xz"}[opener]
    path = tmp_path / f"t.csv.{ending}"
    with opener(path, "wt") as handle:
        handle.write(GOOD)
    assert load(path, target="kind").feature_names == ["height", "width", "flag"]
    path.write_bytes(path.read_bytes()[:-12])
    assert "cut short" in load_error(path)


def test_numbers_are_read_exactly(table):
    values = np.random.default_rng(0).standard_normal(500) * 10.0 ** np.arange(-250, 250)
    text = "\n".join(["a,b", *(f"{value!r},1" for value in values.tolist())])
    np.testing.assert_array_equal(load(table(text)).X[:, 0], values)


def test_integers_of_more_than_64_bits_are_numbers(table):
    data = load(table(f"a,b\n{10**25},1\n{-(10**30)},2\n"), strict=True)
    np.testing.assert_array_equal(data.X[:, 0], [1e25, -1e30])


def test_quoted_fields(table):
    data = load(table('"a, b","c ""d"""\n"1","2"\n"3","4"\n'))
    assert data.feature_names == ["a, b", 'c "d"']


@pytest.mark.parametrize(
    ("titles", "note"),
    [
        (
            "Our study of 2023\n",
            "The first row ('Our study of 2023') is not part of the table and was left out.",
        ),
        (
            "# made by a program\n",
            "The first row ('# made by a program') is not part of the table and was left",
        ),
        (
            "# on Monday, by hand\n",
            "The first row ('# on Monday by hand') is not part of the table and was left",
        ),
        (
            "Study,,,\n\nexported today,,,\n",
            "The first 2 rows ('Study', ...) are not part of the table and were",
        ),
        ("\n,Blood,,\n", "The first row ('Blood') is not part of the table"),
    ],
)
def test_titles_above_the_table(table, titles, note):
    path = table(titles + "a,b,c,d\n" + "".join(f"{i},{i * i},{i % 3},{-i}\n" for i in range(9)))
    data = load(path)
    assert data.feature_names == ["a", "b", "c", "d"]
    assert data.X.shape == (9, 4)
    assert data.notes[0].startswith(note)


def test_narrow_tables_have_no_titles(table):
    data = load(table(",x\n" + "".join(f"s{i},{i * i % 7}\n" for i in range(12))))
    assert data.feature_names == ["x"]
    assert len(data.X) == 12


def test_a_header_with_few_names_is_not_a_title(table):
    path = table(",,,kind\n" + "".join(f"{i / 2},{i * i},{i % 3},{'xy'[i % 2]}\n" for i in range(9)))
    data = load(path, target="kind")
    assert data.X.shape == (9, 3)
    assert not any("left out" in note for note in data.notes)


@pytest.mark.parametrize("header", ["#a b c d", "# a b c d"])
def test_comments_above_a_table_with_spaces(table, header):
    rows = [f"{i * i} {i % 3} {-i} {i % 5}" for i in range(9)]
    data = load(table("\n".join(["# one two three four five six", header, *rows]) + "\n", "t.txt"))
    assert data.feature_names == ["a", "b", "c", "d"]


def test_a_blank_row_above_the_table(table):
    data = load(table(",,\na,b,c\n" + "".join(f"{i},{i * i},{i % 3}\n" for i in range(9))))
    assert data.feature_names == ["a", "b", "c"]
    assert data.notes == ()


def test_a_title_above_column_names_longer_than_the_sample(table):
    names = [f"gene{index}" for index in range(20_000)]
    rows = [",".join(map(str, [i] * len(names))) for i in range(3)]
    data = load(table("\n".join(["Title", ",".join(names), *rows]) + "\n"))
    assert data.feature_names == names
