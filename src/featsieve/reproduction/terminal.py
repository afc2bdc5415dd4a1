"""Show the reproduction of a paper in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from featsieve.reproduction.checks import group_keys
from featsieve.reproduction.formatting import format_difference, format_number
from featsieve.reproduction.panels import line_names, line_value

if TYPE_CHECKING:
    from rich.table import Table


def render_tables(summary: dict[str, Any], width: int) -> Iterator[str | Table]:
    """Yield the headings, notes and tables for a terminal of that width."""
    form = f" ({summary['form']} form)" if summary["has_quick_form"] else ""
    yield f"{summary['authors']}, {summary['year']}: {summary['title']}{form}"
    if any(_has_sizes(experiment) for experiment in summary["experiments"]):
        yield "In parentheses after a maximum: the smallest number of features that reaches it"
    for experiment in summary["experiments"]:
        yield f"\n{experiment['name']}: {experiment['title']}"
        for reason, columns in group_keys(experiment["missing"]).items():
            yield f"  {', '.join(columns)} not run: {reason}"
        if not experiment["runs"]:
            continue
        if experiment["kind"] == "table":
            yield from _render_table(experiment, width)
        else:
            yield from _render_figure(experiment, width)
        yield from (f"  {note}" for note in experiment["notes"])
        for column, errors in experiment["errors"].items():
            yield from (f"  {column}, {label} failed: {messages[0]}" for label, messages in errors.items())
    if summary["claims"]:
        yield "\nClaims"
        yield _render_claims(summary["claims"])
    if summary["n_unjudged"]:
        option = " --full" if summary["form"] == "full" else ""
        yield (
            f"\nClaims that require other tables or figures as well: {summary['n_unjudged']}. To judge them, "
            f"run featsieve reproduce {summary['key']}{option}"
        )


def _render_table(experiment: dict[str, Any], width: int) -> Iterator[str | Table]:
    columns, digits = experiment["columns"], experiment["digits"]
    for measure in experiment["measures"]:
        rows = []
        for line in measure["lines"]:
            cells, first = line["cells"], [line["row"], line["statistic"]]
            ours = [format_number(cell["ours"], cell["ours_size"], digits) for cell in cells]
            if any(cell["paper"] is not None for cell in cells):
                rows.append([*first, "paper", *(_format_published(cell, digits) for cell in cells)])
                rows.append(["", "", "ours", *ours])
                rows.append(["", "", "difference", *(format_difference(cell, digits) for cell in cells)])
            else:
                rows.append([*first, "ours", *ours])
        yield from _split_table(measure["name"], ["Method", "", ""], columns, rows, width)
    if experiment["n_compared"]:
        sizes = "; numbers of features exactly" if experiment["compares_sizes"] else ""
        marks = "; * cannot be correct:" if experiment["marks"] else "."
        counts = f"{experiment['n_same']} of {experiment['n_compared']}"
        yield f"  {counts} published numbers reproduced (within {experiment['tolerance']}{sizes}){marks}"
    for mark in experiment["marks"]:
        yield f"  * {mark['cell']}: {format_number(mark['paper'])}, {mark['mark']}. {mark['evidence']}"
    yield from (f"  {reading['row']}: {reading['reading']}" for reading in experiment["readings"])


def _has_sizes(experiment: dict[str, Any]) -> bool:
    lines = [line for measure in experiment.get("measures", ()) for line in measure["lines"]]
    return any(cell["ours_size"] is not None for line in lines for cell in line["cells"])


def _format_published(cell: dict[str, Any], digits: int) -> str:
    if cell["paper"] is None:
        return ""
    return format_number(cell["paper"], cell["paper_size"], digits) + ("*" if cell["mark"] else "")


def _render_figure(experiment: dict[str, Any], width: int) -> Iterator[str | Table]:
    """Yield one number per line of the figure. The page and the JSON contain the complete lines."""
    panels = experiment["panels"]
    rows = []
    for name in line_names(panels):
        values = [line_value(panel, name) for panel in panels]
        rows.append([name, *("" if value is None else format_number(value) for value in values)])
    titles = [panel["title"] for panel in panels]
    yield from _split_table(experiment["line_value"], ["Method"], titles, rows, width)


def _split_table(
    title: str, head: list[str], columns: list[str], rows: list[list[str]], width: int
) -> Iterator[Table]:
    """Yield a table, or several if it is wider than the terminal; each repeats the columns of ``head``."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    widths = [max(map(cell_len, column)) + 3 for column in zip([*head, *columns], *rows, strict=True)]
    start = len(head)
    while start < len(widths):
        stop = start + 1
        while stop < len(widths) and sum(widths[: len(head)]) + sum(widths[start : stop + 1]) <= width:
            stop += 1
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title or None, title_justify="left")
        for heading in head:
            table.add_column(heading, no_wrap=True)
        for heading in columns[start - len(head) : stop - len(head)]:
            table.add_column(heading, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*row[: len(head)], *row[start:stop])
        yield table
        start = stop


def _render_claims(claims: list[dict[str, Any]]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("Claim", "Verdict", "Measured"):
        table.add_column(heading, overflow="fold")
    for claim in claims:
        table.add_row(f"{claim['claim']} ({claim['section']})", claim["verdict"], claim["measured"])
    return table
