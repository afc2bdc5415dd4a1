"""Columnar tables: Parquet and Feather."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from featsieve.datasets.errors import DataError, quote, require
from featsieve.datasets.formats import Format
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table, check_unique

EXTRA = "tables"


def read_parquet(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read a Parquet file as a data frame."""
    parquet = require("pyarrow.parquet", EXTRA, f"reading {path.name}")
    with path.open("rb") as handle:
        return _table(path, parquet.ParquetFile(handle).read())


def read_feather(path: Path, samples: str | None, labels: tuple[str, ...]) -> Table:
    """Read a Feather file as a data frame."""
    feather = require("pyarrow.feather", EXTRA, f"reading {path.name}")
    return _table(path, feather.read_table(path, memory_map=False))


def _table(path: Path, arrow_table: Any) -> Table:

    check_unique(arrow_table.column_names, path.name)
    arrow_table.validate(full=True)  # finds damaged offsets and text here instead of where they are used
    frame = arrow_table.to_pandas()
    index = [str(name) for name in frame.index.names if name is not None]
    names = [str(name) for name in frame.columns]  # from the metadata if pandas wrote the file
    check_unique(names, path.name)
    frame = frame.reset_index(drop=True)
    frame.columns = names
    if frame.empty:
        raise DataError(f"{path.name} has no rows." if names else f"{path.name} has no columns.")
    return Table(frame, names, notes=tuple(f"Index {quote(name)} was left out." for name in index))


def write_parquet(selection: Selection, handle: IO[bytes]) -> None:
    """Write a Parquet file."""
    parquet = require("pyarrow.parquet", EXTRA, "writing .parquet")
    parquet.write_table(_arrow_table(selection), handle)


def write_feather(selection: Selection, handle: IO[bytes]) -> None:
    """Write a Feather file."""
    feather = require("pyarrow.feather", EXTRA, "writing .feather")
    feather.write_feather(_arrow_table(selection), handle)


def _arrow_table(selection: Selection) -> Any:
    arrow = require("pyarrow", EXTRA, f"writing {selection.suffix}")
    return arrow.Table.from_pandas(selection.frame(), preserve_index=False)


FORMATS = (
    Format(
        "a Parquet file",
        "Columnar table of Apache Parquet",
        (".parquet",),
        read_parquet,
        write_parquet,
        magic=(b"PAR1",),
        fragile=True,
        extra=EXTRA,
    ),
    Format(
        "a Feather file",
        "Columnar table of Apache Arrow",
        (".feather",),
        read_feather,
        write_feather,
        magic=(b"ARROW1", b"FEA1"),
        fragile=True,
        extra=EXTRA,
    ),
)
