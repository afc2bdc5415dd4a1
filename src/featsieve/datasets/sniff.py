"""Detect the layout of a text table: encoding, separator, decimal mark, and whether it has a header."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from statistics import median, median_low

from featsieve.datasets.errors import DataError, list_names, quote
from featsieve.datasets.formats import extension
from featsieve.datasets.notation import Mark, format_number, read_number, read_numerals
from featsieve.datasets.table import check_unique, default_names
from featsieve.datasets.text_encoding import detect_encoding, open_text

UNNAMED = "Unnamed: "  # as pandas names columns without a name
WHITESPACE = r"\s+"
SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", WHITESPACE: "spaces"}
SAMPLE_SIZE = 100_000  # characters; less than the longest field that the csv module accepts by default
MAX_ROWS_FOR_NUMBERS = 50
MIN_WIDTH_BELOW_TITLE = 3  # a narrower table may have a column without a name
MIN_FALLING_NUMBERS = 8  # a header of at least this many decreasing numbers (such as wavelengths)

_MISSING = ("", "?", "na", "nan", "n/a", "null", "none")


@dataclass(frozen=True)
class Layout:
    """How to read a table of text."""

    encoding: str
    separator: str
    decimal: Mark
    names: list[str]
    has_header: bool
    notes: tuple[str, ...]
    n_title_rows: int = 0


def sniff(path: Path) -> Layout:
    """Detect the layout of a table of text; DataError if it is ambiguous."""
    encoding, notes = detect_encoding(path)
    sample = _read_sample(path, encoding)
    if not sample.strip():
        raise DataError(f"{path.name} has no column names and no rows.")
    expected = "\t" if extension(path) == ".tsv" else ","
    separator, rows, titles = _detect_separator(sample, expected, path)
    notes += title_notes(titles)
    if rows[0][0] == "#" and len(rows) > 1 and len(rows[0]) == len(rows[1]) + 1:  # from numpy.savetxt
        rows[0] = rows[0][1:]
    if separator != expected and extension(path) in (".csv", ".tsv"):
        notes.append(f"The fields are separated by {SEPARATORS[separator]}.")
    decimal = _detect_decimal(rows[1:], separator, notes)
    is_headed = has_header(rows, path)
    if is_headed:
        names = column_names(rows[0], path)
    else:
        names = default_names(len(rows[0]))
        notes.append(f"The first line looks like data; the columns were named {list_names(names)}.")
    return Layout(encoding, separator, decimal, names, is_headed, tuple(notes), len(titles))


def iterate_rows(path: Path, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each row that is not blank."""
    default_limit = csv.field_size_limit(2**31 - 1)
    try:
        with open_text(path, layout.encoding) as handle:
            yield from islice(_parse(handle, layout.separator), layout.n_title_rows, None)
    finally:
        csv.field_size_limit(default_limit)


def skip_titles(handle: Iterable[str], layout: Layout) -> None:
    """Advance a file to the line with the column names, or to the first row."""
    if layout.n_title_rows:
        deque(islice(_parse(handle, layout.separator), layout.n_title_rows), maxlen=0)


def count_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above a table: comments, and titles that fill less than half of its width."""
    filled = [sum(bool(field.strip()) for field in row) for row in rows]
    width = median([count for count in filled if count > 1] or [0])
    if width < MIN_WIDTH_BELOW_TITLE:
        return 0
    length = median_low(map(len, rows))
    is_comment = [row[0].startswith("#") and len(row) not in (length, length + 1) for row in rows]  # no names
    is_title = [comment or 2 * count < width for comment, count in zip(is_comment, filled, strict=True)]
    n_titles = next((index for index, skipped in enumerate(is_title) if not skipped), 0)
    n_blank = next(index for index, count in enumerate(filled) if count)
    # a row as long as the table may have few names or values; then column names must follow a title
    is_padded = any(len(row) == len(rows[n_titles]) for row in rows[n_blank:n_titles])
    names = _texts_with_columns(rows[n_titles:]) if is_padded else []
    return n_titles if not is_padded or any(_are_numbers(column) for _, column in names) else n_blank


def title_notes(titles: Sequence[Sequence[str]]) -> list[str]:
    """Report the rows above a table that are not read, unless they are blank."""
    texts = [text for row in titles if (text := " ".join(" ".join(row).split()))]
    if not texts:
        return []
    if len(titles) == 1:
        return [f"The first row ({quote(texts[0])}) is not part of the table and was left out."]
    first = f"The first {len(titles)} rows ({quote(texts[0])}, ...)"
    return [f"{first} are not part of the table and were left out."]


def ambiguous_header(path: Path) -> DataError:
    """Return the error for a first line that may be column names or data."""
    return DataError(
        f"{path.name}: line 1 may be column names or data: if it is data, add a row of column names above "
        "it; otherwise rename the column whose name is also a value in it."
    )


def _read_sample(path: Path, encoding: str) -> str:
    """Return the first complete lines, if possible two: the first may be a title above a wide table."""
    with open_text(path, encoding) as handle:
        first = handle.readline()
        while first and not first.strip():
            first = handle.readline()
        rest = handle.read(SAMPLE_SIZE)
        if len(rest) == SAMPLE_SIZE:  # the last line may be incomplete
            complete = rest[: max(rest.rfind("\n"), rest.rfind("\r")) + 1]
            rest = complete or _without_long_fields(rest + handle.readline())
    return first + rest


def _without_long_fields(line: str) -> str:
    """Return the line, or nothing if the csv module may reject it for the length of a field."""
    return line if max(map(len, re.split(r"[,;|\s]", line))) < SAMPLE_SIZE else ""


def _parse(lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    if separator == WHITESPACE:
        lines = (line.replace("\t", " ").rstrip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=" " if separator == WHITESPACE else separator, skipinitialspace=True)
    for row in reader:
        if len(row) > 1 or (row and row[0].strip()):
            yield reader.line_num, row


def _detect_separator(sample: str, expected: str, path: Path) -> tuple[str, list[list[str]], list[list[str]]]:
    """Return the separator with rows of equal length and the most numbers, these rows, and the titles."""
    candidates: list[tuple[tuple[bool, float, float], str, list[list[str]]]] = []
    titles: dict[str, list[list[str]]] = {}
    for separator in sorted(SEPARATORS, key=lambda candidate: candidate != expected):
        try:
            rows = [row for _, row in _parse(io.StringIO(sample, newline=""), separator)]
        except csv.Error:
            continue
        n_titles = count_titles(rows)
        titles[separator], rows = rows[:n_titles], rows[n_titles:]
        # spaces are part of many texts: they separate fields only if nothing else does
        if separator == WHITESPACE and any(len(other_rows[0]) > 1 for _, _, other_rows in candidates):
            continue
        if len(rows[0]) > 1 or separator == expected:
            candidates.append((_regularity(rows), separator, rows))
    if not candidates:
        raise DataError(
            f"{path.name}: the first line has a field that is too long for a column name or an unclosed "
            "quotation mark."
        )
    _, separator, rows = max(candidates, key=lambda candidate: candidate[0])  # the first of equal ones
    return separator, rows, titles[separator]


def _regularity(rows: list[list[str]]) -> tuple[bool, float, float]:
    """Return three measures of a good separator, the most important first.

    Returns
    -------
    has_columns : bool
        Whether the first row has several fields.
    equal_share : float
        Share of the other rows that have as many fields as the first one.
    number_share : float
        Share of the fields in these rows that are numbers.
    """
    width, body = len(rows[0]), rows[1:]
    equal_share = sum(len(row) == width for row in body) / max(len(body), 1)
    fields = [field for row in body[:MAX_ROWS_FOR_NUMBERS] for field in row]
    n_numbers = sum(read_number(field) is not None for field in fields)
    number_share = n_numbers / max(len(fields), 1)
    return width > 1, equal_share, number_share


def _detect_decimal(rows: list[list[str]], separator: str, notes: list[str]) -> Mark:
    """Return the decimal mark of the file: the comma if no number shows a decimal point."""
    numerals = read_numerals(field.strip() for row in rows for field in row)
    if numerals.marks["."] or not any(number and number.mark == "," for number in numerals.known):
        return "."
    if numerals.marks[","]:
        if separator != ",":
            notes.append("The numbers have decimal commas.")
        return ","
    if separator == "," or numerals.ambiguous is None or numerals.ambiguous[1].mark == ".":
        return "."
    text, number = numerals.ambiguous
    notes.append(
        f"The commas in numbers were taken as decimal marks: '{text}' was read as "
        f"{format_number(number.value)}. If they separate thousands, delete them in the file."
    )
    return ","


def has_header(rows: Sequence[Sequence[str]], path: Path) -> bool:
    """Return whether the first row contains column names."""
    # text above numbers is a name; text that also occurs below is a value
    names = _texts_with_columns(rows)
    names_numbers = any(_are_numbers(column) for _, column in names)
    is_repeated = any(name in column for name, column in names)
    if names_numbers and is_repeated:
        raise ambiguous_header(path)
    return names_numbers or not (is_repeated or _looks_like_data([field.strip() for field in rows[0]]))


def _texts_with_columns(rows: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]]:
    """Return the texts in the first row, each with the fields below it."""
    first = [field.strip() for field in rows[0]]
    return [
        (name, [row[index].strip() for row in rows[1:] if len(row) == len(first)])
        for index, name in enumerate(first)
        if name.lower() not in _MISSING and not _are_numbers([name])
    ]


def _are_numbers(fields: list[str]) -> bool:
    known = [field for field in fields if field.lower() not in _MISSING]
    return bool(known) and all(read_number(field) is not None for field in known)


def _looks_like_data(fields: list[str]) -> bool:
    """Return whether most fields are numbers that are not sorted; sorted ones are positions or wavelengths.

    A few numbers may fall by chance, as in the first row of iris.
    """
    numbers = [number.value for field in fields if (number := read_number(field))]
    steps = [after - before for before, after in pairwise(numbers)]
    rises = all(step > 0 for step in steps)
    falls = all(step < 0 for step in steps) and len(numbers) >= MIN_FALLING_NUMBERS
    return len(numbers) > 1 and 2 * len(numbers) > len(fields) and not (rises or falls)


def column_names(row: list[str], path: Path) -> list[str]:
    """Return the names in the first row; columns without a name are numbered."""
    fields = [row[0].removeprefix("#"), *row[1:]]
    names = [field.strip() or f"{UNNAMED}{index}" for index, field in enumerate(fields)]
    check_unique(names, path.name)
    return names
