"""Errors about data, and the parts of their messages: one line with the file, the column and the remedy."""

from __future__ import annotations

import difflib
import importlib
import shlex
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# The remedy for a file that contradicts itself.
DAMAGED = "The file is probably damaged: write it again from its source."

PLURALS = {"is": "are", "was": "were", "has": "have", "contains": "contain"}
MAX_NAME_LENGTH = 60
MAX_REASON_LENGTH = 160
MAX_OPTION_LENGTH = 1000
MAX_OPTION_NAMES = 40


class DataError(ValueError):
    """Data cannot be read, ranked or written; the message states what to do.

    See Also
    --------
    DataNotFoundError : Error for data that does not exist.

    Examples
    --------
    >>> import featsieve.datasets
    >>> try:
    ...     featsieve.datasets.load("wine", target="alcohl")
    ... except featsieve.datasets.DataError as error:
    ...     print(error)
    wine has no column 'alcohl'. Did you mean 'alcohol'?
    """


class DataNotFoundError(DataError, FileNotFoundError):
    """No file or dataset has the requested name.

    See Also
    --------
    DataError : Error for data that cannot be read, ranked or written.

    Examples
    --------
    >>> import featsieve.datasets
    >>> try:
    ...     featsieve.datasets.load("irs")
    ... except featsieve.datasets.DataNotFoundError as error:
    ...     print(error)
    no file or dataset 'irs'. Did you mean iris?
    """


@contextmanager
def reader_errors(name: str, title: str) -> Iterator[None]:
    """Convert any exception from a reader into a DataError and silence its warnings.

    Libraries raise exceptions of many types on files that are damaged or in another format.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except DataError:
            raise
        except MemoryError as error:
            raise DataError(f"{name} does not fit into memory, or is not {title}.") from error
        except Exception as error:
            raise DataError(f"{name} is not {title}, or is cut short ({error_reason(error)}).") from error


def require(module: str, extra: str, purpose: str) -> Any:
    """Import an optional module, or raise a DataError that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        is_absent = isinstance(error, ModuleNotFoundError) and str(error.name).startswith(package)
        broken = "" if is_absent else f", which cannot be imported ({error_reason(error)})"
        raise DataError(f"{purpose} needs {package}{broken}: pip install 'featsieve[{extra}]'") from error


def error_reason(error: BaseException) -> str:
    """Return the message of an exception as one short line."""
    if isinstance(error, OSError) and error.strerror and error.errno:
        return error.strerror
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= MAX_REASON_LENGTH else f"{text[: MAX_REASON_LENGTH - 3]}..."


def close_matches(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that resemble ``name``, ignoring case."""
    by_lower: dict[str, str] = {}
    for known_name in known:
        by_lower.setdefault(known_name.lower(), known_name)
    matches = difflib.get_close_matches(name[:200].lower(), by_lower, n=3, cutoff=0.6)
    return [by_lower[match] for match in matches]


def did_you_mean(name: str, known: Sequence[str], kind: str) -> str:
    """Suggest the known names that resemble ``name``, or list the first ones."""
    matches = close_matches(name, known)
    if matches:
        return f"Did you mean {' or '.join(map(quote, matches))}?"
    return f"The {kind} are {list_names(known, 10)}." if known else f"There are no {kind}."


def unknown_name(source: str, name: str, known: Sequence[str], kind: str) -> DataError:
    """Return the error for a name that the data does not have; ``kind`` is "column", "array" or "layer"."""
    return DataError(f"{source} has no {kind} {quote(name)}. {did_you_mean(name, known, f'{kind}s')}")


def quote(name: Any) -> str:
    """Quote a name, shortened if it is long."""
    text = str(name)
    return repr(text if len(text) <= MAX_NAME_LENGTH else f"{text[:MAX_NAME_LENGTH]}...")


def list_names(names: Sequence[str], limit: int = 3) -> str:
    """Quote the first names and count the remaining ones."""
    shown = ", ".join(map(quote, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def describe_columns(names: Sequence[str], clause: str = "") -> str:
    """Return columns as the subject of a clause, in which {is}, {was}, {has} and {contains} are verbs.

    >>> describe_columns(["a", "b"], "{is} entirely missing and {was} left out")
    "2 columns ('a', 'b') are entirely missing and were left out"
    """
    if len(names) == 1:
        subject, verbs = f"column {quote(names[0])}", {verb: verb for verb in PLURALS}
    else:
        subject, verbs = f"{len(names)} columns ({list_names(names)})", PLURALS
    return f"{subject} {clause.format(**verbs)}".rstrip()


def columns_note(names: Sequence[str], clause: str) -> str:
    """Return the columns and the clause as a sentence."""
    sentence = describe_columns(names, clause)
    return f"{sentence[0].upper()}{sentence[1:]}."


def too_short(subject: str, shape: Sequence[int]) -> DataError:
    """Return the error for an array whose shape needs more bytes than the file has."""
    size = " x ".join(map(str, shape))
    return DataError(f"{subject} claims to hold {size} values, but the file is too short. {DAMAGED}")


def column_error(source: str, names: Sequence[str], clause: str, remedy: str = "") -> DataError:
    """Return the error for columns that cannot be ranked; ``clause`` is that of ``describe_columns``."""
    return DataError(f"{source}: {describe_columns(names, clause)}: {remedy}{advise_drop(names)}.")


def advise_drop(names: Sequence[str]) -> str:
    """Return the advice to drop these columns."""
    return f"leave {'it' if len(names) == 1 else 'them'} out with {format_option('--drop', names)}"


def format_option(flag: str, names: Sequence[str]) -> str:
    """Return the command-line option that names these columns, quoted for a shell, on one line."""
    shown = names[:MAX_OPTION_NAMES]
    values = shown if any("," in name for name in shown) else [",".join(shown)]
    text = " ".join(f"{flag} {_quote_for_shell(value)}" for value in values)
    if len(text) > MAX_OPTION_LENGTH:
        return f"{flag} COLUMN"
    return text if len(names) <= MAX_OPTION_NAMES else f"{text} and so on"


def _quote_for_shell(text: str) -> str:
    """Quote a word for a shell; characters that are not printable become escapes in $'...'."""
    if text.isprintable():
        return shlex.quote(text)
    escapes = {ord("'"): "\\'", ord("\\"): "\\\\"}
    codes = {code for code in map(ord, text) if not chr(code).isprintable()}
    escapes |= {code: f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in codes}
    return f"$'{text.translate(escapes)}'"
