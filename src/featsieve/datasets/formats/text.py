"""Tables of text: .csv, .tsv, .txt and .data."""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import IO, Any

from featsieve.datasets.errors import DataError, error_reason
from featsieve.datasets.formats import Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.sniff import Layout, ambiguous_header, iterate_rows, skip_titles, sniff
from featsieve.datasets.table import Table
from featsieve.datasets.text_encoding import open_text

# Integers of at most the number of digits that Python converts.
INTEGER = re.compile(r"[+-]?\d{1,4300}")


def read_text(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read a table of text, with its encoding, separator, decimal mark and header detected."""
    layout = sniff(path)
    frame = _read_frame(path, layout)
    if frame.empty:
        raise DataError(f"{path.name} has column names but no rows.")
    # the first line is data if its text also occurs below
    texts = [name for name, dtype in frame.dtypes.items() if dtype.kind not in "buif"]
    if layout.has_header and any((frame[name] == name).any() for name in texts):
        raise ambiguous_header(path)
    if frame.iloc[:, -1].isna().any():
        _check_row_lengths(path, layout)
    return Table(frame, layout.names, notes=layout.notes, decimal=layout.decimal)


def _read_frame(path: Path, layout: Layout) -> Any:
    import pandas as pd

    try:
        with open_text(path, layout.encoding) as handle, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            skip_titles(handle, layout)
            frame = pd.read_csv(
                handle,
                sep=layout.separator,
                decimal="." if layout.separator == "," else layout.decimal,
                header=0 if layout.has_header else None,
                names=layout.names,
                index_col=False,  # or a row with one field too many would make the first column an index
                na_values=["?"],
                skipinitialspace=True,
                low_memory=False,
                float_precision="round_trip",
            )
        return _read_large_integers(_strip_texts(frame))
    except pd.errors.ParserWarning:
        raise DataError(f"{path.name}: the first row has more fields than there are column names.") from None
    except pd.errors.ParserError as error:
        reason = error_reason(error).rpartition("C error: ")[2]
        raise DataError(
            f"{path.name} cannot be read as a table ({reason}): check that line, the file may be cut short."
        ) from error


def _strip_texts(frame: Any) -> Any:
    """Remove spaces around texts, as in "case " and "case", and read texts of spaces as missing."""
    for position, dtype in enumerate(frame.dtypes):
        if dtype.kind in "buif":
            continue
        column = frame.iloc[:, position]
        stripped = column.map(lambda value: value.strip() if isinstance(value, str) else value)
        known = column.notna()
        if (stripped[known] != column[known]).any():
            frame.isetitem(position, stripped.where(known & (stripped != ""), None))
    return frame


def _read_large_integers(frame: Any) -> Any:
    """Convert integers of more than 64 bits, which pandas 2 reads as text and later versions as integers."""
    import pandas as pd

    for position, dtype in enumerate(frame.dtypes):
        if dtype.kind != "O":
            continue
        column = frame.iloc[:, position]
        texts = column.dropna()
        if all(isinstance(text, str) and INTEGER.fullmatch(text) for text in texts):
            values = [int(value) if isinstance(value, str) else value for value in column]
            frame.isetitem(position, pd.Series(values, dtype=object))
    return frame


def _check_row_lengths(path: Path, layout: Layout) -> None:
    width = len(layout.names)
    for line, row in iterate_rows(path, layout):
        if len(row) < width:
            raise DataError(
                f"{path.name}: line {line} has {len(row)} fields where the header has {width}: "
                "the file may be cut short. Complete or delete that line."
            )


def write_text(selection: Selection, handle: IO[bytes]) -> None:
    """Write a table with commas, or with tabs in a .tsv file."""
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    separator = "\t" if selection.suffix == ".tsv" else ","
    selection.frame().to_csv(text, sep=separator, index=False, lineterminator="\n")
    text.flush()
    text.detach()


FORMATS = (
    Format(
        "a text table",
        "Table of text, usually with commas or tabs",
        (".csv", ".tsv"),
        read_text,
        write_text,
        compressible=True,
    ),
    Format(
        "a text table",
        "Table of text with any separator, with or without a header",
        (".txt", ".data"),
        read_text,
        compressible=True,
    ),
)
