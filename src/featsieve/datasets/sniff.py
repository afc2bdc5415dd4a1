"""How a table of text is laid out: encoding, separator, decimal mark, and whether the first line is names."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from featsieve.datasets.errors import DataError, listing
from featsieve.datasets.formats import extension, looks_like, open_bytes

UNNAMED = "Unnamed: "  # as pandas calls them
WHITESPACE = r"\s+"

_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", WHITESPACE: "spaces"}
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CONTROLS = bytes([*range(1, 9), *range(14, 27), 28, 29, 30, 31, 127])
_NOT_WINDOWS = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])  # bytes that Windows-1252 lacks
_CHUNK = 1 << 20
_SAMPLE = 100_000  # characters; less than the longest field that the csv module takes
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")
_DECIMAL_POINT = re.compile(r"[-+]?\d*\.\d+([eE][-+]?\d+)?")
_MISSING = ("", "?", "na", "nan", "n/a", "null", "none")


@dataclass(frozen=True)
class Layout:
    """How to read a table of text."""

    encoding: str
    separator: str
    decimal: str
    names: list[str]
    has_names: bool
    notes: tuple[str, ...]


def layout(path: Path) -> Layout:
    """Find out how the table is laid out; DataError where that is not clear."""
    encoding, notes = _encoding(path)
    sample = _sample(path, encoding)
    if not sample.strip():
        raise DataError(f"{path.name} has no column names and no rows.")
    usual = "\t" if extension(path) == ".tsv" else ","
    separator, rows = _separator(sample, usual, path)
    if rows[0][0] == "#" and len(rows) > 1 and len(rows[0]) == len(rows[1]) + 1:  # by numpy.savetxt
        rows[0] = rows[0][1:]
    if separator != usual and extension(path) in (".csv", ".tsv"):
        notes.append(f"the fields are separated by {_SEPARATORS[separator]}")
    decimal = "," if separator != "," and _decimal_commas(rows[1:]) else "."
    if decimal == ",":
        notes.append("numbers have decimal commas")
    has_names = _has_names(rows, path)
    if has_names:
        names = _names(rows[0], path)
    else:
        names = [f"x{place}" for place in range(len(rows[0]))]
        notes.append(f"the first line looks like data, so the columns are called {listing(names)}")
    return Layout(encoding, separator, decimal, names, has_names, tuple(notes))


def rows_of(path: Path, found: Layout) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of each row that is not blank."""
    longest = csv.field_size_limit(2**31 - 1)
    try:
        with io.TextIOWrapper(open_bytes(path), encoding=found.encoding, newline="") as handle:
            yield from _parse(handle, found.separator)
    finally:
        csv.field_size_limit(longest)


def is_number(text: str) -> bool:
    """Whether the text is a number as tables have them; 1_000 is not."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _encoding(path: Path) -> tuple[str, list[str]]:
    """The encoding, from all bytes of the file."""
    with open_bytes(path) as handle:
        chunk = handle.read(_CHUNK)
        mark = next((name for mark, name in _MARKS.items() if chunk.startswith(mark)), None)
        decoder = codecs.getincrementaldecoder(mark or "utf-8")()
        decodes, odd, controls, size = True, False, 0, 0
        while chunk:
            if mark != "utf-16" and b"\0" in chunk:
                raise DataError(_not_text(path))
            controls += len(chunk) - len(chunk.translate(None, _CONTROLS))
            odd = odd or len(chunk) != len(chunk.translate(None, _NOT_WINDOWS))
            size += len(chunk)
            text = _decode(decoder, chunk) if decodes else None
            decodes = text is not None and "\0" not in text
            chunk = handle.read(_CHUNK)
    if decodes and _decode(decoder, b"", final=True) is not None:
        return mark or "utf-8", []
    if mark == "utf-16" or 100 * controls > size:
        raise DataError(_not_text(path))
    encoding, called = ("latin-1", "Latin-1") if odd else ("cp1252", "Windows-1252")
    return encoding, [f"it is not UTF-8 text, so it is read as {called}"]


def _decode(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> str | None:
    try:
        return decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return None


def _not_text(path: Path) -> str:
    return f"{path.name} is not text{looks_like(path) or ': check its extension'}."


def _sample(path: Path, encoding: str) -> str:
    """The first lines, whole; at least one."""
    with io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="") as handle:
        first = handle.readline()
        while first and not first.strip():
            first = handle.readline()
        rest = handle.read(_SAMPLE)
        if len(rest) == _SAMPLE:  # cut, perhaps in the middle of a line
            rest = rest[: max(rest.rfind("\n"), rest.rfind("\r")) + 1]
    return first + rest


def _parse(lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    if separator == WHITESPACE:
        lines = (line.replace("\t", " ").rstrip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=" " if separator == WHITESPACE else separator, skipinitialspace=True)
    for row in reader:
        if len(row) > 1 or (row and row[0].strip()):
            yield reader.line_num, row


def _separator(sample: str, usual: str, path: Path) -> tuple[str, list[list[str]]]:
    """The separator that gives lines of equal length and the most numbers, and the rows it gives."""
    found: list[tuple[tuple[float, ...], str, list[list[str]]]] = []
    for separator in sorted(_SEPARATORS, key=lambda each: each != usual):
        try:
            rows = [row for _, row in _parse(io.StringIO(sample, newline=""), separator)]
        except csv.Error:
            continue
        # spaces are part of many texts: they separate only where nothing else does
        if separator == WHITESPACE and any(len(others[0]) > 1 for _, _, others in found):
            continue
        if len(rows[0]) > 1 or separator == usual:
            found.append((_evenness(rows), separator, rows))
    if not found:
        raise DataError(f"{path.name}: the first line has a field that is too long for the name of a column.")
    _, separator, rows = max(found, key=lambda each: each[0])  # the first of equals
    return separator, rows


def _evenness(rows: list[list[str]]) -> tuple[float, ...]:
    width, rest = len(rows[0]), rows[1:]
    even = sum(len(row) == width for row in rest) / max(len(rest), 1)
    fields = [field for row in rest[:50] for field in row]
    numeric = sum(is_number(field) or bool(_DECIMAL_COMMA.fullmatch(field)) for field in fields)
    return width > 1, even, numeric / max(len(fields), 1)


def _decimal_commas(rows: list[list[str]]) -> bool:
    fields = [field.strip() for row in rows for field in row]
    return any(map(_DECIMAL_COMMA.fullmatch, fields)) and not any(map(_DECIMAL_POINT.fullmatch, fields))


def _has_names(rows: list[list[str]], path: Path) -> bool:
    """Whether the first row is names of columns."""
    first = [field.strip() for field in rows[0]]
    below = [
        [row[place].strip() for row in rows[1:] if len(row) == len(first)] for place in range(len(first))
    ]
    text = [
        place for place, name in enumerate(first) if name.lower() not in _MISSING and not _numeric([name])
    ]
    # a name over numbers says that there are names; a name that is also a value below it, that there are none
    over_numbers = any(_numeric(below[place]) for place in text)
    again = any(first[place] in below[place] for place in text)
    if over_numbers and again:
        raise DataError(unclear(path))
    return over_numbers or not (again or _looks_like_data(first))


def unclear(path: Path) -> str:
    """What is said where a first line may be either."""
    return f"{path.name}: line 1 may be column names or data: add a row of column names above it."


def _numeric(fields: list[str]) -> bool:
    values = [field for field in fields if field.lower() not in _MISSING]
    return bool(values) and all(is_number(each) or _DECIMAL_COMMA.fullmatch(each) for each in values)


def _looks_like_data(names: list[str]) -> bool:
    """Whether most names are numbers out of order: in order they are positions or wavelengths.

    A few numbers may fall by chance, as in the first row of iris.
    """
    values = [float(name.replace(",", ".")) for name in names if is_number(name.replace(",", "."))]
    steps = [after - before for before, after in pairwise(values)]
    parallel_map = all(step > 0 for step in steps) or (len(steps) > 6 and all(step < 0 for step in steps))
    return len(values) > 1 and 2 * len(values) > len(names) and not parallel_map


def _names(row: list[str], path: Path) -> list[str]:
    first, *others = row
    fields = [first.removeprefix("#"), *others]
    names = [field.strip() or f"{UNNAMED}{place}" for place, field in enumerate(fields)]
    twice = [each for each, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{path.name}: several columns are called {listing(twice)}: rename them.")
    return names
