"""Read published tables from text files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from featsieve.reproduction.schema import CellKey, Mark, PublishedNumber


def read_table(
    package: str, name: str, columns: tuple[str, ...], marks: Mapping[CellKey, Mark]
) -> dict[CellKey, PublishedNumber]:
    """Read a printed table whose cells are a mean and a maximum with its number of features.

    Parameters
    ----------
    package : str
        Package of the paper. The file is in its folder ``published``.
    name : str
        Name of the text file without its extension. The file has a line per method and measure:
        ``measure | method | mean max/size | mean max/size | ...``.
    columns : tuple of str
        Keys of the columns.
    marks : dict
        Errors in the printed numbers.

    Returns
    -------
    dict
        The published numbers by their :class:`CellKey`.

    Examples
    --------
    >>> from featsieve.reproduction.published import read_table
    >>> columns = tuple(f"p={p}" for p in range(2, 8))
    >>> table = read_table("featsieve.papers.lle", "table-VI", columns, marks={})
    >>> table["Variance", "p=2", "nn", "argmax"].value
    1004.0
    """
    text = (files(package) / "published" / f"{name}.txt").read_text(encoding="utf-8")
    table: dict[CellKey, PublishedNumber] = {}
    for line in text.strip().splitlines():
        measure, row, *cells = (field.strip() for field in line.split("|"))
        for column, cell in zip(columns, cells, strict=True):
            mean, maximum, size = cell.replace("/", " ").split()
            for statistic, value in (("mean", mean), ("max", maximum), ("argmax", size)):
                key = CellKey(row, column, measure, statistic)
                table[key] = PublishedNumber(float(value), marks.get(key))
    unknown = set(marks) - set(table)
    if unknown:
        raise ValueError(f"marks must refer to numbers of the table; {sorted(unknown)} are not in {name}.")
    return table
