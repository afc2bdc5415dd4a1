"""Workbooks of Excel."""

import datetime
import sys

import numpy as np
import pytest
from load_error import load_error

from featsieve.datasets import DataError, load, save

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def workbook(tmp_path):
    """Write sheets and return the path of the workbook."""

    def write(**sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return write


NUMBERS = [["a", "b", "target"], [1, 2.5, "u"], [2, None, "v"], [4, 1, "u"]]


def test_types_and_missing_cells(workbook):
    data = load(workbook(one=NUMBERS))
    np.testing.assert_array_equal(data.raw, [[1, 2.5], [2, np.nan], [4, 1]])
    assert data.y.tolist() == ["u", "v", "u"]
    assert data.notes == ("1 missing value in column 'b' was replaced with the median.",)


def test_sheets(workbook):
    path = workbook(first=NUMBERS, second=[["c", "d"], [1, 2], [3, 5]])
    assert load(path).feature_names == ["a", "b"]
    assert (
        load(path).notes[0]
        == "Using the first of 2 sheets, 'first'; choose one with --sheet ('first', 'second')."
    )
    assert load(path, samples="second").feature_names == ["c", "d"]
    assert load(path, samples="second").notes == ()
    assert "no sheet 'secnd'. Did you mean 'second'?" in load_error(path, samples="secnd")


def test_empty_rows_and_columns_around_the_table_and_errors_of_formulas(workbook):
    rows = [
        [None] * 4,
        ["a", "b", None, None],
        [1, "#DIV/0!", None, None],
        [2, 3, None, None],
        [3, 5, None, None],
    ]
    data = load(workbook(one=rows))
    assert data.feature_names == ["a", "b"]
    np.testing.assert_array_equal(data.raw, [[1, np.nan], [2, 3], [3, 5]])


def test_dates(workbook):
    pytest.importorskip("skrub")
    rows = [["a", "when"], *([i * i % 5, datetime.datetime(2020, i + 1, 1)] for i in range(12))]
    data = load(workbook(one=rows))
    assert "when_month" in data.feature_names


def test_without_a_header(workbook):
    data = load(workbook(one=[[3, 1, 2], [4, 5, 6], [7, 9, 8]]))
    assert data.feature_names == ["x0", "x1", "x2"]
    assert data.X.shape == (3, 3)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no column names and no rows"),
        ([["a", "b"]], "column names but no rows"),
        ([["a", "a"], [1, 2]], "several columns have the name 'a'"),
    ],
)
def test_unusable_sheets(workbook, rows, message):
    assert message in load_error(workbook(one=rows))


def test_damaged_workbook(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\3\4 no archive")
    assert "t.xlsx is not an Excel workbook, or is cut short" in load_error(tmp_path / "t.xlsx")
    (tmp_path / "t.xlsx").write_text("a,b\n1,2\n")
    assert "t.xlsx is not an Excel workbook" in load_error(tmp_path / "t.xlsx")


def test_written_workbook_can_be_read_again(workbook, tmp_path):
    data = load(workbook(one=NUMBERS))
    again = load(save(data, ["b"], tmp_path / "out.xlsx"))
    np.testing.assert_array_equal(again.raw, data.raw[:, 1:])
    assert again.y.tolist() == data.y.tolist()


def test_without_openpyxl(workbook, monkeypatch):
    path = workbook(one=NUMBERS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match=r"reading t\.xlsx needs openpyxl: pip install 'featsieve\[excel\]'$"):
        load(path)


def test_titles_above_the_table(workbook):
    rows = [["Results of 2023", None, None], [], ["printed today"], *NUMBERS]
    data = load(workbook(one=rows))
    assert data.feature_names == ["a", "b"]
    assert data.notes[0].startswith("The first 2 rows ('Results of 2023', ...) are not part of the table")


def test_first_sheet_without_a_table(workbook):
    path = workbook(readme=[["Please read"]], data=NUMBERS)
    assert "choose one with --sheet ('readme', 'data')" in load_error(path)
    assert load(path, samples="data").feature_names == ["a", "b"]
