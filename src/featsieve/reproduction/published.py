"""Read published tables from text files."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any, cast

from featsieve.reproduction.schema import CellKey, Mark, PublishedNumber


def read_table(package: str, name: str) -> dict[CellKey, PublishedNumber]:
    """Read a printed table whose cells are a mean and a maximum with its number of features.

    Fields of the file are separated by vertical bars. It has two blocks, with a header line each::

        numbers: measure | row | COLUMN | ...
        MEASURE | METHOD | MEAN MAX/SIZE | ...

        marks: measure | row | column | statistics | kind | source | evidence
        MEASURE | METHOD | COLUMN | STATISTIC ... | KIND | FIELD: VALUE | TEXT

    METHOD * marks all methods. The source of a mark is the marked cell with one field replaced.

    Parameters
    ----------
    package : str
        Package of the paper. The file is in its folder ``published``.
    name : str
        Name of the text file without its extension.

    Returns
    -------
    dict
        The published numbers by their :class:`CellKey`.

    Examples
    --------
    >>> from featsieve.reproduction.published import read_table
    >>> read_table("featsieve.papers.lle", "table-VI")["Variance", "p=2", "nn", "argmax"].value
    1004.0
    """
    text = (files(package) / "published" / f"{name}.txt").read_text(encoding="utf-8")
    numbers, marks = ([_fields(line) for line in block.splitlines()] for block in text.strip().split("\n\n"))
    table: dict[CellKey, PublishedNumber] = {}
    for measure, row, *cells in numbers[1:]:
        for column, cell in zip(numbers[0][2:], cells, strict=True):
            mean, maximum, size = cell.replace("/", " ").split()
            for statistic, value in (("mean", mean), ("max", maximum), ("argmax", size)):
                table[CellKey(row, column, measure, statistic)] = PublishedNumber(float(value))
    rows = list(dict.fromkeys(key.row for key in table))
    for key, mark in _read_marks(marks[1:], rows):
        if key not in table:
            raise ValueError(f"A mark of {name} must refer to a number of the table; {tuple(key)} is none.")
        table[key] = PublishedNumber(table[key].value, mark)
    return table


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("|")]


def _read_marks(lines: list[list[str]], rows: list[str]) -> Iterator[tuple[CellKey, Mark]]:
    for measure, row, column, statistics, kind, *details in lines:
        source, evidence = (*details, "", "")[:2]
        field, _, value = source.partition(": ")
        for marked in rows if row == "*" else [row]:
            for statistic in statistics.split():
                key = CellKey(marked, column, measure, statistic)
                origin = key._replace(**{field: value}) if source else None
                yield key, Mark(cast(Any, kind), evidence, origin)
