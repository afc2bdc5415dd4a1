"""The layout of tables of text."""

import numpy as np
import pytest

from featsieve.datasets import load


@pytest.mark.parametrize("names", ["0,1,2", "400.5,401,409.5", ",".join(str(4000 - i) for i in range(9))])
def test_numbers_in_order_are_column_names(table, names):
    row = ",".join("1" for _ in names.split(","))
    assert load(table(f"{names}\n{row}\n{row}\n")).feature_names == names.split(",")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.data"])
def test_separator_is_detected(table, separator, name):
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
    assert data.columns == [f"x{index}" for index in range(names)]
    assert len(data.X) == content.count("\n")
    assert "The first line looks like data" in data.notes[0]


def test_text_above_numbers_makes_a_header_of_years(table):
    assert load(table("country,2012,2010,2011\n1,5,6,7\n2,7,8,6\n")).feature_names[1] == "2012"


def test_header_of_numpy_savetxt(tmp_path):
    np.savetxt(tmp_path / "t.txt", np.arange(6).reshape(3, 2) ** 2.0, header="a b")
    assert load(tmp_path / "t.txt").feature_names == ["a", "b"]
