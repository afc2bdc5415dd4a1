"""Random changes of text: fields, separators, quotes, lines."""

import random
import re
from collections.abc import Callable

from fuzz.edits import Edit

NUMBERS = (
    b"0 -0 1e999 -1e999 1e308 1.7976931348623157e308 5e-324 1e-999 9223372036854775807 9223372036854775808 "
    b"-9223372036854775809 18446744073709551616 2147483648 50000001 -1 0x10 1_000 1,5 1.5.5 1e 1e+ +1 .5 5. "
    b"1d3 00012 1e400000000 " + b"9" * 400
).split()
MISSING = b"nan NaN -nan +nan inf -inf Infinity +INF 1.#INF 1.#QNAN NA N/A null None ? - . <NA> NaT".split()
WORDS = (
    b"",
    b" ",
    b"x",
    b"True",
    b"FALSE",
    b"target",
    b"Target",
    b"class",
    b"a",
    b"id",
    b"2020-01-01",
    b"2020-13-45",
    b"0001-01-01T00:00:00Z",
    b"99999-01-01",
    b"12:30",
    b"1 day",
    b"#",
    b"%",
    b"=1+1",
    b"1j",
    b"\\",
    b"\\N",
    "größe".encode(),
    "٣".encode(),
    "½".encode(),
    "\U0001d7d9".encode(),
    "1\u00a0000".encode(),
    "\u2028".encode(),
    "\ufeff".encode(),
    "\u202e".encode(),
    b"\xff",
    b"\xed\xa0\x80",
    b"\0",
    b"\x1a",
    b"\x0c",
    b"\x1b[31m",
    # ARFF and svmlight
    b"@data",
    b"@attribute z numeric",
    b"@attribute z {a,b}",
    b"@attribute z date 'yyyy'",
    b"@relation",
    b"{",
    b"}",
    b"{}",
    b"{0 1}",
    b"{99999999999999999999 1}",
    b"{5 'c 0'}",
    b"qid:1",
    b"qid:-1",
    b"0:1",
    b"-1:1",
    b"1:",
    b":1",
    b"1:nan",
    b"4294967296:1",
    b"99999999999999999999:1",
    b"1,2",
    # the header of .npy
    b"'|O'",
    b"'<U4'",
    b"'|S0'",
    b"'<M8[ns]'",
    b"'>c16'",
    b"'|V8'",
    b"'<f2'",
    b"[('a', '<f8')]",
    b"()",
    b"(12,)",
    b"(-12,",
    b"(4611686018427387904,",
)
SEPARATORS = (
    b",",
    b";",
    b"\t",
    b"|",
    b" ",
    b":",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b'"',
    b"'",
    b'""',
    b'","',
    b"\\",
)
_FIELD = re.compile(rb"[^,;\t |\r\n:]+")
_SEPARATOR = re.compile(rb"[,;\t |:]|\r?\n|\"|'|[{}]")
_LINE = re.compile(rb"[^\n]*\n?")
LONG_LENGTHS = (300, 5_000, 140_000)  # the csv module accepts fields up to 131,072


def replace_field(rng: random.Random, content: bytes) -> Edit:
    return _replace(rng, content, _FIELD, rng.choice(rng.choice((NUMBERS, MISSING, WORDS))), "field")


def replace_number_in_all_rows(rng: random.Random, content: bytes) -> Edit:
    """Replace every occurrence of a field with one word."""
    fields = _FIELD.findall(content)
    if not fields:
        return insert_word(rng, content)
    word = rng.choice(rng.choice((NUMBERS, MISSING, WORDS)))
    return Edit(0, len(content), content.replace(rng.choice(fields), word), "field everywhere")


def replace_separator(rng: random.Random, content: bytes) -> Edit:
    return _replace(rng, content, _SEPARATOR, rng.choice(SEPARATORS), "separator")


def replace_all_separators(rng: random.Random, content: bytes) -> Edit:
    found = _SEPARATOR.findall(content)
    if not found:
        return insert_word(rng, content)
    return Edit(0, len(content), content.replace(rng.choice(found), rng.choice(SEPARATORS)), "all separators")


def insert_word(rng: random.Random, content: bytes) -> Edit:
    offset = rng.randrange(len(content) + 1)
    return Edit(offset, offset, rng.choice(rng.choice((NUMBERS, MISSING, WORDS, SEPARATORS))), "insert")


def long_field(rng: random.Random, content: bytes) -> Edit:
    piece = rng.choice(
        (b"9", b"z", b"1,", b'"', b"'", b"1 ", b"\t", b" ", b"\n", b"7:1 ", b"{", b"\\", "é".encode())
    )
    return _replace(rng, content, _FIELD, piece * rng.choice(LONG_LENGTHS), "long field")


def delete_line(rng: random.Random, content: bytes) -> Edit:
    return _replace(rng, content, _LINE, b"", "delete a line")


def duplicate_line(rng: random.Random, content: bytes) -> Edit:
    match = _pick(rng, _LINE, content)
    times = rng.choice((1, 1, 2, 50))
    return Edit(match.end(), match.end(), match.group() * times, "duplicate a line")


def move_line(rng: random.Random, content: bytes) -> Edit:
    match, other = _pick(rng, _LINE, content), _pick(rng, _LINE, content)
    return Edit(match.start(), match.end(), other.group(), "copy a line over another")


MUTATORS: tuple[Callable[[random.Random, bytes], Edit], ...] = (
    replace_field,
    replace_field,
    replace_field,
    replace_number_in_all_rows,
    replace_separator,
    replace_separator,
    replace_all_separators,
    insert_word,
    insert_word,
    delete_line,
    duplicate_line,
    move_line,
)


def _pick(rng: random.Random, pattern: re.Pattern[bytes], content: bytes) -> re.Match[bytes]:
    """Return a random match; an empty match at the start if there is none."""
    matches = list(pattern.finditer(content))
    return rng.choice(matches) if matches else re.match(b"", content)


def _replace(rng: random.Random, content: bytes, pattern: re.Pattern[bytes], word: bytes, label: str) -> Edit:
    match = _pick(rng, pattern, content)
    return Edit(match.start(), match.end(), word, label)
