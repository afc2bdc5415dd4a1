"""What is said when data cannot be used: one line that names the file, the column and the remedy."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence


class DataError(ValueError):
    """Data that cannot be read or ranked; the message says what to do."""


class DataNotFoundError(DataError, FileNotFoundError):
    """No file or dataset of that name."""


def close(name: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that look like ``name``, whatever their case."""
    by_lower: dict[str, str] = {}
    for each in known:
        by_lower.setdefault(each.lower(), each)
    return [by_lower[near] for near in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)]


def did_you_mean(name: str, known: Sequence[str], kind: str) -> str:
    """The close names as a question, or else some of those there are."""
    near = close(name, known)
    if near:
        return f"Did you mean {' or '.join(map(repr, near))}?"
    return f"The {kind} are {listing(known, 10)}." if known else f"There are no {kind}."


def listing(names: Sequence[str], limit: int = 3) -> str:
    """The first names, quoted, and how many more there are."""
    shown = ", ".join(map(repr, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def columns(names: Sequence[str], limit: int = 3) -> str:
    """The columns as the subject of a sentence: ``column 'a'``, ``2 columns ('a', 'b')``."""
    return f"column {names[0]!r}" if len(names) == 1 else f"{len(names)} columns ({listing(names, limit)})"


def option(flag: str, names: Sequence[str], limit: int = 3) -> str:
    """The option that would name these columns, ready to be copied into a shell."""
    shown = names[:limit]
    values = shown if any("," in name for name in shown) else [",".join(shown)]
    text = " ".join(f"{flag} {shlex.quote(value)}" for value in values)
    return text if len(names) <= limit else f"{text} and so on"
