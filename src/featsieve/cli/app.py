"""The commands, put together."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from featsieve.cli import compare, datasets, methods, rank, report, reproduce, select
from featsieve.cli.console import error
from featsieve.datasets.formats import extensions, join_extensions

EXAMPLES = f"""\b
Examples:
  featsieve compare breast_cancer --report report.html
  featsieve rank iris
  featsieve select wine --method fisher --top 5 --output wine.csv
  featsieve methods
  featsieve rank --help
\b
Results go to stdout, messages to stderr; --json prints results for programs.
Exit codes: 0 done, 1 failed, 2 wrong usage or data that cannot be used, 130 interrupted,
141 the reader of a pipe left before the end.
\b
Environment: FEATSIEVE_DATA names a folder of datasets; FEATSIEVE_READ_TIMEOUT is the
number of seconds that reading a {join_extensions(extensions(fragile=True), "or")} file may take
(by default 60, and 1 more per MB).
"""

# Typer brings its own copy of Click or uses the installed one, by version; this is its UsageError in either.
UsageError: Any = typer.BadParameter.__base__


class Commands(TyperGroup):
    """Commands that tell of a wrong option as of any other mistake: in one line."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run, and exit with the code that says how it went."""
        try:
            code = super().main(*args, **options | {"standalone_mode": False})
        except UsageError as mistake:
            path = mistake.ctx.command_path if mistake.ctx else "featsieve"
            said = mistake.format_message().rstrip(".")
            error(f"{said}{'' if said.endswith('?') else '.'} See {path} --help.")
            code = 2
        except SystemExit as stop:  # Typer and Rich end with 1 where the reader of a pipe has left
            if isinstance(stop.__context__, BrokenPipeError):
                raise stop.__context__ from None
            raise
        sys.exit(code)


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)
app.command(epilog=rank.EXAMPLES)(rank.rank)
app.command(epilog=select.EXAMPLES)(select.select)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=methods.EXAMPLES)(methods.methods)
app.command(epilog=datasets.EXAMPLES)(datasets.datasets)
app.command(epilog=report.EXAMPLES)(report.report)
app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)


def _version(wanted: bool) -> None:
    if wanted:
        from featsieve import __version__

        typer.echo(f"featsieve {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def featsieve(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Find the few features that matter in high-dimensional data, with or without labels."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
