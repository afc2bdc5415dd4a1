"""Numbers as people write them: thousands separators, decimal commas, and values beyond a limit (<0.1)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from featsieve.datasets.errors import columns_note, list_names, quote

Mark = Literal[",", "."]

# Columns that a note counts one by one.
MAX_COUNTED_COLUMNS = 10

_SPACE = re.compile(r"[ \u00a0\u2009\u202f'\u2019]")
_SPACED = re.compile(rf"[-+]?\d{{1,3}}(?:{_SPACE.pattern}\d{{3}})+(?:[.,]\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
_COMMA_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_POINT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?")
# Three digits after a single mark: 1,234 is 1234 or 1.234.
_AMBIGUOUS = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}")
_CENSORED = re.compile(r"([<>\u2264\u2265])=?\s*(\S.*)")
# Names of limits, as in "< LOD".
_LIMIT_NAME = re.compile(r"(?i:[lu]?lo[bdq]|[mri]?dl|ql|(?:detection|quantification|reporting) limit)")


class Number(NamedTuple):
    """A number in a text.

    ``mark`` is its decimal mark, None if the text shows none. ``grouped`` is the number if the mark separates
    thousands instead; None if the text is not ambiguous.
    """

    value: float
    mark: Mark | None
    grouped: float | None = None


@dataclass
class Numerals:
    """The texts of a column as numbers.

    Attributes
    ----------
    numbers : list of Number, str or None
        The number of each text; "<" or ">" for a limit whose value is not given, as in "< LOD"; None for
        other texts.
    others : list of str
        The texts that are not numbers.
    censored : list of str
        The texts that are limits.
    example : tuple of str and Number, or None
        A text in a notation that Python does not read, and its number.
    ambiguous : tuple of str and Number, or None
        A text that has two meanings.
    """

    numbers: list[Number | str | None] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    censored: list[str] = field(default_factory=list)
    example: tuple[str, Number] | None = None
    ambiguous: tuple[str, Number] | None = None

    @property
    def known(self) -> list[Number]:
        """The numbers of the texts that have one."""
        return [number for number in self.numbers if isinstance(number, Number)]

    @property
    def marks(self) -> Counter[Mark]:
        """Number of values with each decimal mark that are not ambiguous."""
        return Counter(number.mark for number in self.known if number.mark and number.grouped is None)

    @property
    def n_exact(self) -> int:
        """Number of values that are not limits."""
        return len(self.numbers) - len(self.others) - len(self.censored)

    def values(self, decimal: Mark) -> list[float]:
        """Return the numbers, NaN for texts; ambiguous values are read with this decimal mark.

        A limit that is not given becomes the smallest or the largest value of the column.
        """
        known = [
            number if not isinstance(number, Number) else resolve(number, decimal) for number in self.numbers
        ]
        finite = [value for value in known if isinstance(value, float) and math.isfinite(value)]
        limits = {"<": min(finite, default=math.nan), ">": max(finite, default=math.nan), None: math.nan}
        return [value if isinstance(value, float) else limits[value] for value in known]


def is_number(text: str) -> bool:
    """Return whether the text is a number in the notation of Python; 1_000 is not."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def read_number(text: str) -> Number | None:
    """Read a number with or without thousands separators; None if the text is not a number."""
    text = text.replace("\u2212", "-")
    if is_number(text):
        if "." not in text:
            return Number(float(text), None)
        grouped = float(text.replace(".", "")) if _AMBIGUOUS.fullmatch(text) else None
        return Number(float(text), ".", grouped)
    if _SPACED.fullmatch(text):
        text = _SPACE.sub("", text)
        return Number(float(text.replace(",", ".")), _last_mark(text))
    if _AMBIGUOUS.fullmatch(text):
        return Number(float(text.replace(",", ".")), ",", float(text.replace(",", "")))
    if _DECIMAL_COMMA.fullmatch(text):
        return Number(float(text.replace(",", ".")), ",")
    if _COMMA_GROUPS.fullmatch(text):
        return Number(float(text.replace(",", "")), ".")
    if _POINT_GROUPS.fullmatch(text):
        return Number(float(text.replace(".", "").replace(",", ".")), ",")
    return None


def resolve(number: Number, decimal: Mark) -> float:
    """Return the value of a number; an ambiguous one is read with this decimal mark."""
    return number.value if number.grouped is None or number.mark == decimal else number.grouped


def read_numerals(texts: Iterable[str]) -> Numerals:
    """Read the texts of a column."""
    numerals = Numerals()
    for text in texts:
        number: Number | str | None = read_number(text)
        written = text
        if number is None and (limit := _CENSORED.fullmatch(text)):
            written = limit[2]
            side = "<" if limit[1] in "<\u2264" else ">"
            number = read_number(written) or (side if _LIMIT_NAME.fullmatch(written) else None)
            if number is not None:
                numerals.censored.append(text)
        numerals.numbers.append(number)
        if number is None:
            numerals.others.append(text)
        elif isinstance(number, Number):
            if number.grouped is not None and numerals.ambiguous is None:
                numerals.ambiguous = (written, number)
            if numerals.example is None and not is_number(written):
                numerals.example = (written, number)
    return numerals


def decimal_mark(columns: Iterable[Numerals], default: Mark) -> Mark:
    """Return the decimal mark that most values of the columns show, ``default`` if none does."""
    counts = sum((column.marks for column in columns), Counter[Mark]())
    if counts[","] == counts["."]:
        return default
    return "," if counts[","] > counts["."] else "."


def notation_notes(columns: Mapping[str, Numerals], marks: Mapping[str, Mark]) -> list[str]:
    """Describe how the columns were read, as sentences.

    ``marks`` has the decimal mark of each column.
    """
    unclear = [
        name
        for name, column in columns.items()
        if column.ambiguous and not column.marks[marks[name]] and _is_unusual(column, marks[name])
    ]
    clear = [name for name, column in columns.items() if column.example and name not in unclear]
    notes = []
    if clear:
        text, number = columns[clear[0]].example or ("", Number(0, None))
        clause = "{contains} decimal commas or thousands separators; "
        value = format_number(resolve(number, marks[clear[0]]))
        notes.append(columns_note(clear, f"{clause}{quote(text)} was read as {value}"))
    for mark in (",", "."):
        names = [name for name in unclear if marks[name] == mark]
        if names:
            notes.append(_unclear_note(names, columns[names[0]], mark))
    return [*notes, *_censored_notes(columns)]


def format_number(value: float) -> str:
    """Return a number without an exponent, if it is not very large."""
    return f"{value:.15g}"


def _is_unusual(column: Numerals, decimal: Mark) -> bool:
    """Return whether the ambiguous values are not read as Python reads them."""
    assert column.ambiguous is not None
    return decimal == "," or column.ambiguous[1].mark == ","


def _unclear_note(names: Sequence[str], column: Numerals, decimal: Mark) -> str:
    assert column.ambiguous is not None
    text, number = column.ambiguous
    role = "a decimal mark" if number.mark == decimal else "a thousands separator"
    name = "comma" if number.mark == "," else "point"
    clause = (
        f"{{is}} ambiguous: the {name} in {quote(text)} was taken as {role}, so that the value is "
        f"{format_number(resolve(number, decimal))}. If this is wrong, write the numbers without thousands "
        "separators and with decimal points"
    )
    return columns_note(names, clause)


def _censored_notes(columns: Mapping[str, Numerals]) -> list[str]:
    """Count the censored values of each column."""
    counts = {name: len(column.censored) for name, column in columns.items() if column.censored}
    if not counts:
        return []
    texts = sorted({text for name in counts for text in columns[name].censored})
    shown = [f"{quote(name)} {count}" for name, count in counts.items()][:MAX_COUNTED_COLUMNS]
    more = f" and {len(counts) - len(shown)} more columns" if len(counts) > len(shown) else ""
    unknown = any(isinstance(number, str) for name in counts for number in columns[name].numbers)
    reason = (
        " A limit without a number was replaced with the smallest (<) or the largest (>) value of its column."
        if unknown
        else ""
    )
    total = sum(counts.values())
    return [
        f"{total} censored value{'s' if total > 1 else ''} ({list_names(texts)}) "
        f"{'were' if total > 1 else 'was'} replaced with the limit, by column: "
        f"{', '.join(shown)}{more}.{reason}"
    ]


def _last_mark(text: str) -> Mark | None:
    return "," if "," in text else "." if "." in text else None
