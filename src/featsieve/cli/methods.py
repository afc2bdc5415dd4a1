"""``featsieve methods``: list the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from featsieve.cli.data import AsJson

if TYPE_CHECKING:
    from rich.table import Table

    from featsieve.registry import Method

EXAMPLES = """\b
Examples:
  featsieve methods
  featsieve methods | grep reconstruction
  featsieve methods --json
"""

# Terminal width from which every column of the full table is readable.
MIN_WIDTH_OF_FULL_TABLE = 180
WHOLE_COLUMNS = ("Method", "Labels", "Better")


def methods(as_json: AsJson = False) -> None:
    """List the methods, what they compute and what they need.

    Role: a ranker ranks the features of a table, a transformer computes new features, a classifier predicts
    classes. Labels: whether the method needs labels (yes), can use them (optional) or ignores them (no).
    Better: whether small or large scores mark good features. Input: kinds of data that the method accepts.
    """
    from featsieve.cli.console import make_console, print_json
    from featsieve.registry import methods as list_methods

    records = [_describe_method(method) for method in list_methods(role=None)]
    if as_json:
        print_json(records)
        return
    console = make_console()
    console.print(_full_table(records) if console.width >= MIN_WIDTH_OF_FULL_TABLE else _short_table(records))


def _describe_method(method: Method) -> dict[str, Any]:
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


def _full_table(records: list[dict[str, Any]]) -> Table:
    """Return a table with one line per method."""
    from featsieve.cli.console import make_table

    headings = ("Method", "Role", "Family", "Labels", "Better", "Input", "Description", "Reference")
    table = make_table(*headings, whole=WHOLE_COLUMNS)
    for record in records:
        table.add_row(
            *(", ".join(value) if isinstance(value, list) else value or "-" for value in record.values())
        )
    return table


def _short_table(records: list[dict[str, Any]]) -> Table:
    """Return a table with several lines per method."""
    from rich.text import Text

    from featsieve.cli.console import make_table

    table = make_table("Method", "Labels", "Better", "Description", whole=WHOLE_COLUMNS)
    for record in records:
        properties = f"{record['role']}; {record['family']}; {', '.join(record['inputs'])}"
        description = Text.assemble(f"{record['summary']}\n", (f"{properties}\n{record['reference']}", "dim"))
        table.add_row(record["name"], record["labels"], record["better"] or "-", description)
    return table
