"""Tables of columns: .parquet and .feather."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from featsieve.datasets.errors import DataError, listing, need, quoted, reading
from featsieve.datasets.formats import looks_like
from featsieve.datasets.table import Table


def read_parquet(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """A Parquet file as a data frame."""
    parquet = need("pyarrow.parquet", "tables", f"reading {path.name}")
    _check_start(path, b"PAR1", "Parquet")
    with reading(path.name, "Parquet"), path.open("rb") as handle:
        return _table(path, parquet.ParquetFile(handle).read())


def read_feather(path: Path, samples: str | None = None, target: str | None = None) -> Table:
    """A Feather file as a data frame."""
    feather = need("pyarrow.feather", "tables", f"reading {path.name}")
    _check_start(path, (b"ARROW1", b"FEA1"), "Feather")
    with reading(path.name, "Feather"):
        return _table(path, feather.read_table(path, memory_map=False))


def _table(path: Path, arrow: Any) -> Table:
    _check_names(path, arrow.column_names)
    arrow.validate(full=True)  # offsets and text of a damaged file are found here, not where they are used
    frame = arrow.to_pandas()
    index = [str(name) for name in frame.index.names if name is not None]
    names = [str(name) for name in frame.columns]  # from the metadata, where pandas wrote the file
    _check_names(path, names)
    frame = frame.reset_index(drop=True)
    frame.columns = names
    if frame.empty:
        raise DataError(f"{path.name} has no rows." if names else f"{path.name} has no columns.")
    notes = tuple(f"the index {quoted(name)} is left out" for name in index)
    return Table(frame, names, notes=notes)


def _check_names(path: Path, names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(f"{path.name}: several columns are called {listing(twice)}: rename them.")


def _check_start(path: Path, start: bytes | tuple[bytes, ...], kind: str) -> None:
    with path.open("rb") as handle:
        if not handle.read(8).startswith(start):
            hint = looks_like(path) or ": check its extension"
            raise DataError(f"{path.name} is not a {kind} file{hint}.")
