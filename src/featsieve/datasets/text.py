"""Tables of text: .csv, .tsv, .txt and .data."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

from featsieve.datasets.errors import DataError, brief, reading
from featsieve.datasets.formats import open_bytes
from featsieve.datasets.sniff import Layout, layout, rows_of, unclear
from featsieve.datasets.table import Table


def read_text(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """The table as a data frame, its column names stripped and unlike each other."""
    with reading(path.name, "text"):
        found = layout(path)
        frame = _frame(path, found)
        if frame.empty:
            raise DataError(f"{path.name} has column names but no rows.")
        if found.has_names and _values_are_names(frame):
            raise DataError(unclear(path))
        if frame.iloc[:, -1].isna().any():
            _check_row_lengths(path, found)
    return Table(frame, found.names, notes=found.notes)


def _frame(path: Path, found: Layout) -> Any:
    import pandas as pd

    try:
        with (
            io.TextIOWrapper(open_bytes(path), encoding=found.encoding, newline="") as handle,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                handle,
                sep=found.separator,
                decimal=found.decimal,
                header=0 if found.has_names else None,
                names=found.names,
                index_col=False,  # or a row with one field too many would make the first column an index
                na_values=["?"],
                skipinitialspace=True,
                low_memory=False,
                float_precision="round_trip",
            )
    except pd.errors.ParserWarning:
        raise DataError(f"{path.name}: the first row has more fields than there are column names.") from None
    except pd.errors.ParserError as error:
        reason = brief(error).rpartition("C error: ")[2]
        raise DataError(
            f"{path.name} cannot be read as a table ({reason}): check that line, the file may be cut short."
        ) from error


def _values_are_names(frame: Any) -> bool:
    """Whether a name is also a value of its column, as when the first line is data."""
    text = [name for name, kind in frame.dtypes.items() if kind.kind not in "buif"]
    return any((frame[name] == name).any() for name in text)


def _check_row_lengths(path: Path, found: Layout) -> None:
    width = len(found.names)
    for line, row in rows_of(path, found):
        if len(row) < width:
            raise DataError(
                f"{path.name}: line {line} has {len(row)} fields where the header has {width}: "
                "the file may be cut short. Complete or delete that line."
            )
