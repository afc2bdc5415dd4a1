"""Which files are read by what: the one list of extensions."""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from featsieve.datasets.table import Table

# Extension -> module of this package and function; the modules are imported when a file is read.
READERS = {
    ".csv": "text:read_text",
    ".tsv": "text:read_text",
    ".txt": "text:read_text",
    ".data": "text:read_text",
    ".parquet": "columnar:read_parquet",
    ".feather": "columnar:read_feather",
    ".mat": "arrays:read_mat",
    ".npz": "arrays:read_npz",
    ".npy": "arrays:read_npy",
    ".arff": "arff:read_arff",
    ".svmlight": "svmlight:read_svmlight",
    ".libsvm": "svmlight:read_svmlight",
    ".svm": "svmlight:read_svmlight",
    ".h5ad": "h5ad:read_h5ad",
}
EXTENSIONS = tuple(READERS)

# Formats of compiled libraries that a damaged file may crash, or keep busy for ever.
_FRAGILE = (".parquet", ".feather", ".mat", ".h5ad")

# Files of text may be compressed as well: .csv.gz
COMPRESSIONS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_TEXT = (".csv", ".tsv", ".txt", ".data", ".arff", ".svmlight", ".libsvm", ".svm")

# Deflate makes data at most so many times smaller.
MAX_DEFLATE_RATIO = 1032

# How files begin that people save under a wrong extension.
_MAGIC = {
    b"PAR1": "a .parquet file",
    b"ARROW1": "a .feather file",
    b"\x89HDF": "an HDF5 file (.h5ad, or .mat of MATLAB 7.3)",
    b"\x93NUMPY": "a .npy file",
    b"MATLAB": "a .mat file",
    b"PK": "a .npz file or an Excel sheet",
    b"\x1f\x8b": "a compressed file (.gz)",
    b"BZh": "a compressed file (.bz2)",
    b"\xfd7zXZ": "a compressed file (.xz)",
    b"%PDF": "a PDF file",
}


def extension(path: Path) -> str:
    """The extension in small letters, without that of the compression; empty where it is not supported."""
    suffix = path.suffix.lower()
    if suffix in COMPRESSIONS:
        inner = Path(path.stem).suffix.lower()
        return inner if inner in _TEXT else ""
    return suffix if suffix in READERS else ""


def stem(name: str) -> str:
    """The name of a file without the extensions that :func:`extension` sees."""
    path = Path(name)
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSIONS and extension(path) else path.stem


def open_bytes(path: Path, mode: str = "rb") -> IO[bytes]:
    """The file, decompressed as its extension says."""
    return COMPRESSIONS.get(path.suffix.lower(), open)(path, mode)


def looks_like(path: Path) -> str:
    """What the file is by its first bytes, as the end of a sentence; empty when they say nothing."""
    with path.open("rb") as handle:
        start = handle.read(8)
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
    return f": it looks like {kind}, so rename it" if kind else ""


def read(path: Path, samples: str | None, target: str | None, isolated: bool = False) -> Table:
    """What the file holds; ``samples`` and ``target`` name arrays where it holds several.

    ``isolated`` reads the formats whose libraries may crash in a process of its own.
    """
    kind = extension(path)
    reader = f"featsieve.datasets.{READERS[kind]}"
    if isolated and kind in _FRAGILE:
        from featsieve.datasets.isolated import read_isolated

        return read_isolated(reader, path, samples, target)
    return call_reader(reader, path, samples, target)


def call_reader(reader: str, path: Path, *arguments: Any) -> Any:
    """What a reader, given as ``package.module:function``, makes of the file."""
    module, function = reader.split(":")
    return getattr(importlib.import_module(module), function)(path, *arguments)
