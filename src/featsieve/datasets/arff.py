"""Tables of Weka: .arff, with dense or sparse rows."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from featsieve.datasets.errors import DataError, listing, quoted, reading
from featsieve.datasets.formats import looks_like, open_bytes
from featsieve.datasets.table import Table

# A value: in quotes, where a backslash spares the next character, or bare. No repetition gives back what it
# took (*+), or many spaces before a stray quote would take cubic time.
_VALUE = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,'"]*+))\s*+(,|$)""", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))(?:\s+|(?=\{))(.+)""",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NUMBERS = ("numeric", "real", "integer")
_OTHERS = ("string", "date", "relational")


@dataclass(frozen=True)
class _Attribute:
    name: str
    kind: str  # "number", "text" or "nominal"
    values: tuple[str, ...] = ()

    @property
    def zero(self) -> Any:
        """What a sparse row leaves out."""
        return self.values[0] if self.kind == "nominal" else 0.0 if self.kind == "number" else ""


def read_arff(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """An ARFF file as a data frame; a nominal attribute is text, ``?`` is missing."""
    import pandas as pd

    with reading(path.name, "ARFF"), open_bytes(path) as handle:
        try:
            text = handle.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            handle.seek(0)
            text = handle.read().decode("latin-1")
        if "\0" in text:
            raise DataError(f"{path.name} is not text{looks_like(path) or ': check its extension'}.")
        lines = enumerate(io.StringIO(text), start=1)
        attributes = _header(lines, path)
        columns: list[list[Any]] = [[] for _ in attributes]
        for number, line in lines:
            if line.strip() and not line.lstrip().startswith("%"):
                row = _row(line.strip(), attributes, f"{path.name}: line {number}")
                for column, value in zip(columns, row, strict=True):
                    column.append(value)
    names = [each.name for each in attributes]
    if not columns[0]:
        raise DataError(f"{path.name} has attributes but no rows.")
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    for each in attributes:
        if each.kind == "number":
            frame[each.name] = frame[each.name].astype("float64")
    return Table(frame, names, usual=("target", "class"))


def _header(lines: Iterable[tuple[int, str]], path: Path) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        word = line.strip().lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(line.strip(), f"{path.name}: line {number}"))
        elif word.startswith("@data"):
            break
        elif word and not word.startswith(("%", "@relation")):
            raise DataError(f"{path.name}: line {number} is none of ARFF: {quoted(line.strip())}.")
    else:
        raise DataError(f"{path.name} is not an ARFF file, or is cut short: it has no line @data.")
    twice = [name for name, times in Counter(each.name for each in attributes).items() if times > 1]
    if twice:
        raise DataError(f"{path.name}: several columns are called {listing(twice)}: rename them.")
    if not attributes:
        raise DataError(f"{path.name} has no attributes.")
    return attributes


def _attribute(line: str, where: str) -> _Attribute:
    found = _ATTRIBUTE.fullmatch(line)
    if not found:
        raise DataError(f"{where} is no attribute with a name and a type: {quoted(line)}.")
    *names, kind = found.groups()
    name = _unescaped(next(each for each in names if each is not None)).strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise DataError(f"{where}: the values of {quoted(name)} do not end with }}.")
        values = tuple(str(each) for each in _values(kind[1:-1].strip(), where))
        return _Attribute(name, "nominal", values)
    word = kind.split()[0].lower()
    if word not in (*_NUMBERS, *_OTHERS) or word == "relational":
        raise DataError(f"{where}: {quoted(name)} has the type {quoted(kind)}, which is not supported.")
    return _Attribute(name, "number" if word in _NUMBERS else "text")


def _row(line: str, attributes: list[_Attribute], where: str) -> list[Any]:
    if line.startswith("{"):
        return _sparse_row(line, attributes, where)
    values = _values(line, where)
    if len(values) == len(attributes) + 1 and re.search(r",\s*\{\d+\}$", line):
        values = values[:-1]  # the weight of a sample
    if len(values) != len(attributes):
        raise DataError(
            f"{where} has {len(values)} values for {len(attributes)} attributes: the file may be cut short."
        )
    return [_typed(value, each, where) for value, each in zip(values, attributes, strict=True)]


def _sparse_row(line: str, attributes: list[_Attribute], where: str) -> list[Any]:
    row = [each.zero for each in attributes]
    inside, end, _ = line[1:].rpartition("}")
    if not end:
        raise DataError(f"{where} does not end with }}: the file may be cut short.")
    for pair in _pairs(inside):
        place, _, text = pair.strip().partition(" ")
        if not (place.isascii() and place.isdigit() and int(place) < len(attributes)):
            raise DataError(
                f"{where}: {quoted(place)} is no place of one of the {len(attributes)} attributes."
            )
        row[int(place)] = _typed(_values(text.strip(), where)[0], attributes[int(place)], where)
    return row


def _pairs(inside: str) -> list[str]:
    """What lies between commas that are not in quotes."""
    return (
        re.findall(r"""(?:[^,'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+""", inside) if inside.strip() else []
    )


def _values(line: str, where: str) -> list[str | None]:
    """The values between commas; None where one is missing."""
    if "'" not in line and '"' not in line:
        return [None if (value := each.strip()) == "?" else value for each in line.split(",")]
    found: list[str | None] = []
    place, comma = 0, ","
    while comma:
        match = _VALUE.match(line, place)
        if not match:
            raise DataError(f"{where}: a quote is not closed.")
        single, double, bare, comma = match.groups()
        inside = single if single is not None else double
        missing = inside is None and bare.strip() == "?"
        found.append(None if missing else _unescaped(inside) if inside is not None else bare.strip())
        place = match.end()
    return found


def _typed(value: str | None, attribute: _Attribute, where: str) -> Any:
    if value is None or (value == "" and attribute.kind == "number"):
        return None
    if attribute.kind == "number":
        try:
            return float(value)
        except ValueError:
            raise DataError(f"{where}: {quoted(value)} is no number for {quoted(attribute.name)}.") from None
    if attribute.kind == "nominal" and value not in attribute.values:
        raise DataError(f"{where}: {quoted(value)} is no value of {quoted(attribute.name)}.")
    return value


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
