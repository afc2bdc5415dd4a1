"""Tables of Weka: .arff, with dense or sparse rows.

No library reads all of these files, so the parser is our own (measured in 2026 on
``tests/datasets/formats/test_arff.py`` and on the fuzzing corpus):

- liac-arff 2.5.0 refuses instance weights (``1,2,{3}``), date attributes ("arff-mixed"), files that mix dense
  and sparse rows, and files without ``@relation``. It reads the value 1.5 of an integer attribute as 1.
- scipy.io.arff 1.17 refuses string attributes and sparse rows ("arff-mixed" and "arff-sparse").
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from featsieve.datasets.errors import DataError, quote
from featsieve.datasets.formats import Format, extension_hint, open_bytes
from featsieve.datasets.table import Table, check_unique

if TYPE_CHECKING:
    from featsieve.datasets.saving import Selection

# A value in quotes, where a backslash escapes the next character, or bare. The repetitions are possessive
# (*+): backtracking over many spaces before a stray quote would take cubic time.
_VALUE = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,'"]*+))\s*+(,|$)""", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))(?:\s+|(?=\{))(.+)""",
    re.IGNORECASE | re.DOTALL,
)
_PAIR = re.compile(r"""(?:[^,'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+""")
_WEIGHT = re.compile(r",\s*\{\d+\}$")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NUMBER_TYPES = ("numeric", "real", "integer")
_TEXT_TYPES = ("string", "date")


@dataclass(frozen=True)
class _Attribute:
    name: str
    kind: str  # "number", "text" or "nominal"
    values: tuple[str, ...] = ()

    @property
    def default(self) -> Any:
        """The value that a sparse row omits."""
        return self.values[0] if self.kind == "nominal" else 0.0 if self.kind == "number" else ""


def read_arff(path: Path, samples: str | None, target: str | None) -> Table:
    """Read an ARFF file as a data frame; nominal attributes become text, and ``?`` is a missing value."""
    import pandas as pd

    with open_bytes(path) as handle:
        content = handle.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if "\0" in text:
        raise DataError(f"{path.name} is not text{extension_hint(path)}")
    lines = enumerate(io.StringIO(text), start=1)
    attributes = _read_header(lines, path.name)
    names = [attribute.name for attribute in attributes]
    check_unique(names, path.name)
    columns: list[list[Any]] = [[] for _ in attributes]
    for number, line in lines:
        if line.strip() and not line.lstrip().startswith("%"):
            row = _parse_row(line.strip(), attributes, f"{path.name}: line {number}")
            for column, value in zip(columns, row, strict=True):
                column.append(value)
    if not columns[0]:
        raise DataError(f"{path.name} has attributes but no rows.")
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    for attribute in attributes:
        if attribute.kind == "number":
            frame[attribute.name] = frame[attribute.name].astype("float64")
    return Table(frame, names, usual_labels=("target", "class"))


def _read_header(lines: Iterable[tuple[int, str]], file_name: str) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        keyword = line.strip().lower()
        if keyword.startswith("@attribute"):
            attributes.append(_parse_attribute(line.strip(), f"{file_name}: line {number}"))
        elif keyword.startswith("@data"):
            break
        elif keyword and not keyword.startswith(("%", "@relation")):
            raise DataError(
                f"{file_name}: line {number} is not valid in an ARFF header: {quote(line.strip())}."
            )
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
        values = tuple(str(value) for value in _split_values(kind[1:-1].strip(), location))
        return _Attribute(name, "nominal", values)
    type_name = kind.split()[0].lower()
    if type_name not in _NUMBER_TYPES + _TEXT_TYPES:
        raise DataError(f"{location}: {quote(name)} has the type {quote(kind)}, which is not supported.")
    return _Attribute(name, "number" if type_name in _NUMBER_TYPES else "text")


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
    for pair in _PAIR.findall(content) if content.strip() else ():
        digits, _, text = pair.strip().partition(" ")
        if not (digits.isascii() and digits.isdigit() and int(digits) < len(attributes)):
            raise DataError(
                f"{location}: an attribute's index must be less than {len(attributes)}; got {quote(digits)}."
            )
        index = int(digits)
        row[index] = _convert(_split_values(text.strip(), location)[0], attributes[index], location)
    return row


def _split_values(line: str, location: str) -> list[str | None]:
    """Return the values between commas, None for missing values."""
    if "'" not in line and '"' not in line:
        return [None if (value := field.strip()) == "?" else value for field in line.split(",")]
    values: list[str | None] = []
    start, comma = 0, ","
    while comma:
        match = _VALUE.match(line, start)
        if not match:
            raise DataError(f"{location}: a quote is not closed.")
        single, double, bare, comma = match.groups()
        if bare is None:
            values.append(_unescape(double if single is None else single))
        else:
            values.append(None if bare.strip() == "?" else bare.strip())
        start = match.end()
    return values


def _convert(value: str | None, attribute: _Attribute, location: str) -> Any:
    if value is None or (value == "" and attribute.kind == "number"):
        return None
    if attribute.kind == "number":
        try:
            return float(value)
        except ValueError:
            raise DataError(
                f"{location}: {quote(attribute.name)} must be a number; got {quote(value)}."
            ) from None
    if attribute.kind == "nominal" and value not in attribute.values:
        raise DataError(f"{location}: {quote(value)} is not a declared value of {quote(attribute.name)}.")
    return value


def _unescape(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


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


FORMATS = (
    Format(
        title="an ARFF file",
        help="Table of Weka",
        extensions=(".arff",),
        read=read_arff,
        write=write_arff,
        compressible=True,
    ),
)
