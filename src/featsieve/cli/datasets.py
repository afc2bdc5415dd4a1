"""``featsieve datasets``: what can be ranked by name."""

from __future__ import annotations

from typing import Any

from featsieve.cli.data import AsJson
from featsieve.datasets.formats import all_formats

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
    """List the datasets that are known by name.

    Some come with scikit-learn. The others are used by the papers behind the methods, and are looked for in
    the folder that the environment variable FEATSIEVE_DATA names; for those missing it says where people get
    them.
    """
    from featsieve.cli.console import note, print_json, results
    from featsieve.datasets.catalog import data_folder

    records = _records()
    if as_json:
        print_json(records)
        return
    results().print(_table(records))
    if data_folder() is None:
        note("set the environment variable FEATSIEVE_DATA to a folder with these files to rank them by name.")


def _records() -> list[dict[str, Any]]:
    from featsieve.datasets import catalog
    from featsieve.datasets.embedded import SHAPES

    shipped: list[dict[str, Any]] = [
        {
            "name": name,
            "title": "shipped with scikit-learn",
            "samples": n_samples,
            "features": n_features,
            "classes": n_classes,
            "image_shape": "8x8" if name == "digits" else None,
            "papers": [],
            "file": None,
            "status": "embedded",
            "source": "scikit-learn",
            "remark": "",
        }
        for name, (n_samples, n_features, n_classes) in SHAPES.items()
    ]
    return shipped + [
        {
            "name": entry.name,
            "title": entry.title,
            "samples": entry.shape[0],
            "features": entry.shape[1],
            "classes": entry.n_classes,
            "image_shape": entry.image_shape,
            "papers": list(entry.papers),
            "file": entry.file,
            "status": "found" if entry.path else "missing",
            "source": entry.source,
            "remark": entry.remark,
        }
        for entry in catalog()
    ]


def _table(records: list[dict[str, Any]]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("Name", "Samples", "Features", "Classes", "Image", "Papers", "Status", "What it is"):
        right = heading in ("Samples", "Features", "Classes")
        table.add_column(heading, justify="right" if right else "left", no_wrap=heading in ("Name", "Status"))
    for record in records:
        table.add_row(
            record["name"],
            str(record["samples"]),
            str(record["features"]),
            str(record["classes"] or ""),
            record["image_shape"] or "",
            ", ".join(record["papers"]),
            record["status"],
            _about(record),
        )
    return table


def _about(record: dict[str, Any]) -> str:
    remark = f"; {record['remark']}" if record["remark"] else ""
    missing = f". From: {record['source']}" if record["status"] == "missing" else ""
    return f"{record['title']}{remark}{missing}"
