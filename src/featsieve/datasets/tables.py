"""Tables of text: .csv and .tsv, with a row of column names."""

from __future__ import annotations

import csv
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, columns, listing, option

SEPARATORS = {".csv": ",", ".tsv": "\t"}
_UNNAMED = "Unnamed: "  # as pandas calls them
_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


def read_table(path: Path) -> Any:
    """The table as a data frame, its column names stripped and unlike each other."""
    import pandas as pd

    separator = SEPARATORS[path.suffix.lower()]
    _check_text(path)
    try:
        names = _column_names(path, separator)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                path,
                sep=separator,
                header=0,
                names=names,
                index_col=False,  # or a row with one field too many would make the first column an index
                na_values=["?"],
                skipinitialspace=True,
                low_memory=False,
                encoding="utf-8-sig",
            )
    except pd.errors.ParserWarning:
        raise DataError(f"{path.name}: the first row has more fields than there are column names.") from None
    except (pd.errors.ParserError, csv.Error) as error:
        reason = str(error).strip().rpartition("C error: ")[2]
        raise DataError(
            f"{path.name} cannot be read as a table ({reason}): check that line, the file may be cut short."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 text: save it again as CSV in UTF-8.") from error
    if frame.empty:
        raise DataError(f"{path.name} has column names but no rows.")
    if any((frame[name] == name).any() for name in names if frame[name].dtype.kind not in "buif"):
        raise DataError(_no_header(path, 1))
    if frame.iloc[:, -1].isna().any():
        _check_row_lengths(path, separator, len(names))
    return frame


def numbers(frame: Any, name: str, labelled: bool) -> np.ndarray:
    """The columns as a matrix of numbers; DataError that names those with text."""
    unnamed = [column for column in frame.columns if column.startswith(_UNNAMED)]
    if unnamed:
        raise DataError(
            f"{name}: the header row leaves {columns(unnamed)} without a name. "
            f"If it is a row number, leave it out with {option('--drop', unnamed)}; else name it in the file."
        )
    text = {column: bad for column in frame.columns if (bad := _text_value(frame[column])) is not None}
    if text:
        raise DataError(_about_text(text, name, labelled))
    return frame.to_numpy(dtype=np.float64)


def _text_value(column: Any) -> str | None:
    """The first value that is not a number, None when all are."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype):
        return None
    text = [value for value in column.dropna() if isinstance(value, str)]
    return next((value for value in text if not _is_number(value)), text[0] if text else None)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _about_text(text: dict[str, str], name: str, labelled: bool) -> str:
    found = list(text)
    one = len(found) == 1
    example = f"holds text ({text[found[0]]!r})" if one else f"hold text (such as {text[found[0]]!r})"
    labels = (
        ""
        if labelled
        else f", or use as labels with {option('--target', found) if one else '--target COLUMN'}"
    )
    return (
        f"{name}: {columns(found)} {example}, but features must be numbers: "
        f"leave out with {option('--drop', found, 40)}{labels}."
    )


def _check_text(path: Path) -> None:
    with path.open("rb") as handle:
        start = handle.read(8192)
    if not start.strip():
        raise DataError(f"{path.name} has no column names and no rows.")
    if b"\0" in start:
        raise DataError(f"{path.name} is not text, so not a {path.suffix} file: check its extension.")


def _rows(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of each row that is not blank."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.reader(handle, delimiter=separator, skipinitialspace=True)
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield reader.line_num, row


def _column_names(path: Path, separator: str) -> list[str]:
    line, row = next(_rows(path, separator))
    names = [field.strip() or f"{_UNNAMED}{place}" for place, field in enumerate(row)]
    twice = [each for each, count in Counter(names).items() if count > 1]
    if _looks_like_data(names):
        raise DataError(_no_header(path, line))
    if twice:
        raise DataError(f"{path.name}: several columns are called {listing(twice)}: rename them.")
    if len(names) == 1:
        _check_separator(path, names[0], separator)
    return names


def _check_separator(path: Path, header: str, separator: str) -> None:
    for other, called in _OTHER_SEPARATORS.items():
        if other != separator and other in header:
            wanted = _OTHER_SEPARATORS[separator]
            raise DataError(
                f"{path.name}: the fields are separated by {called}, but {path.suffix} files have {wanted}: "
                "save it again with those" + (", or call it .tsv." if called == "tabs" else ".")
            )


def _looks_like_data(names: list[str]) -> bool:
    """Whether most names are numbers out of order: in order they are positions or wavelengths.

    A few numbers may fall by chance, as in the first row of iris.
    """
    values = [float(name) for name in names if _is_number(name)]
    steps = np.diff(values)
    return len(values) > 1 and 2 * len(values) > len(names) and not _in_order(steps)


def _in_order(steps: np.ndarray) -> bool:
    return bool((steps > 0).all() or (steps.size > 6 and (steps < 0).all()))


def _no_header(path: Path, line: int) -> str:
    return f"{path.name}: line {line} looks like data, not column names: add a row of column names above it."


def _check_row_lengths(path: Path, separator: str, width: int) -> None:
    for line, row in _rows(path, separator):
        if len(row) < width:
            raise DataError(
                f"{path.name}: line {line} has {len(row)} fields where the header has {width}: "
                "the file may be cut short. Complete or delete that line."
            )
