"""What came of a paper, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from featsieve.papers.summary import difference, text


def tables(summary: dict[str, Any]) -> Iterator[Any]:
    """What to print: headings and tables of rich."""
    yield f"{summary['authors']}, {summary['year']}: {summary['title']} ({summary['form']} form)"
    for experiment in summary["experiments"]:
        yield f"\n{experiment['name']}: {experiment['title']}"
        yield from (f"  missing: {column}: {why}" for column, why in experiment["missing"].items())
        if experiment["kind"] == "table":
            yield from _table(experiment)
        else:
            yield from _figure(experiment)
        for column, found in experiment["errors"].items():
            yield from (f"  {column}, {label} failed: {messages[0]}" for label, messages in found.items())
    if summary["claims"]:
        yield "\nClaims"
        yield _claims(summary["claims"])


def _table(experiment: dict[str, Any]) -> Iterator[Any]:
    for part in experiment["parts"]:
        yield _part(part, experiment["columns"], experiment["digits"])
    if experiment["compared"]:
        exactly = "; numbers of features exactly" if experiment["repeatable"] else ""
        stars = "; * cannot be right:" if experiment["marks"] else "."
        said = f"{experiment['same']} of {experiment['compared']} printed numbers come out"
        yield f"  {said} (within {experiment['tolerance']:g}{exactly}){stars}"
    for mark in experiment["marks"]:
        yield f"  * {mark['where']}: {text(mark['paper'])}, {mark['mark']}. {mark['evidence']}"
    for each in experiment["readings"]:
        yield f"  {each['row']}: {each['reading']}"
    yield from (f"  {note}" for note in experiment["notes"])


def _part(part: dict[str, Any], columns: list[str], digits: int) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=part["name"] or None, title_justify="left")
    for heading in ("Method", "", ""):
        table.add_column(heading, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for line in part["lines"]:
        cells = line["cells"]
        head = [line["row"], line["statistic"]]
        ours = [text(cell["ours"], cell["ours_size"], digits) for cell in cells]
        if any(cell["paper"] is not None for cell in cells):
            table.add_row(*head, "paper", *(_paper(cell, digits) for cell in cells))
            table.add_row("", "", "ours", *ours)
            table.add_row("", "", "difference", *(difference(cell, digits) for cell in cells))
        else:
            table.add_row(*head, "ours", *ours)
    return table


def _paper(cell: dict[str, Any], digits: int) -> str:
    if cell["paper"] is None:
        return ""
    return text(cell["paper"], cell["paper_size"], digits) + ("*" if cell["mark"] else "")


def _figure(experiment: dict[str, Any]) -> Iterator[Any]:
    """The mean of each line; the lines themselves are in the page and in the JSON."""
    from rich import box
    from rich.table import Table

    panels = experiment["panels"]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="mean over the sizes", title_justify="left")
    table.add_column("Method", no_wrap=True)
    for panel in panels:
        table.add_column(panel["title"], justify="right", no_wrap=True)
    names = dict.fromkeys(line["name"] for panel in panels for line in panel["lines"])
    for name in names:
        found = [next((line for line in panel["lines"] if line["name"] == name), None) for panel in panels]
        table.add_row(name, *("" if line is None else text(_mean(line["mean"])) for line in found))
    yield table
    yield from (f"  {note}" for note in experiment["notes"])


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _claims(claims: list[dict[str, Any]]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("Claim", "Verdict", "Measured"):
        table.add_column(heading, overflow="fold")
    for each in claims:
        table.add_row(f"{each['claim']} ({each['where']})", each["verdict"], each["measured"])
    return table
