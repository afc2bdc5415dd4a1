"""Some columns of a dataset as a file, whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from featsieve.datasets.errors import DataError, brief, did_you_mean, need, quoted
from featsieve.datasets.formats import COMPRESSIONS, extension
from featsieve.datasets.load import Dataset
from featsieve.datasets.prepare import text_value
from featsieve.datasets.table import Table


def save(dataset: Dataset, columns: Iterable[str], path: str | os.PathLike[str], force: bool = False) -> Path:
    """Write some columns of a dataset, and its labels, in the format of the extension.

    The columns are those of the file, as they are there: text, dates and gaps are not encoded, and their
    order is kept. The file appears when it is complete; nothing is left behind if writing fails.

    Parameters
    ----------
    dataset : Dataset
        As :func:`featsieve.datasets.load` gives it.
    columns : iterable of str
        Columns to write, of ``dataset.columns``.
    path : str or path
        A .csv, .tsv, .parquet, .feather, .npz, .npy, .mat, .arff or .svmlight file. A .npy file has no place
        for labels.
    force : bool, default=False
        Replace a file that is there. The file that the data comes from is never replaced.

    Returns
    -------
    Path

    Raises
    ------
    DataError
        A ValueError of one line, where the format cannot hold the columns or the file cannot be written.

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
    for column in chosen - set(dataset.columns):
        hint = did_you_mean(column, dataset.columns, "columns")
        raise DataError(f"{dataset.name} has no column {quoted(column)}. {hint}")
    write = _WRITERS[extension(path)]
    with write_atomically(path) as handle:
        _write(write, _Reduced(dataset, chosen, extension(path)), handle, path)
        check_output(path, dataset, force)  # another program may have written meanwhile
    return path


def check_output(path: str | os.PathLike[str], dataset: Dataset, force: bool) -> Path:
    """The path, if a file may be written there."""
    path = Path(path).expanduser()
    if extension(path) not in _WRITERS:
        what = f"the extension {path.suffix!r}" if path.suffix else "no extension"
        raise DataError(f"{path.name} has {what}, and cannot be written. Supported: {', '.join(_WRITERS)}.")
    if path.is_dir():
        raise DataError(f"{path} is a folder: name a file in it.")
    if not path.parent.is_dir():
        raise DataError(f"there is no folder {path.parent} to write {path.name} to: make it first.")
    if path.exists() and dataset.path is not None and path.samefile(dataset.path):
        raise DataError(f"{path} is the file that the data comes from: choose another name.")
    if path.exists() and not force:
        raise DataError(f"{path} is there already: choose another name, or replace it with --force.")
    return path


@dataclass(frozen=True)
class _Reduced:
    """What is to be written, as the writers want it."""

    dataset: Dataset
    chosen: set[str]
    suffix: str

    def features(self) -> Table:
        table = self.dataset.table
        return table.keep([column for column in table.columns if column in self.chosen])

    def matrix(self) -> Any:
        """The features as numbers, NaN where a value is missing."""
        table = self.features()
        if not table.is_frame:
            return table.values
        for column in table.columns:
            value = text_value(table.column(column))
            if value is not None:
                raise DataError(
                    f"column {quoted(column)} holds text ({quoted(value)}), which {self.suffix} files "
                    "cannot: write .csv, .parquet or .arff."
                )
        return table.values.astype("float64").to_numpy()

    def frame(self) -> Any:
        """The features and the labels, those where they are in the file, or else as the last column."""
        import pandas as pd

        table, dataset = self.dataset.table, self.dataset
        if table.is_frame and dataset.target_name in table.columns:
            wanted = self.chosen | {dataset.target_name}
            return table.keep([column for column in table.columns if column in wanted]).values
        values, columns = self.features().values, self.features().columns
        dense = values.toarray() if sp.issparse(values) else values
        frame = pd.DataFrame(dense, columns=columns)
        if dataset.y is None:
            return frame
        name = next(each for each in ("target", dataset.target_name, "target_") if each not in columns)
        return frame.assign(**{str(name): dataset.y})

    def names(self) -> list[str]:
        return self.features().columns


def _csv(what: _Reduced, handle: IO[bytes]) -> None:
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    separator = "\t" if what.suffix == ".tsv" else ","
    what.frame().to_csv(text, sep=separator, index=False, lineterminator="\n")
    text.flush()
    text.detach()


def _parquet(what: _Reduced, handle: IO[bytes]) -> None:
    parquet = need("pyarrow.parquet", "tables", "writing .parquet")
    parquet.write_table(_arrow(what), handle)


def _feather(what: _Reduced, handle: IO[bytes]) -> None:
    feather = need("pyarrow.feather", "tables", "writing .feather")
    feather.write_feather(_arrow(what), handle)


def _arrow(what: _Reduced) -> Any:
    return need("pyarrow", "tables", f"writing {what.suffix}").Table.from_pandas(
        what.frame(), preserve_index=False
    )


def _npz(what: _Reduced, handle: IO[bytes]) -> None:
    X, y = what.matrix(), what.dataset.y
    arrays = {"X": X.toarray() if sp.issparse(X) else X, "feature_names": np.array(what.names(), dtype=str)}
    np.savez_compressed(handle, **arrays | ({} if y is None else {"y": y}))


def _npy(what: _Reduced, handle: IO[bytes]) -> None:
    X = what.matrix()
    np.save(handle, X.toarray() if sp.issparse(X) else X)


def _mat(what: _Reduced, handle: IO[bytes]) -> None:
    from scipy.io import savemat

    X, y = what.matrix(), what.dataset.y
    arrays = {"X": X, "feature_names": np.array(what.names(), dtype=object)}
    if y is not None:
        arrays["Y"] = (y.astype(object) if y.dtype.kind == "U" else y)[:, None]
    savemat(handle, arrays, do_compression=True)


def _svmlight(what: _Reduced, handle: IO[bytes]) -> None:
    from sklearn.datasets import dump_svmlight_file

    X, y = what.matrix(), what.dataset.y
    if y is not None and y.dtype.kind not in "buif":
        raise DataError(
            f"the labels are text ({quoted(y[0])}), which {what.suffix} files cannot: write .csv."
        )
    dump_svmlight_file(X, np.zeros(X.shape[0]) if y is None else y, handle, zero_based=False)


def _arff(what: _Reduced, handle: IO[bytes]) -> None:
    frame = what.frame()
    numeric = {column: text_value(frame[column]) is None for column in frame.columns}
    lines = [f"@relation {_quoted(what.dataset.name)}"]
    for column in frame.columns:
        values = sorted({str(value) for value in frame[column].dropna()})
        kind = "numeric" if numeric[column] else f"{{{','.join(map(_quoted, values))}}}"
        lines.append(f"@attribute {_quoted(column)} {kind}")
    lines.append("@data")
    for row in zip(*(_arff_column(frame[column], numeric[column]) for column in frame.columns), strict=True):
        lines.append(",".join(row))
    handle.write("\n".join(lines).encode() + b"\n")


def _arff_column(column: Any, numeric: bool) -> Iterator[str]:
    for value, missing in zip(column, column.isna(), strict=True):
        yield "?" if missing else repr(float(value)) if numeric else _quoted(value)


def _quoted(value: Any) -> str:
    text = " ".join(str(value).splitlines()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


_WRITERS: dict[str, Callable[[_Reduced, IO[bytes]], None]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".parquet": _parquet,
    ".feather": _feather,
    ".mat": _mat,
    ".npz": _npz,
    ".npy": _npy,
    ".arff": _arff,
    ".svmlight": _svmlight,
    ".libsvm": _svmlight,
    ".svm": _svmlight,
}


def _write(write: Callable[..., None], what: _Reduced, handle: IO[bytes], path: Path) -> None:
    compress = COMPRESSIONS.get(path.suffix.lower())
    try:
        if compress is None:
            write(what, handle)
            return
        with compress(handle, "wb") as compressed:
            write(what, compressed)
    except DataError as error:
        raise DataError(f"{path.name} cannot be written: {error}") from error
    except OSError:
        raise
    except Exception as error:  # what a library does not know how to write
        raise DataError(f"{path.name} cannot be written ({brief(error)}).") from error


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces ``path`` when writing succeeds and is deleted otherwise."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(path)
    except OSError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} cannot be written: {brief(error)}.") from error
    finally:
        part.unlink(missing_ok=True)
