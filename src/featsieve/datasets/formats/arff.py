"""Tables of Weka: .arff, with dense or sparse rows.

No library reads all of these files, so the parser is our own (measured in 2026 on
``tests/datasets/formats/test_arff.py`` and on the fuzzing corpus):

- liac-arff 2.5.0 refuses instance weights (``1,2,{3}``), date attributes ("arff-mixed"), files that mix dense
  and sparse rows, and files without ``@relation``. It reads the value 1.5 of an integer attribute as 1.
- scipy.io.arff 1.17 refuses string attributes and sparse rows ("arff-mixed" and "arff-sparse").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from featsieve.datasets.errors import DataError, quote
from featsieve.datasets.formats import Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table, check_unique
from featsieve.datasets.text_encoding import detect_encoding, open_text

# Text in quotes, where a backslash escapes the next character. The repetitions are possessive (*+):
# backtracking over many spaces before a stray quote would take cubic time.
_QUOTED = r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\""""
_VALUE = rf"""\s*+(?:{_QUOTED}|([^,'"]*+))\s*+(,|$)"""
_DENSE_VALUE = re.compile(f"(){_VALUE}", re.DOTALL)
_SPARSE_VALUE = re.compile(rf"\s*+([^\s,]*+){_VALUE}", re.DOTALL)  # begins with the index of the attribute
_ATTRIBUTE = re.compile(
    rf"@attribute\s+(?:{_QUOTED}|([^\s{{]+))(?:\s+|(?=\{{))(.+)", re.IGNORECASE | re.DOTALL
)
_WEIGHT = re.compile(r",\s*\{\d+\}$")
# Value of a numeric attribute that a sparse row omits.
_DEFAULTS: dict[str, Any] = {"numeric": 0.0, "real": 0.0, "integer": 0.0, "string": "", "date": ""}


class _Attribute(NamedTuple):
    name: str
    default: Any  # the value that a sparse row omits; a float only if the attribute is numeric
    values: tuple[str | None, ...] = ()  # of a nominal attribute


def read_arff(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read an ARFF file as a data frame; nominal attributes become text, and ``?`` is a missing value."""
    import pandas as pd

    encoding, notes = detect_encoding(path)
    with open_text(path, encoding) as handle:
        lines = ((number, line.strip()) for number, line in enumerate(handle, start=1))
        lines = ((number, line) for number, line in lines if line and not line.startswith("%"))
        attributes = _read_header(lines, path.name)
        names = [attribute.name for attribute in attributes]
        check_unique(names, path.name)
        rows = [_parse_row(line, attributes, f"{path.name}: line {number}") for number, line in lines]
    if not rows:
        raise DataError(f"{path.name} has attributes but no rows.")
    frame = pd.DataFrame(dict(zip(names, zip(*rows, strict=True), strict=True)))
    numeric = {attribute.name: "float64" for attribute in attributes if attribute.default == 0.0}
    return Table(frame.astype(numeric), names, usual_labels=("target", "class"), notes=tuple(notes))


def _read_header(lines: Iterable[tuple[int, str]], file_name: str) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        keyword = line.lower()
        if keyword.startswith("@attribute"):
            attributes.append(_parse_attribute(line, f"{file_name}: line {number}"))
        elif keyword.startswith("@data"):
            break
        elif not keyword.startswith("@relation"):
            raise DataError(f"{file_name}: line {number} is not valid in an ARFF header: {quote(line)}.")
    else:
        raise DataError(f"{file_name} is not an ARFF file, or is cut short: it has no line @data.")
    if not attributes:
        raise DataError(f"{file_name} has no attributes.")
    return attributes


def _parse_attribute(line: str, location: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if not match:
        raise DataError(f"{location} must have the name and the type of an attribute; got {quote(line)}.")
    *names, kind = match.groups()
    name = _unescape(next(name for name in names if name is not None)).strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise DataError(f"{location}: the values of {quote(name)} do not end with }}.")
        values = tuple(_split_values(kind[1:-1].strip(), location))
        return _Attribute(name, values[0], values)
    default = _DEFAULTS.get(kind.split()[0].lower())
    if default is None:
        raise DataError(f"{location}: {quote(name)} has the type {quote(kind)}, which is not supported.")
    return _Attribute(name, default)


def _parse_row(line: str, attributes: list[_Attribute], location: str) -> list[Any]:
    if line.startswith("{"):
        return _parse_sparse_row(line, attributes, location)
    values = _split_values(line, location)
    if len(values) == len(attributes) + 1 and _WEIGHT.search(line):
        values = values[:-1]
    if len(values) != len(attributes):
        raise DataError(
            f"{location} has {len(values)} values for {len(attributes)} attributes: "
            "the file may be cut short."
        )
    return [_convert(value, attribute, location) for value, attribute in zip(values, attributes, strict=True)]


def _parse_sparse_row(line: str, attributes: list[_Attribute], location: str) -> list[Any]:
    row = [attribute.default for attribute in attributes]
    content, end, _ = line[1:].rpartition("}")
    if not end:
        raise DataError(f"{location} does not end with }}: the file may be cut short.")
    content = content.strip(", \t")
    for digits, value in _split_pairs(_SPARSE_VALUE, content, location) if content else ():
        if not (digits.isascii() and digits.isdigit() and int(digits) < len(attributes)):
            raise DataError(
                f"{location}: an attribute's index must be less than {len(attributes)}; got {quote(digits)}."
            )
        row[int(digits)] = _convert(value, attributes[int(digits)], location)
    return row


def _split_values(text: str, location: str) -> list[str | None]:
    """Return the values between commas, None for missing values."""
    if "'" in text or '"' in text:
        return [value for _, value in _split_pairs(_DENSE_VALUE, text, location)]
    return [None if (value := field.strip()) == "?" else value for field in text.split(",")]


def _split_pairs(pattern: re.Pattern[str], text: str, location: str) -> Iterator[tuple[str, str | None]]:
    """Yield the index, empty in a dense row, and the value of each field."""
    start, comma = 0, ","
    while comma:
        match = pattern.match(text, start)
        if not match:
            raise DataError(f"{location}: a quote is not closed.")
        index, single, double, bare, comma = match.groups()
        if bare is None:
            yield index, _unescape(double if single is None else single)
        else:
            yield index, None if bare.strip() == "?" else bare.strip()
        start = match.end()


def _convert(value: str | None, attribute: _Attribute, location: str) -> Any:
    if attribute.values and value is not None and value not in attribute.values:
        raise DataError(f"{location}: {quote(value)} is not a declared value of {quote(attribute.name)}.")
    if value is None or attribute.default != 0.0:
        return value
    try:
        return float(value) if value else None
    except ValueError:
        raise DataError(
            f"{location}: {quote(attribute.name)} must be a number; got {quote(value)}."
        ) from None


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def write_arff(selection: Selection, handle: IO[bytes]) -> None:
    """Write numeric and nominal attributes."""
    from featsieve.datasets.numeric import first_text

    frame = selection.frame()
    is_numeric = {column: first_text(frame[column]) is None for column in frame.columns}
    lines = [f"@relation {_quote_value(selection.dataset.name)}"]
    for column in frame.columns:
        values = sorted({str(value) for value in frame[column].dropna()})
        kind = "numeric" if is_numeric[column] else f"{{{','.join(map(_quote_value, values))}}}"
        lines.append(f"@attribute {_quote_value(column)} {kind}")
    lines.append("@data")
    fields = (_format_column(frame[column], is_numeric[column]) for column in frame.columns)
    lines.extend(map(",".join, zip(*fields, strict=True)))
    handle.write("\n".join(lines).encode() + b"\n")


def _format_column(column: Any, is_numeric: bool) -> Iterator[str]:
    for value, is_missing in zip(column, column.isna(), strict=True):
        yield "?" if is_missing else repr(float(value)) if is_numeric else _quote_value(value)


def _quote_value(value: Any) -> str:
    text = " ".join(str(value).splitlines()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


FORMATS = (Format("an ARFF file", "Table of Weka", (".arff",), read_arff, write_arff, compressible=True),)
