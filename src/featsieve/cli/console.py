"""Print results to stdout and messages to stderr."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# A pipe has no width: every row is one line there.
PIPE_WIDTH = 100_000


def make_console() -> Console:
    """Return the console that prints results."""
    from rich.console import Console

    return Console(
        width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False, markup=False, emoji=False
    )


def make_table(*headings: str, right: Collection[str] = (), whole: Collection[str] = ()) -> Table:
    """Return an empty table. Columns in ``right`` are right-aligned, those in ``whole`` are never wrapped."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        justify: Literal["left", "right"] = "right" if heading in right else "left"
        is_whole = heading in whole
        overflow: Literal["ellipsis", "fold"] = "ellipsis" if is_whole else "fold"
        table.add_column(heading, justify=justify, no_wrap=is_whole, overflow=overflow)
    return table


def print_json(value: Any) -> None:
    """Print a value without NaN and infinity as JSON."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def print_note(message: str) -> None:
    """Print a message on stderr, ending with a period."""
    typer.echo(f"Note: {printable(message).rstrip('.')}.", err=True)


def print_error(message: str) -> None:
    """Print what went wrong on stderr, in one line."""
    typer.echo(f"Error: {printable(message)}", err=True)


@contextmanager
def user_errors() -> Iterator[None]:
    """Report errors in one line and exit.

    The exit code is 2 for a ValueError (invalid data or options), 1 for a lack of memory or a disk error.
    """
    try:
        yield
    except MemoryError as error:
        print_error("Not enough memory. Use fewer samples or columns, or another method.")
        raise typer.Exit(1) from error
    except ValueError as error:
        print_error(str(error))
        raise typer.Exit(2) from error
    except BrokenPipeError:  # handled by main
        raise
    except OSError as error:
        file = f": {error.filename}" if error.filename else ""
        print_error(f"{error.strerror or error}{file}.")
        raise typer.Exit(1) from error


@contextmanager
def short_warnings() -> Iterator[None]:
    """Print one line for each category of warnings when the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            by_category: dict[type[Warning], list[str]] = {}
            for warning in caught:
                by_category.setdefault(warning.category, []).append(str(warning.message))
            for category, messages in by_category.items():
                times = f" ({len(messages)} times)" if len(messages) > 1 else ""
                typer.echo(f"{category.__name__}{times}: {printable(messages[0])}", err=True)


def printable(text: str) -> str:
    """Return the text on one line, with escapes instead of characters that could control a terminal."""
    line = " ".join(text.split())
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in line)
