"""``featsieve methods``: what there is to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from featsieve.registry import Method

EXAMPLES = """\b
Examples:
  featsieve methods
  featsieve methods | grep reconstruction
  featsieve methods --json
"""

# Narrower than this, the columns of the full table are too narrow to read.
_WIDE = 180


def methods(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the methods, what they do and what they need."""
    from featsieve.cli.console import print_json, results
    from featsieve.registry import methods as known

    records = [_record(method) for method in known(role=None)]
    if as_json:
        print_json(records)
        return
    console = results()
    console.print(_wide(records) if console.width >= _WIDE else _narrow(records))


def _record(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "role": method.role,
        "family": method.family,
        "labels": method.supervised,
        "better": method.direction,
        "inputs": ["dense", *sorted(method.inputs, reverse=True)],
        "summary": method.summary,
        "reference": method.reference,
    }


def _wide(records: list[dict[str, Any]]) -> Any:
    """A line for each method."""
    table = _table("Method", "Role", "Family", "Labels", "Better", "Input", "What it does", "Reference")
    for record in records:
        table.add_row(
            *(", ".join(value) if isinstance(value, list) else value or "-" for value in record.values())
        )
    return table


def _narrow(records: list[dict[str, Any]]) -> Any:
    """A few lines for each method."""
    from rich.text import Text

    table = _table("Method", "Labels", "Better", "What it does")
    for record in records:
        about = f"{record['role']}; {record['family']}; {', '.join(record['inputs'])}\n{record['reference']}"
        what = Text.assemble(f"{record['summary']}\n", (about, "dim"))
        table.add_row(record["name"], record["labels"], record["better"] or "-", what)
    return table


def _table(*headings: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=heading in ("Method", "Labels", "Better"))
    return table
