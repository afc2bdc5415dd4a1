"""The application: all commands and their common error handling."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from featsieve.cli import compare, datasets, methods, rank, report, reproduce, select
from featsieve.cli.console import print_error

EXAMPLES = """\b
Examples:
  featsieve compare breast_cancer --report report.html
  featsieve rank iris
  featsieve select wine --method fisher --top 5 --output wine.csv
  featsieve methods
  featsieve rank --help
\b
Results are written to stdout and messages to stderr. Use --json to get results as JSON.
\b
Exit codes:
  0    success
  1    failure
  2    invalid options or data
  130  interrupted
  141  closed pipe, as in featsieve methods | head -1
\b
Environment variables:
  FEATSIEVE_DATA          folder with datasets that are available by name
  FEATSIEVE_READ_TIMEOUT  time limit in seconds for reading a binary file
                          (default: 60, plus 1 per MB)
"""

# The UsageError of Click, of which some versions of Typer contain a copy.
UsageError: Any = typer.BadParameter.__base__


class Commands(TyperGroup):
    """Commands that report invalid options in one line, like every other error."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command and exit with its exit code."""
        try:
            code = super().main(*args, **options | {"standalone_mode": False})
        except UsageError as error:
            path = error.ctx.command_path if error.ctx else "featsieve"
            message = error.format_message().rstrip(".")
            print_error(f"{message}{'' if message.endswith('?') else '.'} See {path} --help.")
            code = 2
        except SystemExit as stop:  # Typer and Rich exit with 1 after a closed pipe
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


def _print_version(requested: bool) -> None:
    if requested:
        from featsieve import __version__

        typer.echo(f"featsieve {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def featsieve(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Find the few features that matter in high-dimensional data, with or without labels."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
