"""Writing columns of a dataset to a file, completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

from featsieve.datasets.errors import DataError, error_reason, unknown_name
from featsieve.datasets.formats import COMPRESSIONS, extension, extensions, find_format, unsupported_extension
from featsieve.datasets.loading import Dataset
from featsieve.datasets.selection import Selection

if TYPE_CHECKING:
    import pandas as pd


def save(
    dataset: Dataset,
    columns: Iterable[str],
    path: str | os.PathLike[str],
    force: bool = False,
    ranking: pd.DataFrame | None = None,
) -> Path:
    """Write columns of a dataset and its labels in the format that the extension selects.

    The columns are written as they are in the file and in the same order: text, dates and missing values are
    not converted. The file appears when it is complete; if writing fails, nothing remains.

    Parameters
    ----------
    dataset : Dataset
        Result of :func:`featsieve.datasets.load`.
    columns : iterable of str
        Columns to write, from ``dataset.columns``.
    path : str or path-like
        File with one of the extensions that ``featsieve.datasets.extensions(writable=True)`` lists. A .npy
        file cannot contain labels.
    force : bool, default=False
        Replace an existing file. The file that the data comes from is never replaced.
    ranking : DataFrame, default=None
        Columns "rank", "score" and "selected" for the columns of the dataset. An .h5ad file stores them in
        ``var``, with the prefix ``featsieve_``; other formats do not store them.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the format cannot contain the columns or the file cannot be written.

    See Also
    --------
    load : Read a dataset.

    Examples
    --------
    >>> import os, tempfile
    >>> import featsieve.datasets
    >>> wine = featsieve.datasets.load("wine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = featsieve.datasets.save(wine, ["alcohol", "hue"], os.path.join(folder, "small.csv"))
    ...     featsieve.datasets.load(path).feature_names
    ['alcohol', 'hue']
    """
    path = check_output(path, dataset, force)
    chosen = set(columns)
    for column in chosen.difference(dataset.columns):
        raise unknown_name(dataset.name, column, dataset.columns, "column")
    selection = Selection(dataset, dataset.table.keep(chosen), extension(path), ranking)
    with write_atomically(path) as handle:
        _write(selection, handle, path)
        check_output(path, dataset, force)  # another program may have written in the meantime
    return path


def check_output(
    path: str | os.PathLike[str], dataset: Dataset, force: bool, supported: tuple[str, ...] | None = None
) -> Path:
    """Return the path if a file may be written there; DataError otherwise."""
    path = Path(path).expanduser()
    writable = supported or extensions(writable=True)
    if extension(path) not in writable:
        raise unsupported_extension(path, "written", writable)
    if path.is_dir():
        raise DataError(f"{path} is a folder: name a file in it.")
    if not path.parent.is_dir():
        raise DataError(f"The folder {path.parent} of {path.name} does not exist: create it first.")
    if path.exists() and dataset.path is not None and path.samefile(dataset.path):
        raise DataError(f"{path} is the file that the data comes from: choose another name.")
    if path.exists() and not force:
        raise DataError(f"{path} already exists: choose another name, or replace it with --force.")
    return path


def _write(selection: Selection, handle: IO[bytes], path: Path) -> None:
    write, compression = find_format(path).write, COMPRESSIONS.get(path.suffix.lower())
    assert write is not None
    try:
        with compression[0](handle, "wb") if compression else nullcontext(handle) as file:
            write(selection, file)
    except DataError as error:
        raise DataError(f"{path.name} cannot be written: {error}") from error
    except OSError:
        raise
    except Exception as error:  # values that a library cannot write
        raise DataError(f"{path.name} cannot be written ({error_reason(error)}).") from error


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces ``path`` when writing succeeds and is deleted otherwise."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} cannot be written: {error_reason(error)}.") from error
    finally:
        temporary.unlink(missing_ok=True)
