"""What is said when data cannot be used: one line that names the file, the column and the remedy."""

from __future__ import annotations

import difflib
import importlib
import shlex
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# What to do about a file that contradicts itself.
DAMAGED = "The file is probably damaged: write it again from its source."

# A name longer than this is cut where a message only mentions it.
_LONGEST = 60
_LONGEST_OPTION = 1000


class DataError(ValueError):
    """Data that cannot be read, ranked or written; the message says what to do."""


class DataNotFoundError(DataError, FileNotFoundError):
    """No file or dataset of that name."""


@contextmanager
def reading(name: str, kind: str) -> Iterator[None]:
    """Tell of whatever a reader of bytes raises as a DataError, and of its warnings not at all.

    Readers fail in many ways on bytes that are cut short or of another kind.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except DataError:
            raise
        except MemoryError as error:
            raise DataError(f"{name} does not fit into memory, or is no {kind} file.") from error
        except Exception as error:
            reason = brief(error)
            raise DataError(f"{name} is not a {kind} file, or is cut short ({reason}).") from error


def need(module: str, extra: str, what: str) -> Any:
    """The module, which an extra brings; DataError that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        absent = isinstance(error, ModuleNotFoundError) and str(error.name).startswith(package)
        broken = "" if absent else f", which cannot be imported ({brief(error)})"
        raise DataError(f"{what} needs {package}{broken}: pip install 'featsieve[{extra}]'") from error


def brief(error: BaseException) -> str:
    """What the error says, on one line of moderate length."""
    if isinstance(error, OSError) and error.strerror and error.errno:
        return error.strerror
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= 160 else f"{text[:157]}..."


def close(name: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that look like ``name``, whatever their case."""
    by_lower: dict[str, str] = {}
    for each in known:
        by_lower.setdefault(each.lower(), each)
    near = difflib.get_close_matches(name[:200].lower(), by_lower, n=3, cutoff=0.6)
    return [by_lower[each] for each in near]


def did_you_mean(name: str, known: Sequence[str], kind: str) -> str:
    """The close names as a question, or else some of those there are."""
    near = close(name, known)
    if near:
        return f"Did you mean {' or '.join(map(quoted, near))}?"
    return f"The {kind} are {listing(known, 10)}." if known else f"There are no {kind}."


def quoted(name: Any) -> str:
    """The name as text in quotes, cut where it is long."""
    text = str(name)
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def listing(names: Sequence[str], limit: int = 3) -> str:
    """The first names, quoted, and how many more there are."""
    shown = ", ".join(map(quoted, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def columns(names: Sequence[str], limit: int = 3) -> str:
    """The columns as the subject of a sentence: ``column 'a'``, ``2 columns ('a', 'b')``."""
    return (
        f"column {quoted(names[0])}" if len(names) == 1 else f"{len(names)} columns ({listing(names, limit)})"
    )


def _shell_word(text: str) -> str:
    """The text as a word of a shell; $'...' where it has characters that are not printable."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = {ord("'"): "\\'", ord("\\"): "\\\\"}
    codes = {code for code in map(ord, text) if not chr(code).isprintable()}
    escaped |= {code: f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in codes}
    return f"$'{text.translate(escaped)}'"


def option(flag: str, names: Sequence[str], limit: int = 3) -> str:
    """The option that would name these columns, on one line, ready to be copied into a shell."""
    shown = names[:limit]
    values = shown if any("," in name for name in shown) else [",".join(shown)]
    text = " ".join(f"{flag} {_shell_word(value)}" for value in values)
    if len(text) > _LONGEST_OPTION:
        return f"{flag} COLUMN"
    return text if len(names) <= limit else f"{text} and so on"
