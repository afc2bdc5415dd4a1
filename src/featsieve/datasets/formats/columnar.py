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
    if path.is_dir():
        return _read_folder(path, labels)
    with path.open("rb") as handle:
        return _table(path, parquet.ParquetFile(handle).read())


def _read_folder(path: Path, labels: tuple[str, ...]) -> Table:
    """Read a folder of Parquet files as one table; in chunks if it does not fit in the working memory."""
    from featsieve.datasets.errors import list_names
    from featsieve.engines.chunked import as_chunked
    from featsieve.engines.memory import file_limit
    from featsieve.engines.sources import ParquetFolder

    dataset = require("pyarrow.dataset", EXTRA, f"reading {path.name}")
    files = sorted(str(file) for file in path.glob("**/*.parquet"))
    if not files:
        raise DataError(f"{path.name} contains no .parquet files.")
    source = dataset.dataset(files, format="parquet")
    names, n_rows = source.schema.names, source.count_rows()
    if 8 * n_rows * len(names) <= file_limit():
        return _table(path, source.to_table())
    check_unique(names, path.name)
    apart = [name for name in names if name in labels or name.lower() == "target"]
    types = dict(zip(names, source.schema.types, strict=True))
    numeric = [name for name in names if name not in apart and _is_number(types[name])]
    others = [name for name in names if name not in apart and name not in numeric]
    note = f"Columns {list_names(others)} are no numbers and were left out, because the data is in chunks."
    if not numeric:
        raise DataError(f"{path.name} has no columns of numbers.")
    columns = source.to_table(columns=apart).to_pandas() if apart else {}
    return Table(
        as_chunked(ParquetFolder(str(path), numeric)),
        numeric,
        {name: columns[name].to_numpy() for name in apart},
        notes=(note,) if others else (),
    )


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


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
        "Columnar table of Apache Parquet, or a folder of such files",
        (".parquet",),
        read_parquet,
        write_parquet,
        magic=(b"PAR1",),
        fragile=True,
        may_be_folder=True,
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
