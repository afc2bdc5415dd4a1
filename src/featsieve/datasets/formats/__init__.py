"""File formats: one record for each, found in the modules of this package.

A new format is a module here with a reader and a tuple ``FORMATS``; extensions, help texts, messages and
tests are generated from the records. The tests need valid files: ``write`` creates them, and a format that
cannot be written has a module in ``tests/fuzz/corpus``. The modules import their libraries inside functions,
so that the command can list all formats quickly.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from featsieve.datasets.errors import DataError, reader_errors
from featsieve.datasets.selection import Selection
from featsieve.datasets.table import Table

# Deflate compresses data at most by this factor.
MAX_DEFLATE_RATIO = 1032


@dataclass(frozen=True)
class Format:
    """What is known about a file format.

    Attributes
    ----------
    title : str
        Name with its article for messages, such as "a Parquet file".
    help : str
        What such a file contains, on one line.
    extensions : tuple of str
        Extensions in lower case, with the dot; the first one names the format.
    read : callable
        ``read(path, samples, labels)`` returns a Table. ``samples`` is the name of the array that contains
        the samples, None for the usual one. ``labels`` has the names of columns or arrays to read besides the
        matrix, if the file has them, in addition to the usual labels.
    write : callable or None
        ``write(selection, handle)`` writes a Selection.
    magic : tuple of bytes
        First bytes of such files.
    requires_magic : bool
        Whether every file of the format begins with one of ``magic``; ignored without ``magic``.
    compressible : bool
        Whether the file may be compressed, as in .csv.gz.
    fragile : bool
        Whether a damaged file may crash the library that reads it or make it loop forever.
    has_named_arrays : bool
        Whether a file contains several arrays, of which ``samples`` selects one.
    may_be_folder : bool
        Whether the data may be in a folder with the extension.
    extra : str or None
        Extra of this package that the format requires.
    """

    title: str
    help: str
    extensions: tuple[str, ...]
    read: Callable[[Path, str | None, tuple[str, ...]], Table]
    write: Callable[[Selection, IO[bytes]], None] | None = None
    magic: tuple[bytes, ...] = ()
    requires_magic: bool = True
    compressible: bool = False
    fragile: bool = False
    has_named_arrays: bool = False
    may_be_folder: bool = False
    extra: str | None = None

    @property
    def name(self) -> str:
        """First extension without the dot."""
        return self.extensions[0][1:]


# Extension -> function that opens the file, and first bytes.
COMPRESSIONS: dict[str, tuple[Callable[..., Any], bytes]] = {
    ".bz2": (bz2.open, b"BZh"),
    ".gz": (gzip.open, b"\x1f\x8b"),
    ".xz": (lzma.open, b"\xfd7zXZ"),
}

# Other files that are often saved under a wrong extension.
UNSUPPORTED = {"a PDF file": b"%PDF"}


@cache
def _formats_by_extension() -> dict[str, Format]:
    by_extension: dict[str, Format] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for record in importlib.import_module(f"{__name__}.{module}").FORMATS:
            for suffix in record.extensions:
                if by_extension.setdefault(suffix, record) is not record:
                    title = by_extension[suffix].title
                    raise ValueError(f"{suffix} must have one format; got {title} and {record.title}.")
    return dict(sorted(by_extension.items()))


def all_formats() -> tuple[Format, ...]:
    """Return the records of all formats."""
    return tuple(dict.fromkeys(_formats_by_extension().values()))


def extensions(
    *, writable: bool = False, fragile: bool = False, has_named_arrays: bool = False
) -> tuple[str, ...]:
    """Return the extensions of the files that :func:`featsieve.datasets.load` reads.

    Parameters
    ----------
    writable : bool, default=False
        Return only those that :func:`featsieve.datasets.save` writes.
    fragile : bool, default=False
        Return only those that are read in a separate process on request.
    has_named_arrays : bool, default=False
        Return only those of files with several arrays.

    Returns
    -------
    tuple of str
        Extensions in alphabetical order.

    Examples
    --------
    >>> import featsieve.datasets
    >>> featsieve.datasets.extensions(has_named_arrays=True)
    ('.h5ad', '.mat', '.npz', '.xlsx', '.zarr')
    """
    return tuple(
        suffix
        for suffix, record in _formats_by_extension().items()
        if (record.write or not writable)
        and (record.fragile or not fragile)
        and (record.has_named_arrays or not has_named_arrays)
    )


def extension(path: Path) -> str:
    """Return the supported extension in lower case, without that of the compression, or an empty string."""
    is_compressed = path.suffix.lower() in COMPRESSIONS
    suffix = Path(path.stem if is_compressed else path).suffix.lower()
    record = _formats_by_extension().get(suffix)
    return suffix if record and (record.compressible or not is_compressed) else ""


def find_format(path: Path) -> Format:
    """Return the format that the extension selects; KeyError if there is none."""
    return _formats_by_extension()[extension(path)]


def stem(name: str) -> str:
    """Return the name of a file without its extension and that of the compression."""
    path = Path(name)
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSIONS and extension(path) else path.stem


def unsupported_extension(path: Path, action: str, supported: tuple[str, ...]) -> DataError:
    """Return the error for a file whose extension is not supported; ``action`` is "read" or "written"."""
    problem = f"the extension {path.suffix!r}" if path.suffix else "no extension"
    return DataError(f"{path.name} has {problem} and cannot be {action}. Supported: {', '.join(supported)}.")


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, decompressed according to its extension."""
    open_file, _ = COMPRESSIONS.get(path.suffix.lower(), (open, b""))
    return open_file(path, "rb")


def extension_hint(path: Path) -> str:
    """Return the end of a message about a wrong extension, based on the first bytes of the file."""
    with path.open("rb") as handle:
        start = handle.read(8)
    titles = [record.title for record in all_formats() if start.startswith(record.magic)]
    titles += [f"a {suffix} file" for suffix, (_, magic) in COMPRESSIONS.items() if start.startswith(magic)]
    titles += [title for title, magic in UNSUPPORTED.items() if start.startswith(magic)]
    content = f"it looks like {' or '.join(titles)}. Check" if titles else "check"
    return f": {content} its extension."


def read(
    path: Path, samples: str | None = None, labels: tuple[str, ...] = (), isolated: bool = False
) -> Table:
    """Read a file in any format; ``isolated`` reads fragile formats in a separate process."""
    record = find_format(path)
    if isolated and record.fragile:
        from featsieve.datasets.isolated import read_isolated
        from featsieve.engines.memory import file_limit

        return read_isolated(f"{__name__}:read_with_limit", path, samples, labels, file_limit())
    if samples is not None and not record.has_named_arrays:
        suffixes = ", ".join(extensions(has_named_arrays=True))
        raise DataError(
            f"{path.name} has no arrays, layers or sheets to name with --samples, which is for {suffixes} "
            "files."
        )
    start = b""
    if record.magic and path.is_file():
        with path.open("rb") as handle:
            start = handle.read(8)
    if record.magic and record.requires_magic and path.is_file() and not start.startswith(record.magic):
        raise DataError(f"{path.name} is not {record.title}{extension_hint(path)}")
    with reader_errors(path.name, record.title):
        return record.read(path, samples, labels)


def read_with_limit(path: Path, samples: str | None, labels: tuple[str, ...], limit: float) -> Table:
    """Read a file in another process, in chunks if it exceeds the limit of this one."""
    from featsieve.engines.memory import chunked_files

    with chunked_files(limit):
        return read(path, samples, labels)
