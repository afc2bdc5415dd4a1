"""``featsieve datasets``: list the datasets that are available by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from featsieve.cli.data import AsJson
from featsieve.datasets.formats import all_formats

if TYPE_CHECKING:
    from rich.table import Table

_FORMATS = "\n".join(f"  {', '.join(record.extensions)}: {record.help}" for record in all_formats())

EXAMPLES = f"""\b
Examples:
  featsieve datasets
  featsieve datasets | grep found
  featsieve datasets --json
\b
Formats of files:
{_FORMATS}
"""


def datasets(as_json: AsJson = False) -> None:
    """List the datasets that can be used by name.

    Embedded datasets are part of scikit-learn. The others are datasets from the papers; their files must be
    in the folder given by the environment variable FEATSIEVE_DATA. The list shows where to download missing
    files.
    """
    from featsieve.cli.console import make_console, print_json, print_note
    from featsieve.datasets.catalog import data_folder

    records = _describe_datasets()
    if as_json:
        print_json(records)
        return
    make_console().print(_make_table(records))
    if data_folder() is None:
        print_note("To use the other datasets by name, set FEATSIEVE_DATA to the folder with their files.")


def _describe_datasets() -> list[dict[str, Any]]:
    from featsieve.datasets.catalog import catalog, image_shape
    from featsieve.datasets.embedded import SHAPES

    keys = ["name", "title", "samples", "features", "classes", "image_shape"]
    keys += ["papers", "file", "status", "source", "remark"]
    title, source = "part of scikit-learn", "scikit-learn"
    rows: list[tuple[Any, ...]] = [
        (name, title, *shape, image_shape(name, shape[1]), [], None, "embedded", source, "")
        for name, shape in SHAPES.items()
    ]
    for entry in catalog():
        status = "found" if entry.path else "missing"
        shape = (*entry.shape, entry.n_classes, entry.image_shape)
        papers = list(entry.papers)
        rows.append((entry.name, entry.title, *shape, papers, entry.file, status, entry.source, entry.remark))
    return [dict(zip(keys, row, strict=True)) for row in rows]


def _make_table(records: list[dict[str, Any]]) -> Table:
    from featsieve.cli.console import make_table

    headings = ("Name", "Samples", "Features", "Classes", "Image", "Papers", "Status", "Description")
    table = make_table(*headings, right=("Samples", "Features", "Classes"), whole=("Name", "Status"))
    for record in records:
        table.add_row(
            record["name"],
            str(record["samples"]),
            str(record["features"]),
            str(record["classes"] or ""),
            record["image_shape"] or "",
            ", ".join(record["papers"]),
            record["status"],
            _describe(record),
        )
    return table


def _describe(record: dict[str, Any]) -> str:
    remark = f"; {record['remark']}" if record["remark"] else ""
    source = f". Download: {record['source']}" if record["status"] == "missing" else ""
    return f"{record['title']}{remark}{source}"
