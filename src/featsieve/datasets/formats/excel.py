"""Workbooks of Excel: .xlsx, read and written with openpyxl."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from featsieve.datasets.errors import DataError, list_names, quote, require, unknown_name
from featsieve.datasets.formats import Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table, default_names

EXTRA = "excel"
# Contents of cells without a value: empty, as pandas reads them from text, and errors of formulas.
MISSING = {"", "?", "na", "nan", "n/a", "null", "none"}
ERRORS = {"#n/a", "#div/0!", "#null!", "#num!", "#ref!", "#value!", "#name?"}
# Rows that show whether the first one has names.
MAX_ROWS_TO_INSPECT = 50


def read_xlsx(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read the first sheet of a workbook, or the sheet ``samples``."""
    openpyxl = require("openpyxl", EXTRA, f"reading {path.name}")
    with path.open("rb") as handle:
        workbook = openpyxl.load_workbook(handle, read_only=True, data_only=True)
        sheets = [sheet.title for sheet in workbook.worksheets]
        if samples is not None and samples not in sheets:
            raise unknown_name(path.name, samples, sheets, "sheet")
        if not sheets:
            raise DataError(f"{path.name} has no sheet with cells.")
        sheet = samples or sheets[0]
        rows = [list(map(_clean, row)) for row in workbook[sheet].iter_rows(values_only=True)]
    notes = []
    if samples is None and len(sheets) > 1:
        notes.append(
            f"Using the first of {len(sheets)} sheets, {quote(sheet)}; choose one with --sheet "
            f"({list_names(sheets)})."
        )
    try:
        return _make_table(rows, path, notes)
    except DataError as error:
        raise DataError(" ".join([str(error), *notes])) from error


def _clean(value: Any) -> Any:
    """Return the value of a cell, None if it is missing."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    return None if text.lower() in MISSING or text.lower() in ERRORS else text


def _make_table(rows: list[list[Any]], path: Path, notes: list[str]) -> Table:
    """Return the rows as a data frame, without titles above it, empty rows and empty columns behind it."""
    import pandas as pd

    from featsieve.datasets.sniff import column_names, count_titles, has_header, title_notes

    rows = [row for row in rows if any(value is not None for value in row)]
    if not rows:
        raise DataError(f"{path.name} has no column names and no rows.")
    width = max(index + 1 for row in rows for index, value in enumerate(row) if value is not None)
    rows = [(row + [None] * width)[:width] for row in rows]
    texts = [
        ["" if value is None else str(value) for value in row] for row in rows[: MAX_ROWS_TO_INSPECT + 1]
    ]
    n_titles = count_titles(texts)
    notes += title_notes(texts[:n_titles])
    texts, rows = texts[n_titles:], rows[n_titles:]
    if has_header(texts, path):
        names, rows = column_names(texts[0], path), rows[1:]
    else:
        names = default_names(width)
        notes.append(f"The first row looks like data; the columns were named {list_names(names)}.")
    if not rows:
        raise DataError(f"{path.name} has column names but no rows.")
    columns = {name: pd.Series([row[index] for row in rows]) for index, name in enumerate(names)}
    return Table(pd.DataFrame(columns), names, notes=tuple(notes))


def write_xlsx(selection: Selection, handle: IO[bytes]) -> None:
    """Write a workbook with one sheet; openpyxl writes 16 digits of a number."""
    require("openpyxl", EXTRA, "writing .xlsx")
    selection.frame().to_excel(handle, index=False, engine="openpyxl", sheet_name="data")


FORMATS = (
    Format(
        "an Excel workbook",
        "Sheet of an Excel workbook, the first one or the one named",
        (".xlsx",),
        read_xlsx,
        write_xlsx,
        magic=(b"PK",),
        fragile=True,
        has_named_arrays=True,
        extra=EXTRA,
    ),
)
