"""Results on stdout, messages on stderr."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

# A pipe has no width: a row there is one line, however long.
PIPE_WIDTH = 100_000


def results() -> Console:
    """The console that tables go to."""
    from rich.console import Console

    return Console(
        width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False, markup=False, emoji=False
    )


def print_json(value: Any) -> None:
    """Print the value as JSON; it must hold no NaN or infinity."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def note(message: str) -> None:
    """Say something that is not a result."""
    typer.echo(f"Note: {printable(message)}", err=True)


def error(message: str) -> None:
    """Say what went wrong, in one line."""
    typer.echo(f"Error: {printable(message)}", err=True)


@contextmanager
def user_errors() -> Iterator[None]:
    """Tell in one line of a ValueError, with exit code 2, and of memory or a disk that fails, with 1.

    A ValueError says that the data or the options are not right.
    """
    try:
        yield
    except MemoryError as mistake:
        error("not enough memory: use fewer samples or columns, or another method.")
        raise typer.Exit(1) from mistake
    except ValueError as mistake:
        error(str(mistake))
        raise typer.Exit(2) from mistake
    except BrokenPipeError:  # whoever reads the results has enough of them
        raise
    except OSError as mistake:
        where = f": {mistake.filename}" if mistake.filename else ""
        error(f"{mistake.strerror or mistake}{where}.")
        raise typer.Exit(1) from mistake


@contextmanager
def short_warnings() -> Iterator[None]:
    """Tell of warnings in one line for each kind, when all is done."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            kinds: dict[type[Warning], list[str]] = {}
            for warning in caught:
                kinds.setdefault(warning.category, []).append(str(warning.message))
            for kind, messages in kinds.items():
                times = f" ({len(messages)} times)" if len(messages) > 1 else ""
                typer.echo(f"{kind.__name__}{times}: {printable(messages[0])}", err=True)


def printable(text: str) -> str:
    """The text on one line, with characters that could steer a terminal spelled out."""
    line = " ".join(text.split())
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
