"""Published tables in text files."""

import sys

import pytest

from featsieve.reproduction.published import read_table
from featsieve.reproduction.schema import CellKey, Mark

TABLE = """numbers: measure | row | p=2 | p=3
nn  | A | 1.5 2.5/10 | 3 4/20
ncm | A | 5 6/30     | 7 8/40

marks: measure | row | column | statistics | kind | source | evidence
"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Return a function that reads a table with these marks."""
    (tmp_path / "paper" / "published").mkdir(parents=True)
    (tmp_path / "paper" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "paper", raising=False)

    def read(marks):
        (tmp_path / "paper" / "published" / "table-1.txt").write_text(TABLE + marks, encoding="utf-8")
        return read_table("paper", "table-1")

    return read


def test_cells_are_a_mean_and_a_maximum_with_its_size(read):
    table = read("nn | A | p=2 | mean | misprint\n")
    assert len(table) == 12
    assert [table["A", "p=3", "nn", statistic].value for statistic in ("mean", "max", "argmax")] == [3, 4, 20]


def test_marks_have_a_source_or_evidence(read):
    table = read(
        "nn | * | p=2 | max argmax | copied | measure: ncm\nncm | A | p=3 | mean | impossible | | Text\n"
    )
    marks = {key: number.mark for key, number in table.items() if number.mark is not None}
    assert marks == {
        CellKey("A", "p=2", "nn", statistic): Mark("copied", source=CellKey("A", "p=2", "ncm", statistic))
        for statistic in ("max", "argmax")
    } | {CellKey("A", "p=3", "ncm", "mean"): Mark("impossible", "Text")}


def test_marks_of_unknown_cells_raise(read):
    with pytest.raises(ValueError, match="p=4"):
        read("nn | A | p=4 | mean | misprint\n")
