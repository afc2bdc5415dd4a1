"""What came of a paper, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from featsieve.reproduction.summary import difference, missing, names_of_lines, number_of_line, text


def tables(summary: dict[str, Any], width: int) -> Iterator[Any]:
    """What to print on a terminal of that width: headings and tables of rich."""
    yield f"{summary['authors']}, {summary['year']}: {summary['title']} ({summary['form']} form)"
    for experiment in summary["experiments"]:
        yield f"\n{experiment['name']}: {experiment['title']}"
        yield from (f"  {columns} not run: {why}" for why, columns in missing(experiment).items())
        if not experiment["runs"]:
            continue
        if experiment["kind"] == "table":
            yield from _table(experiment, width)
        else:
            yield from _figure(experiment, width)
        for column, found in experiment["errors"].items():
            yield from (f"  {column}, {label} failed: {messages[0]}" for label, messages in found.items())
    if summary["claims"]:
        yield "\nClaims"
        yield _claims(summary["claims"])
    if summary["unjudged"]:
        yield (
            f"\nClaims that also rest on other tables or figures: {summary['unjudged']}. They are judged by "
            f"featsieve reproduce {summary['key']}{' --full' * (summary['form'] == 'full')}"
        )


def _table(experiment: dict[str, Any], width: int) -> Iterator[Any]:
    for part in experiment["parts"]:
        yield from _part(part, experiment["columns"], experiment["digits"], width)
    if experiment["compared"]:
        exactly = "; numbers of features exactly" if experiment["exactly"] else ""
        stars = "; * cannot be right:" if experiment["marks"] else "."
        said = f"{experiment['same']} of {experiment['compared']} printed numbers come out"
        yield f"  {said} (within {experiment['within']}{exactly}){stars}"
    for mark in experiment["marks"]:
        yield f"  * {mark['where']}: {text(mark['paper'])}, {mark['mark']}. {mark['evidence']}"
    for each in experiment["readings"]:
        yield f"  {each['row']}: {each['reading']}"
    yield from (f"  {note}" for note in experiment["notes"])


def _part(part: dict[str, Any], columns: list[str], digits: int, width: int) -> Iterator[Any]:
    rows = []
    for line in part["lines"]:
        cells = line["cells"]
        head = [line["row"], line["statistic"]]
        ours = [text(cell["ours"], cell["ours_size"], digits) for cell in cells]
        if any(cell["paper"] is not None for cell in cells):
            rows.append([*head, "paper", *(_paper(cell, digits) for cell in cells)])
            rows.append(["", "", "ours", *ours])
            rows.append(["", "", "difference", *(difference(cell, digits) for cell in cells)])
        else:
            rows.append([*head, "ours", *ours])
    yield from _grid(part["name"], ["Method", "", ""], columns, rows, width)


def _grid(
    title: str, head: list[str], columns: list[str], rows: list[list[str]], width: int
) -> Iterator[Any]:
    """A table, in several where it is wider than the terminal."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    wide = [max(map(cell_len, column)) + 3 for column in zip([*head, *columns], *rows, strict=True)]
    begin = len(head)
    while begin < len(wide):
        end, room = begin + 1, width - sum(wide[: len(head)]) - wide[begin]
        while end < len(wide) and room >= wide[end]:
            room, end = room - wide[end], end + 1
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title or None, title_justify="left")
        for heading in head:
            table.add_column(heading, no_wrap=True)
        for heading in columns[begin - len(head) : end - len(head)]:
            table.add_column(heading, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*row[: len(head)], *row[begin:end])
        yield table
        begin = end


def _paper(cell: dict[str, Any], digits: int) -> str:
    if cell["paper"] is None:
        return ""
    return text(cell["paper"], cell["paper_size"], digits) + ("*" if cell["mark"] else "")


def _figure(experiment: dict[str, Any], width: int) -> Iterator[Any]:
    """A number of each line; the lines themselves are in the page and in the JSON."""
    panels = experiment["panels"]
    rows = [
        [name, *("" if value is None else text(value) for value in values)]
        for name in names_of_lines(panels)
        for values in [[number_of_line(panel, name) for panel in panels]]
    ]
    yield from _grid(experiment["numbers"], ["Method"], [panel["title"] for panel in panels], rows, width)
    yield from (f"  {note}" for note in experiment["notes"])


def _claims(claims: list[dict[str, Any]]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("Claim", "Verdict", "Measured"):
        table.add_column(heading, overflow="fold")
    for each in claims:
        table.add_row(f"{each['claim']} ({each['where']})", each["verdict"], each["measured"])
    return table
